// text_fuzz [SECONDS [SEED]]: mutated .ra texts through the reader until the time is up; the first that goes wrong is
// written to text_fuzz-SEED.ra. text_fuzz FILE...: checks these files. Build with -DVERILOCC_SANITIZE=ON.
#include "tests/support/text_fuzz.h"

#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>

using namespace verilocc;

int main(int argc, char **argv) {
  char *end = nullptr;
  const double seconds = argc > 1 ? std::strtod(argv[1], &end) : 10;
  if (argc > 1 && *end) {
    int status = 0;
    for (int i = 1; i < argc; ++i) {
      std::ifstream file(argv[i], std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      if (const std::string wrong = tests::checkCaseText(text); !file || !wrong.empty()) {
        std::cerr << argv[i] << ": " << (file.is_open() ? wrong : "cannot be read") << "\n";
        status = 1;
      }
    }
    return status;
  }
  const auto stop = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  uint64_t seed = first;
  for (; std::chrono::steady_clock::now() < stop; ++seed) {
    const std::string text = tests::mutateText(tests::randomCaseText(seed / 16), seed);
    if (const std::string wrong = tests::checkCaseText(text); !wrong.empty()) {
      std::ofstream("text_fuzz-" + std::to_string(seed) + ".ra", std::ios::binary) << text;
      std::cerr << "seed " << seed << ": " << wrong << "\n";
      return 1;
    }
  }
  std::cout << seed - first << " texts, seeds " << first << " to " << seed - 1 << ": nothing found\n";
}
