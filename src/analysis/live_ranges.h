// Live ranges: where each lane of each virtual register, and each physical register that the code names, holds a value
// that may still be read.
//
// A program point is 2 * instruction for Before (uses are read, early-clobber definitions begin) and 2 * instruction +
// 1 for After (other definitions begin). A segment [start, end) is a run of points in layout order. A use at
// instruction i ends at After i, so that a definition of i may take its register; a definition that nothing reads still
// holds After i.
//
// Liveness is that of the control flow graph, lane by lane, as LLVM has it: it takes no account of EXEC, so a vector
// value is live wherever some thread might carry it along an edge. A lane is live only where a definition may have
// reached: what no path wrote, or what an undef definition of another lane gave up, holds nothing worth keeping. Undef
// uses do not read. IMPLICIT_DEF counts as a definition.
//
// Method: for each register a backward walk from the blocks that read it before writing it, then, where it may be
// undefined, a forward walk from its definitions; both visit only blocks in which it is live. Linear in the size of the
// answer.
#pragma once

#include "problem/problem.h"

#include <span>
#include <vector>

namespace verilocc::analysis {

using Point = uint32_t;
constexpr Point before(problem::InstId inst) {
  return 2 * inst;
}
constexpr Point after(problem::InstId inst) {
  return 2 * inst + 1;
}
constexpr problem::InstId instAt(Point point) {
  return point / 2;
}

struct Segment {
  Point start, end;
  bool operator==(const Segment &) const = default;
};
/// Sorted by start, disjoint, not touching.
using Segments = std::span<const Segment>;

/// True if the two have a point in common. Linear in the shorter, logarithmic in the longer.
bool overlap(Segments a, Segments b);

/// The live lanes at the border of a block.
struct BorderLanes {
  problem::VReg vreg;
  uint32_t in, out; ///< bit masks of lanes
};

class LiveRanges {
public:
  /// `problem` must be well-formed.
  explicit LiveRanges(const problem::Problem &problem);

  Segments lane(problem::VReg vreg, unsigned lane) const { return at(first_lane[vreg] + lane); }
  /// Where a physical register holds a value of its own: definitions, uses, clobbers, live-ins. Empty for reserved
  /// registers, which nobody is given.
  Segments unit(problem::RegUnit unit) const { return at(num_lanes + unit); }
  /// First and last point at which any lane is live; {0, 0} if none ever is.
  Segment hull(problem::VReg vreg) const { return hulls[vreg]; }
  /// The vregs with a lane live into or out of a block.
  const std::vector<BorderLanes> &border(problem::BlockId block) const { return borders[block]; }

private:
  Segments at(size_t index) const { return {pool.data() + offsets[index], offsets[index + 1] - offsets[index]}; }

  std::vector<uint32_t> first_lane; ///< by vreg, into the lanes of all vregs
  uint32_t num_lanes = 0;
  std::vector<uint32_t> offsets; ///< by lane, then by unit; one more than there are
  std::vector<Segment> pool;
  std::vector<Segment> hulls;
  std::vector<std::vector<BorderLanes>> borders;
};

} // namespace verilocc::analysis
