#include "rewriter/apply.h"

#include "mir/register_table.h"

#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/LiveRegMatrix.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/VirtRegMap.h"

#include <algorithm>
#include <cassert>

namespace verilocc::rewriter {

namespace {

using problem::RegUnit;
using problem::VReg;

/// Members of a register class by their first unit, found once a class.
class Members {
public:
  explicit Members(const llvm::TargetRegisterInfo &tri) : registers(mir::RegisterTable::of(tri)) {
    by_class.resize(tri.getNumRegClasses());
  }
  llvm::MCRegister at(const llvm::TargetRegisterClass &rc, RegUnit first) {
    std::vector<llvm::MCPhysReg> &members = by_class[rc.getID()];
    if (members.empty()) {
      members.resize(problem::num_units);
      for (llvm::MCPhysReg reg : rc)
        members[registers.place(reg).first] = reg;
    }
    return first < members.size() ? members[first] : llvm::MCPhysReg();
  }

private:
  const mir::RegisterTable &registers;
  std::vector<std::vector<llvm::MCPhysReg>> by_class;
};

struct Move {
  VReg vreg;
  llvm::LiveInterval *interval;
  llvm::MCRegister before, wanted;
};

LeftReason reasonOf(llvm::LiveRegMatrix::InterferenceKind kind) {
  switch (kind) {
  case llvm::LiveRegMatrix::IK_VirtReg:
    return LeftReason::VirtualOverlap;
  case llvm::LiveRegMatrix::IK_RegMask:
    return LeftReason::CallClobber;
  default:
    return LeftReason::FixedOverlap;
  }
}

} // namespace

const char *name(LeftReason reason) {
  switch (reason) {
  case LeftReason::NoHome:
    return "no home given";
  case LeftReason::NotInClass:
    return "not in its register class";
  case LeftReason::Reserved:
    return "reserved register";
  case LeftReason::VirtualOverlap:
    return "another virtual register lives there";
  case LeftReason::FixedOverlap:
    return "a physical register is live there";
  case LeftReason::CallClobber:
    return "a call overwrites it";
  case LeftReason::NoInterval:
    return "no live interval";
  }
  return "?";
}

ApplyReport applyHomes(const assignment::Homes &homes, const mir::Reading &reading, llvm::LiveIntervals &intervals,
                       llvm::VirtRegMap &map, llvm::LiveRegMatrix &matrix) {
  const problem::Problem &problem = reading.problem;
  assert(homes.size() == problem.vregs.size());
  const llvm::MachineRegisterInfo &mri = map.getRegInfo();
  Members members(map.getTargetRegInfo());
  ApplyReport report;
  auto leave = [&](VReg vreg, LeftReason reason) {
    report.left.push_back({vreg, reason});
    ++report.count[static_cast<size_t>(reason)];
  };

  std::vector<Move> moves;
  for (VReg vreg = 0; vreg < homes.size(); ++vreg) {
    llvm::Register reg = reading.source.vregs[vreg];
    RegUnit home = homes[vreg];
    if (home == problem::no_unit) {
      leave(vreg, LeftReason::NoHome);
      continue;
    }
    llvm::MCRegister wanted = members.at(*mri.getRegClass(reg), home);
    if (!wanted) {
      leave(vreg, LeftReason::NotInClass);
      continue;
    }
    bool reserved = false;
    for (unsigned lane = 0; lane < problem.widthOf(vreg); ++lane)
      reserved |= problem.env.reserved[home + lane];
    if (reserved) {
      leave(vreg, LeftReason::Reserved);
      continue;
    }
    if (!intervals.hasInterval(reg)) {
      leave(vreg, LeftReason::NoInterval);
      continue;
    }
    llvm::MCRegister before = map.hasPhys(reg) ? map.getPhys(reg) : llvm::MCRegister();
    if (before == wanted)
      ++report.assigned;
    else
      moves.push_back({vreg, &intervals.getInterval(reg), before, wanted});
  }

  // All changing homes are taken back first: a home may be free only because its owner moves too.
  for (const Move &move : moves)
    if (move.before)
      matrix.unassign(*move.interval);
  size_t done = 0;
  std::vector<bool> placed(moves.size());
  for (; done < moves.size(); ++done) {
    const Move &move = moves[done];
    matrix.invalidateVirtRegs();
    auto interference = matrix.checkInterference(*move.interval, move.wanted);
    if (interference == llvm::LiveRegMatrix::IK_Free) {
      matrix.assign(*move.interval, move.wanted);
      placed[done] = true;
      continue;
    }
    leave(move.vreg, reasonOf(interference));
    if (move.before) {
      report.rolled_back = true;
      break;
    }
  }
  if (report.rolled_back) {
    for (size_t i = 0; i < moves.size(); ++i)
      if (placed[i])
        matrix.unassign(*moves[i].interval);
    for (const Move &move : moves)
      if (move.before)
        matrix.assign(*move.interval, move.before);
    matrix.invalidateVirtRegs();
    report.assigned = 0;
    return report;
  }
  report.changed = static_cast<unsigned>(std::count(placed.begin(), placed.end(), true));
  report.assigned += report.changed;
  std::sort(report.left.begin(), report.left.end(), [](const Left &a, const Left &b) { return a.vreg < b.vreg; });
  return report;
}

} // namespace verilocc::rewriter
