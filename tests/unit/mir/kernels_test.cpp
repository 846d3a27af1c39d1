// Real kernels through LLVM's whole pipeline, read at every seam: well-formed, printable, and telling the same story
// before and after allocation.
#include "testing.h"

#include "mir/homes.h"

#include <map>

namespace verilocc::mir::testing {
namespace {

using codegen::SeamPoint;
using problem::InstKind;
namespace flag = problem::inst_flag;

struct Input {
  const char *file, *mcpu;
};
constexpr Input inputs[] = {{"gfx1030.ll", "gfx1030"},
                            {"gfx1100.ll", "gfx1100"},
                            {"gfx90a.ll", "gfx90a"},
                            {"gfx90a.ll", "gfx942"},
                            {"tiny.ll", "gfx1200"}};

using Readings = std::map<std::string, std::map<SeamPoint, problem::Problem>>; // by function and point

Readings readEverywhere(const Input &input, codegen::RegAlloc allocator = codegen::RegAlloc::Automatic) {
  auto module = codegen::load(std::string(VERILOCC_SOURCE_DIR "/tests/unit/codegen/inputs/") + input.file);
  EXPECT_TRUE(module) << module.error().str();
  std::string bytes = module->bytes;
  // The inputs name their processor; gfx942 runs what was compiled for gfx90a.
  for (size_t pos; input.mcpu != std::string("gfx90a") && (pos = bytes.find("\"gfx90a\"")) != std::string::npos;)
    bytes.replace(pos, 8, "\"" + std::string(input.mcpu) + "\"");
  auto adapted = codegen::loadBytes(bytes, input.file);
  EXPECT_TRUE(adapted) << adapted.error().str();

  Readings readings;
  codegen::Seams seams;
  for (codegen::Seam &seam : seams.callbacks)
    seam = [&](codegen::SeamContext &context) {
      ReadOptions options;
      options.frequencies = context.frequencies;
      options.loops = context.loops;
      auto reading = readFunction(context.function, options);
      ASSERT_TRUE(reading) << reading.error().str();
      readings[context.function.getName().str()][context.point] = reading->problem;
    };
  codegen::CompileOptions options;
  options.mcpu = input.mcpu;
  options.sgpr_allocator = options.vgpr_allocator = allocator;
  auto compiled = codegen::compile(*adapted, options, seams);
  EXPECT_TRUE(compiled) << compiled.failure().error.str();
  return readings;
}

/// What an allocator must not touch: signatures of the instructions that stay in place, block by block.
std::vector<std::vector<uint64_t>> effectsOf(const problem::Problem &problem) {
  std::vector<std::vector<uint64_t>> effects;
  for (const problem::Block &block : problem.blocks) {
    effects.emplace_back();
    for (problem::InstId inst = block.first; inst < block.last; ++inst)
      if (problem.insts[inst].has(flag::SideEffect))
        effects.back().push_back(problem.insts[inst].signature);
  }
  return effects;
}

TEST(Kernels, AreWellFormedAndPrintableAtEverySeam) {
  unsigned read = 0;
  for (const Input &input : inputs)
    for (const auto &[function, points] : readEverywhere(input))
      for (const auto &[point, problem] : points) {
        SCOPED_TRACE(std::string(input.mcpu) + " " + function + " " + codegen::name(point));
        ++read;
        auto status = problem::wellFormed(problem);
        EXPECT_TRUE(status) << status.error().str();
        std::string text = problem::print(problem);
        support::TextReader reader(text, "printed");
        auto parsed = problem::parseProblem(reader);
        ASSERT_TRUE(parsed) << parsed.error().str();
        EXPECT_EQ(problem::print(*parsed), text);
      }
  EXPECT_GE(read, 6u * 14u);
}

TEST(Kernels, EffectsOutliveAllocation) {
  for (auto allocator : {codegen::RegAlloc::Greedy, codegen::RegAlloc::Basic})
    for (const Input &input : inputs)
      for (auto &[function, points] : readEverywhere(input, allocator)) {
        SCOPED_TRACE(std::string(input.mcpu) + " " + function);
        ASSERT_TRUE(points.count(SeamPoint::BeforeSgpr) && points.count(SeamPoint::AfterRewrite));
        EXPECT_EQ(effectsOf(points[SeamPoint::BeforeSgpr]), effectsOf(points[SeamPoint::AfterRewrite]));
        EXPECT_FALSE(points[SeamPoint::BeforeSgpr].vregs.empty() && function != "nothing");
        EXPECT_TRUE(points[SeamPoint::AfterRewrite].vregs.empty());
      }
}

TEST(Kernels, InstructionsKeepTheirSignatureThroughTheRewriter) {
  // Between AfterVgpr and AfterRewrite only registers change: copies may vanish, everything else is there, in order.
  auto rest = [](const problem::Problem &problem) {
    std::vector<uint64_t> signatures;
    for (const problem::Inst &inst : problem.insts)
      if (inst.kind != InstKind::Copy && inst.kind != InstKind::Kill && inst.kind != InstKind::ImplicitDef)
        signatures.push_back(inst.signature);
    return signatures;
  };
  for (const Input &input : inputs)
    for (auto &[function, points] : readEverywhere(input)) {
      SCOPED_TRACE(std::string(input.mcpu) + " " + function);
      EXPECT_EQ(rest(points[SeamPoint::AfterVgpr]), rest(points[SeamPoint::AfterRewrite]));
    }
}

TEST(Kernels, MatrixKernelsShowTheirMatrixInstructions) {
  for (const Input &input : {inputs[1], inputs[2]}) {
    Readings readings = readEverywhere(input);
    unsigned matrix = 0;
    for (const problem::Inst &inst : readings["matrix"][SeamPoint::BeforeVgpr].insts)
      if (inst.kind == InstKind::Matrix) {
        ++matrix;
        EXPECT_EQ(inst.latency != 0, input.mcpu == std::string("gfx90a"));
      }
    EXPECT_GT(matrix, 0u) << input.mcpu;
    unsigned loads = 0;
    for (const problem::Inst &inst : readings["gemm"][SeamPoint::BeforeVgpr].insts)
      loads += inst.kind == InstKind::LdsLoad;
    EXPECT_GT(loads, 0u) << input.mcpu;
  }
}

TEST(Kernels, HomesReadFromLlvmLieInTheClasses) {
  auto module = codegen::load(VERILOCC_SOURCE_DIR "/tests/unit/codegen/inputs/gfx90a.ll");
  ASSERT_TRUE(module);
  unsigned homes_seen = 0;
  codegen::Seams seams;
  seams[SeamPoint::AfterVgpr] = [&](codegen::SeamContext &context) {
    auto reading = readFunction(context.function);
    ASSERT_TRUE(reading);
    const problem::Problem &problem = reading->problem;
    assignment::Homes homes = readHomes(reading->source, *context.virt_reg_map);
    ASSERT_EQ(homes.size(), problem.vregs.size());
    for (problem::VReg vreg = 0; vreg < homes.size(); ++vreg) {
      ASSERT_NE(homes[vreg], problem::no_unit);
      EXPECT_TRUE(problem.classOf(vreg).bases[homes[vreg]]);
      for (unsigned lane = 0; lane < problem.widthOf(vreg); ++lane)
        EXPECT_FALSE(problem.env.reserved[homes[vreg] + lane]);
      ++homes_seen;
    }
    // Each operand's accessed lanes then satisfy the operand's own class.
    for (const problem::Operand &operand : problem.operands)
      if (!operand.fixed && operand.constraint != problem::no_class) {
        EXPECT_TRUE(problem.env.classes[operand.constraint].bases[homes[operand.reg] + operand.first_lane]);
      }
  };
  codegen::CompileOptions options;
  options.mcpu = "gfx90a";
  auto compiled = codegen::compile(*module, options, seams);
  ASSERT_TRUE(compiled) << compiled.failure().error.str();
  EXPECT_GT(homes_seen, 50u);
}

} // namespace
} // namespace verilocc::mir::testing
