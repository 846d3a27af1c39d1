// Which threads EXEC names: the operations on masks against the same operations on sets.
#include "checker/exec_masks.h"
#include "support/rng.h"
#include "tests/support/cases.h"

#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace verilocc::checker {
namespace {

using problem::InstId;
using Tags = std::set<uint32_t>;

/// Runs the mask instructions of a Problem. Threads are followed by a tag on their class, which a split copies.
struct Threads {
  problem::Problem problem;
  ExecMasks masks;
  std::vector<ThreadClass> classes;
  unsigned unknown = 0;

  explicit Threads(std::string_view code)
      : problem(tests::caseOf(code).problem), masks(problem), classes(masks.entryClasses()) {
    tag();
  }
  void tag() {
    for (uint32_t i = 0; i < classes.size(); ++i)
      classes[i].group = i;
  }
  void run(InstId first, InstId last) {
    for (InstId i = first; i < last; ++i)
      if (masks.isMaskInst(i))
        unknown += masks.apply(i, classes);
  }
  Tags with(bool active) const {
    Tags tags;
    for (const ThreadClass &c : classes)
      if (c.isActive() == active)
        tags.insert(c.group);
    return tags;
  }
  /// The tags inside EXEC; no tag may be inside and outside.
  Tags active() const {
    const Tags in = with(true), out = with(false);
    for (uint32_t t : in)
      EXPECT_FALSE(out.contains(t)) << "threads of tag " << t << " were told apart";
    return in;
  }
  Tags all() const {
    Tags tags = with(true);
    tags.merge(with(false));
    return tags;
  }
};

Tags minus(const Tags &a, const Tags &b) {
  Tags result;
  for (uint32_t t : a)
    if (!b.contains(t))
      result.insert(t);
  return result;
}

struct Operation {
  const char *text;
  std::function<bool(bool, bool)> result;
};

const std::string two_compares = R"(
block 0
  %0:vgpr_32 = LOAD | per-thread load
  %1:sgpr_32 = CMP %0, implicit exec_lo | vcmp per-thread mask compare
  %2:sgpr_32 = CMP %0, implicit exec_lo | vcmp per-thread mask compare
  exec_lo = S_MOV %1 | salu mask move
  exec_lo = S_MOV %2 | salu mask move
)";

TEST(ExecMasks, OperationsOfTwoMasks) {
  const Operation operations[] = {
      {"and", [](bool a, bool b) { return a && b; }},     {"or", [](bool a, bool b) { return a || b; }},
      {"xor", [](bool a, bool b) { return a != b; }},     {"and-not", [](bool a, bool b) { return a && !b; }},
      {"or-not", [](bool a, bool b) { return a || !b; }},
  };
  for (const Operation &operation : operations) {
    Threads threads(two_compares + "  exec_lo = OP %1, %2 | salu mask " + operation.text + "\n");
    threads.run(0, 3);
    threads.tag();
    threads.run(3, 4);
    const Tags a = threads.active();
    threads.run(4, 5);
    const Tags b = threads.active();
    threads.run(5, 6);
    const Tags result = threads.active();
    std::set<std::pair<bool, bool>> seen;
    for (uint32_t t : threads.all()) {
      seen.insert({a.contains(t), b.contains(t)});
      EXPECT_EQ(result.contains(t), operation.result(a.contains(t), b.contains(t))) << operation.text;
    }
    EXPECT_EQ(seen.size(), 4u) << operation.text;
    EXPECT_EQ(threads.unknown, 0u) << operation.text;
  }
}

TEST(ExecMasks, OperationsThatSaveExec) {
  const Operation operations[] = {
      {"and-save", [](bool e, bool a) { return e && a; }},
      {"or-save", [](bool e, bool a) { return e || a; }},
      {"xor-save", [](bool e, bool a) { return e != a; }},
      {"and-not-save", [](bool e, bool a) { return a && !e; }},
      {"not-and-save", [](bool e, bool a) { return !a && e; }},
  };
  for (const Operation &operation : operations) {
    Threads threads(two_compares +
                    "  %3:sgpr_32 = OP %1, implicit def exec_lo, implicit def scc, implicit exec_lo | salu mask " +
                    operation.text + "\n  exec_lo = S_MOV %3 | salu mask move\n");
    threads.run(0, 3);
    threads.tag();
    threads.run(3, 4);
    const Tags a = threads.active();
    threads.run(4, 5);
    const Tags exec = threads.active();
    threads.run(5, 6);
    const Tags result = threads.active();
    for (uint32_t t : threads.all())
      EXPECT_EQ(result.contains(t), operation.result(exec.contains(t), a.contains(t))) << operation.text;
    threads.run(6, 7);
    EXPECT_EQ(threads.active(), exec) << operation.text;
  }
}

TEST(ExecMasks, IfAndElseSplitTheThreadsAndBringThemBack) {
  Threads threads(R"(
block 0
  %0:vgpr_32 = LOAD | per-thread load
  %1:sgpr_32 = CMP %0, implicit exec_lo | vcmp per-thread mask compare
  %2:sgpr_32 = S_AND_SAVEEXEC %1, implicit def exec_lo, implicit def scc, implicit exec_lo | salu mask and-save
  %3:sgpr_32 = S_XOR exec_lo, %2, implicit def scc | salu mask xor
  %4:sgpr_32 = S_OR_SAVEEXEC %3, implicit def exec_lo, implicit def scc, implicit exec_lo | salu mask or-save
  exec_lo = S_XOR exec_lo, %4, implicit def scc | salu mask xor
  exec_lo = S_OR exec_lo, %4, implicit def scc | salu mask or
)");
  threads.run(0, 2);
  threads.tag();
  const Tags entry = threads.active();
  EXPECT_EQ(entry.size(), 2u);
  threads.run(2, 3);
  const Tags then = threads.active();
  EXPECT_EQ(then.size(), 1u);
  threads.run(3, 5);
  EXPECT_EQ(threads.active(), entry);
  threads.run(5, 6);
  EXPECT_EQ(threads.active(), minus(entry, then));
  threads.run(6, 7);
  EXPECT_EQ(threads.active(), entry);
  EXPECT_EQ(threads.unknown, 0u);
}

TEST(ExecMasks, ThreadsLeaveALoopOneByOneAndAllComeBack) {
  Threads threads(R"(
block 0 -> 1
  %0:vgpr_32 = LOAD | per-thread load
  %1:sgpr_32 = S_MOV | salu mask move constant 0
block 1 -> 1 2
  %2:sgpr_32 = CMP %0, implicit exec_lo | vcmp per-thread mask compare
  %1 = S_OR %2, %1, implicit def scc | salu mask or
  exec_lo = S_ANDN2 exec_lo, %1, implicit def scc | salu mask and-not
block 2
  exec_lo = S_OR exec_lo, %1, implicit def scc | salu mask or
)");
  const Tags entry = threads.active();
  threads.run(0, 2);
  threads.run(2, 4);
  threads.tag();
  const Tags first = threads.active();
  threads.run(4, 5);
  const Tags stayed = threads.active();
  EXPECT_EQ(first.size(), 2u);
  EXPECT_EQ(stayed.size(), 1u);
  threads.run(2, 5);
  // Of those that stayed some stay on, some leave; who had left stays out.
  EXPECT_EQ(threads.with(true), stayed);
  EXPECT_TRUE(threads.with(false).contains(*stayed.begin()));
  threads.run(5, 6);
  EXPECT_EQ(threads.active(), first);
  EXPECT_EQ(threads.unknown, 0u);
}

/// A random mask operation as text, and what it does to a wave of 32 threads (compares pick at random).
struct WaveStep {
  std::string text;
  uint32_t exec, masks[3];
};
WaveStep randomStep(uint32_t exec, const uint32_t (&masks)[3], support::Rng &rng) {
  WaveStep step{"", exec, {masks[0], masks[1], masks[2]}};
  const auto name = [](unsigned i) { return i == 3 ? std::string("exec_lo") : "%" + std::to_string(i + 1); };
  const auto value = [&](unsigned i) { return i == 3 ? exec : masks[i]; };
  const auto quads = [](uint32_t x) {
    uint32_t whole = 0;
    for (unsigned t = 0; t < 32; ++t)
      whole |= (x >> (t & ~3u) & 15) ? 1u << t : 0;
    return whole;
  };
  const auto a = static_cast<unsigned>(rng.below(4)), b = static_cast<unsigned>(rng.below(4));
  auto d = static_cast<unsigned>(rng.below(4));
  uint32_t result = 0;
  std::string attribute;
  const auto sort = rng.below(14);
  if (sort < 7) { // of two masks, or of one
    const char *const names[] = {"and", "or", "xor", "and-not", "or-not", "move", "whole-quad"};
    const uint32_t results[] = {value(a) & value(b),  value(a) | value(b),  value(a) ^ value(b),
                                value(a) & ~value(b), value(a) | ~value(b), value(a),
                                quads(value(a))};
    result = results[sort];
    step.text = name(d) + " = OP " + name(a) + (sort < 5 ? ", " + name(b) : "") + " | salu mask " + names[sort];
  } else if (sort < 12) { // that save EXEC
    const char *const names[] = {"and-save", "or-save", "xor-save", "and-not-save", "not-and-save"};
    const uint32_t results[] = {exec & value(a), exec | value(a), exec ^ value(a), value(a) & ~exec, exec & ~value(a)};
    d %= 3;
    const bool makes_quads = rng.chance(0.3);
    step.exec = makes_quads ? quads(exec) : results[sort - 7];
    result = exec;
    step.text = name(d) + " = SAVE " + (makes_quads ? "" : name(a) + ", ") +
                "implicit def exec_lo, implicit exec_lo | salu mask " +
                (makes_quads ? "whole-quad-save" : names[sort - 7]);
  } else { // compares
    const auto chosen = exec & static_cast<uint32_t>(rng.next());
    const bool of_exec = sort == 13;
    d %= 3;
    step.exec = of_exec ? chosen : exec;
    result = of_exec ? masks[d] : chosen;
    step.text = (of_exec ? "CMPX %0, implicit def exec_lo" : name(d) + " = CMP %0") +
                ", implicit exec_lo | vcmp per-thread mask compare" + (of_exec ? "-exec" : "");
  }
  (d == 3 ? step.exec : step.masks[d]) = result;
  return step;
}

/// Whatever a thread of a wave does, one of the classes does too: is inside EXEC after the same instructions.
TEST(ExecMasks, EveryThreadOfRandomWavesIsInAClass) {
  size_t num_histories = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    support::Rng rng(seed);
    uint32_t exec = static_cast<uint32_t>(rng.next()), masks[3];
    std::string code = "block 0\n  %0:vgpr_32 = LOAD | per-thread load\n";
    std::vector<uint32_t> execs{exec};
    for (unsigned i = 0; i < 3; ++i) {
      masks[i] = exec & static_cast<uint32_t>(rng.next());
      code += "  %" + std::to_string(i + 1) + ":sgpr_32 = CMP %0, implicit exec_lo | vcmp per-thread mask compare\n";
      execs.push_back(exec);
    }
    for (unsigned i = 0; i < 9; ++i) {
      const WaveStep step = randomStep(exec, masks, rng);
      code += "  " + step.text + "\n";
      std::copy(std::begin(step.masks), std::end(step.masks), masks);
      exec = step.exec;
      execs.push_back(exec);
    }
    Threads threads(code);
    for (ThreadClass &c : threads.classes)
      c.group = c.isActive();
    for (InstId id = 1; id < threads.problem.insts.size(); ++id) {
      threads.run(id, id + 1);
      for (ThreadClass &c : threads.classes)
        c.group = c.group << 1 | c.isActive();
    }
    const Tags histories = threads.all();
    for (unsigned t = 0; t < 32; ++t) {
      uint32_t history = 0;
      for (const uint32_t at : execs)
        history = history << 1 | (at >> t & 1);
      ASSERT_TRUE(histories.contains(history)) << "seed " << seed << " thread " << t << "\n" << code;
    }
    num_histories += histories.size();
  }
  EXPECT_LT(num_histories, 400u * 300) << "of 8192 that there might be";
}

TEST(ExecMasks, WholeQuadsOfOneMaskAreTheSameThreads) {
  Threads threads("block 0\n"
                  "  %0:sgpr_32 = ENTER implicit def exec_lo, implicit exec_lo | salu mask whole-quad-save\n"
                  "  exec_lo = EXIT %0 | salu mask move\n"
                  "  exec_lo = S_WQM exec_lo | salu mask whole-quad\n"
                  "  exec_lo = S_WQM exec_lo | salu mask whole-quad\n");
  const Tags before = threads.active();
  threads.run(0, 1);
  threads.tag();
  const Tags first = threads.active();
  EXPECT_GT(first.size(), before.size());
  threads.run(1, 2);
  EXPECT_LT(threads.active().size(), first.size());
  threads.run(2, 3);
  EXPECT_EQ(threads.active(), first);
  threads.run(3, 4);
  EXPECT_EQ(threads.active(), first);
  EXPECT_EQ(threads.unknown, 0u);
}

TEST(ExecMasks, ConstantsNameAllThreadsOrNone) {
  Threads threads("block 0\n"
                  "  exec_lo = S_MOV | salu mask move constant 0\n"
                  "  exec_lo = S_MOV | salu mask move constant -1\n");
  EXPECT_EQ(threads.active().size(), 1u);
  threads.run(0, 1);
  EXPECT_TRUE(threads.active().empty());
  threads.run(1, 2);
  EXPECT_EQ(threads.active(), threads.all());
}

TEST(ExecMasks, AMaskOfUnknownOriginMayNameAnyThread) {
  for (const char *write : {"  %0:sgpr_32 = S_LOAD | smem load\n  exec_lo = S_MOV %0 | salu mask move\n",
                            "  exec_lo = S_ODD | salu mask unknown\n"}) {
    Threads threads(std::string("block 0\n") + write);
    const Tags all = threads.all();
    threads.run(0, static_cast<InstId>(threads.problem.insts.size()));
    EXPECT_EQ(threads.with(true), all) << write;
    EXPECT_EQ(threads.with(false), all) << write;
    EXPECT_GT(threads.unknown, 0u) << write;
  }
}

} // namespace
} // namespace verilocc::checker
