// pair_fuzz [SECONDS [SEED]]: pairs of functions, damaged and not, through the readers, the pairing and the checker
// until the time is up; the first that goes wrong is written to pair_fuzz-SEED-before.ra and -after.ra. Build with
// -DVERILOCC_SANITIZE=ON.
#include "tests/support/pair_fuzz.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>

using namespace verilocc;

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 10;
  const auto stop = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  uint64_t seed = first;
  for (; std::chrono::steady_clock::now() < stop; ++seed) {
    const tests::FilePair pair = tests::randomFilePair(seed);
    if (const std::string wrong = tests::checkFilePair(pair); !wrong.empty()) {
      std::ofstream("pair_fuzz-" + std::to_string(seed) + "-before.ra", std::ios::binary) << pair.before;
      std::ofstream("pair_fuzz-" + std::to_string(seed) + "-after.ra", std::ios::binary) << pair.after;
      std::cerr << "seed " << seed << ": " << wrong << "\n";
      return 1;
    }
  }
  std::cout << seed - first << " pairs, seeds " << first << " to " << seed - 1 << ": nothing found\n";
}
