// Without callbacks, and with callbacks that change nothing, the output is llc's, byte for byte.
#include "testing.h"

namespace verilocc::codegen::testing {
namespace {

struct Case {
  const char *file, *mcpu;
  unsigned level;
  RegAlloc allocator;
  std::vector<std::string> llc;
};

void PrintTo(const Case &test, std::ostream *stream) {
  *stream << test.file << " -O" << test.level;
}

class Identity : public ::testing::TestWithParam<Case> {
protected:
  CompileOptions options(Emit emit) const {
    CompileOptions options;
    options.mcpu = GetParam().mcpu;
    options.opt_level = GetParam().level;
    options.sgpr_allocator = options.vgpr_allocator = GetParam().allocator;
    options.emit = emit;
    return options;
  }
  std::string llc(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {inputPath(GetParam().file), std::string("-mcpu=") + GetParam().mcpu,
                                          "-O" + std::to_string(GetParam().level)};
    arguments.insert(arguments.end(), GetParam().llc.begin(), GetParam().llc.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return outputOf({"llc-19"}, arguments);
  }
};

TEST_P(Identity, AssemblyIsLlcs) {
  EXPECT_EQ(compiled(input(GetParam().file), options(Emit::Assembly)).bytes, llc({}));
}

TEST_P(Identity, ObjectIsLlcs) {
  EXPECT_TRUE(compiled(input(GetParam().file), options(Emit::Object)).bytes == llc({"-filetype=obj"}));
}

TEST_P(Identity, CallbacksThatOnlyLookChangeNothing) {
  Module module = input(GetParam().file);
  Seams seams;
  unsigned calls = 0;
  for (Seam &seam : seams.callbacks)
    seam = [&](SeamContext &) { ++calls; };
  std::string plain = compiled(module, options(Emit::Object)).bytes;
  EXPECT_TRUE(compiled(module, options(Emit::Object), seams).bytes == plain);
  EXPECT_EQ(calls, num_seam_points * module.functions.size());
}

TEST_P(Identity, TheVerifierIsContentAndChangesNothing) {
  Module module = input(GetParam().file);
  CompileOptions with = options(Emit::Object);
  with.verify = Verify::EveryPass;
  EXPECT_TRUE(compiled(module, with).bytes == compiled(module, options(Emit::Object)).bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, Identity,
    ::testing::Values(
        Case{"gfx1100.ll", "gfx1100", 3, RegAlloc::Automatic, {}},
        Case{"gfx1030.ll", "gfx1030", 2, RegAlloc::Automatic, {}},
        Case{"gfx90a.ll", "gfx90a", 3, RegAlloc::Automatic, {}}, Case{"gfx90a.ll", "gfx90a", 1, RegAlloc::Greedy, {}},
        Case{"gfx1100.ll", "gfx1100", 0, RegAlloc::Automatic, {}},
        Case{"tiny.ll", "gfx942", 3, RegAlloc::Automatic, {}},
        Case{"gfx1100.ll", "gfx1100", 3, RegAlloc::Basic, {"-sgpr-regalloc=basic", "-vgpr-regalloc=basic"}},
        Case{"gfx90a.ll", "gfx90a", 3, RegAlloc::Basic, {"-sgpr-regalloc=basic", "-vgpr-regalloc=basic"}},
        Case{"gfx1100.ll", "gfx1100", 3, RegAlloc::Fast, {"-optimize-regalloc=0"}},
        Case{"gfx90a.ll", "gfx90a", 1, RegAlloc::Fast, {"-optimize-regalloc=0"}}));

} // namespace
} // namespace verilocc::codegen::testing
