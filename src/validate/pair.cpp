#include "validate/pair.h"

#include "checker/constants.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace verilocc::validate {

using namespace problem;
using assignment::Assignment;
using assignment::Edit;
using support::InputError;
using support::Result;

namespace {

/// A copy within one file that does not write EXEC: a move of values, which commutes with the other program's moves.
bool isFreeCopy(const Problem &problem, const Inst &inst) {
  if (inst.kind != InstKind::Copy || inst.has(inst_flag::AllThreads))
    return false;
  int per_thread = -1;
  for (const Operand &operand : problem.operandsOf(inst)) {
    if (operand.has(operand_flag::Implicit))
      continue;
    if (operand.has(operand_flag::HalfDword))
      return false;
    if (operand.isDef() && operand.fixed && overlapsExec(operand.reg, operand.num_lanes))
      return false;
    int is_vector = problem.isPerThread(operand);
    if (per_thread >= 0 && per_thread != is_vector)
      return false;
    per_thread = is_vector;
  }
  return true;
}

/// What one block's matching goes by.
struct Vocabulary {
  std::unordered_set<uint64_t> constants;
  std::unordered_set<uint64_t> recomputed;
  std::unordered_set<uint64_t> lane_moves; ///< moves to and from VGPR lanes that the reference makes itself
};

bool isAnchor(const Problem &problem, const Inst &inst, const Vocabulary &vocabulary) {
  switch (inst.kind) {
  case InstKind::ImplicitDef:
  case InstKind::Kill:
  case InstKind::Spill:
  case InstKind::Reload:
    return false;
  case InstKind::LaneWrite:
  case InstKind::LaneRead:
    return vocabulary.lane_moves.contains(inst.signature);
  case InstKind::Copy:
    return !isFreeCopy(problem, inst);
  default:
    return !vocabulary.constants.contains(inst.signature) && !vocabulary.recomputed.contains(inst.signature);
  }
}

/// The longest common subsequence of two signature lists by Myers' O(ND) difference algorithm (Algorithmica 1, 1986):
/// pairs (index in a, index in b) in order. The lists are nearly equal, so N*D is small.
std::vector<std::pair<uint32_t, uint32_t>> commonSubsequence(const std::vector<uint64_t> &a,
                                                             const std::vector<uint64_t> &b) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size()), limit = n + m;
  std::vector<std::pair<uint32_t, uint32_t>> matches;
  std::vector<std::vector<int>> trace;
  std::vector<int> furthest(2 * static_cast<size_t>(limit) + 3, 0);
  const int offset = limit + 1;
  int distance = 0;
  for (; distance <= limit; ++distance) {
    // Only the diagonals that this round can read: -distance-1 .. distance+1.
    trace.emplace_back(furthest.begin() + offset - distance - 1, furthest.begin() + offset + distance + 2);
    bool done = false;
    for (int k = -distance; k <= distance && !done; k += 2) {
      int x = k == -distance || (k != distance && furthest[offset + k - 1] < furthest[offset + k + 1])
                  ? furthest[offset + k + 1]
                  : furthest[offset + k - 1] + 1;
      int y = x - k;
      while (x < n && y < m && a[x] == b[y])
        ++x, ++y;
      furthest[offset + k] = x;
      done = x >= n && y >= m;
    }
    if (done)
      break;
  }
  int x = n, y = m;
  for (; distance >= 0; --distance) {
    const std::vector<int> &before = trace[distance];
    auto at = [&](int k) { return before[k + distance + 1]; };
    int k = x - y;
    int from_k = k == -distance || (k != distance && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
    int from_x = distance ? at(from_k) : 0, from_y = distance ? from_x - from_k : 0;
    while (x > from_x && y > from_y) {
      --x, --y;
      matches.push_back({static_cast<uint32_t>(x), static_cast<uint32_t>(y)});
    }
    x = from_x, y = from_y;
  }
  std::reverse(matches.begin(), matches.end());
  return matches;
}

class Pairing {
public:
  Pairing(const Problem &before, const Problem &after, const std::unordered_set<uint64_t> &recomputed)
      : before(before), after(after) {
    vocabulary.recomputed = recomputed;
  }
  Result<Assignment> run();

private:
  support::Status pairBlock(BlockId block);
  support::Status takeOperands(InstId original, InstId allocated);
  void insert(BlockId block, InstId before_inst, InstId allocated);
  void insertAll(BlockId block, InstId first_place, InstId last_place, InstId &next, InstId last);
  std::string describe(const Problem &problem, InstId inst) const {
    return fmt::format("{} (instruction {})", problem.opcodes[problem.insts[inst].opcode], inst);
  }

  const Problem &before, &after;
  Vocabulary vocabulary;
  Assignment assignment;
};

support::Status Pairing::takeOperands(InstId original, InstId allocated) {
  const Inst &from = before.insts[original], &to = after.insts[allocated];
  auto originals = before.operandsOf(from), allocateds = after.operandsOf(to);
  auto differ = [&](const char *what) {
    return InputError{
        fmt::format("{}: {} of {} and {}", after.name, what, describe(before, original), describe(after, allocated))};
  };
  for (uint32_t o = 0; o < originals.size(); ++o) {
    const Operand &operand = originals[o];
    RegUnit &unit = assignment.units[from.first_operand + o];
    if (operand.fixed && operand.has(operand_flag::Implicit)) {
      unit = static_cast<RegUnit>(operand.reg); // EXEC, SCC, ...: not an allocator's to choose
      continue;
    }
    if (o >= allocateds.size())
      return differ("different numbers of operands");
    const Operand &found = allocateds[o];
    if (!found.fixed)
      return InputError{fmt::format("{}: {} still has virtual registers", after.name, describe(after, allocated))};
    if (found.access != operand.access || found.num_lanes != operand.num_lanes)
      return differ("different operands");
    if (operand.fixed && found.reg != operand.reg)
      return differ("different physical registers");
    unit = static_cast<RegUnit>(found.reg);
  }
  return support::Ok{};
}

void Pairing::insert(BlockId block, InstId before_inst, InstId allocated) {
  Edit edit;
  edit.block = block;
  edit.before = before_inst;
  edit.inst = after.insts[allocated];
  edit.inst.first_operand = static_cast<uint32_t>(assignment.edit_operands.size());
  auto operands = after.operandsOf(after.insts[allocated]);
  assignment.edit_operands.insert(assignment.edit_operands.end(), operands.begin(), operands.end());
  assignment.edits.push_back(std::move(edit));
}

/// Inserts the allocated instructions [next, last), which stand between two matches. They run before what the reference
/// alone does there, up to the first that repeats a computation of the reference: the reference has to come first.
void Pairing::insertAll(BlockId block, InstId first_place, InstId last_place, InstId &next, InstId last) {
  for (InstId place = first_place; next < last; ++next) {
    if (vocabulary.recomputed.contains(after.insts[next].signature))
      place = last_place;
    insert(block, place, next);
  }
}

support::Status Pairing::pairBlock(BlockId block) {
  const Block &from = before.blocks[block], &to = after.blocks[block];
  std::vector<InstId> originals, allocateds;
  std::vector<uint64_t> original_signatures, allocated_signatures;
  for (InstId i = from.first; i < from.last; ++i)
    if (isAnchor(before, before.insts[i], vocabulary)) {
      originals.push_back(i);
      original_signatures.push_back(before.insts[i].signature);
    }
  for (InstId i = to.first; i < to.last; ++i)
    if (isAnchor(after, after.insts[i], vocabulary)) {
      allocateds.push_back(i);
      allocated_signatures.push_back(after.insts[i].signature);
    }
  auto matches = commonSubsequence(original_signatures, allocated_signatures);

  for (InstId i = from.first; i < from.last; ++i)
    assignment.deleted[i] = 1;
  InstId next_original = from.first, next_allocated = to.first;
  for (auto [o, a] : matches) {
    insertAll(block, next_original, originals[o], next_allocated, allocateds[a]);
    next_allocated = allocateds[a] + 1;
    next_original = originals[o] + 1;
    assignment.deleted[originals[o]] = 0;
    if (support::Status status = takeOperands(originals[o], allocateds[a]); !status)
      return status;
  }
  insertAll(block, next_original, from.last, next_allocated, to.last);
  return support::Ok{};
}

Result<Assignment> Pairing::run() {
  if (before.env.arch != after.env.arch || before.env.wave_size != after.env.wave_size)
    return InputError{fmt::format("the two functions are for different targets: {} wave{} and {} wave{}",
                                  before.env.arch, before.env.wave_size, after.env.arch, after.env.wave_size)};
  if (before.blocks.size() != after.blocks.size())
    return InputError{fmt::format("{}: {} blocks before allocation, {} after", before.name, before.blocks.size(),
                                  after.blocks.size())};
  for (BlockId b = 0; b < before.blocks.size(); ++b)
    if (before.blocks[b].succs != after.blocks[b].succs)
      return InputError{fmt::format("{}: block {} has other successors after allocation", before.name, b)};

  vocabulary.constants = checker::constantSignatures(before);
  for (const Inst &inst : before.insts)
    if (inst.kind == InstKind::LaneWrite || inst.kind == InstKind::LaneRead)
      vocabulary.lane_moves.insert(inst.signature);
  assignment.units.assign(before.operands.size(), no_unit);
  assignment.deleted.assign(before.insts.size(), 0);
  assignment.opcodes = after.opcodes;
  // What a deleted instruction would have named, nothing reads; a fixed operand keeps its unit so that it is well
  // formed.
  for (size_t i = 0; i < before.operands.size(); ++i)
    if (before.operands[i].fixed)
      assignment.units[i] = static_cast<RegUnit>(before.operands[i].reg);
  for (BlockId b = 0; b < before.blocks.size(); ++b)
    if (support::Status status = pairBlock(b); !status)
      return status.error();
  return std::move(assignment);
}

} // namespace

Result<Assignment> pair(const Problem &before, const Problem &after, const std::unordered_set<uint64_t> &recomputed) {
  return Pairing(before, after, recomputed).run();
}

} // namespace verilocc::validate
