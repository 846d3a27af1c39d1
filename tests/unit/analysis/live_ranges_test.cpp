#include "analysis/live_ranges.h"
#include "analysis/occupancy.h"
#include "problem/text.h"
#include "support/rng.h"
#include "tests/support/random_problem.h"

#include <ctime>
#include <gtest/gtest.h>

namespace verilocc::analysis {

void PrintTo(const Segment &s, std::ostream *out) {
  *out << "[" << s.start << ", " << s.end << ")";
}

namespace {

using namespace problem;

Problem parse(std::string_view text) {
  support::TextReader reader(text, "t.ra");
  auto parsed = parseProblem(reader);
  if (!parsed)
    throw std::runtime_error(parsed.error().str());
  return std::move(*parsed);
}

constexpr std::string_view head = "class v = v0-v255\nclass w width 2 = v0-v254\n";

Problem code(std::string_view text) {
  return parse(std::string(head) + std::string(text));
}

std::vector<Segment> segments(Segments s) {
  return {s.begin(), s.end()};
}

TEST(LiveRanges, UseEndsWhereADefinitionBegins) {
  const Problem p = code("block 0\n %0:v = A\n %1:v = B %0\n %0 = C %0, %1\n D %0\n");
  const LiveRanges live(p);
  EXPECT_EQ(segments(live.lane(0, 0)), (std::vector<Segment>{{1, 7}})) << "redefined in place: one segment";
  EXPECT_EQ(segments(live.lane(1, 0)), (std::vector<Segment>{{3, 5}}));
}

TEST(LiveRanges, EarlyClobberBeginsBeforeTheUsesEnd) {
  const Problem p = code("block 0\n %0:v = A\n early %1:v = B %0\n early %2:v = C\n D %1\n");
  const LiveRanges live(p);
  EXPECT_EQ(segments(live.lane(0, 0)), (std::vector<Segment>{{1, 3}}));
  EXPECT_EQ(segments(live.lane(1, 0)), (std::vector<Segment>{{2, 7}}));
  EXPECT_EQ(segments(live.lane(2, 0)), (std::vector<Segment>{{4, 6}})) << "dead, yet it needs a register";
}

TEST(LiveRanges, LanesAreSeparate) {
  const Problem p = code("block 0\n undef %0:w[0] = A\n %0[1] = B\n C %0[0]\n D %0[1]\n");
  const LiveRanges live(p);
  EXPECT_EQ(segments(live.lane(0, 0)), (std::vector<Segment>{{1, 5}}));
  EXPECT_EQ(segments(live.lane(0, 1)), (std::vector<Segment>{{3, 7}}));
  EXPECT_EQ(live.hull(0), (Segment{1, 7}));
}

TEST(LiveRanges, UndefDefinitionGivesUpTheOtherLanes) {
  const Problem p = code("block 0\n %0:w = A\n undef %0[0] = B\n C %0\n");
  const LiveRanges live(p);
  EXPECT_EQ(segments(live.lane(0, 1)), (std::vector<Segment>{{1, 2}})) << "read at C, but no longer defined";
  EXPECT_EQ(segments(live.lane(0, 0)), (std::vector<Segment>{{1, 2}, {3, 5}}));
}

TEST(LiveRanges, UndefUsesDoNotRead) {
  const Problem p = code("block 0\n %0:v = A\n B undef %0\n");
  EXPECT_EQ(segments(LiveRanges(p).lane(0, 0)), (std::vector<Segment>{{1, 2}}));
}

TEST(LiveRanges, LoopsCarryValuesAroundTheBackEdge) {
  const Problem p = code("block 0 -> 1\n %0:v = A\nblock 1 -> 1 2\n B %0\n %1:v = C\n D %1\nblock 2\n E\n");
  const LiveRanges live(p);
  EXPECT_EQ(segments(live.lane(0, 0)), (std::vector<Segment>{{1, 8}})) << "to the end of the loop";
  EXPECT_EQ(segments(live.lane(1, 0)), (std::vector<Segment>{{5, 7}}));
  ASSERT_EQ(live.border(1).size(), 1u);
  EXPECT_EQ(live.border(1)[0].in, 1u);
  EXPECT_EQ(live.border(1)[0].out, 1u);
}

TEST(LiveRanges, NothingIsLiveWhereNoDefinitionReaches) {
  // %0 is written in one arm and read after both: dead in the other arm and before.
  const Problem p = code("block 0 -> 1 2\n A\nblock 1 -> 3\n %0:v = B\nblock 2 -> 3\n C\nblock 3\n D %0\n");
  EXPECT_EQ(segments(LiveRanges(p).lane(0, 0)), (std::vector<Segment>{{3, 4}, {6, 7}}));
  // In a loop: from its definition around the back edge, but not before the loop.
  const Problem q = code("block 0 -> 1\n A\nblock 1 -> 1 2\n B %0:v\n %0 = C\n D\nblock 2\n E\n");
  EXPECT_EQ(segments(LiveRanges(q).lane(0, 0)), (std::vector<Segment>{{2, 3}, {5, 8}}));
}

TEST(LiveRanges, EmptyBlocksPassValuesOn) {
  const Problem p = code("block 0 -> 1\n %0:v = A\nblock 1 -> 2\nblock 2\n B %0\n");
  EXPECT_EQ(segments(LiveRanges(p).lane(0, 0)), (std::vector<Segment>{{1, 3}}));
}

TEST(LiveRanges, PhysicalRegistersAndClobbers) {
  const Problem p = code(
      "reserved v9\nclobbers 0 = v[4:5] v9\nlive-in v0 v1\nblock 0\n %0:v = A v0\n B v[2:3]\n C | clobbers 0\n v2 = "
      "D\n E v1, v2, v9\n");
  const LiveRanges live(p);
  EXPECT_EQ(segments(live.unit(0)), (std::vector<Segment>{{0, 1}}));
  EXPECT_EQ(segments(live.unit(1)), (std::vector<Segment>{{0, 9}}));
  EXPECT_EQ(segments(live.unit(2)), (std::vector<Segment>{{7, 9}})) << "no live-in: B reads nothing of value";
  EXPECT_EQ(segments(live.unit(3)), (std::vector<Segment>{}));
  EXPECT_EQ(segments(live.unit(4)), (std::vector<Segment>{{5, 6}}));
  EXPECT_EQ(segments(live.unit(9)), (std::vector<Segment>{})) << "reserved";
}

/// The definition of liveness, point by point and lane by lane, to a fixed point over single instructions.
class Reference {
public:
  Reference(const Problem &p) : p(p) {
    for (VReg v = 0; v <= p.vregs.size(); ++v) {
      first.push_back(lanes);
      lanes += v < p.vregs.size() ? p.widthOf(v) : num_units;
    }
    const size_t n = p.insts.size();
    using Bits = std::vector<char>;
    std::vector<Bits> live_in(n, Bits(lanes)), live_out = live_in, defined_in = live_in, defined_out = live_in,
                                               defs = live_in, early = live_in, kills = live_in, uses = live_in;
    for (InstId i = 0; i < n; ++i) {
      for (const Operand &op : p.operandsOf(p.insts[i])) {
        if (op.isDef() && !op.fixed && op.has(operand_flag::Undef))
          for (unsigned l = 0; l < p.widthOf(op.reg); ++l)
            kills[i][first[op.reg] + l] = 1;
        for (unsigned l = 0; l < op.num_lanes; ++l) {
          if (op.fixed && p.env.reserved[op.reg + l])
            continue;
          const size_t lane = op.fixed ? first.back() + op.reg + l : first[op.reg] + op.first_lane + l;
          if (op.isDef()) {
            defs[i][lane] = kills[i][lane] = 1;
            early[i][lane] |= op.has(operand_flag::EarlyClobber);
          } else if (!op.has(operand_flag::Undef)) {
            uses[i][lane] = 1;
          }
        }
      }
      if (p.insts[i].clobbers >= 0)
        for (unsigned u = 0; u < num_units; ++u)
          if (p.clobber_sets[p.insts[i].clobbers][u] && !p.env.reserved[u])
            defs[i][first.back() + u] = kills[i][first.back() + u] = 1;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (BlockId b = 0; b < p.blocks.size(); ++b)
        for (InstId i = p.blocks[b].first; i < p.blocks[b].last; ++i) {
          const auto from = [&](InstId next) {
            for (size_t l = 0; l < lanes; ++l)
              live_out[i][l] |= live_in[next][l];
          };
          if (i + 1 < p.blocks[b].last)
            from(i + 1);
          else
            forInstsAfter(b, from);
          const auto to = [&](InstId next) {
            for (size_t l = 0; l < lanes; ++l)
              if (defined_out[i][l] && !defined_in[next][l])
                defined_in[next][l] = changed = true;
          };
          for (size_t l = 0; l < lanes; ++l) {
            if (i == 0 && l >= first.back())
              defined_in[i][l] |= p.live_in[l - first.back()];
            const bool in = uses[i][l] || (live_out[i][l] && !kills[i][l]);
            changed |= in != bool(live_in[i][l]);
            live_in[i][l] = in;
            const bool out = defs[i][l] || (defined_in[i][l] && !kills[i][l]);
            changed |= out != bool(defined_out[i][l]);
            defined_out[i][l] = out;
          }
          if (i + 1 < p.blocks[b].last)
            to(i + 1);
          else
            forInstsAfter(b, to);
        }
    }
    for (InstId i = 0; i < n; ++i)
      for (bool after_it : {false, true}) {
        points.emplace_back(lanes);
        for (size_t l = 0; l < lanes; ++l)
          points.back()[l] = after_it ? defs[i][l] || (live_out[i][l] && defined_out[i][l])
                                      : early[i][l] || (live_in[i][l] && defined_in[i][l]);
      }
  }
  bool at(Point point, size_t lane) const { return points[point][lane]; }
  std::vector<size_t> first;
  size_t lanes = 0;

private:
  /// First instructions of the next non-empty blocks.
  template <typename Function> void forInstsAfter(BlockId b, Function function, unsigned depth = 0) {
    if (depth > p.blocks.size())
      return;
    for (BlockId succ : p.blocks[b].succs) {
      if (p.blocks[succ].first != p.blocks[succ].last)
        function(p.blocks[succ].first);
      else
        forInstsAfter(succ, function, depth + 1);
    }
  }
  const Problem &p;
  std::vector<std::vector<char>> points;
};

TEST(LiveRanges, AgreesWithTheDefinitionOnConstructedProblems) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    tests::RandomOptions options = tests::randomOptions(seed);
    options.undefined = seed % 3 ? 0.4 : 0;
    options.insts = 50;
    const Problem p = tests::randomProblem(options);
    const LiveRanges live(p);
    const Reference reference(p);
    const auto compare = [&](Segments own, size_t lane, const std::string &what) {
      Point last_end = 0;
      bool first = true;
      for (const Segment &s : own) {
        ASSERT_LT(s.start, s.end);
        ASSERT_TRUE(first || s.start > last_end) << what;
        last_end = s.end;
        first = false;
      }
      for (Point point = 0; point < 2 * p.insts.size(); ++point) {
        bool inside = false;
        for (const Segment &s : own)
          inside |= s.start <= point && point < s.end;
        ASSERT_EQ(inside, reference.at(point, lane)) << "seed " << seed << ", " << what << " at point " << point << "\n"
                                                     << print(p);
      }
    };
    for (VReg v = 0; v < p.vregs.size(); ++v)
      for (unsigned l = 0; l < p.widthOf(v); ++l)
        compare(live.lane(v, l), reference.first[v] + l, "%" + std::to_string(v) + "[" + std::to_string(l) + "]");
    for (unsigned u = 0; u < num_units; ++u)
      if (!p.env.reserved[u])
        compare(live.unit(static_cast<RegUnit>(u)), reference.first.back() + u, unitName(static_cast<RegUnit>(u)));
  }
}

TEST(LiveRanges, TwentyThousandVregsTakeLittleTime) {
  tests::RandomOptions options;
  options.insts = 50000;
  options.depth = 6;
  options.vector_pool = 80;
  options.scalar_pool = 30;
  const Problem p = tests::randomProblem(options);
  ASSERT_GT(p.vregs.size(), 15000u);
  const std::clock_t start = std::clock(); // of this process: the machine may be busy
  const LiveRanges live(p);
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  std::cout << p.vregs.size() << " vregs, " << p.insts.size() << " instructions, " << p.blocks.size()
            << " blocks: " << seconds * 1000 << " ms\n";
  EXPECT_LT(seconds, 5) << "generous: sanitizers";
}

TEST(Overlap, IsTheIntersectionOfPoints) {
  support::Rng rng(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Segment> a, b;
    for (std::vector<Segment> *list : {&a, &b}) {
      Point at = 0;
      for (unsigned n = static_cast<unsigned>(rng.below(6)); n; --n) {
        const Point start = at + 1 + static_cast<Point>(rng.below(6));
        at = start + 1 + static_cast<Point>(rng.below(5));
        list->push_back({start, at});
      }
    }
    bool expected = false;
    for (const Segment &x : a)
      for (const Segment &y : b)
        expected |= x.start < y.end && y.start < x.end;
    EXPECT_EQ(overlap(a, b), expected);
    EXPECT_EQ(overlap(b, a), expected);
  }
}

TEST(Occupancy, AgreesWithOverlapOfLanes) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const Problem p = tests::randomProblem(tests::randomOptions(seed));
    const LiveRanges live(p);
    Occupancy occupancy(p, live);
    support::Rng rng(seed);
    std::vector<std::pair<VReg, RegUnit>> placed;
    const auto expectedAt = [&](VReg v, RegUnit base) {
      std::vector<VReg> vregs;
      bool fixed = false;
      for (unsigned l = 0; l < p.widthOf(v); ++l) {
        fixed |= overlap(live.lane(v, l), live.unit(static_cast<RegUnit>(base + l)));
        for (const auto &[other, home] : placed)
          if (base + l >= home && base + l < home + p.widthOf(other) &&
              overlap(live.lane(v, l), live.lane(other, base + l - home)))
            vregs.push_back(other);
      }
      std::sort(vregs.begin(), vregs.end());
      vregs.erase(std::unique(vregs.begin(), vregs.end()), vregs.end());
      return fixed ? std::optional<std::vector<VReg>>() : vregs;
    };
    for (int step = 0; step < 400; ++step) {
      const auto v = static_cast<VReg>(rng.below(p.vregs.size()));
      const auto home = std::find_if(placed.begin(), placed.end(), [&](const auto &x) { return x.first == v; });
      if (home != placed.end()) {
        occupancy.remove(v, home->second);
        placed.erase(home);
        continue;
      }
      const auto base = static_cast<RegUnit>(rng.below(24) + (rng.chance(0.5) ? first_sgpr : 0));
      const auto expected = expectedAt(v, base);
      EXPECT_EQ(occupancy.vregsInTheWay(v, base), expected);
      const bool fits = expected && expected->empty();
      EXPECT_EQ(occupancy.fits(v, base), fits);
      const Conflict conflict = occupancy.conflict(v, base);
      if (conflict.kind == Interference::VReg && expected) {
        EXPECT_TRUE(std::count(expected->begin(), expected->end(), conflict.vreg));
      }
      if (fits) {
        occupancy.add(v, base);
        placed.emplace_back(v, base);
      }
    }
  }
}

} // namespace
} // namespace verilocc::analysis
