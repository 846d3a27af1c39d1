// Homes applied at the seams of real compiles; LLVM's machine verifier runs after every pass.
#include "rewriter/apply.h"

#include "codegen/compile.h"
#include "mir/homes.h"

#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/LiveRegMatrix.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/VirtRegMap.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace verilocc::rewriter {
namespace {

using assignment::Homes;
using codegen::SeamContext;
using codegen::SeamPoint;
using problem::RegUnit;
using problem::VReg;

using Visit = std::function<void(SeamContext &, const mir::Reading &)>;

/// Compiles one of codegen's inputs, or `text` if given, and returns the assembly.
std::string compileAt(const std::string &mcpu, std::map<SeamPoint, Visit> visits, const std::string &text = "") {
  auto module = text.empty() ? codegen::load(VERILOCC_SOURCE_DIR "/tests/unit/codegen/inputs/" + mcpu + ".ll")
                             : codegen::loadBytes(text, "test.ll");
  EXPECT_TRUE(module) << module.error().str();
  codegen::Seams seams;
  for (const auto &[point, visit] : visits)
    seams[point] = [&visit = visit](SeamContext &context) {
      auto reading = mir::readFunction(context.function);
      ASSERT_TRUE(reading) << reading.error().str();
      visit(context, *reading);
    };
  codegen::CompileOptions options;
  options.mcpu = mcpu;
  options.emit = codegen::Emit::Assembly;
  options.verify = codegen::Verify::EveryPass;
  auto compiled = codegen::compile(*module, options, seams);
  EXPECT_TRUE(compiled) << compiled.failure().error.str();
  return compiled ? compiled->bytes : "";
}

ApplyReport apply(const Homes &homes, const mir::Reading &reading, SeamContext &context) {
  return applyHomes(homes, reading, *context.intervals, *context.virt_reg_map, *context.matrix);
}

bool isVector(const mir::Reading &reading, VReg vreg) {
  return problem::isPerThread(static_cast<RegUnit>(reading.problem.classOf(vreg).bases._Find_first()));
}

TEST(Apply, WhatLlvmChoseChangesNothing) {
  for (const char *mcpu : {"gfx1030", "gfx1100", "gfx90a"}) {
    unsigned calls = 0;
    auto same = [&](SeamContext &context, const mir::Reading &reading) {
      ++calls;
      Homes homes = mir::readHomes(reading.source, *context.virt_reg_map);
      ApplyReport report = apply(homes, reading, context);
      EXPECT_EQ(report.changed, 0u);
      EXPECT_EQ(report.assigned + report.left.size(), homes.size());
      EXPECT_EQ(mir::readHomes(reading.source, *context.virt_reg_map), homes);
    };
    EXPECT_EQ(compileAt(mcpu, {{SeamPoint::AfterSgpr, same}, {SeamPoint::AfterVgpr, same}}), compileAt(mcpu, {}));
    EXPECT_GE(calls, 4u);
  }
}

TEST(Apply, GreedysHomesGivenBeforeGreedyGiveGreedysCode) {
  for (const char *mcpu : {"gfx1030", "gfx1100", "gfx90a"}) {
    // LLVM's numbers of virtual registers are the same in both runs; ours are those of the readings.
    std::map<std::string, std::map<unsigned, RegUnit>> sgprs, vgprs;
    auto record = [](auto &into) {
      return [&](SeamContext &context, const mir::Reading &reading) {
        Homes homes = mir::readHomes(reading.source, *context.virt_reg_map);
        for (VReg vreg = 0; vreg < homes.size(); ++vreg)
          into[context.function.getName().str()][reading.source.vregs[vreg].id()] = homes[vreg];
      };
    };
    std::string plain = compileAt(mcpu, {{SeamPoint::AfterSgpr, record(sgprs)}, {SeamPoint::AfterVgpr, record(vgprs)}});
    unsigned given = 0;
    auto replay = [&](auto &from, bool vector) {
      return [&, vector](SeamContext &context, const mir::Reading &reading) {
        auto &known = from[context.function.getName().str()];
        Homes homes(reading.problem.vregs.size(), problem::no_unit);
        unsigned wanted = 0;
        for (VReg vreg = 0; vreg < homes.size(); ++vreg)
          if (isVector(reading, vreg) == vector && known.count(reading.source.vregs[vreg].id()))
            wanted += (homes[vreg] = known[reading.source.vregs[vreg].id()]) != problem::no_unit;
        ApplyReport report = apply(homes, reading, context);
        EXPECT_EQ(report.assigned, wanted);
        EXPECT_EQ(report.changed, wanted);
        EXPECT_EQ(report.count[static_cast<size_t>(LeftReason::NoHome)], report.left.size());
        given += wanted;
      };
    };
    EXPECT_EQ(
        compileAt(mcpu, {{SeamPoint::BeforeSgpr, replay(sgprs, false)}, {SeamPoint::BeforeVgpr, replay(vgprs, true)}}),
        plain);
    EXPECT_GT(given, 50u);
  }
}

TEST(Apply, RecoloursAFinishedAllocation) {
  // Everything vector in the small kernel moves up by sixteen: as a whole this fits, step by step it would not.
  unsigned changed = 0;
  auto up = [&](SeamContext &context, const mir::Reading &reading) {
    if (context.function.getName() != "collatz")
      return;
    Homes homes = mir::readHomes(reading.source, *context.virt_reg_map);
    for (RegUnit &home : homes)
      home = static_cast<RegUnit>(home + 16);
    ApplyReport report = apply(homes, reading, context);
    EXPECT_FALSE(report.rolled_back);
    EXPECT_EQ(report.assigned, homes.size());
    EXPECT_TRUE(report.left.empty());
    EXPECT_EQ(mir::readHomes(reading.source, *context.virt_reg_map), homes);
    changed = report.changed;
  };
  std::string assembly = compileAt("gfx1100", {{SeamPoint::AfterVgpr, up}});
  EXPECT_GT(changed, 3u);
  EXPECT_NE(assembly, compileAt("gfx1100", {}));
}

TEST(Apply, RollsBackAsAWholeWhenOneCannotMove) {
  unsigned tried = 0;
  auto collide = [&](SeamContext &context, const mir::Reading &reading) {
    Homes before = mir::readHomes(reading.source, *context.virt_reg_map);
    // All vregs of one class into one home: some pair overlaps in any real kernel.
    Homes homes = before;
    for (RegUnit &home : homes)
      home = problem::first_vgpr + 200;
    ApplyReport report = apply(homes, reading, context);
    ++tried;
    EXPECT_TRUE(report.rolled_back);
    EXPECT_EQ(report.assigned, 0u);
    EXPECT_EQ(report.count[static_cast<size_t>(LeftReason::VirtualOverlap)], 1u);
    EXPECT_EQ(mir::readHomes(reading.source, *context.virt_reg_map), before);
  };
  EXPECT_EQ(compileAt("gfx1030", {{SeamPoint::AfterVgpr, collide}}), compileAt("gfx1030", {}));
  EXPECT_GE(tried, 2u);
}

constexpr const char *calling = R"(target triple = "amdgcn-amd-amdhsa"
declare void @callee(i32)
define void @caller(i32 %x, ptr addrspace(1) %p) {
  call void @callee(i32 %x)
  store i32 %x, ptr addrspace(1) %p
  ret void
})";

TEST(Apply, LeavesWhatLlvmRefusesWithTheReason) {
  unsigned seen = 0;
  auto refused = [&](SeamContext &context, const mir::Reading &reading) {
    const problem::Problem &problem = reading.problem;
    // %x lives across the call: a home that the callee may overwrite, a fixed register in use, one out of class.
    auto one = [&](VReg vreg, unsigned home) {
      Homes homes(problem.vregs.size(), problem::no_unit);
      homes[vreg] = static_cast<RegUnit>(home);
      return apply(homes, reading, context);
    };
    auto count = [](const ApplyReport &report, LeftReason reason) { return report.count[static_cast<size_t>(reason)]; };
    for (problem::InstId inst = 0; inst < problem.insts.size(); ++inst) {
      auto operands = problem.operandsOf(problem.insts[inst]);
      if (problem.insts[inst].kind != problem::InstKind::Copy || operands[0].fixed || !operands[1].fixed ||
          operands[1].reg != problem::first_vgpr)
        continue;
      ++seen;
      VReg x = operands[0].reg; // = v0, the first argument
      EXPECT_EQ(count(one(x, problem::first_vgpr + 5), LeftReason::CallClobber), 1u);
      // v1 still holds the second argument when %x is copied from v0.
      ApplyReport fixed = one(x, problem::first_vgpr + 1);
      EXPECT_EQ(fixed.left.size(), problem.vregs.size());
      EXPECT_EQ(count(fixed, LeftReason::FixedOverlap) + count(fixed, LeftReason::CallClobber), 1u);
      EXPECT_EQ(count(one(x, problem::first_sgpr + 4), LeftReason::NotInClass), 1u);
      EXPECT_EQ(count(one(x, problem::first_agpr), LeftReason::NotInClass), 1u);
      EXPECT_EQ(one(x, problem::first_vgpr + 40).assigned, 1u);
    }
  };
  auto reserved = [&](SeamContext &context, const mir::Reading &reading) {
    for (VReg vreg = 0; vreg < reading.problem.vregs.size(); ++vreg)
      if (!isVector(reading, vreg) && reading.problem.classOf(vreg).bases[problem::m0]) {
        ++seen;
        Homes homes(reading.problem.vregs.size(), problem::no_unit);
        homes[vreg] = problem::m0;
        EXPECT_EQ(apply(homes, reading, context).count[static_cast<size_t>(LeftReason::Reserved)], 1u);
      }
  };
  compileAt("gfx1030", {{SeamPoint::BeforeSgpr, reserved}});
  EXPECT_GT(seen, 0u);
  seen = 0;
  compileAt("gfx1030", {{SeamPoint::BeforeVgpr, refused}}, calling);
  EXPECT_EQ(seen, 1u);
}

} // namespace
} // namespace verilocc::rewriter
