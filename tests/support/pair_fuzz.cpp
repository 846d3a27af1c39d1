#include "tests/support/pair_fuzz.h"

#include "allocators/first_fit.h"
#include "analysis/live_ranges.h"
#include "assignment/case.h"
#include "problem/inst_text.h"
#include "support/rng.h"
#include "tests/support/detours.h"
#include "tests/support/random_problem.h"
#include "tests/support/text_fuzz.h"
#include "validate/pair.h"
#include "validate/validate.h"

namespace verilocc::tests {

using namespace problem;
using assignment::Assignment;
using assignment::Edit;

namespace {

/// The code that an Assignment stands for, as it is read again after allocation.
Problem allocated(const Problem &before, const Assignment &assignment) {
  Problem after = before;
  after.vregs.clear();
  after.insts.clear();
  after.operands.clear();
  Interner opcodes;
  auto add = [&](Inst inst, const std::string &opcode, std::span<const Operand> operands) {
    inst.opcode = opcodes.intern(opcode);
    inst.first_operand = static_cast<uint32_t>(after.operands.size());
    after.operands.insert(after.operands.end(), operands.begin(), operands.end());
    after.insts.push_back(inst);
  };
  size_t next_edit = 0;
  for (BlockId block = 0; block < before.blocks.size(); ++block) {
    const Block &from = before.blocks[block];
    after.blocks[block].first = static_cast<InstId>(after.insts.size());
    for (InstId id = from.first; id <= from.last; ++id) {
      for (; next_edit < assignment.edits.size() && assignment.edits[next_edit].block == block &&
             assignment.edits[next_edit].before == id;
           ++next_edit) {
        const Edit &edit = assignment.edits[next_edit];
        add(edit.inst, assignment.opcodes[edit.inst.opcode], assignment.operandsOf(edit));
      }
      if (id == from.last || assignment.deleted[id])
        continue;
      const Inst &inst = before.insts[id];
      std::vector<Operand> operands;
      for (uint32_t o = inst.first_operand; o < inst.first_operand + inst.num_operands; ++o) {
        Operand operand = before.operands[o];
        if (!operand.fixed) {
          operand.reg = assignment.units[o];
          operand.fixed = true;
          operand.first_lane = 0;
          operand.constraint = no_class;
        }
        operands.push_back(operand);
      }
      add(inst, before.opcodes[inst.opcode], operands);
    }
    after.blocks[block].last = static_cast<InstId>(after.insts.size());
  }
  after.opcodes = std::move(opcodes.names);
  return after;
}

Problem randomCode(uint64_t seed, support::Rng &rng, Problem &after) {
  RandomOptions options = randomOptions(seed);
  options.insts = static_cast<unsigned>(rng.between(1, 40));
  Problem before = randomProblem(options);
  const auto homes = allocators::firstFit(before, analysis::LiveRanges(before));
  after = allocated(before, withDetours(before, homes, {seed, 6}));
  return before;
}

} // namespace

FilePair randomFilePair(uint64_t seed) {
  support::Rng rng(seed);
  FilePair pair;
  Problem after;
  const Problem before = randomCode(seed / 8, rng, after);
  const auto sort = seed % 8;
  if (sort == 7)
    randomCode(seed / 8 + 1, rng, after);
  auto print = [](const Problem &problem) {
    assignment::Case contents;
    contents.problem = problem;
    return assignment::print(contents);
  };
  pair.before = print(before);
  pair.after = print(after);
  if (sort == 2 || sort == 3 || sort == 6)
    pair.before = mutateText(pair.before, seed);
  if (sort >= 4 && sort <= 6)
    pair.after = mutateText(pair.after, seed + 1);
  pair.damaged = sort >= 2;
  return pair;
}

std::string checkFilePair(const FilePair &pair) {
  const auto before = assignment::parseCase(pair.before, "before.ra"),
             after = assignment::parseCase(pair.after, "after.ra");
  for (const auto *file : {&before, &after})
    if (!*file)
      return !pair.damaged ? file->error().str() : file->error().message.empty() ? "an error without a message" : "";
  const auto paired = validate::pair(before->problem, after->problem);
  if (!paired && paired.error().message.empty())
    return "a refusal without a message";
  if (paired)
    if (const support::Status status = wellFormed(before->problem, *paired); !status)
      return "what was paired is not well-formed: " + status.error().str();
  const auto validation = validate::validate(before->problem, after->problem);
  if (validation.check.verdict == checker::Verdict::InvalidInput && validation.check.invalid_reason.empty())
    return "InvalidInput without a reason";
  if (!pair.damaged && validation.check.verdict != checker::Verdict::Accepted)
    return std::string("a right allocation is ") + name(validation.check.verdict) + " " +
           validation.check.invalid_reason;
  return "";
}

} // namespace verilocc::tests
