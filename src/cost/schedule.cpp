#include "cost/schedule.h"

#include "cost/instruction.h"
#include "cost/pairing.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace verilocc::cost {

using namespace problem;

namespace {

constexpr uint32_t none = ~0u;
/// Nodes between two halves that are still tried, where LLVM tries all: it keeps long regions from taking time in the
/// square of their length, and such pairs are seldom made.
constexpr uint32_t farthest = 1000;
/// Instructions that the scheduler chooses among at most; others wait (ReadyListLimit).
constexpr size_t most_available = 256;

enum class EdgeKind : uint8_t {
  Data,
  Hazard, ///< the later one overwrites what the earlier one reads or writes
  Order,  ///< of memory accesses
  Fence,  ///< keeps others from between the halves of a pair
  Pair    ///< from the first half to the second: a wish, which holds nothing back
};

struct Edge {
  uint32_t node;
  uint16_t latency;
  EdgeKind kind;
};

struct Node {
  InstId first = 0, last = 0; ///< instructions [first, last); several: memory accesses in one bundle
  bool is_dual = false;
  uint32_t second = none; ///< of the pair that it begins
  bool is_second = false; ///< of a pair
  unsigned latency = 0;   ///< until its results can be read
  unsigned depth = 0;     ///< cycles from the region's start, along the longest chain
  unsigned height = 0;    ///< to its end
  unsigned ready_at = 0;  ///< cycle
  unsigned waits_for = 0; ///< nodes
  std::vector<Edge> succs, preds;

  void reset(InstId inst) {
    std::vector<Edge> old_succs = std::move(succs), old_preds = std::move(preds);
    *this = {};
    first = inst;
    last = inst + 1;
    succs = std::move(old_succs);
    preds = std::move(old_preds);
    succs.clear();
    preds.clear();
  }
};

unsigned latencyOf(InstKind kind) {
  switch (kind) {
  case InstKind::ScalarAlu:
    return 2;
  case InstKind::Transcendental:
    return 10;
  case InstKind::ScalarLoad:
  case InstKind::LdsLoad:
  case InstKind::LdsStore:
    return 20;
  case InstKind::VectorLoad:
  case InstKind::VectorStore:
  case InstKind::Atomic:
  case InstKind::Reload:
  case InstKind::Spill:
    return 320;
  case InstKind::Matrix:
    return 16;
  default:
    return 5;
  }
}

bool isMemory(InstKind kind) {
  switch (kind) {
  case InstKind::ScalarLoad:
  case InstKind::LdsLoad:
  case InstKind::LdsStore:
  case InstKind::VectorLoad:
  case InstKind::VectorStore:
    return true;
  default:
    return false;
  }
}

using Pairs = std::vector<std::pair<InstId, InstId>>;

/// Pairs that were found for certain homes, so that whoever tries places in turn pays for the regions they change.
struct Answer {
  std::vector<RegUnit> homes; ///< parallel to Region::vregs
  Pairs pairs;
};
/// Kept of a region.
constexpr size_t most_answers = 8;

struct Region {
  InstId first = 0, last = 0;
  std::vector<VReg> vregs; ///< that it names
  std::vector<Answer> answers;
  size_t next = 0; ///< the answer that is replaced next
};

bool isExec(const Operand &op) {
  return op.fixed && overlapsExec(op.reg, op.num_lanes);
}

} // namespace

struct PostSchedule::State {
  State(const Problem &problem, const std::vector<Shape> &shapes) : problem(problem), shapes(shapes) {
    for (const Block &block : problem.blocks) {
      InstId first = block.first;
      for (InstId i = block.first; i <= block.last; ++i)
        if (i == block.last || endsRegion(problem.insts[i])) {
          const auto is_dual = [](const Shape &shape) { return shape.kind == ShapeKind::Dual; };
          if (std::count_if(shapes.begin() + first, shapes.begin() + i, is_dual) > 1)
            addRegion(first, i);
          first = i + 1;
        }
    }
    last_def.fill(none);
  }

  void addRegion(InstId first, InstId last) {
    Region &region = regions.emplace_back();
    region.first = first;
    region.last = last;
    for (InstId i = first; i < last; ++i)
      for (const Operand &op : problem.operandsOf(problem.insts[i]))
        if (!op.fixed)
          region.vregs.push_back(op.reg);
    std::ranges::sort(region.vregs);
    const auto repeated = std::ranges::unique(region.vregs);
    region.vregs.erase(repeated.begin(), repeated.end());
  }

  bool endsRegion(const Inst &inst) const {
    if (inst.kind == InstKind::Call || inst.kind == InstKind::Branch || inst.kind == InstKind::Return ||
        inst.has(inst_flag::Terminator))
      return true;
    return std::ranges::any_of(problem.operandsOf(inst), [](const Operand &op) { return op.isDef() && isExec(op); });
  }

  /// Calls function(unit) for the registers of an operand.
  template <typename Function> void forUnits(const Operand &op, const Locator &where, Function function) const {
    const RegUnit base = where(op);
    if (base == no_unit || isExec(op) || op.has(operand_flag::Undef))
      return;
    for (unsigned unit = base; unit < std::min<unsigned>(base + op.num_lanes, num_units); ++unit)
      function(unit);
  }

  /// No machine code: the registers of both sides of a copy are the same, or there never is any.
  bool vanishes(InstId i, const Locator &where) const {
    const Inst &inst = problem.insts[i];
    if (inst.kind == InstKind::Kill || inst.kind == InstKind::ImplicitDef)
      return true;
    const auto operands = problem.operandsOf(inst);
    return inst.kind == InstKind::Copy && operands.size() >= 2 && where(operands[0]) == where(operands[1]);
  }

  bool overlap(InstId writer, InstId reader, const Locator &where) const {
    for (const Operand &def : problem.operandsOf(problem.insts[writer]))
      for (const Operand &use : problem.operandsOf(problem.insts[reader])) {
        const RegUnit a = where(def), b = where(use);
        if (def.isDef() && a != no_unit && b != no_unit && a < b + use.num_lanes && b < a + def.num_lanes &&
            !isExec(use))
          return true;
      }
    return false;
  }

  void connect(uint32_t from, uint32_t to, unsigned latency, EdgeKind kind) {
    if (from == to)
      return;
    // The lanes of one operand come one after the other.
    if (!nodes[to].preds.empty() && nodes[to].preds.back().node == from && nodes[to].preds.back().kind == kind &&
        nodes[to].preds.back().latency >= latency)
      return;
    nodes[to].preds.push_back({from, static_cast<uint16_t>(latency), kind});
    nodes[from].succs.push_back({to, static_cast<uint16_t>(latency), kind});
  }

  /// One node for an instruction or for neighbours that access memory in one way, none of which needs another's result.
  void makeNodes(InstId first, InstId last, const Locator &where) {
    num_nodes = 0;
    for (InstId i = first; i < last; ++i) {
      if (vanishes(i, where))
        continue;
      const InstKind kind = problem.insts[i].kind;
      if (num_nodes > 0 && isMemory(kind)) {
        Node &before = nodes[num_nodes - 1];
        bool joins = before.last == i && problem.insts[before.first].kind == kind;
        for (InstId k = before.first; joins && k < before.last; ++k)
          joins = !problem.insts[k].has(inst_flag::Load) || !overlap(k, i, where);
        if (joins) {
          ++before.last;
          continue;
        }
      }
      if (nodes.size() == num_nodes)
        nodes.emplace_back();
      Node &node = nodes[num_nodes++];
      node.reset(i);
      node.is_dual = shapes[i].kind == ShapeKind::Dual;
      node.latency = latencyOf(kind);
    }
  }

  void connectRegisters(const Locator &where) {
    for (uint32_t n = 0; n < num_nodes; ++n) {
      const InstId first = nodes[n].first, last = nodes[n].last;
      const auto forOperands = [&](Access access, auto function) {
        for (InstId i = first; i < last; ++i)
          for (const Operand &op : problem.operandsOf(problem.insts[i]))
            if (op.access == access)
              forUnits(op, where, [&](unsigned unit) { function(unit, i); });
      };
      forOperands(Access::Use, [&](unsigned unit, InstId i) {
        if (const uint32_t def = last_def[unit]; def != none) {
          // Of a bundle, one is issued after the other.
          const unsigned later = nodes[def].last - 1 - writer[unit], earlier = i - first;
          const unsigned latency = nodes[def].latency;
          connect(def, n, latency > later + earlier ? latency - later - earlier : 0, EdgeKind::Data);
        }
      });
      forOperands(Access::Def, [&](unsigned unit, InstId) {
        for (uint32_t reader : readers[unit])
          connect(reader, n, 0, EdgeKind::Hazard);
        if (last_def[unit] != none)
          connect(last_def[unit], n, 1, EdgeKind::Hazard);
      });
      forOperands(Access::Use, [&](unsigned unit, InstId) {
        if (readers[unit].empty())
          touched.push_back(static_cast<RegUnit>(unit));
        if (readers[unit].empty() || readers[unit].back() != n)
          readers[unit].push_back(n);
      });
      forOperands(Access::Def, [&](unsigned unit, InstId i) {
        touched.push_back(static_cast<RegUnit>(unit));
        last_def[unit] = n;
        writer[unit] = i;
        readers[unit].clear();
      });
    }
  }

  /// Stores keep their place among accesses of one kind of memory, and whatever has side effects among all.
  void connectMemory() {
    struct Accesses {
      uint32_t store = none;
      std::vector<uint32_t> loads;
    };
    std::array<Accesses, 2> accesses; // LDS, the rest
    uint32_t barrier = none;
    for (uint32_t n = 0; n < num_nodes; ++n) {
      const Inst &inst = problem.insts[nodes[n].first];
      const bool is_lds = inst.kind == InstKind::LdsLoad || inst.kind == InstKind::LdsStore;
      const bool is_load = inst.kind == InstKind::LdsLoad || inst.kind == InstKind::VectorLoad;
      const bool is_store =
          inst.kind == InstKind::LdsStore || inst.kind == InstKind::VectorStore || inst.kind == InstKind::Atomic;
      const auto after = [&](uint32_t earlier, unsigned latency) {
        if (earlier != none)
          connect(earlier, n, latency, EdgeKind::Order);
      };
      const auto afterAll = [&](Accesses &list) {
        for (uint32_t load : list.loads)
          after(load, 0);
        after(list.store, 0);
        list.loads.clear();
        list.store = none;
      };
      if (is_load || is_store) {
        Accesses &list = accesses[is_lds ? 0 : 1];
        after(barrier, 0);
        if (is_load) {
          after(list.store, 1);
          list.loads.push_back(n);
        } else {
          afterAll(list);
          list.store = n;
        }
      } else if (inst.has(inst_flag::SideEffect) || inst.kind == InstKind::Barrier ||
                 inst.kind == InstKind::InlineAsm) {
        for (Accesses &list : accesses)
          afterAll(list);
        after(barrier, 0);
        barrier = n;
      }
    }
  }

  /// Adds an edge unless it would close a circle. `place` stays an order in which every edge leads forward: what the
  /// edge contradicts changes places among itself (Pearce and Kelly 2006).
  bool connectForward(uint32_t from, uint32_t to, EdgeKind kind) {
    if (place[from] > place[to]) {
      if (!separate(from, to))
        return false;
      const auto byPlace = [&](uint32_t a, uint32_t b) { return place[a] < place[b]; };
      std::ranges::sort(ahead, byPlace);
      std::ranges::sort(behind, byPlace);
      ahead.insert(ahead.end(), behind.begin(), behind.end());
      places.clear();
      for (uint32_t n : ahead)
        places.push_back(place[n]);
      std::ranges::sort(places);
      for (size_t k = 0; k < ahead.size(); ++k)
        place[ahead[k]] = places[k];
    }
    connect(from, to, 0, kind);
    return true;
  }

  /// Fills `ahead` with the nodes that lead to `from`, and `behind` with those that `to` leads to, as far as they lie
  /// in each other's way; false if one is both. Both grow in turn, since a circle shows soonest to the smaller.
  bool separate(uint32_t from, uint32_t to) {
    const uint32_t lowest = place[to], highest = place[from];
    stamp += 2;
    const uint32_t is_ahead = stamp, is_behind = stamp + 1;
    seen[from] = is_ahead;
    seen[to] = is_behind;
    ahead.assign(1, from);
    behind.assign(1, to);
    for (size_t a = 0, b = 0; a < ahead.size() || b < behind.size();)
      if (!grow(ahead, a, &Node::preds, is_ahead, is_behind, [&](uint32_t at) { return at >= lowest; }) ||
          !grow(behind, b, &Node::succs, is_behind, is_ahead, [&](uint32_t at) { return at <= highest; }))
        return false;
    return true;
  }
  /// Adds to `found` what lies next to its node `next`, if there is one, and whose place is within bounds; false if
  /// that was found from the other side.
  template <typename Within>
  bool grow(std::vector<uint32_t> &found, size_t &next, std::vector<Edge> Node::*edges, uint32_t mine, uint32_t theirs,
            Within within) {
    if (next == found.size())
      return true;
    for (const Edge &edge : nodes[found[next++]].*edges) {
      if (!within(place[edge.node]) || seen[edge.node] == mine)
        continue;
      if (seen[edge.node] == theirs)
        return false;
      seen[edge.node] = mine;
      found.push_back(edge.node);
    }
    return true;
  }

  bool feeds(uint32_t i, uint32_t j) const {
    return std::ranges::any_of(nodes[j].preds,
                               [&](const Edge &edge) { return edge.node == i && edge.kind == EdgeKind::Data; });
  }
  bool fits(uint32_t i, uint32_t j, const Locator &where) const {
    const Shape &x = shapes[nodes[i].first], &y = shapes[nodes[j].first];
    return nodes[i].is_dual && nodes[j].is_dual && !(x.only_y && y.only_y) && banksPair(x, y, where) && !feeds(i, j);
  }

  /// Calls function(list) for the lists of halves that the candidate is in.
  template <typename Function> void forHalves(uint32_t n, const Locator &where, Function function) {
    const Shape &shape = shapes[nodes[n].first];
    if (const RegUnit def = where(shape.def); def != no_unit)
      for (int either = 0; either <= !shape.only_y; ++either)
        function(halves[either][def % 2]);
  }

  /// Each candidate with the first later one that fits. False if there is none.
  bool makePairs(const Locator &where) {
    place.resize(num_nodes);
    std::iota(place.begin(), place.end(), 0);
    seen.resize(std::max(seen.size(), num_nodes), 0);
    for (auto &lists : halves)
      for (std::vector<uint32_t> &list : lists)
        list.clear();
    for (uint32_t n = 0; n < num_nodes; ++n)
      if (nodes[n].is_dual)
        forHalves(n, where, [&](std::vector<uint32_t> &list) { list.push_back(n); });
    bool any = false;
    for (uint32_t i = 0; i < num_nodes; ++i) {
      if (!nodes[i].is_dual || nodes[i].is_second)
        continue;
      const Shape &shape = shapes[nodes[i].first];
      const RegUnit def = where(shape.def);
      if (def == no_unit)
        continue;
      const std::vector<uint32_t> &others = halves[shape.only_y][1 - def % 2];
      for (auto other = std::ranges::upper_bound(others, i); other != others.end() && *other < i + farthest; ++other) {
        const uint32_t j = *other;
        if (!fits(i, j, where) || !connectForward(i, j, EdgeKind::Pair))
          continue;
        forHalves(j, where, [&](std::vector<uint32_t> &list) { list.erase(std::ranges::lower_bound(list, j)); });
        nodes[i].second = j;
        nodes[j].is_second = true;
        const auto isHard = [](const Edge &edge) {
          return edge.kind != EdgeKind::Hazard && edge.kind != EdgeKind::Pair;
        };
        scratch = nodes[i].succs;
        for (const Edge &edge : scratch)
          if (isHard(edge) && edge.node != j)
            connectForward(j, edge.node, EdgeKind::Fence);
        scratch = nodes[j].preds;
        for (const Edge &edge : scratch)
          if (isHard(edge) && edge.node != i)
            connectForward(edge.node, i, EdgeKind::Fence);
        any = true;
        break;
      }
    }
    return any;
  }

  void findChains() {
    std::vector<uint32_t> &order = stack;
    order.clear();
    for (uint32_t n = 0; n < num_nodes; ++n)
      if ((nodes[n].waits_for = static_cast<unsigned>(nodes[n].preds.size())) == 0)
        order.push_back(n);
    for (size_t at = 0; at < order.size(); ++at)
      for (const Edge &edge : nodes[order[at]].succs) {
        Node &succ = nodes[edge.node];
        succ.depth = std::max(succ.depth, nodes[order[at]].depth + edge.latency);
        if (--succ.waits_for == 0)
          order.push_back(edge.node);
      }
    // What the region leaves behind is wanted when it is done.
    for (RegUnit unit : touched)
      if (const uint32_t def = last_def[unit]; def != none)
        nodes[def].height = nodes[def].latency;
    for (size_t at = order.size(); at-- > 0;)
      for (const Edge &edge : nodes[order[at]].succs)
        nodes[order[at]].height = std::max(nodes[order[at]].height, nodes[edge.node].height + edge.latency);
  }

  /// Nodes in the order in which the scheduler takes them, into `taken`.
  void schedule() {
    std::vector<uint32_t> &available = stack;
    available.clear();
    pending.clear();
    size_t next_pending = 0;
    const auto release = [&](uint32_t n) { (available.size() < most_available ? available : pending).push_back(n); };
    for (uint32_t n = 0; n < num_nodes; ++n) {
      nodes[n].waits_for = static_cast<unsigned>(
          std::ranges::count_if(nodes[n].preds, [](const Edge &edge) { return edge.kind != EdgeKind::Pair; }));
      if (nodes[n].waits_for == 0)
        release(n);
    }
    unsigned now = 0, deepest = 0;
    uint32_t wanted = none; // the second half of the pair begun last
    const auto isBetter = [&](uint32_t a, uint32_t b) {
      const Node &x = nodes[a], &y = nodes[b];
      const unsigned x_waits = x.ready_at > now ? x.ready_at - now : 0,
                     y_waits = y.ready_at > now ? y.ready_at - now : 0;
      if (x_waits != y_waits)
        return x_waits < y_waits;
      if ((a == wanted) != (b == wanted))
        return a == wanted;
      if (std::max(x.depth, y.depth) > std::max(deepest, now) && x.depth != y.depth)
        return x.depth < y.depth;
      if (x.height != y.height)
        return x.height > y.height;
      return a < b;
    };
    while (!available.empty()) {
      size_t best = 0;
      for (size_t k = 1; k < available.size(); ++k)
        if (isBetter(available[k], available[best]))
          best = k;
      const uint32_t n = available[best];
      available[best] = available.back();
      available.pop_back();
      if (nodes[n].second != none)
        wanted = nodes[n].second;
      const unsigned issued = std::max(nodes[n].ready_at, now);
      now = issued + 1;
      deepest = std::max(deepest, nodes[n].depth);
      taken.push_back(n);
      for (const Edge &edge : nodes[n].succs) {
        if (edge.kind == EdgeKind::Pair)
          continue;
        Node &succ = nodes[edge.node];
        succ.ready_at = std::max(succ.ready_at, issued + edge.latency);
        if (--succ.waits_for == 0)
          release(edge.node);
      }
      while (next_pending < pending.size() && available.size() < most_available)
        available.push_back(pending[next_pending++]);
    }
  }

  std::vector<InstId> pairs(const Locator &where) {
    std::vector<InstId> partner(problem.insts.size(), no_partner);
    for (Region &region : regions)
      for (const auto &[i, j] : pairsOf(region, where)) {
        partner[i] = j;
        partner[j] = i;
      }
    return partner;
  }

  const Pairs &pairsOf(Region &region, const Locator &where) {
    homes.clear();
    for (VReg v : region.vregs)
      homes.push_back(where.home(v));
    for (const Answer &answer : region.answers)
      if (answer.homes == homes)
        return answer.pairs;
    if (region.answers.size() < most_answers)
      region.answers.emplace_back();
    Answer &oldest = region.answers[region.next];
    region.next = (region.next + 1) % most_answers;
    oldest.homes = homes;
    oldest.pairs = scheduled(region, where);
    return oldest.pairs;
  }

  Pairs scheduled(const Region &region, const Locator &where) {
    makeNodes(region.first, region.last, where);
    connectRegisters(where);
    connectMemory();
    taken.clear();
    if (makePairs(where)) {
      findChains();
      schedule();
    }
    for (RegUnit unit : touched) {
      last_def[unit] = none;
      readers[unit].clear();
    }
    touched.clear();
    // Neighbours are joined, meant for one another or not.
    Pairs joined;
    for (size_t k = 0; k + 1 < taken.size(); ++k)
      if (fits(taken[k], taken[k + 1], where)) {
        joined.emplace_back(nodes[taken[k]].first, nodes[taken[k + 1]].first);
        ++k;
      }
    return joined;
  }

  const Problem &problem;
  const std::vector<Shape> &shapes;
  std::vector<Region> regions; ///< with two candidates at least
  std::vector<RegUnit> homes;  ///< of the vregs of the region at hand
  // Of the region at hand.
  std::vector<Node> nodes;
  size_t num_nodes = 0;
  std::array<uint32_t, num_units> last_def;
  std::array<InstId, num_units> writer;
  std::array<std::vector<uint32_t>, num_units> readers;
  std::vector<RegUnit> touched;
  /// Candidates that are in no pair yet and may be second halves, by whether they can be first halves too, and by the
  /// parity of what they write: halves[0] are all, halves[1] those that can be either.
  std::array<std::array<std::vector<uint32_t>, 2>, 2> halves;
  std::vector<uint32_t> place; ///< by node: see connectForward
  std::vector<uint32_t> seen, stack, taken, pending, ahead, behind, places;
  std::vector<Edge> scratch;
  uint32_t stamp = 1;
};

PostSchedule::PostSchedule(const Problem &problem, const std::vector<Shape> &shapes)
    : state(std::make_unique<State>(problem, shapes)) {}
PostSchedule::~PostSchedule() = default;

std::vector<InstId> PostSchedule::pairs(const Locator &where) const {
  return state->pairs(where);
}

} // namespace verilocc::cost
