#include "tokens/limits.h"

#include "cost/occupancy.h"

#include <algorithm>

namespace verilocc::tokens {

using namespace problem;

namespace {

void count(Limits &limits, unsigned first, unsigned size) {
  const unsigned end = first + size;
  if (end <= first_agpr)
    limits.vgprs = std::max(limits.vgprs, end);
  else if (end <= first_sgpr)
    limits.agprs = std::max(limits.agprs, end - first_agpr);
  else if (end <= vcc_lo)
    limits.sgprs = std::max(limits.sgprs, end - first_sgpr);
}

} // namespace

Limits usedBy(const Problem &problem, const assignment::Homes &homes) {
  Limits used{0, 0, 0};
  for (const Operand &op : problem.operands)
    if (op.fixed)
      count(used, op.reg, op.num_lanes);
    else if (homes[op.reg] != no_unit)
      count(used, homes[op.reg], problem.widthOf(op.reg));
  return used;
}

Limits occupancyLimits(const Problem &problem, const assignment::Homes &homes) {
  const MachineEnv &env = problem.env;
  const Limits used = usedBy(problem, homes);
  Limits limits = used;
  limits.sgprs = std::max(used.sgprs, env.max_sgprs);
  const bool unified = cost::hasUnifiedFile(env.arch);
  const auto registers = [&](const Limits &l) { return cost::countedRegisters(env.arch, l.vgprs, l.agprs); };
  const unsigned waves = cost::wavesByVgprs(env.arch, env.wave_size, registers(used));
  const auto widen = [&](unsigned &count, unsigned most) {
    for (; count < most; ++count) {
      Limits next = limits;
      (&count == &limits.vgprs ? next.vgprs : next.agprs) = count + 1;
      if (cost::wavesByVgprs(env.arch, env.wave_size, registers(next)) != waves)
        return;
    }
  };
  if (waves) {
    if (unified && used.agprs) { // half of the room each: either file may be the one in need
      unsigned most = used.vgprs;
      while (most < env.max_vgprs &&
             cost::wavesByVgprs(env.arch, env.wave_size, cost::countedRegisters(env.arch, most + 1, used.agprs)) ==
                 waves)
        ++most;
      limits.vgprs = used.vgprs + (most - used.vgprs) / 2;
      widen(limits.agprs, env.max_agprs);
    }
    widen(limits.vgprs, env.max_vgprs);
    if (!unified)
      widen(limits.agprs, env.max_agprs);
  } else {
    limits.vgprs = std::max(used.vgprs, env.max_vgprs);
    limits.agprs = std::max(used.agprs, env.max_agprs);
  }
  return limits;
}

Limits limitsOf(const MachineEnv &env) {
  return {env.max_vgprs, env.max_agprs, env.max_sgprs};
}

void setLimits(MachineEnv &env, const Limits &limits) {
  env.max_vgprs = limits.vgprs;
  env.max_agprs = limits.agprs;
  env.max_sgprs = limits.sgprs;
}

} // namespace verilocc::tokens
