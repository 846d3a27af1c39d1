// What a callback finds at each seam, what it may change, and MIR as a way in and out.
#include "testing.h"

#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/LiveRegMatrix.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/RegisterClassInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/CodeGen/VirtRegMap.h"

#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <stdexcept>
#include <thread>

namespace verilocc::codegen::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

bool isScalar(const llvm::MachineRegisterInfo &registers, llvm::Register reg) {
  const llvm::TargetRegisterInfo &target = *registers.getTargetRegisterInfo();
  return llvm::StringRef(target.getRegClassName(registers.getRegClass(reg))).starts_with("S");
}

/// Virtual registers with a use or a definition: scalar, vector; and how many of each have a home.
struct Census {
  unsigned scalar = 0, vector = 0, scalar_homes = 0, vector_homes = 0;
};

Census census(const SeamContext &context) {
  Census result;
  const llvm::MachineRegisterInfo &registers = context.function.getRegInfo();
  for (unsigned i = 0; i < registers.getNumVirtRegs(); ++i) {
    llvm::Register reg = llvm::Register::index2VirtReg(i);
    if (registers.reg_nodbg_empty(reg))
      continue;
    bool home = context.virt_reg_map && context.virt_reg_map->hasPhys(reg);
    bool scalar = isScalar(registers, reg);
    ++(scalar ? result.scalar : result.vector);
    (scalar ? result.scalar_homes : result.vector_homes) += home;
  }
  return result;
}

TEST(Seams, RegistersAreWhereThePointSays) {
  for (RegAlloc allocator : {RegAlloc::Automatic, RegAlloc::Basic, RegAlloc::Fast}) {
    CompileOptions options;
    options.sgpr_allocator = options.vgpr_allocator = allocator;
    std::map<SeamPoint, Census> seen; // of gemm
    Seams seams;
    for (Seam &seam : seams.callbacks)
      seam = [&](SeamContext &context) {
        EXPECT_TRUE(context.frequencies && context.loops);
        bool assignment = allocator != RegAlloc::Fast && context.point <= SeamPoint::AfterVgpr;
        EXPECT_EQ(context.intervals != nullptr, assignment);
        EXPECT_EQ(context.slots != nullptr, assignment);
        EXPECT_EQ(context.virt_reg_map != nullptr, assignment);
        EXPECT_EQ(context.matrix != nullptr, assignment);
        if (context.function.getName() != "gemm")
          return;
        EXPECT_FALSE(context.loops->empty());
        EXPECT_GT(context.frequencies->getEntryFreq().getFrequency(), 0u);
        seen[context.point] = census(context);
      };
    compiled(input("gfx90a.ll"), options, seams);
    ASSERT_EQ(seen.size(), num_seam_points);
    EXPECT_GT(seen[SeamPoint::BeforeSgpr].scalar, 10u);
    EXPECT_GT(seen[SeamPoint::BeforeSgpr].vector, 16u);
    EXPECT_EQ(seen[SeamPoint::BeforeSgpr].scalar_homes, 0u);
    EXPECT_EQ(seen[SeamPoint::BeforeSgpr].vector_homes, 0u);
    EXPECT_EQ(seen[SeamPoint::BeforeVgpr].scalar, 0u);
    EXPECT_GT(seen[SeamPoint::BeforeVgpr].vector, 16u);
    EXPECT_EQ(seen[SeamPoint::BeforeVgpr].vector_homes, 0u);
    EXPECT_EQ(seen[SeamPoint::AfterRewrite].vector + seen[SeamPoint::AfterRewrite].scalar, 0u);
    EXPECT_EQ(seen[SeamPoint::Final].vector + seen[SeamPoint::Final].scalar, 0u);
    if (allocator != RegAlloc::Fast) {
      EXPECT_GT(seen[SeamPoint::AfterSgpr].scalar_homes, 10u);
      EXPECT_EQ(seen[SeamPoint::AfterSgpr].scalar_homes, seen[SeamPoint::AfterSgpr].scalar);
      EXPECT_GT(seen[SeamPoint::AfterVgpr].vector_homes, 16u);
      EXPECT_EQ(seen[SeamPoint::AfterVgpr].vector_homes, seen[SeamPoint::AfterVgpr].vector);
    }
  }
}

/// Moves each vector range of one register to the highest free one.
void moveUp(SeamContext &context) {
  const llvm::MachineRegisterInfo &registers = context.function.getRegInfo();
  const llvm::TargetRegisterInfo &target = *registers.getTargetRegisterInfo();
  for (unsigned i = 0; i < registers.getNumVirtRegs(); ++i) {
    llvm::Register reg = llvm::Register::index2VirtReg(i);
    if (registers.reg_nodbg_empty(reg) || !context.virt_reg_map->hasPhys(reg) ||
        target.getRegClassName(registers.getRegClass(reg)) != llvm::StringRef("VGPR_32"))
      continue;
    llvm::LiveInterval &interval = context.intervals->getInterval(reg);
    llvm::MCRegister home = context.virt_reg_map->getPhys(reg);
    context.matrix->unassign(interval);
    context.matrix->invalidateVirtRegs();
    for (llvm::MCPhysReg candidate : llvm::reverse(registers.getRegClass(reg)->getRegisters()))
      if (!registers.isReserved(candidate) &&
          context.matrix->checkInterference(interval, candidate) == llvm::LiveRegMatrix::IK_Free) {
        home = candidate;
        break;
      }
    context.matrix->assign(interval, home);
  }
}

TEST(Seams, OneHalfMayHaveItsOwnAllocator) {
  for (const char *file : {"gfx1100.ll", "gfx90a.ll"})
    for (RegAlloc sgpr : {RegAlloc::Greedy, RegAlloc::Basic, RegAlloc::Fast})
      for (RegAlloc vgpr : {RegAlloc::Greedy, RegAlloc::Basic, RegAlloc::Fast}) {
        CompileOptions options;
        options.sgpr_allocator = sgpr;
        options.vgpr_allocator = vgpr;
        options.verify = Verify::EveryPass;
        CompileResult result = compile(input(file), options);
        EXPECT_TRUE(result) << static_cast<int>(sgpr) << static_cast<int>(vgpr) << text(result.failure());
      }
}

TEST(Seams, AFinishedAssignmentMayBeRecoloured) {
  Seams seams;
  seams[SeamPoint::AfterVgpr] = moveUp;
  CompileOptions options;
  options.verify = Verify::EveryPass;
  CompiledModule moved = compiled(input("gfx1100.ll"), options, seams);
  EXPECT_EQ(moved.functions[1].vgprs, 256u);
  EXPECT_LT(compiled(input("gfx1100.ll"), options).functions[1].vgprs, 128u);
}

/// Assigns every vector range that has a free register, so that the allocator finds them done.
void firstFit(SeamContext &context) {
  llvm::RegisterClassInfo classes;
  classes.runOnMachineFunction(context.function);
  const llvm::MachineRegisterInfo &registers = context.function.getRegInfo();
  for (unsigned i = 0; i < registers.getNumVirtRegs(); ++i) {
    llvm::Register reg = llvm::Register::index2VirtReg(i);
    if (registers.reg_nodbg_empty(reg) || context.virt_reg_map->hasPhys(reg) || isScalar(registers, reg))
      continue;
    llvm::LiveInterval &interval = context.intervals->getInterval(reg);
    for (llvm::MCPhysReg candidate : classes.getOrder(registers.getRegClass(reg)))
      if (context.matrix->checkInterference(interval, candidate) == llvm::LiveRegMatrix::IK_Free) {
        context.matrix->assign(interval, candidate);
        break;
      }
  }
}

TEST(Seams, AnAssignmentMadeBeforeTheAllocatorStays) {
  for (RegAlloc allocator : {RegAlloc::Automatic, RegAlloc::Basic}) {
    CompileOptions options;
    options.verify = Verify::Seams;
    options.vgpr_allocator = allocator;
    std::map<unsigned, unsigned> chosen;
    unsigned kept = 0, other = 0;
    Seams seams;
    seams[SeamPoint::BeforeVgpr] = [&](SeamContext &context) {
      firstFit(context);
      chosen.clear();
      for (unsigned i = 0; i < context.function.getRegInfo().getNumVirtRegs(); ++i)
        if (llvm::Register reg = llvm::Register::index2VirtReg(i); context.virt_reg_map->hasPhys(reg))
          chosen[i] = context.virt_reg_map->getPhys(reg);
    };
    seams[SeamPoint::AfterVgpr] = [&](SeamContext &context) {
      for (auto [i, home] : chosen)
        ++(context.virt_reg_map->getPhys(llvm::Register::index2VirtReg(i)) == home ? kept : other);
    };
    compiled(input("gfx1100.ll"), options, seams);
    EXPECT_GT(kept, 60u);
    EXPECT_EQ(other, 0u);
  }
}

TEST(Seams, TheVerifiersFindingIsAnAnswer) {
  CompileOptions options;
  options.verify = Verify::Seams;
  Seams seams;
  seams[SeamPoint::AfterRewrite] = [](SeamContext &context) {
    // A use of a register that nothing wrote: v200 instead of a source.
    if (context.function.getName() != "gemm")
      return;
    const llvm::TargetRegisterInfo &target = *context.function.getSubtarget().getRegisterInfo();
    for (llvm::MachineBasicBlock &block : context.function)
      for (llvm::MachineInstr &instruction : block)
        for (llvm::MachineOperand &operand : instruction.explicit_uses())
          if (operand.isReg() && llvm::StringRef(target.getName(operand.getReg())).starts_with("VGPR")) {
            for (unsigned reg = 1; reg < target.getNumRegs(); ++reg)
              if (target.getName(reg) == llvm::StringRef("VGPR200"))
                operand.setReg(reg);
            return;
          }
  };
  ::testing::internal::CaptureStderr();
  CompileResult result = compile(input("gfx1100.ll"), options, seams);
  std::string report = ::testing::internal::GetCapturedStderr();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().kind, FailureKind::MachineVerifier);
  EXPECT_THAT(text(result.failure()), HasSubstr("after seam after-rewrite: function gemm"));
  EXPECT_THAT(report, HasSubstr("Using an undefined physical register"));
  options.verify = Verify::Off;
  EXPECT_TRUE(compile(input("gfx1100.ll"), options, seams));
}

TEST(Seams, ACallbacksExceptionAndItsCrash) {
  Seams seams;
  unsigned later = 0;
  seams[SeamPoint::BeforeSgpr] = [](SeamContext &) { throw std::runtime_error("no"); };
  seams[SeamPoint::Final] = [&](SeamContext &) { ++later; };
  EXPECT_THROW((void)compile(input("gfx1100.ll"), {}, seams), std::runtime_error);
  EXPECT_EQ(later, 0u);
  seams[SeamPoint::BeforeSgpr] = [](SeamContext &) { std::abort(); };
  CompileResult result = compile(input("gfx1100.ll"), {}, seams);
  ASSERT_FALSE(result);
  EXPECT_EQ(text(result.failure()), "crash: " + inputPath("gfx1100.ll") + ": crash while compiling: Aborted");
  EXPECT_TRUE(compile(input("gfx1100.ll"), {}));
}

TEST(Seams, ACallbackMayCompile) {
  Module module = input("gfx1030.ll");
  std::string inner, failed;
  Seams seams;
  seams[SeamPoint::BeforeVgpr] = [&](SeamContext &context) {
    if (context.function.getName() != "gemm")
      return;
    inner = compiled(module, {}).bytes;
    CompileOptions wrong;
    wrong.mcpu = "gfx90a";
    auto result = compile(module, wrong);
    failed = result ? "" : text(result.failure());
  };
  std::string outer = compiled(module, {}, seams).bytes;
  EXPECT_TRUE(inner == outer);
  EXPECT_THAT(failed, HasSubstr("was compiled for gfx1030, not for gfx90a"));
}

TEST(Seams, CallbacksDoNotCountAsCompileTime) {
  Seams seams;
  seams[SeamPoint::BeforeVgpr] = [](SeamContext &) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  StageTimes times = compiled(input("gfx90a.ll"), {}, seams).times;
  EXPECT_GE(times.seams, 0.15); // three functions
  EXPECT_LT(times.allocate, 0.1);
}

class MirPoints : public ::testing::TestWithParam<std::tuple<const char *, SeamPoint>> {};

/// MIR printed at any point goes back in, and on to an object with the same kernels.
TEST_P(MirPoints, PrintedMirIsAnInput) {
  auto [file, point] = GetParam();
  CompileOptions options;
  options.emit = Emit::Mir;
  options.mir_point = point;
  auto module = loadBytes(compiled(input(file), options).bytes, "printed.mir");
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_EQ(module->functions, input(file).functions);
  unsigned visited = 0;
  auto failure = visitMir(*module, {}, [&](SeamContext &context) {
    ++visited;
    Census registers = census(context);
    bool allocated = point >= SeamPoint::AfterRewrite;
    EXPECT_EQ(registers.scalar + registers.vector == 0, allocated);
    EXPECT_TRUE(context.loops && context.frequencies);
  });
  EXPECT_FALSE(failure) << text(*failure);
  EXPECT_EQ(visited, module->functions.size());
  if (point == SeamPoint::BeforeSgpr || point == SeamPoint::AfterRewrite) {
    options.emit = Emit::Object;
    options.verify = Verify::EveryPass;
    CompiledModule result = compiled(*module, options);
    CompiledModule direct = compiled(input(file), options);
    ASSERT_EQ(result.functions.size(), direct.functions.size());
    for (size_t i = 0; i < result.functions.size(); ++i)
      EXPECT_NEAR(result.functions[i].vgprs, direct.functions[i].vgprs, 8);
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, MirPoints,
                         ::testing::Combine(::testing::Values("gfx1100.ll", "gfx90a.ll", "gfx1030.ll"),
                                            ::testing::Values(SeamPoint::BeforeSgpr, SeamPoint::BeforeVgpr,
                                                              SeamPoint::AfterRewrite, SeamPoint::Final)));

TEST(Mir, AfterInstructionSelectionToo) {
  auto module = loadBytes(
      outputOf({"llc-19"}, {inputPath("gfx1100.ll"), "-mcpu=gfx1100", "-O3", "-stop-after=finalize-isel"}), "isel.mir");
  ASSERT_TRUE(module) << module.error().str();
  CompileOptions options;
  options.verify = Verify::EveryPass;
  CompiledModule result = compiled(*module, options);
  EXPECT_EQ(result.functions.size(), 3u);
  options.start_before = "no-such-pass";
  CompileResult missing = compile(*module, options);
  ASSERT_FALSE(missing);
  EXPECT_THAT(text(missing.failure()), HasSubstr("no pass 'no-such-pass' to start at"));
}

TEST(Mir, ErrorsHaveTheirLine) {
  auto module =
      loadBytes("---\nname: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    S_NOT_AN_OPCODE 0\n...\n", "x.mir");
  ASSERT_TRUE(module) << module.error().str();
  CompileOptions options;
  options.mcpu = "gfx90a";
  CompileResult result = compile(*module, options);
  ASSERT_FALSE(result);
  EXPECT_THAT(text(result.failure()), StartsWith("bad input: x.mir:6:"));
  EXPECT_THAT(text(result.failure()), HasSubstr("unknown machine instruction name 'S_NOT_AN_OPCODE'"));
}

/// Damaged MIR is an error or still MIR, and never the end of the process.
TEST(Mir, DamagedTextNeverKills) {
  CompileOptions options;
  options.emit = Emit::Mir;
  options.mir_point = SeamPoint::AfterRewrite;
  std::string text = compiled(input("gfx1030.ll"), options).bytes;
  unsigned errors = 0;
  size_t body = text.find("body:");
  for (size_t at = body; at < text.size(); at += 997) {
    std::string damaged = text;
    switch (at % 3) {
    case 0:
      damaged.erase(at, 3);
      break;
    case 1:
      damaged[at] = '$';
      break;
    default:
      damaged.resize(at);
    }
    auto module = loadBytes(damaged, "damaged.mir");
    if (!module || visitMir(*module, {}, [](SeamContext &) {}))
      ++errors;
  }
  EXPECT_GT(errors, 5u);
}

TEST(Mir, WrongAllocationsCanBeReadButNotCompiled) {
  // v1 was never written.
  std::string text =
      "---\nname: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    liveins: $vgpr0\n"
      "    $vgpr2 = V_ADD_U32_e32 $vgpr0, $vgpr1, implicit $exec\n    S_ENDPGM 0, implicit $vgpr2\n...\n";
  CompileOptions options;
  options.mcpu = "gfx90a";
  auto module = loadBytes(text, "wrong.mir");
  ASSERT_TRUE(module) << module.error().str();
  unsigned visited = 0;
  auto visit = [&](SeamContext &context) {
    ++visited;
    EXPECT_FALSE(context.function.getProperties().hasProperty(llvm::MachineFunctionProperties::Property::FailedISel));
  };
  EXPECT_FALSE(visitMir(*module, options, visit));
  EXPECT_EQ(visited, 1u);
  ::testing::internal::CaptureStderr();
  CompileResult result = compile(*module, options);
  options.verify = Verify::Seams;
  auto failure = visitMir(*module, options, visit);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("Using an undefined physical register"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().error.str(), "wrong.mir: machine verifier, in the input: function f");
  EXPECT_EQ(result.failure().kind, FailureKind::BadInput);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::MachineVerifier);
}

TEST(Mir, LinesAreTheUsersAlsoInALaterFunction) {
  std::string first = "---\nname: f\nfailedISel: false\nbody: |\n  bb.0:\n    S_ENDPGM 0\n...\n"; // 7 lines
  std::string second = "---\nname: g\nbody: |\n  bb.0:\n    S_ENDPGM 0\n...\n";                   // 6 lines
  std::string third = "---\nname: h\nbody: |\n  bb.0:\n    $sgpr0 = S_MOV_B32 $nonsense\n...\n";  // line 18
  auto module = loadBytes(first + second + third, "x.mir");
  ASSERT_TRUE(module) << module.error().str();
  CompileOptions options;
  options.mcpu = "gfx90a";
  auto failure = visitMir(*module, options, [](SeamContext &) {});
  ASSERT_TRUE(failure);
  EXPECT_THAT(text(*failure), StartsWith("bad input: x.mir:18:"));
}

TEST(Mir, BrokenYamlIsAnError) {
  auto module = loadBytes("---\nname: [\n...\n", "x.mir");
  ASSERT_TRUE(module) << module.error().str();
  CompileOptions options;
  options.mcpu = "gfx90a";
  CompileResult result = compile(*module, options);
  ASSERT_FALSE(result);
  EXPECT_THAT(text(result.failure()), StartsWith("bad input: x.mir:"));
}

TEST(Mir, WithoutIrOrWithTooLittle) {
  auto bare = loadBytes("---\nname: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    S_ENDPGM 0\n...\n", "bare.mir");
  ASSERT_TRUE(bare) << bare.error().str();
  CompileOptions options;
  options.mcpu = "gfx90a";
  EXPECT_GT(compiled(*bare, options).bytes.size(), 64u);
  auto partial =
      loadBytes("--- |\n  target triple = \"amdgcn-amd-amdhsa\"\n  define amdgpu_kernel void @f() { ret void }\n"
                "  define amdgpu_kernel void @g() { ret void }\n...\n---\nname: f\nbody: |\n  bb.0:\n"
                "    S_ENDPGM 0\n...\n",
                "partial.mir");
  ASSERT_TRUE(partial) << partial.error().str();
  CompileResult result = compile(*partial, options);
  ASSERT_FALSE(result);
  EXPECT_THAT(text(result.failure()), HasSubstr("function g of the embedded IR has no machine code in this file"));
  EXPECT_TRUE(visitMir(input("tiny.ll"), options, [](SeamContext &) {}));
}

TEST(Mir, FunctionTextIsForDumps) {
  std::string dump;
  Seams seams;
  seams[SeamPoint::AfterRewrite] = [&](SeamContext &context) { dump += printMir(context.function); };
  CompileOptions options;
  options.emit = Emit::Nothing;
  compiled(input("gfx1030.ll"), options, seams);
  EXPECT_THAT(dump, HasSubstr("name:            gemm"));
  EXPECT_THAT(dump, HasSubstr("V_FMAC_F32"));
  EXPECT_THAT(dump, Not(HasSubstr("define ")));
}

TEST(Mir, APointThatIsNotReachedIsAnError) {
  CompileOptions options;
  options.emit = Emit::Mir;
  options.mir_point = SeamPoint::BeforeSgpr;
  Seams seams;
  seams[SeamPoint::Final] = [](SeamContext &) {};
  CompileResult result = compile(input("gfx1100.ll"), options, seams);
  ASSERT_FALSE(result);
  EXPECT_THAT(text(result.failure()), HasSubstr("do not reach the point final"));
}

} // namespace
} // namespace verilocc::codegen::testing
