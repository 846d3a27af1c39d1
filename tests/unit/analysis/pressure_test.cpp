#include "analysis/pressure.h"
#include "problem/text.h"
#include "tests/support/random_problem.h"

#include <gtest/gtest.h>

namespace verilocc::analysis {
namespace {

using namespace problem;

Problem sample() {
  constexpr std::string_view text = R"(class v = v0-v255
class w width 2 = v0-v254
class a = a0-a255
class av = v0-v255 a0-a255
class s = s0-s101 vcc_lo
clobbers 0 = v[0:3]
live-in s0
block 0
  %0:w = LOAD s0
  %1:v = LOAD
  %2:a = LOAD
  %3:av = LOAD
  %4:s = S_MOV
  USE %0[0], %1
  CALL | clobbers 0
  USE %2, %3
  USE %4, %1
)";
  support::TextReader reader(text, "t.ra");
  auto parsed = parseProblem(reader);
  if (!parsed)
    throw std::runtime_error(parsed.error().str());
  return std::move(*parsed);
}

TEST(Pressure, PeaksAndTheirPlaces) {
  const Problem p = sample();
  const Pressure pressure = measurePressure(p, LiveRanges(p));
  EXPECT_EQ(pressure[PressureSet::Vector].lanes, 5u) << "%1 and the four that the call clobbers";
  EXPECT_EQ(pressure[PressureSet::Vector].inst, 6u);
  EXPECT_EQ(pressure[PressureSet::Accum].lanes, 1u);
  EXPECT_EQ(pressure[PressureSet::Accum].inst, 2u);
  EXPECT_EQ(pressure[PressureSet::VectorOrAccum].lanes, 1u);
  EXPECT_EQ(pressure[PressureSet::Scalar].lanes, 1u);
  EXPECT_EQ(pressure[PressureSet::Scalar].inst, 0u);
  EXPECT_EQ(pressure.any_vector.lanes, 7u);
  const std::string table = printPressure(p, pressure);
  EXPECT_NE(table.find("block 0, instruction 6: CALL"), std::string::npos) << table;
}

TEST(Pressure, EqualsTheCountAtEachPoint) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    const LiveRanges live(p);
    const auto liveAt = [](Segments segments, Point point) {
      for (const Segment &s : segments)
        if (s.start <= point && point < s.end)
          return 1u;
      return 0u;
    };
    unsigned most = 0;
    for (Point point = 0; point < 2 * p.insts.size(); ++point) {
      unsigned lanes = 0;
      for (VReg v = 0; v < p.vregs.size(); ++v)
        if (pressureSet(p.classOf(v)) == PressureSet::Scalar)
          for (unsigned l = 0; l < p.widthOf(v); ++l)
            lanes += liveAt(live.lane(v, l), point);
      for (unsigned u = first_sgpr; u < m0; ++u)
        lanes += liveAt(live.unit(static_cast<RegUnit>(u)), point);
      most = std::max(most, lanes);
    }
    EXPECT_EQ(measurePressure(p, live)[PressureSet::Scalar].lanes, most) << "seed " << seed;
  }
}

TEST(Pressure, CountsRegistersOfAnAssignment) {
  const Problem p = sample();
  const RegUnit none = no_unit;
  const auto counts = countRegisters(p, assignment::fromHomes(p, {10, 12, first_agpr + 3, none, vcc_lo}));
  EXPECT_EQ(counts.vgprs, 13u);
  EXPECT_EQ(counts.agprs, 4u);
  EXPECT_EQ(counts.sgprs, 1u) << "the named s0; VCC does not count";
  EXPECT_EQ(counts.placed, 4u);
  EXPECT_EQ(counts.unplaced, 1u);
}

} // namespace
} // namespace verilocc::analysis
