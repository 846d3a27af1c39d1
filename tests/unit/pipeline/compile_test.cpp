// The pipeline whole: what comes out is proved, or is greedy's, or does not come out.
#include "pipeline/compile.h"

#include "assignment/case.h"
#include "codegen/tools.h"
#include "model/scripted.h"
#include "tokens/vocab.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace verilocc::pipeline {
namespace {

using checker::Verdict;
using codegen::Failure;

codegen::Module input(const char *arch) {
  auto module = codegen::load(std::string(VERILOCC_SOURCE_DIR "/tests/unit/codegen/inputs/") + arch + ".ll");
  EXPECT_TRUE(module) << module.error().str();
  return *module;
}

CompileOutcome compiled(const codegen::Module &module, const CompileOptions &options) {
  auto answer = compile(module, options);
  if (auto *failure = std::get_if<Failure>(&answer)) {
    ADD_FAILURE() << failure->error.str();
    return {};
  }
  return std::move(std::get<CompileOutcome>(answer));
}

std::string emptyFolder(const char *name) {
  auto folder = std::filesystem::temp_directory_path() / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder.string();
}

/// Gives two operands of one instruction the same wrong register, in the first instruction where that shows.
void falsify(problem::Problem &after) {
  for (problem::Inst &inst : after.insts) {
    if (inst.kind == problem::InstKind::Copy)
      continue;
    for (uint32_t o = inst.first_operand; o < inst.first_operand + inst.num_operands; ++o) {
      problem::Operand &operand = after.operands[o];
      if (operand.isUse() && !operand.has(problem::operand_flag::Implicit) && operand.num_lanes == 1 &&
          problem::isPerThread(static_cast<problem::RegUnit>(operand.reg))) {
        operand.reg = 200; // holds nothing in these small kernels
        return;
      }
    }
  }
}

class Architectures : public testing::TestWithParam<const char *> {};

TEST_P(Architectures, FirstFitIsAcceptedAndNotWorse) {
  CompileOptions options;
  options.allocator = Allocator::FirstFit;
  options.compile.verify = codegen::Verify::EveryPass;
  options.always_compare = true;
  CompileOutcome outcome = compiled(input(GetParam()), options);
  EXPECT_FALSE(outcome.functions.empty());
  for (const FunctionOutcome &function : outcome.functions) {
    EXPECT_EQ(function.chosen.check.verdict, Verdict::Accepted) << function.chosen.name;
    ASSERT_TRUE(function.compared);
    EXPECT_FALSE(isWorse(function.chosen, function.greedy, false)) << function.chosen.name;
    if (function.chosen.strategy.base == Base::FirstFit) {
      EXPECT_GT(function.chosen.placed, 0u) << function.chosen.name;
    }
  }
}

TEST_P(Architectures, RecolouringIsAcceptedAndNeverCostlierThanGreedy) {
  for (Allocator allocator : {Allocator::Cheapest, Allocator::Search, Allocator::Best}) {
    CompileOptions options;
    options.allocator = allocator;
    options.recolour.moves = 2000;
    options.compile.verify = codegen::Verify::Seams;
    CompileOutcome outcome = compiled(input(GetParam()), options);
    EXPECT_FALSE(outcome.functions.empty());
    for (const FunctionOutcome &function : outcome.functions) {
      EXPECT_EQ(function.chosen.check.verdict, Verdict::Accepted) << function.chosen.name;
      ASSERT_TRUE(function.compared);
      EXPECT_FALSE(isWorse(function.chosen, function.greedy, true)) << name(allocator) << " " << function.chosen.name;
      EXPECT_FALSE(losesAnything(function.chosen, function.greedy)) << name(allocator) << " " << function.chosen.name;
    }
  }
}

TEST_P(Architectures, TheSameSeedGivesTheSameBytes) {
  std::string bytes[2];
  for (std::string &out : bytes) {
    CompileOptions options;
    options.allocator = Allocator::Search;
    options.recolour.moves = 2000;
    options.recolour.seed = 7;
    out = compiled(input(GetParam()), options).module.bytes;
  }
  EXPECT_FALSE(bytes[0].empty());
  EXPECT_EQ(bytes[0], bytes[1]);
}

/// A model that answers at random, and one that answers nonsense: what comes out is proved all the same.
TEST_P(Architectures, WhateverTheModelSaysTheCodeIsProved) {
  using model::Nonsense;
  for (Nonsense kind : {Nonsense::Random, Nonsense::Peaked, Nonsense::Constant, Nonsense::Repeat, Nonsense::NotANumber,
                        Nonsense::Infinite, Nonsense::Mixed}) {
    CompileOptions options;
    options.allocator = Allocator::Learned;
    options.recolour.model =
        std::make_shared<model::ScriptedBackend>(model::nonsenseBackend(tokens::vocabSize(), 256, 3, kind));
    options.recolour.attempts = 2;
    for (const FunctionOutcome &function : compiled(input(GetParam()), options).functions) {
      EXPECT_EQ(function.chosen.check.verdict, Verdict::Accepted) << function.chosen.name;
      EXPECT_FALSE(isWorse(function.chosen, function.greedy, true)) << function.chosen.name;
    }
  }
}

TEST_P(Architectures, GreedyIsByteForByteTheDriverWithoutUs) {
  codegen::Module module = input(GetParam());
  for (codegen::Emit emit : {codegen::Emit::Assembly, codegen::Emit::Object}) {
    CompileOptions options;
    options.compile.emit = emit;
    options.allocator = Allocator::Greedy;
    codegen::CompileOptions plain;
    plain.emit = emit;
    auto expected = codegen::compile(module, plain);
    ASSERT_TRUE(expected);
    EXPECT_EQ(compiled(module, options).module.bytes, expected->bytes);
  }
}

TEST_P(Architectures, ARejectedAllocationIsReplacedAndLeavesARepro) {
  codegen::Module module = input(GetParam());
  const std::string folder = emptyFolder((std::string("verilocc_repro_") + GetParam()).c_str());
  CompileOptions options;
  options.allocator = Allocator::FirstFit;
  options.repro_parent = folder;
  options.tamper = falsify;
  CompileOutcome outcome = compiled(module, options);

  CompileOptions greedy_options;
  greedy_options.allocator = Allocator::Greedy;
  EXPECT_EQ(outcome.module.bytes, compiled(module, greedy_options).module.bytes);
  ASSERT_FALSE(outcome.repro_folders.empty());
  for (const FunctionOutcome &function : outcome.functions) {
    EXPECT_FALSE(function.chosen.strategy.isOurs());
    EXPECT_EQ(function.chosen.check.verdict, Verdict::Accepted);
    EXPECT_FALSE(function.note.empty());
  }
  // The repro shows the same verdict again.
  auto text = codegen::readFile(outcome.repro_folders.front() + "/case.ra");
  ASSERT_TRUE(text);
  auto contents = assignment::parseCase(*text, "case.ra");
  ASSERT_TRUE(contents) << contents.error().str();
  auto result = checker::check(contents->problem, *contents->assignment);
  EXPECT_EQ(result.verdict, Verdict::Rejected);
  ASSERT_TRUE(contents->expectation);
  EXPECT_EQ(contents->expectation->kind, name(result.errors.front().kind));
}

INSTANTIATE_TEST_SUITE_P(All, Architectures, testing::Values("gfx1030", "gfx1100", "gfx90a"),
                         [](const auto &info) { return std::string(info.param); });

TEST(Allocators, BasicAndFastAreAccepted) {
  for (Allocator allocator : {Allocator::Basic, Allocator::Fast}) {
    RunOptions options;
    options.strategy = strategiesOf(allocator).front();
    options.compile.emit = codegen::Emit::Nothing;
    codegen::Module module = input("gfx1100");
    auto answer = run(module, options);
    ASSERT_TRUE(std::holds_alternative<pipeline::Run>(answer));
    for (const FunctionRun &function : std::get<pipeline::Run>(answer).functions)
      EXPECT_EQ(function.check.verdict, Verdict::Accepted) << name(allocator) << " " << function.name;
  }
}

/// One matrix product; what it adds to is loaded, what comes out is stored. LLVM selects the form with AGPRs.
codegen::Module matrixProduct() {
  auto module = codegen::loadBytes(R"(
target triple = "amdgcn-amd-amdhsa"
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @product(ptr addrspace(1) %a, ptr addrspace(1) %c) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr <4 x half>, ptr addrspace(1) %a, i32 %t
  %va = load <4 x half>, ptr addrspace(1) %pa
  %pc = getelementptr <4 x float>, ptr addrspace(1) %c, i32 %t
  %vc = load <4 x float>, ptr addrspace(1) %pc
  %d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %va, <4 x half> %va, <4 x float> %vc, i32 0, i32 0, i32 0)
  %e = fadd <4 x float> %d, %vc
  store <4 x float> %e, ptr addrspace(1) %pc
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" "amdgpu-no-agpr" "target-cpu"="gfx90a" }
)",
                                   "product.ll");
  EXPECT_TRUE(module) << module.error().str();
  return *module;
}

TEST(MatrixForms, VgprsAreTakenWhereAgprsOnlyCostMoves) {
  CompileOptions options;
  options.allocator = Allocator::Search;
  options.compile.verify = codegen::Verify::EveryPass;
  const CompileOutcome outcome = compiled(matrixProduct(), options);
  ASSERT_EQ(outcome.functions.size(), 1u);
  const FunctionOutcome &function = outcome.functions.front();
  ASSERT_TRUE(function.compared);
  EXPECT_GT(function.greedy.statistics.agprs, 0u);
  EXPECT_GT(function.greedy.cost.agpr_moves, 0);
  EXPECT_EQ(function.chosen.check.verdict, Verdict::Accepted);
  EXPECT_TRUE(function.chosen.strategy.matrix_in_vgprs) << name(function.chosen.strategy);
  EXPECT_EQ(function.chosen.statistics.agprs, 0u);
  EXPECT_EQ(function.chosen.cost.agpr_moves, 0);
  EXPECT_GE(function.chosen.statistics.waves, function.greedy.statistics.waves);
}

TEST(MatrixForms, AFunctionThatNamesItsWavesKeepsThem) {
  codegen::Module module = matrixProduct();
  const std::string wanted = "\"amdgpu-waves-per-eu\"=\"1,1\" \"target-cpu\"";
  module.bytes.replace(module.bytes.find("\"target-cpu\""), sizeof("\"target-cpu\"") - 1, wanted);
  CompileOptions options;
  options.allocator = Allocator::Search;
  const CompileOutcome outcome = compiled(module, options);
  EXPECT_GT(outcome.functions.at(0).chosen.statistics.agprs, 0u);
}

TEST(Draws, MoreOfThemAreTriedAndNeverCostMore) {
  codegen::Module module = input("gfx1100");
  CompileOptions options;
  options.allocator = Allocator::Search;
  options.recolour.moves = 500;
  const CompileOutcome one = compiled(module, options);
  options.recolour.draws = 3;
  const CompileOutcome three = compiled(module, options);
  EXPECT_GT(three.runs, one.runs);
  ASSERT_EQ(one.functions.size(), three.functions.size());
  for (size_t i = 0; i < one.functions.size(); ++i) {
    EXPECT_EQ(three.functions[i].chosen.check.verdict, Verdict::Accepted);
    EXPECT_FALSE(isWorse(three.functions[i].chosen, one.functions[i].chosen, true)) << one.functions[i].chosen.name;
  }
}

TEST(Allocators, NamesAreParsed) {
  for (const char *text : {"greedy", "basic", "fast", "first-fit", "cheapest", "search", "learned", "best"}) {
    auto allocator = parseAllocator(text);
    ASSERT_TRUE(allocator);
    EXPECT_STREQ(name(*allocator), text);
  }
  EXPECT_FALSE(parseAllocator("worst"));
  EXPECT_EQ(name(Strategy{Base::Greedy, Recolour::Search, true, 1}), "greedy+search+vgpr-matrix#2");
}

} // namespace
} // namespace verilocc::pipeline
