#include "problem/registers.h"

#include <gtest/gtest.h>

namespace verilocc::problem {
namespace {

TEST(Registers, EveryRunHasANameThatReadsBack) {
  for (unsigned first = 0; first < num_units; ++first)
    for (unsigned size : {1u, 2u, 3u, 4u, 16u, 32u}) {
      if (first + size > num_units)
        continue;
      const std::string text = tupleName(static_cast<RegUnit>(first), size);
      const auto range = parseTuple(text);
      ASSERT_TRUE(range) << text;
      EXPECT_EQ(range->first, first) << text;
      EXPECT_EQ(range->size, size) << text;
    }
}

TEST(Registers, NamesAreThoseOfTheHardware) {
  EXPECT_EQ(unitName(12), "v12");
  EXPECT_EQ(tupleName(first_agpr + 3, 4), "a[3:6]");
  EXPECT_EQ(tupleName(first_sgpr + 104, 2), "s[104:105]");
  EXPECT_EQ(tupleName(vcc_lo, 2), "vcc");
  EXPECT_EQ(unitName(vcc_hi), "vcc_hi");
  EXPECT_EQ(tupleName(exec_lo, 2), "exec");
  EXPECT_EQ(unitName(scc), "scc");
  EXPECT_EQ(unitName(first_ttmp + 15), "ttmp15");
  EXPECT_EQ(unitName(num_units - 1), "misc121");
  EXPECT_EQ(tupleName(255, 2), "unit[255:256]") << "v255 and a0 are neighbours of ours, not a tuple of the hardware";
}

TEST(Registers, RefusesWhatIsNoRegister) {
  for (const char *text : {"",        "v",
                           "v256",    "a256",
                           "s106",    "ttmp16",
                           "misc122", "v[3:2]",
                           "v[3",     "v[3:",
                           "v[3:4",   "v-1",
                           "v[-1:2]", "v[250:256]",
                           "v3x",     "x3",
                           "exec_",   "unit768",
                           "v[1:2]3", "v 3",
                           "V3",      "v99999999999999999999"})
    EXPECT_FALSE(parseTuple(text)) << text;
}

} // namespace
} // namespace verilocc::problem
