#include "analysis/vector_places.h"

#include <map>

namespace verilocc::analysis {

using namespace problem;

VectorPlaces::VectorPlaces(const Problem &problem, const LiveRanges &live, const Choices &choices,
                           const std::vector<uint8_t> &takes_part,
                           const std::function<bool(RegUnit base, unsigned width)> &within,
                           std::span<const uint8_t> whole)
    : conflicts(problem, live, whole),
      problem(problem),
      tied(problem.vregs.size(), 0),
      set_of(problem.vregs.size(), none) {
  std::map<std::pair<const RegUnit *, unsigned>, uint32_t> known; // vregs of one set share its storage
  for (VReg v = 0; v < problem.vregs.size(); ++v) {
    if (!takes_part[v])
      continue;
    const auto candidates = choices.candidates(v);
    const unsigned width = problem.widthOf(v);
    const auto [place, fresh] = known.try_emplace({candidates.data(), width}, static_cast<uint32_t>(sets.size()));
    set_of[v] = place->second;
    if (fresh) {
      VectorUnits &set = sets.emplace_back();
      for (RegUnit base : candidates)
        if (within(base, width))
          set.set(base);
    }
    for (const Hint &hint : choices.hints(v))
      tied[v] |= hint.hard;
  }
}

VectorUnits VectorPlaces::allowed(VReg v) const {
  VectorUnits bases = sets[set_of[v]];
  bases.remove(conflicts.fixed(v));
  return bases;
}

VectorUnits VectorPlaces::free(VReg v, std::span<const RegUnit> homes) const {
  VectorUnits blocked;
  for (const Edge &edge : conflicts.of(v))
    if (const RegUnit other = homes[edge.other]; other != no_unit)
      blocked.addShifted(edge.distances, int(other) + 1 - int(problem.widthOf(v)));
  VectorUnits bases = allowed(v);
  bases.remove(blocked);
  return bases;
}

} // namespace verilocc::analysis
