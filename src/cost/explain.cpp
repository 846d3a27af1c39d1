#include "cost/explain.h"

#include "cost/instruction.h"
#include "cost/occupancy.h"
#include "cost/simulate.h"

#include <algorithm>

namespace verilocc::cost {

using namespace problem;

namespace {

bool isMove(const std::string &opcode) {
  return opcode.starts_with("V_MOV_B32_e") || opcode.starts_with("V_MOV_B64") || opcode.starts_with("V_PK_MOV_B32");
}

/// Copies have become moves in final code.
bool isFinalCopy(const Problem &code, const Inst &inst, const Shape &shape) {
  return inst.kind != InstKind::Copy && shape.num_sources > 0 && isMove(code.opcodes[inst.opcode]);
}

void countRegisters(const Problem &code, Explanation &result) {
  for (const Operand &op : code.operands) {
    if (!op.fixed)
      continue;
    const unsigned end = op.reg + op.num_lanes;
    if (end <= first_agpr)
      result.vgprs = std::max(result.vgprs, end);
    else if (op.reg >= first_agpr && end <= first_sgpr)
      result.agprs = std::max(result.agprs, end - first_agpr);
  }
}

unsigned wavesOf(const MachineEnv &env, unsigned vgprs, unsigned agprs) {
  return std::max(1u, wavesByVgprs(env.arch, env.wave_size, countedRegisters(env.arch, vgprs, agprs)));
}

} // namespace

AllocatedCode allocatedCode(const Problem &problem, const assignment::Assignment &assignment) {
  AllocatedCode result;
  Problem &code = result.code;
  code.name = problem.name;
  code.env = problem.env;
  code.vregs = problem.vregs;
  code.opcodes = problem.opcodes;
  code.clobber_sets = problem.clobber_sets;
  code.live_in = problem.live_in;
  std::vector<uint32_t> edit_opcodes; // names are interned once
  for (const std::string &opcode : assignment.opcodes) {
    const auto known = std::find(code.opcodes.begin(), code.opcodes.end(), opcode);
    edit_opcodes.push_back(static_cast<uint32_t>(known - code.opcodes.begin()));
    if (known == code.opcodes.end())
      code.opcodes.push_back(opcode);
  }
  code.blocks = problem.blocks;
  auto edit = assignment.edits.begin();
  for (BlockId b = 0; b < problem.blocks.size(); ++b) {
    const Block &block = problem.blocks[b];
    code.blocks[b].first = static_cast<InstId>(code.insts.size());
    const auto append = [&](Inst inst, std::span<const Operand> operands, InstId origin) {
      inst.first_operand = static_cast<uint32_t>(code.operands.size());
      code.operands.insert(code.operands.end(), operands.begin(), operands.end());
      code.insts.push_back(inst);
      result.origin.push_back(origin);
    };
    for (InstId i = block.first; i <= block.last; ++i) {
      for (; edit != assignment.edits.end() && edit->block == b && edit->before == i; ++edit) {
        Inst inst = edit->inst;
        inst.opcode = edit_opcodes[inst.opcode];
        append(inst, assignment.operandsOf(*edit), AllocatedCode::no_origin);
      }
      if (i == block.last || assignment.deleted[i])
        continue;
      append(problem.insts[i], problem.operandsOf(problem.insts[i]), i);
      const uint32_t from = problem.insts[i].first_operand, to = code.insts.back().first_operand;
      for (unsigned o = 0; o < problem.insts[i].num_operands; ++o)
        if (const RegUnit unit = assignment.units[from + o]; unit != no_unit && !code.operands[to + o].fixed) {
          Operand &op = code.operands[to + o];
          op.fixed = true;
          op.reg = unit;
          op.first_lane = 0;
        }
    }
    code.blocks[b].last = static_cast<InstId>(code.insts.size());
  }
  return result;
}

Explanation explain(const Problem &code, const Rules &rules, const ExplainOptions &options) {
  Explanation result;
  Rules applied = rules;
  if (options.final_code) {
    applied.vopd = false;
    applied.matrix_waits = MatrixWaits::None;
  }
  const analysis::LiveRanges live(code);
  Placement placement(code, live, applied);
  placement.settle();
  result.charges = placement.charges();
  const std::vector<Shape> shapes = shapesOf(code);
  std::vector<double> weight(code.insts.size());
  for (const Block &block : code.blocks)
    for (InstId i = block.first; i < block.last; ++i) {
      weight[i] = block.frequency;
      const Inst &inst = code.insts[i];
      if (shapes[i].kind == ShapeKind::Wmma)
        ++result.static_wmma;
      if (!options.final_code)
        continue;
      if (inst.kind == InstKind::DualPair)
        result.charges.push_back({Rule::VopdPair, i, -1});
      else if (inst.kind == InstKind::Nop)
        result.charges.push_back({Rule::MatrixWait, i, double(inst.latency)});
      else if (isFinalCopy(code, inst, shapes[i]))
        result.charges.push_back({Rule::Copy, i, applied.copy});
    }
  std::stable_sort(result.charges.begin(), result.charges.end(),
                   [](const Charge &a, const Charge &b) { return a.inst < b.inst; });

  std::vector<double> delay(code.insts.size(), 0);
  for (const Charge &charge : result.charges) {
    const double weighted = charge.cycles * weight[charge.inst];
    result.by_rule[static_cast<unsigned>(charge.rule)] += weighted;
    switch (charge.rule) {
    case Rule::BankStall:
      result.bank_stalls += weighted;
      delay[charge.inst] += charge.cycles;
      break;
    case Rule::WmmaConflict:
      result.wmma_conflicts += weight[charge.inst];
      ++result.static_wmma_conflicts;
      delay[charge.inst] += charge.cycles;
      break;
    case Rule::VopdPair:
      result.vopd_pairs += weight[charge.inst];
      ++result.static_vopd_pairs;
      if (!options.final_code)
        delay[charge.inst] += charge.cycles;
      break;
    case Rule::MatrixWait:
      result.nop_cycles += weighted;
      result.static_nop_cycles += static_cast<unsigned>(charge.cycles);
      if (!options.final_code)
        delay[charge.inst] += charge.cycles;
      break;
    case Rule::AccumMove:
      result.agpr_moves += weighted;
      break;
    case Rule::Copy:
      result.copies += weight[charge.inst];
      ++result.static_copies;
      break;
    case Rule::Spill:
    case Rule::Reload:
    case Rule::LoadReuse:
      break;
    }
  }
  for (double cycles : result.by_rule)
    result.total += cycles;

  const Timing timing = simulate(code, shapes, delay, applied);
  double lost = 0;
  for (InstId i = 0; i < code.insts.size(); ++i) {
    lost += weight[i] * delay[i];
    const bool one = shapes[i].kind == ShapeKind::Wmma;
    result.issued += weight[i] * (one ? 1 : timing.issue[i]);
  }
  if (!options.final_code)
    result.issued += result.nop_cycles - result.vopd_pairs;
  countRegisters(code, result);
  result.waves = options.waves ? options.waves : wavesOf(code.env, result.vgprs, result.agprs);
  result.issue_cycles = std::max(timing.issued + lost, timing.matrix);
  result.single_cycles = timing.single;
  result.est_cycles = std::max(result.issue_cycles, result.single_cycles / result.waves);
  return result;
}

} // namespace verilocc::cost
