#include "cost/occupancy.h"

#include <span>

namespace verilocc::cost {

namespace {

struct Step {
  unsigned vgprs, waves; ///< up to so many registers give so many waves
};
constexpr Step gfx908[] = {{24, 10}, {28, 9}, {32, 8}, {36, 7}, {40, 6}, {48, 5}, {64, 4}, {84, 3}, {128, 2}, {256, 1}};
constexpr Step gfx90a[] = {{64, 8}, {72, 7}, {80, 6}, {96, 5}, {128, 4}, {168, 3}, {256, 2}, {512, 1}};
constexpr Step gfx1030[] = {{64, 16}, {80, 12}, {96, 10}, {112, 9}, {128, 8}, {144, 7}, {160, 6}, {192, 5}, {256, 4}};
constexpr Step gfx1100[] = {{96, 16}, {120, 12}, {144, 10}, {168, 9}, {192, 8}, {216, 7}, {240, 6}, {256, 5}};

std::span<const Step> stepsOf(std::string_view arch, unsigned wave_size) {
  if (wave_size == 64)
    return arch == "gfx908"                       ? std::span<const Step>(gfx908)
           : arch == "gfx90a" || arch == "gfx942" ? std::span<const Step>(gfx90a)
                                                  : std::span<const Step>();
  if (arch == "gfx1030")
    return gfx1030;
  if (arch == "gfx1100" || arch == "gfx1200" || arch == "gfx1201")
    return gfx1100;
  return {};
}

} // namespace

unsigned wavesByVgprs(std::string_view arch, unsigned wave_size, unsigned vgprs) {
  for (const Step &step : stepsOf(arch, wave_size))
    if (vgprs <= step.vgprs)
      return step.waves;
  return 0;
}

} // namespace verilocc::cost
