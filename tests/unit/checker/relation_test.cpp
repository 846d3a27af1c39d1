// The relation of cells and locations, and its meet.
#include "checker/relation.h"

#include "support/rng.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace verilocc::checker {
namespace {

/// All cells undefined.
Relation undefined(RelationSpace &space, unsigned num_cells) {
  Relation relation(space);
  for (unsigned i = 0; i < num_cells; ++i)
    relation.undefine(i);
  return relation;
}

/// Cell i defined and at location i, for i < count; up to 8 others undefined.
Relation identity(RelationSpace &space, unsigned count) {
  Relation relation = undefined(space, 8);
  for (unsigned i = 0; i < count; ++i) {
    relation.define(i);
    relation.put(i, i);
  }
  return relation;
}

TEST(Relation, AnUndefinedCellIsEverywhereADefinedOneWhereItWasPut) {
  RelationSpace space(8, 8);
  Relation relation = undefined(space, 8);
  EXPECT_TRUE(relation.holds(3, 0));
  relation.define(0);
  EXPECT_FALSE(relation.holds(3, 0));
  relation.put(3, 0);
  EXPECT_TRUE(relation.holds(3, 0));
  EXPECT_FALSE(relation.holds(2, 0));
  relation.undefine(0);
  EXPECT_TRUE(relation.holds(2, 0));
}

TEST(Relation, ACellGivenUpIsNowhere) {
  RelationSpace space(100, 8);
  Relation relation = identity(space, 4);
  const Relation before = relation;
  relation.giveUp(1, 2);
  for (Loc loc = 0; loc < 8; ++loc)
    for (Cell cell : {1, 2, 50})
      EXPECT_FALSE(relation.holds(loc, cell)) << loc << " " << cell; // 50 was never heard of
  EXPECT_TRUE(relation.holds(3, 3));
  EXPECT_TRUE(relation.holds(0, 7)); // still undefined
  EXPECT_TRUE(before.holds(1, 1));
  EXPECT_FALSE(meet(relation, before).holds(1, 1));
  EXPECT_FALSE(meet(before, relation).holds(1, 1));
  relation.define(1);
  relation.put(5, 1);
  EXPECT_TRUE(relation.holds(5, 1));
}

TEST(Relation, DefiningACellTakesItFromEveryLocation) {
  RelationSpace space(8, 8);
  Relation relation = identity(space, 2);
  relation.copyLocs(4, 0, 1);
  EXPECT_TRUE(relation.holds(4, 0));
  relation.define(0);
  EXPECT_FALSE(relation.holds(0, 0));
  EXPECT_FALSE(relation.holds(4, 0));
  EXPECT_TRUE(relation.holds(1, 1));
}

TEST(Relation, OverlappingCopiesOfLocationsAreParallel) {
  RelationSpace space(8, 8);
  Relation up = identity(space, 3);
  up.copyLocs(1, 0, 3);
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_TRUE(up.holds(i + 1, i)) << i;
  EXPECT_FALSE(up.holds(1, 1));
  Relation down = identity(space, 4);
  down.copyLocs(0, 1, 3);
  for (unsigned i = 1; i < 4; ++i)
    EXPECT_TRUE(down.holds(i - 1, i)) << i;
  EXPECT_TRUE(down.holds(3, 3));
  EXPECT_FALSE(down.holds(0, 0));
}

TEST(Relation, OverlappingCopiesOfCellsAreParallel) {
  RelationSpace space(8, 8);
  Relation relation = identity(space, 4);
  relation.copyCells(1, 0, 2);
  EXPECT_TRUE(relation.holds(0, 0));
  EXPECT_TRUE(relation.holds(0, 1)); // cell 1 is what cell 0 was
  EXPECT_TRUE(relation.holds(1, 2)); // cell 2 is what cell 1 was
  EXPECT_FALSE(relation.holds(1, 1));
  EXPECT_FALSE(relation.holds(0, 2));
}

TEST(Relation, ACopyOfAnUndefinedCellIsUndefined) {
  RelationSpace space(8, 8);
  Relation relation = identity(space, 2);
  relation.copyCells(1, 5, 1);
  EXPECT_FALSE(relation.isDefined(1));
  EXPECT_TRUE(relation.holds(7, 1));
}

TEST(Relation, SwapExchangesRunsOfLocations) {
  RelationSpace space(8, 8);
  Relation relation = identity(space, 4);
  relation.swapLocs(0, 2, 2);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_TRUE(relation.holds((i + 2) % 4, i)) << i;
    EXPECT_FALSE(relation.holds(i, i)) << i;
  }
}

TEST(Relation, CopiesAreIndependent) {
  RelationSpace space(8, 8);
  const Relation before = identity(space, 3);
  Relation after = before;
  EXPECT_TRUE(after.isSame(before));
  after.define(1);
  after.put(6, 1);
  EXPECT_FALSE(after.isSame(before));
  EXPECT_TRUE(before.holds(1, 1));
  EXPECT_FALSE(before.holds(6, 1));
  EXPECT_EQ(after.cellsAt(6), std::vector<Cell>{1});
  EXPECT_EQ(after.cellsAt(1), std::vector<Cell>{});
  EXPECT_EQ(before.cellsAt(1), std::vector<Cell>{1});
}

TEST(Meet, KeepsWhatBothSidesHold) {
  RelationSpace space(8, 8);
  Relation a = identity(space, 3);
  Relation b = a;
  b.clear(1);
  b.put(6, 2);
  const Relation met = meet(a, b);
  EXPECT_TRUE(met.holds(0, 0));
  EXPECT_FALSE(met.holds(1, 1));
  EXPECT_TRUE(met.holds(2, 2));
  EXPECT_FALSE(met.holds(6, 2));
}

TEST(Meet, ACellUndefinedOnOneSideIsWhereTheOtherHasIt) {
  RelationSpace space(8, 8);
  const Relation none = undefined(space, 8);
  const Relation one = identity(space, 1);
  for (const Relation &met : {meet(none, one), meet(one, none)}) {
    EXPECT_TRUE(met.holds(0, 0));
    EXPECT_FALSE(met.holds(1, 0)); // defined from now on
    EXPECT_TRUE(met.holds(1, 1));  // undefined on both
  }
}

TEST(Meet, CellsThatAreEqualOnOneSideOnlyAreToldApart) {
  RelationSpace space(8, 8);
  Relation a = identity(space, 1);
  a.copyCells(1, 0, 1);
  a.copyLocs(1, 0, 1); // cells 0 and 1 are equal, and at locations 0 and 1
  Relation b = identity(space, 2);
  for (const Relation &met : {meet(a, b), meet(b, a)}) {
    EXPECT_TRUE(met.holds(0, 0));
    EXPECT_TRUE(met.holds(1, 1));
    EXPECT_FALSE(met.holds(0, 1));
    EXPECT_FALSE(met.holds(1, 0));
  }
}

TEST(Meet, IsTheSameWhereNothingIsLost) {
  RelationSpace space(8, 8);
  const Relation less = identity(space, 2);
  Relation more = less;
  more.copyLocs(5, 0, 1);
  EXPECT_TRUE(meet(less, more).isSame(less));
  EXPECT_FALSE(meet(more, less).isSame(more));
  // The same in meaning, by other values.
  EXPECT_TRUE(meet(less, identity(space, 2)).isSame(less));
}

/// The same relation by its definition: a set of pairs.
struct PlainRelation {
  std::set<std::pair<Loc, Cell>> pairs;
  std::set<Cell> defined;

  void forget(Cell cell) {
    std::erase_if(pairs, [&](auto pair) { return pair.second == cell; });
  }
  void clear(Loc loc) {
    std::erase_if(pairs, [&](auto pair) { return pair.first == loc; });
  }
  bool holds(Loc loc, Cell cell) const { return !defined.contains(cell) || pairs.contains({loc, cell}); }
};

PlainRelation meet(const PlainRelation &a, const PlainRelation &b) {
  PlainRelation met;
  std::set_union(a.defined.begin(), a.defined.end(), b.defined.begin(), b.defined.end(),
                 std::inserter(met.defined, met.defined.end()));
  for (const PlainRelation *side : {&a, &b})
    for (auto [loc, cell] : side->pairs)
      if (a.holds(loc, cell) && b.holds(loc, cell))
        met.pairs.insert({loc, cell});
  return met;
}

TEST(Meet, AgreesWithSetsOfPairsOverRandomHistories) {
  constexpr unsigned size = 70; // more than one node of the arrays
  unsigned num_same = 0, num_lost = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    support::Rng rng(seed);
    RelationSpace space(size, size);
    // Few numbers, so that they meet often; some far apart.
    auto number = [&] { return static_cast<uint32_t>(rng.below(6) + (rng.below(4) ? 0 : size - 8)); };
    std::vector<Relation> relations(4, undefined(space, size));
    std::vector<PlainRelation> plain(4);
    for (unsigned step = 0; step < 300; ++step) {
      const auto i = rng.below(4), j = rng.below(4);
      Relation &r = relations[i];
      PlainRelation &p = plain[i];
      const uint32_t x = number(), y = number();
      switch (rng.below(10)) {
      case 0:
      case 1: // a definition
        r.define(x), r.clear(y), r.put(y, x);
        p.forget(x), p.clear(y), p.defined.insert(x), p.pairs.insert({y, x});
        break;
      case 2:
        r.undefine(x);
        p.forget(x), p.defined.erase(x);
        break;
      case 3:
        if (x != y) {
          r.copyCells(x, y, 1);
          p.forget(x);
          p.defined.contains(y) ? void(p.defined.insert(x)) : void(p.defined.erase(x));
          for (auto [loc, cell] : std::set(p.pairs))
            if (cell == y)
              p.pairs.insert({loc, x});
        }
        break;
      case 4:
        if (x != y) {
          r.copyLocs(x, y, 1);
          p.clear(x);
          for (auto [loc, cell] : std::set(p.pairs))
            if (loc == y)
              p.pairs.insert({x, cell});
        }
        break;
      case 5:
        r.clear(x);
        p.clear(x);
        break;
      case 6: {
        const auto count = static_cast<unsigned>(rng.below(3) ? rng.below(3) : rng.below(size));
        const unsigned last = std::min(size, x + count);
        r.giveUp(x, last - x);
        for (Cell cell = x; cell < last; ++cell)
          p.forget(cell), p.defined.insert(cell);
        break;
      }
      case 7:
        relations[j] = relations[i];
        plain[j] = plain[i];
        break;
      default: {
        Relation met = meet(r, relations[j]);
        PlainRelation plainly_met = meet(p, plain[j]);
        const bool nothing_lost = plainly_met.pairs == p.pairs && plainly_met.defined == p.defined;
        ASSERT_EQ(met.isSame(r), nothing_lost) << "seed " << seed << " step " << step;
        ++(nothing_lost ? num_same : num_lost);
        r = met;
        p = plainly_met;
      }
      }
      for (Loc loc = 0; loc < size; ++loc) {
        std::vector<Cell> at;
        for (auto [l, cell] : p.pairs)
          if (l == loc)
            at.push_back(cell);
        ASSERT_EQ(r.cellsAt(loc), at) << "seed " << seed << " step " << step << " location " << loc;
      }
      for (Cell cell = 0; cell < size; ++cell)
        ASSERT_EQ(r.isDefined(cell), p.defined.contains(cell)) << "seed " << seed << " step " << step;
    }
  }
  EXPECT_GT(num_same, 500u);
  EXPECT_GT(num_lost, 500u);
}

} // namespace
} // namespace verilocc::checker
