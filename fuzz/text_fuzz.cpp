// libFuzzer's entry to tests/support/text_fuzz.h. Build with clang++-19 and -DVERILOCC_FUZZ=ON.
#include "tests/support/text_fuzz.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string wrong = verilocc::tests::checkCaseText({reinterpret_cast<const char *>(data), size});
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
