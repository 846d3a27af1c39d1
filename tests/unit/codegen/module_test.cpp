// What load accepts, and what it says of everything else.
#include "testing.h"

#include "codegen/target.h"

#include <gmock/gmock.h>

#include <fstream>

namespace verilocc::codegen::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string bitcode(const std::string &name) {
  return outputOf({"llvm-as-19", "llvm-as"}, {inputPath(name)});
}

TEST(Load, TextNamesItsFunctions) {
  Module module = input("tiny.ll");
  EXPECT_EQ(module.kind, ModuleKind::Text);
  EXPECT_EQ(module.triple, "amdgcn-amd-amdhsa");
  EXPECT_THAT(module.functions, ElementsAre("nothing", "store", "device_function"));
}

TEST(Load, BitcodeCompilesAsItsTextDoes) {
  auto module = loadBytes(bitcode("gfx1100.ll"), "gfx1100.bc");
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_EQ(module->kind, ModuleKind::Bitcode);
  EXPECT_TRUE(compiled(*module, {}).bytes == compiled(input("gfx1100.ll"), {}).bytes);
}

TEST(Load, MirNamesItsFunctions) {
  CompileOptions options;
  options.emit = Emit::Mir;
  auto module = loadBytes(compiled(input("gfx1100.ll"), options).bytes, "printed.mir");
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_EQ(module->kind, ModuleKind::Mir);
  EXPECT_THAT(module->functions, ElementsAre("collatz", "gemm", "matrix"));
}

TEST(Load, SourcesGoThroughClang) {
  LoadOptions options;
  options.mcpu = "gfx1030";
  options.clang_arguments = {"-fno-ident"};
  Module module = input("kernels.cl", options);
  EXPECT_EQ(module.kind, ModuleKind::Bitcode);
  EXPECT_THAT(module.functions, ElementsAre("collatz", "gemm"));
  // The source's path, and with it the module's name, differs: compare code, not names.
  EXPECT_EQ(compiled(module, {}).functions.at(1).vgprs, compiled(input("gfx1030.ll"), {}).functions.at(1).vgprs);
}

TEST(Load, HipAndCSources) {
  for (auto [suffix, source] :
       {std::pair{"hip", "__attribute__((global)) void k(float *p) { *p = 1; }"},
        std::pair{"c", "__attribute__((amdgpu_kernel)) void k(float *p) { *p = *p * *p; }"},
        std::pair{"cpp", "template <int N> float f(float x) { return x * N; }\n"
                         "extern \"C\" __attribute__((amdgpu_kernel)) void k(float *p) { *p = f<3>(*p); }"}}) {
    ScratchFile file(std::string("codegen_source.") + suffix, source);
    LoadOptions options;
    options.mcpu = "gfx942";
    auto module = load(file.path(), options);
    ASSERT_TRUE(module) << suffix << ": " << module.error().str();
    ASSERT_EQ(module->functions.size(), 1u) << suffix;
    EXPECT_EQ(compiled(*module, {}).functions.size(), 1u);
    EXPECT_EQ(compiled(*module, {}).mcpu, "gfx942");
  }
}

TEST(Load, ClangsErrorsAndAMissingClang) {
  ScratchFile file("codegen_broken.cl", "kernel void f( {");
  LoadOptions options;
  EXPECT_THAT(errorOf(load(file.path(), options)), HasSubstr("a source needs -mcpu="));
  options.mcpu = "gfx1100";
  options.clang_arguments = {"-w"};
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(errorOf(load(file.path(), options)), HasSubstr("failed with exit status 1"));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("error: expected parameter declarator"));
  options.clang = "no-such-clang";
  EXPECT_THAT(errorOf(load(file.path(), options)), HasSubstr("cannot find no-such-clang"));
  EXPECT_THAT(errorOf(load("/nowhere/kernel.hip", options)), HasSubstr("/nowhere/kernel.hip: cannot read"));
}

TEST(Load, MemoryFilesHoldBytesAndLeaveNoDescriptor) {
  auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  auto before = descriptors();
  {
    auto file = MemoryFile::create();
    ASSERT_TRUE(file);
    MemoryFile moved = std::move(*file);
    ASSERT_TRUE(writeFile(moved.path(), std::string("a\0b", 3)));
    auto bytes = readFile(moved.path());
    ASSERT_TRUE(bytes);
    EXPECT_EQ(*bytes, std::string("a\0b", 3));
    EXPECT_EQ(descriptors(), before + 1);
  }
  EXPECT_EQ(descriptors(), before);
}

TEST(Load, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(errorOf(load("/nowhere/x.ll")), HasSubstr("/nowhere/x.ll: cannot read: No such file"));
  EXPECT_THAT(errorOf(load("/tmp")), StartsWith("/tmp: cannot read: "));
  EXPECT_EQ(errorOf(loadBytes("", "x.ll")), "x.ll: the file is empty");
  EXPECT_EQ(errorOf(loadBytes("\n \n", "x.mir")), "x.mir: the file is empty");
  EXPECT_EQ(errorOf(loadBytes("hello", "x.bc")), "x.bc: not LLVM bitcode");
  EXPECT_EQ(errorOf(loadBytes(std::string("\x01\x02\0\x03", 4), "x")),
            "x: neither LLVM IR nor MIR: the file is binary");
  EXPECT_EQ(errorOf(loadBytes("\x7f"
                              "ELF...",
                              "x.hsaco")),
            "x.hsaco: an ELF file, not an LLVM module");
  EXPECT_EQ(errorOf(loadBytes("hello", "x.ll")), "x.ll:1:1: expected top-level entity");
  EXPECT_EQ(errorOf(loadBytes("; nothing\n", "x.ll")), "x.ll: the module defines no function");
  EXPECT_EQ(errorOf(loadBytes("declare void @f()\n", "x.ll")), "x.ll: the module defines no function");
  EXPECT_EQ(errorOf(loadBytes("define void @f() {\n  ret i32 0\n}\n", "x.ll")),
            "x.ll:2:7: value doesn't match function result type 'void'");
  EXPECT_THAT(errorOf(loadBytes("define void @f() {\n}\n", "x.ll")), StartsWith("x.ll:2:1: "));
  EXPECT_EQ(errorOf(loadBytes("target triple = \"x86_64-pc-linux-gnu\"\ndefine void @f() { ret void }", "x.ll")),
            "x.ll: the module is for x86_64-pc-linux-gnu, not for amdgcn");
  EXPECT_THAT(
      errorOf(loadBytes("define void @f(i32 %x) {\n  %y = add i32 %z, 1\n  %z = add i32 %y, 1\n  ret void\n}", "x.ll")),
      StartsWith("x.ll: invalid LLVM IR: Instruction does not dominate all uses!"));
}

TEST(Load, SaysWhatIsWrongWithMir) {
  EXPECT_THAT(errorOf(loadBytes("--- |\n  define void @f() {\n    ret i32 1\n  }\n...\n", "x.mir")),
              StartsWith("x.mir:3:"));
  EXPECT_THAT(errorOf(loadBytes("hello", "x.mir")), StartsWith("x.mir:"));
}

TEST(Load, TruncatedBitcodeAtAnyLength) {
  std::string whole = bitcode("tiny.ll");
  ASSERT_GT(whole.size(), 1000u);
  for (size_t size = 4; size < whole.size(); size += 37) {
    auto module = loadBytes(whole.substr(0, size), "cut.bc");
    ASSERT_FALSE(module) << size;
    EXPECT_THAT(module.error().str(), StartsWith("cut.bc: "));
    EXPECT_GT(module.error().message.size(), 5u);
  }
}

TEST(Load, FlippedBitcodeNeverKills) {
  std::string whole = bitcode("tiny.ll");
  for (size_t at = 4; at < whole.size(); at += 29) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x5a);
    auto module = loadBytes(bad, "flipped.bc"); // some flips are harmless
    if (!module) {
      EXPECT_THAT(module.error().str(), StartsWith("flipped.bc: "));
    }
  }
}

/// Bitcode stores its producer in 6-bit characters; this puts `to` in place of `from`, of the same length.
std::string withProducer(std::string bytes, const std::string &from, const std::string &to) {
  const std::string alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
  auto bit = [&](size_t at) { return bytes[at / 8] >> (at % 8) & 1; };
  auto matches = [&](size_t at) {
    for (size_t i = 0; i < from.size() * 6; ++i)
      if (bit(at + i) != static_cast<int>(alphabet.find(from[i / 6]) >> (i % 6) & 1))
        return false;
    return true;
  };
  size_t at = 0;
  while (!matches(at))
    if (++at + from.size() * 6 > bytes.size() * 8)
      return "";
  for (size_t i = 0; i < to.size() * 6; ++i)
    if (bit(at + i) != static_cast<int>(alphabet.find(to[i / 6]) >> (i % 6) & 1))
      bytes[(at + i) / 8] = static_cast<char>(bytes[(at + i) / 8] ^ 1 << ((at + i) % 8));
  return bytes;
}

TEST(Load, NewerProducersAreNamed) {
  std::string whole = bitcode("tiny.ll");
  std::string newer = withProducer(whole, "LLVM19.", "LLVM23.");
  ASSERT_FALSE(newer.empty());
  EXPECT_TRUE(loadBytes(newer, "fine.bc")) << "newer, but nothing in it is unknown";
  newer.resize(newer.size() / 2 / 4 * 4);
  EXPECT_THAT(errorOf(loadBytes(newer, "x.bc")),
              HasSubstr("(written by LLVM23.1.7, newer than the LLVM 19.1.7 that reads it)"));
  whole.resize(newer.size());
  EXPECT_THAT(errorOf(loadBytes(whole, "x.bc")), Not(HasSubstr("newer than")));

  std::string text =
      "define void @f() {\n  newinstruction\n}\n!llvm.ident = !{!0}\n!0 = !{!\"clang version 21.1.0\"}\n";
  EXPECT_THAT(errorOf(loadBytes(text, "x.ll")),
              HasSubstr("(written by clang version 21.1.0, newer than the LLVM 19.1.7 that reads it)"));
  text.replace(text.find("21.1"), 4, "19.1");
  EXPECT_THAT(errorOf(loadBytes(text, "x.ll")), Not(HasSubstr("newer than")));
}

TEST(Target, UnknownNamesListTheKnown) {
  auto choice = chooseTarget("gfx9999", "");
  ASSERT_FALSE(choice);
  EXPECT_THAT(choice.error().message, StartsWith("unknown -mcpu=gfx9999; known: gfx"));
  for (const char *cpu : {"gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1201"})
    EXPECT_THAT(knownCpus(), Contains(cpu));
  auto feature = chooseTarget("gfx90a", "+xnak");
  ASSERT_FALSE(feature);
  EXPECT_THAT(feature.error().message, StartsWith("unknown target feature '+xnak'"));
  EXPECT_FALSE(chooseTarget("gfx90a", "xnack"));
}

TEST(Target, TargetIdsBecomeFeatures) {
  auto choice = chooseTarget("gfx90a:xnack+:sramecc-", "+wavefrontsize64");
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->cpu, "gfx90a");
  EXPECT_EQ(choice->features, "+xnack,-sramecc,+wavefrontsize64");
}

} // namespace
} // namespace verilocc::codegen::testing
