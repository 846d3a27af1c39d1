#include "checker/liveness.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace verilocc::checker {

using namespace problem;

namespace {

/// What a stretch of code says of a vreg, backwards: whether it is alive before it, inside and outside EXEC, whatever
/// is alive behind it (first bit of each), or if it is alive behind it inside (second) or outside (third).
struct Transfer {
  static constexpr uint8_t always = 1, if_inside = 2, if_outside = 4;
  uint8_t inside = if_inside, outside = if_outside;

  void read(bool all_threads) {
    inside = always;
    if (all_threads)
      outside = always;
  }
  void write(bool all_threads) {
    inside = 0;
    if (all_threads)
      outside = 0;
  }
  void writeExec(ExecChange change, bool stays_outside) {
    if (stays_outside)
      outside = 0;
    const uint8_t either = inside | outside;
    if (change != ExecChange::Widens)
      inside = either;
    if (change != ExecChange::Narrows)
      outside = either;
  }
};

/// A vreg that a block names, and what the block says of it.
struct Mention {
  VReg vreg;
  BlockId block;
  Transfer transfer;
};

class Finder {
public:
  Finder(const Problem &problem, const Places &places, const ExecMasks &masks)
      : problem(problem), places(places), masks(masks) {}

  using Numbered = std::pair<uint32_t, Liveness::Death>;
  std::vector<Numbered> in_block, on_edge;
  std::vector<uint32_t> first_edge;
  uint32_t num_edges = 0;
  std::vector<VReg> at_entry;

  void run();

private:
  void summarise(BlockId block);
  Liveness::Death death(VReg vreg, bool inside, bool outside) const {
    return {places.vregCell(vreg), problem.widthOf(vreg), places.isVector(vreg), inside, outside};
  }
  void solve(std::span<const Mention> some, std::span<const VReg> vregs, bool per_thread);

  const Problem &problem;
  const Places &places;
  const ExecMasks &masks;
  std::vector<Mention> mentions;
  std::vector<Transfer> plain; ///< by block: of a vreg that it does not name
  bool reads_outside = false;  ///< some instruction reads registers of threads outside EXEC

  // Room for summarise.
  struct Open {
    BlockId block = no_block; ///< in which `mention` and `changes` hold
    uint32_t mention = 0;
    uint32_t changes = 0; ///< writes of EXEC of the block that its transfer has seen
  };
  std::vector<Open> open; ///< by vreg

  // Room for solve: one bit for each of the vregs at hand.
  struct Word {
    uint64_t always = 0, if_inside = 0, if_outside = 0;
  };
  struct Blocks {
    Word inside, outside; ///< the transfer
    uint64_t named = 0;
    uint64_t in_inside = 0, in_outside = 0, out_inside = 0, out_outside = 0;
    bool reached = false, queued = false;
  };
  std::vector<Blocks> blocks;
};

/// Adds the vregs that a block names.
void Finder::summarise(BlockId block) {
  const auto first = static_cast<uint32_t>(mentions.size());
  std::vector<std::pair<ExecChange, bool>> changes; // from the end of the block; and whether a thread stays outside
  auto catchUp = [&](Open &o) -> Transfer & {
    Transfer &transfer = mentions[o.mention].transfer;
    if (places.isVector(mentions[o.mention].vreg))
      for (; o.changes < changes.size(); ++o.changes)
        transfer.writeExec(changes[o.changes].first, changes[o.changes].second);
    return transfer;
  };
  auto transferOf = [&](VReg vreg) -> Transfer & {
    Open &o = open[vreg];
    if (o.block != block) {
      o = {block, static_cast<uint32_t>(mentions.size()), 0};
      mentions.push_back({vreg, block, {}});
    }
    return catchUp(o);
  };
  for (InstId id = problem.blocks[block].last; id-- > problem.blocks[block].first;) {
    const Inst &inst = problem.insts[id];
    if (const ExecChange change = masks.changeOf(id); change != ExecChange::None) {
      const bool stays_outside = !reads_outside && masks.staysOutside(masks.liveAfter(id));
      changes.push_back({change, stays_outside});
      plain[block].writeExec(change, stays_outside);
    }
    if (inst.kind == InstKind::Kill)
      continue;
    auto operands = problem.operandsOf(inst);
    const bool all_threads = inst.has(inst_flag::AllThreads);
    const bool merges = inst.kind == InstKind::LaneWrite;
    for (const Operand &operand : operands)
      if (operand.isDef() && !operand.fixed) {
        const bool whole = operand.num_lanes == problem.widthOf(operand.reg) || operand.has(operand_flag::Undef);
        Transfer &transfer = transferOf(operand.reg);
        if (whole && !merges && !operand.has(operand_flag::HalfDword))
          transfer.write(all_threads);
      }
    for (const Operand &operand : operands)
      if (!operand.fixed &&
          (operand.isUse() ? !operand.has(operand_flag::Undef) : merges || operand.has(operand_flag::HalfDword)))
        transferOf(operand.reg)
            .read(places.isVector(operand.reg) && (all_threads || merges || inst.has(inst_flag::CrossLane)));
  }
  for (uint32_t m = first; m < mentions.size(); ++m)
    catchUp(open[mentions[m].vreg]);
  if (reads_outside || !masks.staysOutside(masks.liveIn(block)))
    return;
  plain[block].outside = 0;
  for (uint32_t m = first; m < mentions.size(); ++m)
    mentions[m].transfer.outside = 0;
}

/// At most 64 vregs, with all mentions of them (Mention::vreg: index into `vregs`).
void Finder::solve(std::span<const Mention> some, std::span<const VReg> vregs, bool per_thread) {
  std::vector<BlockId> work, reached;
  auto reach = [&](BlockId b) -> Blocks & {
    Blocks &at = blocks[b];
    if (!at.reached) {
      at.reached = true;
      reached.push_back(b);
      auto spread = [](uint8_t bits) {
        return Word{bits & Transfer::always ? ~uint64_t(0) : 0, bits & Transfer::if_inside ? ~uint64_t(0) : 0,
                    bits & Transfer::if_outside ? ~uint64_t(0) : 0};
      };
      const Transfer transfer = per_thread ? plain[b] : Transfer();
      at.inside = spread(transfer.inside);
      at.outside = spread(transfer.outside);
    }
    if (!at.queued) {
      at.queued = true;
      work.push_back(b);
    }
    return at;
  };
  for (const Mention &mention : some) {
    Blocks &at = reach(mention.block);
    const uint64_t bit = uint64_t(1) << mention.vreg;
    at.named |= bit;
    auto put = [&](Word &word, uint8_t bits) {
      word.always = bits & Transfer::always ? word.always | bit : word.always & ~bit;
      word.if_inside = bits & Transfer::if_inside ? word.if_inside | bit : word.if_inside & ~bit;
      word.if_outside = bits & Transfer::if_outside ? word.if_outside | bit : word.if_outside & ~bit;
    };
    put(at.inside, mention.transfer.inside);
    put(at.outside, mention.transfer.outside);
  }
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    Blocks &at = blocks[b];
    at.queued = false;
    auto before = [&](const Word &word) {
      return word.always | (word.if_inside & at.out_inside) | (word.if_outside & at.out_outside);
    };
    at.in_inside = before(at.inside);
    at.in_outside = before(at.outside);
    const uint64_t inside = at.in_inside, outside = at.in_outside; // `at` may be the predecessor too
    for (BlockId pred : problem.blocks[b].preds) {
      Blocks &from = blocks[pred];
      if (!(inside & ~from.out_inside) && !(outside & ~from.out_outside))
        continue;
      reach(pred);
      from.out_inside |= inside;
      from.out_outside |= outside;
    }
  }
  auto die = [&](std::vector<Numbered> &deaths, uint32_t number, uint64_t inside, uint64_t outside) {
    for (uint64_t rest = per_thread ? inside | outside : inside; rest; rest &= rest - 1) {
      const auto v = static_cast<unsigned>(std::countr_zero(rest));
      deaths.push_back({number, death(vregs[v], inside >> v & 1, outside >> v & 1)});
    }
  };
  for (BlockId b : reached) {
    const Blocks &at = blocks[b];
    const bool moves_threads = plain[b].inside & Transfer::if_outside || plain[b].outside & Transfer::if_inside;
    const uint64_t either = at.named | (moves_threads ? at.in_inside | at.in_outside : 0);
    die(in_block, b, (at.in_inside | either) & ~at.out_inside, (at.in_outside | either) & ~at.out_outside);
    for (BlockId succ : problem.blocks[b].succs) {
      const uint64_t inside = at.out_inside & ~blocks[succ].in_inside;
      const uint64_t outside = at.out_outside & ~blocks[succ].in_outside;
      if (!inside && !outside)
        continue;
      const std::vector<BlockId> &preds = problem.blocks[succ].preds;
      die(on_edge, first_edge[succ] + static_cast<uint32_t>(std::find(preds.begin(), preds.end(), b) - preds.begin()),
          inside, outside);
    }
  }
  for (uint64_t rest = blocks[0].in_inside | blocks[0].in_outside; rest; rest &= rest - 1)
    at_entry.push_back(vregs[static_cast<unsigned>(std::countr_zero(rest))]);
  for (BlockId b : reached)
    blocks[b] = {};
}

void Finder::run() {
  for (const Block &block : problem.blocks) {
    first_edge.push_back(num_edges);
    num_edges += static_cast<uint32_t>(block.preds.size());
  }
  plain.resize(problem.blocks.size());
  blocks.resize(problem.blocks.size());
  open.resize(problem.vregs.size());
  std::vector<uint8_t> kept(problem.vregs.size());
  for (const Expression &expression : places.expressions())
    for (const Operand &operand : problem.operandsOf(problem.insts[expression.inst]))
      if (!operand.fixed)
        kept[operand.reg] = true;
  for (const Inst &inst : problem.insts)
    reads_outside |= inst.has(inst_flag::AllThreads | inst_flag::CrossLane);
  for (BlockId block = 0; block < problem.blocks.size(); ++block)
    summarise(block);

  // A vreg that one block writes, reads and forgets needs no dataflow. The others are numbered as they first come.
  constexpr uint32_t once = ~0u, never = ~0u - 1;
  std::vector<uint32_t> number(problem.vregs.size(), never);
  std::vector<VReg> spread[2];
  for (const Mention &mention : mentions) {
    uint32_t &n = number[mention.vreg];
    const bool is_exposed = (mention.transfer.inside | mention.transfer.outside) & Transfer::always;
    if (n == never && !is_exposed) {
      n = once;
    } else if (n == never || n == once) {
      std::vector<VReg> &numbered = spread[places.isVector(mention.vreg)];
      n = static_cast<uint32_t>(numbered.size());
      numbered.push_back(mention.vreg);
    }
  }
  std::vector<std::vector<Mention>> parts[2];
  for (bool per_thread : {false, true})
    parts[per_thread].resize((spread[per_thread].size() + 63) / 64);
  for (const Mention &mention : mentions) {
    const uint32_t n = number[mention.vreg];
    if (kept[mention.vreg])
      continue;
    if (n == once)
      in_block.push_back({mention.block, death(mention.vreg, true, true)});
    else
      parts[places.isVector(mention.vreg)][n / 64].push_back({n % 64, mention.block, mention.transfer});
  }
  for (bool per_thread : {false, true})
    for (size_t i = 0; i < parts[per_thread].size(); ++i) {
      const std::span<const VReg> vregs = spread[per_thread];
      solve(parts[per_thread][i], vregs.subspan(i * 64, std::min<size_t>(64, vregs.size() - i * 64)), per_thread);
    }
  for (VReg vreg = 0; vreg < kept.size(); ++vreg)
    if (kept[vreg])
      at_entry.push_back(vreg);
}

} // namespace

void Liveness::Lists::set(uint32_t count, const std::vector<std::pair<uint32_t, Death>> &numbered) {
  first.assign(count + 1, 0);
  for (const auto &[number, death] : numbered)
    ++first[number + 1];
  for (size_t n = 1; n < first.size(); ++n)
    first[n] += first[n - 1];
  deaths.resize(numbered.size());
  std::vector<uint32_t> next = first;
  for (const auto &[number, death] : numbered)
    deaths[next[number]++] = death;
  uint32_t kept = 0;
  for (uint32_t n = 0; n < count; ++n) {
    const std::span<Death> all(deaths.data() + first[n], first[n + 1] - first[n]);
    first[n] = kept;
    std::sort(all.begin(), all.end(), [](const Death &x, const Death &y) {
      return std::tie(x.per_thread, x.inside, x.outside, x.first) <
             std::tie(y.per_thread, y.inside, y.outside, y.first);
    });
    for (const Death &death : all) {
      Death *last = kept > first[n] ? &deaths[kept - 1] : nullptr;
      if (last && last->per_thread == death.per_thread && last->inside == death.inside &&
          last->outside == death.outside && last->first + last->count == death.first)
        last->count += death.count;
      else
        deaths[kept++] = death;
    }
  }
  first.back() = kept;
  deaths.resize(kept);
}

Liveness::Liveness(const Problem &problem, const Places &places, const ExecMasks &masks) {
  Finder finder(problem, places, masks);
  finder.run();
  at_entry = std::move(finder.at_entry);
  first_edge = std::move(finder.first_edge);
  in_block.set(static_cast<uint32_t>(problem.blocks.size()), finder.in_block);
  on_edge.set(finder.num_edges, finder.on_edge);
}

} // namespace verilocc::checker
