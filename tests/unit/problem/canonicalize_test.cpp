#include "problem/canonicalize.h"

#include "support/rng.h"
#include "tests/support/random_problem.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace verilocc;
using namespace verilocc::problem;

/// The same Problem in other words: vregs and classes renumbered, names and signatures changed.
Problem disguised(const Problem &original, uint64_t seed) {
  support::Rng rng(seed);
  Problem p = original;
  std::vector<uint32_t> number(p.vregs.size());
  for (uint32_t v = 0; v < number.size(); ++v)
    number[v] = v;
  for (size_t i = number.size(); i > 1; --i)
    std::swap(number[i - 1], number[rng.below(i)]);
  for (uint32_t v = 0; v < number.size(); ++v)
    p.vregs[number[v]] = original.vregs[v];
  for (Operand &op : p.operands)
    if (!op.fixed)
      op.reg = number[op.reg];
  std::reverse(p.env.classes.begin(), p.env.classes.end());
  const auto last = static_cast<ClassId>(p.env.classes.size() - 1);
  for (ClassId &cls : p.vregs)
    cls = static_cast<ClassId>(last - cls);
  for (Operand &op : p.operands)
    if (op.constraint != no_class)
      op.constraint = static_cast<ClassId>(last - op.constraint);
  for (std::string &opcode : p.opcodes)
    opcode += "_X";
  for (Inst &inst : p.insts)
    inst.signature = rng.next();
  for (Block &block : p.blocks)
    block.frequency *= 1.2;
  p.name = "other";
  return p;
}

TEST(Canonicalize, DisguisesAreSeenThrough) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Problem original = tests::randomProblem(tests::randomOptions(seed));
    for (Block &block : original.blocks)
      block.frequency = std::exp2(block.loop_depth * 3);
    const Problem other = disguised(original, seed);
    const Canonical a = canonicalize(original), b = canonicalize(other);
    EXPECT_TRUE(wellFormed(a.problem)) << "seed " << seed;
    EXPECT_EQ(a.problem, b.problem) << "seed " << seed;
    EXPECT_EQ(canonicalHash(original), canonicalHash(other));
    EXPECT_EQ(canonicalize(a.problem).problem, a.problem) << "seed " << seed;
  }
}

TEST(Canonicalize, RenamingLeadsBack) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem original = tests::randomProblem(tests::randomOptions(seed));
    const Canonical canonical = canonicalize(original);
    ASSERT_EQ(canonical.renaming.original.size(), original.vregs.size());
    for (size_t o = 0; o < original.operands.size(); ++o)
      if (!original.operands[o].fixed) {
        EXPECT_EQ(canonical.renaming.original[canonical.problem.operands[o].reg], original.operands[o].reg);
      }
    std::vector<uint32_t> table(original.vregs.size());
    for (uint32_t v = 0; v < table.size(); ++v)
      table[v] = canonical.renaming.original[v];
    const std::vector<uint32_t> back = canonical.renaming.toOriginal(table);
    for (uint32_t v = 0; v < back.size(); ++v)
      EXPECT_EQ(back[v], v);
  }
}

TEST(Canonicalize, WhatMattersStaysDifferent) {
  const Problem original = tests::randomProblem(tests::randomOptions(7));
  const uint64_t hash = canonicalHash(original);
  Problem changed = original;
  changed.insts[original.insts.size() / 2].kind = InstKind::Barrier;
  EXPECT_NE(canonicalHash(changed), hash);
  changed = original;
  for (Operand &op : changed.operands)
    if (!op.fixed && op.isUse()) {
      op.flags ^= operand_flag::Undef;
      break;
    }
  EXPECT_NE(canonicalHash(changed), hash);
}

} // namespace
