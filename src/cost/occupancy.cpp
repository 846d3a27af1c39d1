#include "cost/occupancy.h"

#include <algorithm>
#include <span>

namespace verilocc::cost {

namespace {

struct Step {
  unsigned vgprs, waves; ///< up to so many registers give so many waves
};
constexpr Step gfx908[] = {{24, 10}, {28, 9}, {32, 8}, {36, 7}, {40, 6}, {48, 5}, {64, 4}, {84, 3}, {128, 2}, {256, 1}};
constexpr Step gfx90a[] = {{64, 8}, {72, 7}, {80, 6}, {96, 5}, {128, 4}, {168, 3}, {256, 2}, {512, 1}};
constexpr Step gfx1030[] = {{64, 16}, {80, 12}, {96, 10}, {112, 9}, {128, 8}, {144, 7}, {160, 6}, {192, 5}, {256, 4}};
constexpr Step gfx1030_wave64[] = {{32, 16}, {40, 12}, {48, 10}, {56, 9},  {64, 8}, {72, 7},
                                   {80, 6},  {96, 5},  {128, 4}, {168, 3}, {256, 2}};
constexpr Step gfx1100[] = {{96, 16}, {120, 12}, {144, 10}, {168, 9}, {192, 8}, {216, 7}, {240, 6}, {256, 5}};
constexpr Step gfx1100_wave64[] = {{48, 16}, {60, 12}, {72, 10}, {84, 9},  {96, 8}, {108, 7},
                                   {120, 6}, {144, 5}, {192, 4}, {252, 3}, {256, 2}};

std::span<const Step> stepsOf(std::string_view arch, unsigned wave_size) {
  const bool wave64 = wave_size == 64;
  if (arch == "gfx908")
    return gfx908;
  if (hasUnifiedFile(arch))
    return gfx90a;
  if (arch == "gfx1030")
    return wave64 ? std::span<const Step>(gfx1030_wave64) : gfx1030;
  if (arch == "gfx1100" || arch == "gfx1200" || arch == "gfx1201")
    return wave64 ? std::span<const Step>(gfx1100_wave64) : gfx1100;
  return {};
}

} // namespace

bool hasUnifiedFile(std::string_view arch) {
  return arch == "gfx90a" || arch.starts_with("gfx94") || arch.starts_with("gfx95");
}

unsigned countedRegisters(std::string_view arch, unsigned vgprs, unsigned agprs) {
  if (!hasUnifiedFile(arch))
    return std::max(vgprs, agprs);
  return agprs ? (vgprs + 3) / 4 * 4 + agprs : vgprs;
}

unsigned wavesByVgprs(std::string_view arch, unsigned wave_size, unsigned counted) {
  for (const Step &step : stepsOf(arch, wave_size))
    if (counted <= step.vgprs)
      return step.waves;
  return 0;
}

} // namespace verilocc::cost
