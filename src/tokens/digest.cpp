#include "tokens/digest.h"

#include "cost/shape.h"

#include <algorithm>
#include <initializer_list>

namespace verilocc::tokens {

using namespace problem;

namespace {

/// How many of the ascending `bounds` the value exceeds.
uint8_t bucket(double value, std::initializer_list<double> bounds) {
  return static_cast<uint8_t>(
      std::count_if(bounds.begin(), bounds.end(), [value](double bound) { return value > bound; }));
}

uint8_t filesOf(const MachineEnv &env, const Limits &limits) {
  const bool unified = env.arch == "gfx90a" || env.arch.starts_with("gfx94");
  return limits.agprs == 0 ? 0 : unified ? 2 : 1;
}

} // namespace

void describeProblem(const Problem &problem, const cost::Rules &rules, const Limits &limits, unsigned peak,
                     std::vector<TokenId> &out) {
  // No rule of WMMA banks does not mean no WMMA; what matters is which cost applies.
  const uint8_t matrix = rules.wmma_banks ? 1 : rules.matrix_waits != cost::MatrixWaits::None ? 2 : 0;
  out.push_back(tokenOf({Family::Start,
                         {static_cast<uint8_t>(rules.valu_banks), matrix, static_cast<uint8_t>(rules.vopd),
                          filesOf(problem.env, limits)}}));
  const unsigned count = limits.vgprs + limits.agprs;
  const double need = count ? double(peak) / count : 1;
  out.push_back(tokenOf(
      {Family::Budget,
       {bucket(count, {24, 48, 64, 96, 128, 192, 255}), bucket(need, {0.5, 0.65, 0.75, 0.82, 0.88, 0.93, 0.97})}}));
}

void describeVReg(const Problem &problem, const analysis::LiveRanges &live, const Outlook &outlook, VReg v,
                  const Partners &partners, unsigned fits, std::vector<TokenId> &out) {
  const Traits &traits = outlook.traits(v);
  const unsigned width = problem.widthOf(v);
  out.push_back(tokenOf(
      {Family::What,
       {bucket(width, {1, 2, 3, 4, 8, 16}), static_cast<uint8_t>(traits.def), static_cast<uint8_t>(traits.use)}}));
  const analysis::Segment hull = live.hull(v);
  out.push_back(
      tokenOf({Family::Life,
               {bucket((hull.end - hull.start + 1) / 2, {1, 3, 8, 20, 50, 150, 500}),
                static_cast<uint8_t>(std::min<unsigned>(traits.depth, 3)), static_cast<uint8_t>(traits.carried)}}));
  const uint8_t settled = partners.settled > partners.open / 2                      ? 2
                          : partners.settled + partners.leaning > partners.open / 2 ? 1
                                                                                    : 0;
  out.push_back(tokenOf({Family::Ahead,
                         {bucket(partners.open, {0, 2, 8}), bucket(partners.widest, {1, 3}), settled,
                          bucket(partners.placed, {0, 2, 8})}}));
  unsigned coming = 0;
  for (VReg other : outlook.coming(v))
    coming = std::max(coming, problem.widthOf(other));
  out.push_back(
      tokenOf({Family::Room,
               {bucket(traits.spare, {-1, 1, 4, 12, 40}), bucket(fits, {2, 5, 12, 40}), bucket(coming, {0, 2, 4})}}));
}

void describePlaces(std::span<Candidate> candidates, Cycles unit, bool banks) {
  if (candidates.empty())
    return;
  const auto least = [&](auto key) {
    Cycles found = key(candidates.front());
    for (const Candidate &candidate : candidates)
      found = std::min(found, key(candidate));
    return found;
  };
  const Cycles least_cost = least([](const Candidate &c) { return c.cost; });
  const Cycles least_ahead = least([](const Candidate &c) { return c.ahead; });
  // Of those that leave room, where one does.
  Cycles least_plan = 0;
  bool any = false;
  for (const Candidate &candidate : candidates)
    if (candidate.leaves > 0) {
      least_plan = any ? std::min(least_plan, candidate.plan) : candidate.plan;
      any = true;
    }
  for (Candidate &candidate : candidates) {
    const double over = double(candidate.cost - least_cost) / double(unit);
    const double ahead = double(candidate.ahead - least_ahead) / double(unit);
    const double plan = double(std::max<Cycles>(0, candidate.plan - least_plan)) / double(unit);
    const RegFile file = fileOf(candidate.base);
    const auto bank = static_cast<uint8_t>(file == RegFile::Vector  ? (banks ? candidate.base % num_banks : 0)
                                           : file == RegFile::Accum ? 4
                                                                    : 5);
    candidate.word =
        tokenOf({Family::Place,
                 {bank, bucket(over, {0.001, 0.6, 2.1}), bucket(ahead, {0.001, 0.6}), bucket(plan, {0.001, 0.6, 2.1}),
                  static_cast<uint8_t>(candidate.leaves > 0), candidate.borders}});
  }
}

} // namespace verilocc::tokens
