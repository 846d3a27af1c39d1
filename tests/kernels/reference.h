// The CPU reference tests of kernels/: each variant's own source runs on the CPU (kernels/host/simt.h) next to a plain
// loop in double precision.
//
// A reference is a function registered for one source:  REFERENCE("norm/softmax.hip", softmax) { ... }
// It reads the variant's parameters, makes inputs whose sizes are no multiple of the tiles, runs, and expects.
#pragma once
#include "kernels/host/simt.h"
#include "tests/kernels/tensor.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace verilocc::kernels {

// A variant compiled for the CPU as if it ran on `target`.
struct Variant {
  std::string name, family, source, target;
  unsigned wave;
  void (*entry)();
  std::map<std::string, std::string> parameters;

  // A parameter's value; without one, `otherwise`. WAVE_SIZE is understood.
  int number(const std::string &key, int otherwise = 0) const;
  std::string text(const std::string &key, const std::string &otherwise) const;
  Format format(const std::string &key = "TYPE", const std::string &otherwise = "float") const {
    return formatOf(text(key, otherwise), target);
  }
};

/// For GoogleTest: without it a variant is printed as its bytes.
inline void PrintTo(const Variant &variant, std::ostream *out) { *out << variant.name << " for " << variant.target; }

// The table that scripts/kernels --reference writes; plain data, because it is long and compiled often.
struct Row {
  const char *name, *family, *source, *target;
  unsigned wave;
  void (*entry)();
  const char *parameters; // KEY=VALUE, separated by blanks
};
extern const Row kRows[];
extern const unsigned kRowCount;

std::vector<Variant> variants();

typedef void (*Reference)(const Variant &);
struct Registration {
  Registration(const char *source, Reference reference);
};
#define REFERENCE(source, name)                                                                                        \
  static void name(const ::verilocc::kernels::Variant &v);                                                             \
  static const ::verilocc::kernels::Registration name##_registration(source, name);                                    \
  static void name(const ::verilocc::kernels::Variant &v)

// Runs the variant. The argument types must be those of the kernel (pointers of any kind: void *).
template <class... Arguments> void run(const Variant &v, simt::Dim3 grid, unsigned threads, Arguments... arguments) {
  auto entry = reinterpret_cast<void (*)(Arguments...)>(v.entry);
  std::string wrong = simt::launch(grid, {threads, 1, 1}, v.wave, [&] { entry(arguments...); });
  ASSERT_EQ(wrong, "") << v.name << " on " << v.target;
}

inline unsigned ceilDiv(size_t a, size_t b) {
  return static_cast<unsigned>((a + b - 1) / b);
}

} // namespace verilocc::kernels
