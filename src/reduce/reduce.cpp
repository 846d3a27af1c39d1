#include "reduce/reduce.h"

#include "reduce/parts.h"

namespace verilocc::reduce {

using assignment::Case;

namespace {

class Reduction {
public:
  Reduction(Case start, const Keeps &keeps) : current(std::move(start)), keeps(keeps) {}

  /// Leaves out parts of one sort, of which there are `count`: halves, quarters, down to single ones. True if any went.
  template <typename Count, typename Without> bool leaveOut(Count &&count, Without &&without) {
    bool went = false;
    for (size_t size = std::max<size_t>(count(current) / 2, 1);; size /= 2) {
      // From the end: what is defined early is needed later.
      for (size_t end = count(current); end > 0;) {
        const size_t total = count(current);
        end = std::min(end, total);
        const size_t begin = end > size ? end - size : 0;
        Gone gone(total);
        for (size_t i = begin; i < end; ++i)
          gone[i] = true;
        went |= accept(without(current, gone));
        end = begin;
      }
      if (size <= 1)
        return went;
    }
  }

  bool accept(Case candidate) {
    candidate = withoutUnused(candidate);
    if (candidate == current || !wellFormed(candidate.problem) || !wellFormed(candidate.problem, *candidate.assignment))
      return false;
    ++statistics.questions;
    if (!keeps(candidate))
      return false;
    current = std::move(candidate);
    return true;
  }

  Case current;
  ReduceStatistics statistics;

private:
  const Keeps &keeps;
};

} // namespace

Case reduceCase(const Case &start, const Keeps &keeps, ReduceStatistics *statistics) {
  Case first = start;
  first.expectation.reset();
  Reduction reduction(std::move(first), keeps);
  reduction.accept(reduction.current);
  bool went = true;
  while (went) {
    ++reduction.statistics.rounds;
    went = reduction.leaveOut([](const Case &c) { return c.problem.blocks.size(); }, withoutBlocks);
    went |= reduction.leaveOut([](const Case &c) { return c.problem.blocks.size(); }, withoutBorders);
    went |= reduction.leaveOut([](const Case &c) { return countEdges(c.problem); }, withoutEdges);
    went |= reduction.leaveOut([](const Case &c) { return c.problem.insts.size(); }, withoutInsts);
    went |= reduction.leaveOut([](const Case &c) { return c.assignment->edits.size(); }, withoutEdits);
    went |= reduction.leaveOut([](const Case &c) { return c.problem.insts.size(); }, withoutDeletions);
    went |= reduction.leaveOut([](const Case &c) { return c.problem.operands.size(); }, withoutOperands);
  }
  if (statistics)
    *statistics = reduction.statistics;
  return reduction.current;
}

} // namespace verilocc::reduce
