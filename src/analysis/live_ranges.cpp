#include "analysis/live_ranges.h"

#include <algorithm>

namespace verilocc::analysis {

using namespace problem;

namespace {

using LaneMask = uint32_t;
/// Virtual registers, then units: both are storage with lanes (a unit has one).
using Storage = uint32_t;

constexpr LaneMask maskOf(unsigned first, unsigned count) {
  return static_cast<LaneMask>(((uint64_t(1) << count) - 1) << first);
}

/// What one block does to one storage.
struct BlockEffect {
  Storage storage;
  BlockId block;
  LaneMask exposed = 0;   ///< read before they are written here
  LaneMask killed = 0;    ///< written here, or made undefined
  LaneMask defined = 0;   ///< at the block's end: last written here
  LaneMask undefined = 0; ///< at the block's end: last made undefined here
};

class Liveness {
public:
  explicit Liveness(const Problem &problem) : p(problem), num_vregs(static_cast<VReg>(problem.vregs.size())) {
    tracked.flip();
    tracked &= ~p.env.reserved;
    const size_t num_storages = num_vregs + num_units;
    full.assign(num_storages, 1);
    for (VReg v = 0; v < num_vregs; ++v)
      full[v] = maskOf(0, p.widthOf(v));
    collectEffects();
    propagate();
  }

  /// Calls define(storage, mask, early) and giveUp(storage, mask), both for definitions, then use(storage, mask), for
  /// one instruction; giveUp after all define.
  template <typename Define, typename GiveUp, typename Use>
  void visit(const Inst &inst, Define define, GiveUp give_up, Use use) const {
    const auto operands = p.operandsOf(inst);
    for (const Operand &op : operands) {
      if (!op.isDef())
        continue;
      const bool early = op.has(operand_flag::EarlyClobber);
      if (op.fixed)
        forUnits(op, [&](Storage s) { define(s, 1, early); });
      else
        define(op.reg, maskOf(op.first_lane, op.num_lanes), early);
    }
    if (inst.clobbers >= 0) {
      const UnitSet units = p.clobber_sets[inst.clobbers] & tracked;
      for (size_t u = units._Find_first(); u < num_units; u = units._Find_next(u))
        define(static_cast<Storage>(num_vregs + u), 1, false);
    }
    for (const Operand &op : operands)
      if (op.isDef() && !op.fixed && op.has(operand_flag::Undef))
        give_up(op.reg, full[op.reg] & ~maskOf(op.first_lane, op.num_lanes));
    for (const Operand &op : operands) {
      if (!op.isUse() || op.has(operand_flag::Undef))
        continue;
      if (op.fixed)
        forUnits(op, [&](Storage s) { use(s, 1); });
      else
        use(op.reg, maskOf(op.first_lane, op.num_lanes));
    }
  }

  struct Border {
    Storage storage;
    LaneMask in, out;
  };

  const Problem &p;
  const VReg num_vregs;
  std::vector<LaneMask> full;               ///< by storage
  std::vector<std::vector<Border>> borders; ///< by block

private:
  template <typename Function> void forUnits(const Operand &op, Function function) const {
    for (unsigned i = 0; i < op.num_lanes; ++i)
      if (tracked[op.reg + i])
        function(num_vregs + op.reg + i);
  }

  void collectEffects() {
    std::vector<BlockEffect> unsorted;
    std::vector<int32_t> effect_of(full.size(), -1);
    std::vector<uint32_t> count(full.size() + 1);
    for (BlockId b = 0; b < p.blocks.size(); ++b) {
      const size_t first = unsorted.size();
      const auto effect = [&](Storage s) -> BlockEffect & {
        if (effect_of[s] < 0) {
          effect_of[s] = static_cast<int32_t>(unsorted.size());
          unsorted.push_back({s, b});
          ++count[s + 1];
        }
        return unsorted[effect_of[s]];
      };
      for (InstId i = p.blocks[b].last; i-- > p.blocks[b].first;)
        visit(
            p.insts[i],
            [&](Storage s, LaneMask mask, bool) {
              BlockEffect &e = effect(s);
              e.exposed &= ~mask;
              e.killed |= mask;
              e.defined |= mask & ~e.undefined;
            },
            [&](Storage s, LaneMask mask) {
              BlockEffect &e = effect(s);
              e.exposed &= ~mask;
              e.killed |= mask;
              e.undefined |= mask & ~e.defined;
            },
            [&](Storage s, LaneMask mask) { effect(s).exposed |= mask; });
      for (size_t e = first; e < unsorted.size(); ++e)
        effect_of[unsorted[e].storage] = -1;
    }
    for (size_t s = 1; s < count.size(); ++s)
      count[s] += count[s - 1];
    first_effect = count;
    effects.resize(unsorted.size());
    for (const BlockEffect &e : unsorted)
      effects[count[e.storage]++] = e;
  }

  void propagate() {
    const size_t num_blocks = p.blocks.size();
    borders.resize(num_blocks);
    effect_at.assign(num_blocks, nullptr);
    in.assign(num_blocks, 0);
    out.assign(num_blocks, 0);
    defined_in.assign(num_blocks, 0);
    defined_out.assign(num_blocks, 0);
    for (Storage s = 0; s < full.size(); ++s) {
      const std::span<const BlockEffect> own{effects.data() + first_effect[s], first_effect[s + 1] - first_effect[s]};
      if (std::none_of(own.begin(), own.end(), [](const BlockEffect &e) { return e.exposed; }))
        continue; // never live across a border
      for (const BlockEffect &e : own)
        effect_at[e.block] = &e;
      backward(own);
      const LaneMask at_entry = s >= num_vregs && p.live_in[s - num_vregs];
      const bool maybe_undefined =
          (in[0] & ~at_entry) ||
          std::any_of(own.begin(), own.end(), [&](const BlockEffect &e) { return e.undefined & out[e.block]; });
      if (maybe_undefined)
        forward(own, at_entry);
      for (BlockId b : visited)
        if (in[b] | out[b])
          borders[b].push_back({s, in[b], out[b]});
      for (BlockId b : visited)
        in[b] = out[b] = defined_in[b] = defined_out[b] = 0;
      visited.clear();
      for (const BlockEffect &e : own)
        effect_at[e.block] = nullptr;
    }
  }

  void backward(std::span<const BlockEffect> own) {
    const auto visit_block = [&](BlockId b) {
      if (!(in[b] | out[b]))
        visited.push_back(b);
    };
    for (const BlockEffect &e : own)
      if (e.exposed) {
        visit_block(e.block);
        in[e.block] |= e.exposed;
        work.push_back(e.block);
      }
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      for (BlockId pred : p.blocks[b].preds) {
        const LaneMask fresh = in[b] & ~out[pred];
        if (!fresh)
          continue;
        visit_block(pred);
        out[pred] |= fresh;
        const LaneMask killed = effect_at[pred] ? effect_at[pred]->killed : 0;
        const LaneMask through = fresh & ~killed & ~in[pred];
        if (through) {
          in[pred] |= through;
          work.push_back(pred);
        }
      }
    }
  }

  /// Removes the lanes that no definition reaches.
  void forward(std::span<const BlockEffect> own, LaneMask at_entry) {
    const auto arrive = [&](BlockId b, LaneMask lanes) {
      lanes &= in[b] & ~defined_in[b];
      defined_in[b] |= lanes;
      const LaneMask undefined = effect_at[b] ? effect_at[b]->undefined : 0;
      const LaneMask through = lanes & out[b] & ~undefined & ~defined_out[b];
      if (through) {
        defined_out[b] |= through;
        work.push_back(b);
      }
    };
    for (const BlockEffect &e : own)
      if (const LaneMask lanes = e.defined & out[e.block]) {
        defined_out[e.block] |= lanes;
        work.push_back(e.block);
      }
    arrive(0, at_entry);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      for (BlockId succ : p.blocks[b].succs)
        arrive(succ, defined_out[b]);
    }
    for (BlockId b : visited) {
      in[b] &= defined_in[b];
      out[b] &= defined_out[b];
    }
  }

  UnitSet tracked;
  std::vector<BlockEffect> effects; ///< sorted by storage
  std::vector<uint32_t> first_effect;
  std::vector<const BlockEffect *> effect_at; ///< by block, for the storage at hand
  std::vector<LaneMask> in, out, defined_in, defined_out;
  std::vector<BlockId> visited, work;
};

/// Turns liveness at borders into segments: one backward walk over the code.
class SegmentBuilder {
public:
  SegmentBuilder(const Liveness &liveness, const std::vector<uint32_t> &index_of)
      : live(liveness),
        index_of(index_of),
        open_end(index_of.back(), closed),
        newest(index_of.back(), -1),
        touched_in(liveness.full.size(), 0) {
    for (BlockId b = static_cast<BlockId>(live.p.blocks.size()); b-- > 0;)
      walk(b);
  }

  struct Raw {
    uint32_t index;
    Segment segment;
  };
  std::vector<Raw> raw; ///< those of one index in descending order

private:
  static constexpr Point closed = ~0u;

  template <typename Function> void forLanes(Storage s, LaneMask mask, Function function) {
    for (; mask; mask &= mask - 1)
      function(index_of[s] + static_cast<uint32_t>(__builtin_ctz(mask)));
  }

  void walk(BlockId b) {
    const Block &block = live.p.blocks[b];
    touched.clear();
    const auto touch = [&](Storage s) {
      if (touched_in[s] != b + 1) {
        touched_in[s] = b + 1;
        touched.push_back(s);
      }
    };
    for (const auto &border : live.borders[b]) {
      touch(border.storage);
      forLanes(border.storage, border.out, [&](uint32_t lane) { open_end[lane] = before(block.last); });
    }
    for (InstId i = block.last; i-- > block.first;)
      live.visit(
          live.p.insts[i],
          [&](Storage s, LaneMask mask, bool early) {
            touch(s);
            forLanes(s, mask, [&](uint32_t lane) {
              emit(lane, early ? before(i) : after(i), open_end[lane] == closed ? after(i) + 1 : open_end[lane]);
              open_end[lane] = closed;
            });
          },
          [&](Storage s, LaneMask mask) { forLanes(s, mask, [&](uint32_t lane) { open_end[lane] = closed; }); },
          [&](Storage s, LaneMask mask) {
            touch(s);
            forLanes(s, mask, [&](uint32_t lane) {
              if (open_end[lane] == closed)
                open_end[lane] = after(i);
            });
          });
    for (const auto &border : live.borders[b])
      forLanes(border.storage, border.in, [&](uint32_t lane) {
        assert(open_end[lane] != closed || block.first == block.last);
        emit(lane, before(block.first), open_end[lane]);
      });
    // What is still open is read here without any definition having reached.
    for (Storage s : touched)
      forLanes(s, live.full[s], [&](uint32_t lane) { open_end[lane] = closed; });
  }

  void emit(uint32_t index, Point start, Point end) {
    if (start >= end)
      return; // an empty block
    if (newest[index] >= 0 && raw[newest[index]].segment.start <= end) {
      Segment &next = raw[newest[index]].segment;
      next.start = std::min(next.start, start);
      next.end = std::max(next.end, end);
      return;
    }
    newest[index] = static_cast<int32_t>(raw.size());
    raw.push_back({index, {start, end}});
  }

  const Liveness &live;
  const std::vector<uint32_t> &index_of; ///< by storage: its first lane
  std::vector<Point> open_end;           ///< by lane
  std::vector<int32_t> newest;           ///< by lane: its lowest segment so far
  std::vector<BlockId> touched_in;       ///< by storage: the last block that touched it, plus one
  std::vector<Storage> touched;
};

} // namespace

bool overlap(Segments a, Segments b) {
  if (a.size() > b.size())
    std::swap(a, b);
  for (const Segment &segment : a) {
    const auto next = std::upper_bound(b.begin(), b.end(), segment.start,
                                       [](Point point, const Segment &other) { return point < other.end; });
    if (next == b.end())
      return false;
    if (next->start < segment.end)
      return true;
    b = b.subspan(static_cast<size_t>(next - b.begin()));
  }
  return false;
}

LiveRanges::LiveRanges(const Problem &problem) {
  const Liveness liveness(problem);
  std::vector<uint32_t> index_of;
  for (VReg v = 0; v < problem.vregs.size(); ++v) {
    index_of.push_back(num_lanes);
    num_lanes += problem.widthOf(v);
  }
  first_lane = index_of;
  for (unsigned u = 0; u <= num_units; ++u)
    index_of.push_back(num_lanes + u);

  const SegmentBuilder builder(liveness, index_of);
  offsets.assign(num_lanes + num_units + 1, 0);
  for (const auto &raw : builder.raw)
    ++offsets[raw.index + 1];
  for (size_t i = 1; i < offsets.size(); ++i)
    offsets[i] += offsets[i - 1];
  pool.resize(builder.raw.size());
  std::vector<uint32_t> next(offsets.begin() + 1, offsets.end());
  for (const auto &raw : builder.raw)
    pool[--next[raw.index]] = raw.segment;

  hulls.assign(problem.vregs.size(), {0, 0});
  for (VReg v = 0; v < problem.vregs.size(); ++v)
    for (unsigned l = 0; l < problem.widthOf(v); ++l)
      if (const Segments segments = lane(v, l); !segments.empty()) {
        Segment &hull = hulls[v];
        hull = hull.end == 0
                   ? Segment{segments.front().start, segments.back().end}
                   : Segment{std::min(hull.start, segments.front().start), std::max(hull.end, segments.back().end)};
      }
  borders.resize(problem.blocks.size());
  for (BlockId b = 0; b < problem.blocks.size(); ++b)
    for (const auto &border : liveness.borders[b])
      if (border.storage < problem.vregs.size())
        borders[b].push_back({border.storage, border.in, border.out});
}

} // namespace verilocc::analysis
