// Problems that an allocator cannot tell apart, made equal.
//
// Kernels differ in names, in the numbers of their vregs, in opcodes that take the same registers, in constants and in
// how often a loop is guessed to run. None of that matters to who lies where. The canonical form drops names, opcodes
// and signatures (kinds stay), numbers vregs, classes and clobber sets by first mention, and rounds frequencies to
// powers of two. Blocks and instructions stay in order: program order is meaning to allocators that walk it.
//
// Its hash tells near-duplicates in data sets. The form is not for checking: a checker needs signatures.
#pragma once

#include "problem/problem.h"

namespace verilocc::problem {

/// Between the vregs of a Problem and those of its canonical form.
struct Renaming {
  std::vector<VReg> original;  ///< by canonical number
  std::vector<VReg> canonical; ///< by original number

  /// Reorders a table by canonical vreg into one by original vreg.
  template <typename T> std::vector<T> toOriginal(const std::vector<T> &table) const {
    std::vector<T> result(table.size());
    for (size_t v = 0; v < table.size(); ++v)
      result[original[v]] = table[v];
    return result;
  }
};

struct Canonical {
  Problem problem; ///< well-formed if the original is
  Renaming renaming;
};

Canonical canonicalize(const Problem &problem);

/// Of the canonical form, the processor's name and register limits aside: equal for near-duplicates.
uint64_t canonicalHash(const Problem &problem);

} // namespace verilocc::problem
