// How many registers of each file an allocation may use without losing waves.
#pragma once

#include "assignment/assignment.h"

namespace verilocc::tokens {

/// Numbers of units from v0, a0, s0.
struct Limits {
  unsigned vgprs = 256, agprs = 256, sgprs = 102;
  bool operator==(const Limits &) const = default;
};

/// Registers that `homes` and the code's fixed operands use: the highest of each file, plus one.
Limits usedBy(const problem::Problem &problem, const assignment::Homes &homes);

/// The largest limits under which the function runs as many waves as it does with `homes`, never above what its
/// MachineEnv allows and never below what `homes` uses. Where the files are unified and both in use, each gets half of
/// the room.
Limits occupancyLimits(const problem::Problem &problem, const assignment::Homes &homes);

Limits limitsOf(const problem::MachineEnv &env);
void setLimits(problem::MachineEnv &env, const Limits &limits);

} // namespace verilocc::tokens
