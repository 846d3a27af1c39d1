// Steps of occupancy against llc 19.1.7: on either side of a step, and how the files count together.
#include "cost/occupancy.h"

#include <gtest/gtest.h>

namespace verilocc::cost {
namespace {

TEST(Occupancy, StepsAreLlvms) {
  struct Case {
    const char *arch;
    unsigned wave_size, registers, waves;
  };
  for (const Case &c : {Case{"gfx1030", 32, 64, 16}, Case{"gfx1030", 32, 65, 12}, Case{"gfx1030", 64, 32, 16},
                        Case{"gfx1030", 64, 33, 12}, Case{"gfx1030", 64, 256, 2}, Case{"gfx1100", 32, 96, 16},
                        Case{"gfx1100", 32, 97, 12}, Case{"gfx1100", 64, 48, 16}, Case{"gfx1100", 64, 49, 12},
                        Case{"gfx1200", 64, 252, 3}, Case{"gfx1201", 64, 253, 2}, Case{"gfx90a", 64, 256, 2},
                        Case{"gfx942", 64, 257, 1}, Case{"gfx908", 64, 128, 2}, Case{"gfx803", 64, 24, 0}})
    EXPECT_EQ(wavesByVgprs(c.arch, c.wave_size, c.registers), c.waves)
        << c.arch << " wave" << c.wave_size << " " << c.registers;
}

TEST(Occupancy, AUnifiedFileCountsBoth) {
  EXPECT_EQ(countedRegisters("gfx90a", 33, 0), 33u);
  EXPECT_EQ(countedRegisters("gfx90a", 33, 4), 40u);
  EXPECT_EQ(countedRegisters("gfx942", 32, 4), 36u);
  EXPECT_EQ(countedRegisters("gfx908", 33, 40), 40u);
  EXPECT_EQ(countedRegisters("gfx1100", 33, 0), 33u);
}

} // namespace
} // namespace verilocc::cost
