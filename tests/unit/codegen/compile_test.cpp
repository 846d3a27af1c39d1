// Outputs, statistics, failures that come back as answers, threads.
#include "testing.h"

#include "codegen/protect.h"

#include "llvm/Support/ErrorHandling.h"

#include <gmock/gmock.h>

#include <csignal>
#include <thread>

namespace verilocc::codegen::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

CompileOptions emitting(Emit emit) {
  CompileOptions options;
  options.emit = emit;
  return options;
}

TEST(Compile, StatisticsAreTheMetadatas) {
  CompiledModule object = compiled(input("gfx90a.ll"), emitting(Emit::Object));
  ASSERT_EQ(object.functions.size(), 3u);
  const FunctionStatistics &gemm = object.functions[1];
  EXPECT_EQ(gemm.name, "gemm");
  EXPECT_TRUE(gemm.kernel);
  EXPECT_EQ(gemm.lds_bytes, 2048u);
  EXPECT_EQ(gemm.wave_size, 64u);
  EXPECT_EQ(gemm.max_workgroup_size, 64u);
  EXPECT_EQ(gemm.kernarg_bytes, 32u);
  EXPECT_EQ(gemm.agprs, 0u);
  EXPECT_EQ(gemm.total_vgprs, gemm.vgprs);
  EXPECT_GT(gemm.vgprs, 16u);
  EXPECT_GT(gemm.sgprs, 10u);
  EXPECT_GT(gemm.waves, 3u);
  EXPECT_LE(gemm.waves, 8u);
  const FunctionStatistics &matrix = object.functions[2];
  EXPECT_GE(matrix.agprs, 4u); // the sum of an MFMA
  EXPECT_EQ(matrix.total_vgprs, (matrix.vgprs + 3) / 4 * 4 + matrix.agprs);
}

TEST(Compile, AssemblyAndObjectAgreeOnStatistics) {
  for (const char *file : {"gfx90a.ll", "gfx1100.ll", "gfx1030.ll"}) {
    CompiledModule object = compiled(input(file), emitting(Emit::Object));
    CompiledModule assembly = compiled(input(file), emitting(Emit::Assembly));
    ASSERT_EQ(object.functions.size(), assembly.functions.size());
    for (size_t i = 0; i < object.functions.size(); ++i) {
      const FunctionStatistics &a = object.functions[i], &b = assembly.functions[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.total_vgprs, b.total_vgprs);
      EXPECT_EQ(a.vgprs, b.vgprs);
      EXPECT_EQ(a.waves, b.waves);
      EXPECT_EQ(a.kernarg_bytes, b.kernarg_bytes);
      EXPECT_THAT(assembly.bytes, HasSubstr("; NumVgprs: " + std::to_string(a.vgprs) + "\n"));
      EXPECT_THAT(assembly.bytes, HasSubstr("; Occupancy: " + std::to_string(a.waves) + "\n"));
    }
  }
}

TEST(Compile, SpillsAreCounted) {
  auto bytes = readFile(inputPath("gfx1100.ll"));
  ASSERT_TRUE(bytes);
  std::string tight = *bytes;
  for (size_t at = 0; (at = tight.find("\"amdgpu-flat-work-group-size\"", at)) != std::string::npos; at += 60)
    tight.insert(at, "\"amdgpu-num-vgpr\"=\"28\" ");
  auto module = loadBytes(tight, "tight.ll");
  ASSERT_TRUE(module) << module.error().str();
  CompiledModule result = compiled(*module, emitting(Emit::Object));
  EXPECT_GT(result.functions[1].vgpr_spills, 0u);
  EXPECT_GT(result.functions[1].scratch_bytes, 0u);
  EXPECT_LE(result.functions[1].vgprs, 28u);
  EXPECT_EQ(result.functions[0].vgpr_spills, 0u);
}

TEST(Compile, AmdpalAndDeviceFunctionsHaveStatisticsToo) {
  auto module =
      loadBytes("target triple = \"amdgcn-amd-amdpal\"\n"
                "define amdgpu_cs void @shader(i32 %x) {\n  store i32 %x, ptr addrspace(1) null\n  ret void\n}\n",
                "pal.ll");
  ASSERT_TRUE(module);
  CompileOptions options = emitting(Emit::Object);
  options.mcpu = "gfx1030";
  CompiledModule result = compiled(*module, options);
  ASSERT_EQ(result.functions.size(), 1u);
  EXPECT_GT(result.functions[0].vgprs, 0u);
  EXPECT_GT(result.functions[0].waves, 0u);
  EXPECT_FALSE(result.functions[0].kernel);
}

TEST(Compile, HsacoIsASharedObjectWithItsKernels) {
  CompiledModule result = compiled(input("gfx90a.ll"), emitting(Emit::Hsaco));
  ASSERT_GT(result.bytes.size(), 64u);
  EXPECT_EQ(result.bytes.substr(0, 4), "\x7f"
                                       "ELF");
  EXPECT_EQ(result.bytes[16], 3); // ET_DYN
  EXPECT_THAT(result.bytes, HasSubstr("gemm.kd"));
  EXPECT_GT(result.times.link, 0);
  CompileOptions options = emitting(Emit::Hsaco);
  options.linker = "no-such-linker";
  CompileResult missing = compile(input("gfx90a.ll"), options);
  ASSERT_FALSE(missing);
  EXPECT_THAT(text(missing.failure()), HasSubstr("cannot find no-such-linker"));
}

TEST(Compile, NothingToEmitStopsEarly) {
  CompiledModule result = compiled(input("gfx1100.ll"), emitting(Emit::Nothing));
  EXPECT_TRUE(result.bytes.empty());
  EXPECT_TRUE(result.functions.empty());
  EXPECT_EQ(result.times.finish, 0);
}

TEST(Compile, StagesAddUp) {
  auto started = std::chrono::steady_clock::now();
  CompiledModule result = compiled(input("gfx1100.ll"), emitting(Emit::Object));
  double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const StageTimes &times = result.times;
  for (double stage : {times.parse, times.setup, times.select, times.allocate, times.finish, times.emit})
    EXPECT_GT(stage, 0);
  EXPECT_LE(times.total(), wall);
  EXPECT_GE(times.total(), wall / 2);
}

TEST(Compile, TheTargetMustFit) {
  CompileOptions options;
  options.mcpu = "gfx12345";
  CompileResult unknown = compile(input("tiny.ll"), options);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(text(unknown.failure()), StartsWith("bad input: unknown -mcpu=gfx12345; known: gfx"));
  CompileResult none = compile(input("tiny.ll"), {});
  ASSERT_FALSE(none);
  EXPECT_THAT(text(none.failure()), HasSubstr("no -mcpu given"));
  options.mcpu = "gfx1030";
  CompileResult other = compile(input("gfx1100.ll"), options);
  ASSERT_FALSE(other);
  EXPECT_THAT(text(other.failure()), HasSubstr("function collatz was compiled for gfx1100, not for gfx1030"));
  EXPECT_EQ(compiled(input("gfx1100.ll"), {}).mcpu, "gfx1100");
  options.opt_level = 4;
  EXPECT_FALSE(compile(input("tiny.ll"), options));
}

TEST(Compile, Wave64OnRequest) {
  CompileOptions options = emitting(Emit::Object);
  options.mcpu = "gfx1100";
  EXPECT_EQ(compiled(input("tiny.ll"), options).functions[0].wave_size, 32u);
  options.attributes = "+wavefrontsize64";
  EXPECT_EQ(compiled(input("tiny.ll"), options).functions[0].wave_size, 64u);
}

TEST(Compile, LlvmsDiagnosticsAreAnswers) {
  auto module = loadBytes("define amdgpu_kernel void @k() {\n"
                          "  call void asm sideeffect \"not_an_instruction v0\", \"\"()\n  ret void\n}\n",
                          "asm.ll");
  ASSERT_TRUE(module);
  CompileOptions options;
  options.mcpu = "gfx90a";
  CompileResult result = compile(*module, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(text(result.failure()), "not supported by LLVM: asm.ll: inline asm: invalid instruction");
}

TEST(Compile, LlvmsFatalErrorsAreAnswersAndTheNextCompileWorks) {
  // WMMA does not exist on gfx90a: instruction selection gives up with report_fatal_error.
  auto module = loadBytes(
      "declare <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16(<16 x half>, <16 x half>, <8 x float>)\n"
      "define amdgpu_kernel void @k(<16 x half> %a, <8 x float> %c, ptr addrspace(1) %out) {\n"
      "  %d = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16(<16 x half> %a, <16 x half> %a, <8 x "
      "float> %c)\n"
      "  store <8 x float> %d, ptr addrspace(1) %out\n  ret void\n}\n",
      "wmma.ll");
  ASSERT_TRUE(module) << module.error().str();
  CompileOptions options;
  options.mcpu = "gfx90a";
  for (int repeat = 0; repeat < 3; ++repeat) {
    CompileResult result = compile(*module, options);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.failure().kind, FailureKind::FatalError);
    EXPECT_THAT(text(result.failure()), StartsWith("fatal error in LLVM: wmma.ll: LLVM: Cannot select:"));
    EXPECT_FALSE(compiled(input("gfx90a.ll"), {}).bytes.empty());
  }
}

TEST(Compile, ImpossibleAllocationsAreAnswers) {
  // 33 values that must be in registers at once, with 24 registers.
  std::string outputs, list;
  for (int i = 0; i < 33; ++i)
    outputs += (i ? ",=v" : "=v"), list += (i ? ", i32" : "i32");
  std::string body = "define amdgpu_kernel void @k() #0 {\n  %r = call {" + list + "} asm sideeffect \"; defs\", \"" +
                     outputs + "\"()\n";
  std::string inputs, arguments;
  for (int i = 0; i < 33; ++i) {
    std::string n = std::to_string(i);
    body += "  %x" + n + " = extractvalue {" + list + "} %r, " + n + "\n";
    inputs += i ? ",v" : "v";
    arguments += (i ? ", i32 %x" : "i32 %x") + n;
  }
  body += "  call void asm sideeffect \"; uses\", \"" + inputs + "\"(" + arguments +
          ")\n  ret void\n}\nattributes #0 = { \"amdgpu-num-vgpr\"=\"24\" }\n";
  auto module = loadBytes(body, "full.ll");
  ASSERT_TRUE(module) << module.error().str();
  CompileOptions options;
  options.mcpu = "gfx1030";
  for (RegAlloc allocator : {RegAlloc::Greedy, RegAlloc::Basic, RegAlloc::Fast}) {
    options.sgpr_allocator = options.vgpr_allocator = allocator;
    CompileResult result = compile(*module, options);
    ASSERT_FALSE(result);
    EXPECT_THAT(text(result.failure()), HasSubstr("registers")) << static_cast<int>(allocator);
  }
}

TEST(Protect, FatalErrorsSignalsAndReturns) {
  bool ran = false;
  EXPECT_FALSE(protect([&] { ran = true; }));
  EXPECT_TRUE(ran);
  auto fatal = protect([] { llvm::report_fatal_error("out of cheese"); });
  ASSERT_TRUE(fatal);
  EXPECT_EQ(fatal->kind, Death::FatalError);
  EXPECT_EQ(fatal->message, "out of cheese");
  auto signal = protect([] { std::raise(SIGSEGV); });
  ASSERT_TRUE(signal);
  EXPECT_EQ(signal->kind, Death::Signal);
  EXPECT_EQ(signal->message, "Segmentation fault");
  auto abort = protect([] { std::abort(); });
  ASSERT_TRUE(abort);
  EXPECT_EQ(abort->message, "Aborted");
  EXPECT_FALSE(protect([] {}));
}

TEST(Compile, ManyThreadsGiveEqualResults) {
  Module module = input("gfx90a.ll");
  constexpr RegAlloc kinds[] = {RegAlloc::Automatic, RegAlloc::Basic, RegAlloc::Fast, RegAlloc::Greedy};
  auto run = [&](RegAlloc allocator) {
    CompileOptions options;
    options.sgpr_allocator = options.vgpr_allocator = allocator;
    auto result = compile(module, options);
    return result ? result->bytes : text(result.failure());
  };
  std::vector<std::string> alone, together(8);
  for (RegAlloc kind : kinds)
    alone.push_back(run(kind));
  EXPECT_FALSE(alone[0] == alone[1]);
  EXPECT_FALSE(alone[0] == alone[2]);
  EXPECT_TRUE(alone[0] == alone[3]);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < together.size(); ++i)
    threads.emplace_back([&, i] { together[i] = run(kinds[i % 4]); });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < together.size(); ++i)
    EXPECT_TRUE(together[i] == alone[i % 4]) << i;
}

} // namespace
} // namespace verilocc::codegen::testing
