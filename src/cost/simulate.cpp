#include "cost/simulate.h"

#include "cost/instruction.h"

#include <algorithm>

namespace verilocc::cost {

using namespace problem;

namespace {

/// Registers as locations: units, then lanes of vregs that have none.
class Locations {
public:
  explicit Locations(const Problem &code) : first(code.vregs.size()) {
    for (VReg v = 0; v < code.vregs.size(); ++v) {
      first[v] = count;
      count += code.widthOf(v);
    }
  }
  uint32_t of(const Operand &op) const { return op.fixed ? op.reg : first[op.reg] + op.first_lane; }
  uint32_t size() const { return count; }

private:
  std::vector<uint32_t> first;
  uint32_t count = num_units;
};

/// A value on its way when a block ends.
struct Flight {
  uint32_t location;
  double remaining;
};

double issueCycles(const Inst &inst, const Shape &shape, const Rules &rules, const Locator &where) {
  switch (inst.kind) {
  case InstKind::ImplicitDef:
  case InstKind::Kill:
  case InstKind::Wait: // counted where the value is used
    return 0;
  case InstKind::Nop:
    return inst.latency;
  case InstKind::Copy:
    return shape.kind == ShapeKind::Copy ? copyCost(rules, shape, where).cycles : 1;
  case InstKind::Matrix:
    return shape.kind == ShapeKind::Wmma ? rules.wmma_cycles : 1;
  default:
    return 1;
  }
}

} // namespace

Timing simulate(const Problem &code, const std::vector<Shape> &shapes, const std::vector<double> &delay,
                const Rules &rules) {
  Timing timing;
  const Locator where(code, nullptr);
  timing.issue.resize(code.insts.size());
  for (const Block &block : code.blocks)
    for (InstId i = block.first; i < block.last; ++i) {
      // LLVM's hints to the sequencer, which issue nothing.
      const std::string &opcode = code.opcodes[code.insts[i].opcode];
      const bool hint = opcode == "S_DELAY_ALU" || opcode == "S_CLAUSE";
      timing.issue[i] = hint ? 0 : issueCycles(code.insts[i], shapes[i], rules, where);
      timing.issued += block.frequency * timing.issue[i];
      if (shapes[i].kind == ShapeKind::Mfma)
        timing.matrix += block.frequency * shapes[i].passes;
    }

  const Locations locations(code);
  std::vector<double> ready(locations.size(), 0); // absolute; blocks follow one another on one clock
  std::vector<std::vector<Flight>> exits(code.blocks.size());
  double now = 0;
  // A loop's first block sees its last one's loads from the second round on.
  constexpr int rounds = 2;
  for (int round = 0; round < rounds; ++round) {
    timing.single = 0;
    for (BlockId b = 0; b < code.blocks.size(); ++b) {
      const Block &block = code.blocks[b];
      // Nothing is in flight but what the predecessor left: whatever else was is done by then.
      now += rules.vmem_latency + rules.wmma_cycles;
      const double start = now;
      const auto busiest = std::max_element(block.preds.begin(), block.preds.end(), [&](BlockId x, BlockId y) {
        return code.blocks[x].frequency < code.blocks[y].frequency;
      });
      if (busiest != block.preds.end())
        for (const Flight &flight : exits[*busiest])
          ready[flight.location] = now + flight.remaining;
      std::vector<Flight> loads;
      double matrix_free = now;
      for (InstId i = block.first; i < block.last; ++i) {
        const Inst &inst = code.insts[i];
        now += delay[i];
        if (timing.issue[i] == 0)
          continue;
        for (const Operand &op : code.operandsOf(inst))
          for (unsigned lane = 0; lane < op.num_lanes; ++lane)
            now = std::max(now, ready[locations.of(op) + lane]);
        if (shapes[i].kind == ShapeKind::Mfma) {
          now = std::max(now, matrix_free);
          matrix_free = now + shapes[i].passes;
        }
        const double issued_at = now;
        now += timing.issue[i];
        if (shapes[i].kind == ShapeKind::Load) {
          const double there = issued_at + (shapes[i].from_lds ? rules.lds_latency : rules.vmem_latency);
          for (const Operand &op : code.operandsOf(inst))
            if (op.isDef() && !op.has(operand_flag::Implicit))
              for (unsigned lane = 0; lane < op.num_lanes; ++lane) {
                ready[locations.of(op) + lane] = there;
                loads.push_back({locations.of(op) + lane, there});
              }
        }
      }
      timing.single += block.frequency * (now - start);
      // What came in and is still under way goes out too.
      if (busiest != block.preds.end())
        for (const Flight &flight : exits[*busiest])
          if (ready[flight.location] == start + flight.remaining)
            loads.push_back({flight.location, start + flight.remaining});
      std::erase_if(loads, [&](Flight &flight) {
        const bool done = flight.remaining <= now || ready[flight.location] != flight.remaining;
        flight.remaining -= now;
        return done;
      });
      exits[b] = std::move(loads);
    }
  }
  return timing;
}

} // namespace verilocc::cost
