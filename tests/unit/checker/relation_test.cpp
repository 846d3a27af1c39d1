// The relation of cells and locations, and its meet.
#include "checker/relation.h"

#include <gtest/gtest.h>

namespace verilocc::checker {
namespace {

/// Cell i defined and at location i, for i < count.
Relation identity(unsigned count, unsigned size = 8) {
  Relation relation(size, size);
  for (unsigned i = 0; i < count; ++i) {
    relation.define(i);
    relation.put(i, i);
  }
  return relation;
}

TEST(Relation, AnUndefinedCellIsEverywhereADefinedOneWhereItWasPut) {
  Relation relation(8, 8);
  EXPECT_TRUE(relation.holds(3, 0));
  relation.define(0);
  EXPECT_FALSE(relation.holds(3, 0));
  relation.put(3, 0);
  EXPECT_TRUE(relation.holds(3, 0));
  EXPECT_FALSE(relation.holds(2, 0));
  relation.undefine(0);
  EXPECT_TRUE(relation.holds(2, 0));
}

TEST(Relation, DefiningACellTakesItFromEveryLocation) {
  Relation relation = identity(2);
  relation.copyLocs(4, 0, 1);
  EXPECT_TRUE(relation.holds(4, 0));
  relation.define(0);
  EXPECT_FALSE(relation.holds(0, 0));
  EXPECT_FALSE(relation.holds(4, 0));
  EXPECT_TRUE(relation.holds(1, 1));
}

TEST(Relation, OverlappingCopiesOfLocationsAreParallel) {
  Relation up = identity(3);
  up.copyLocs(1, 0, 3);
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_TRUE(up.holds(i + 1, i)) << i;
  EXPECT_FALSE(up.holds(1, 1));
  Relation down = identity(4);
  down.copyLocs(0, 1, 3);
  for (unsigned i = 1; i < 4; ++i)
    EXPECT_TRUE(down.holds(i - 1, i)) << i;
  EXPECT_TRUE(down.holds(3, 3));
  EXPECT_FALSE(down.holds(0, 0));
}

TEST(Relation, OverlappingCopiesOfCellsAreParallel) {
  Relation relation = identity(4);
  relation.copyCells(1, 0, 2);
  EXPECT_TRUE(relation.holds(0, 0));
  EXPECT_TRUE(relation.holds(0, 1)); // cell 1 is what cell 0 was
  EXPECT_TRUE(relation.holds(1, 2)); // cell 2 is what cell 1 was
  EXPECT_FALSE(relation.holds(1, 1));
  EXPECT_FALSE(relation.holds(0, 2));
}

TEST(Relation, ACopyOfAnUndefinedCellIsUndefined) {
  Relation relation = identity(2);
  relation.copyCells(1, 5, 1);
  EXPECT_FALSE(relation.isDefined(1));
  EXPECT_TRUE(relation.holds(7, 1));
}

TEST(Relation, SwapExchangesRunsOfLocations) {
  Relation relation = identity(4);
  relation.swapLocs(0, 2, 2);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_TRUE(relation.holds((i + 2) % 4, i)) << i;
    EXPECT_FALSE(relation.holds(i, i)) << i;
  }
}

TEST(Relation, FlattenAndLoadAreInverse) {
  Relation relation = identity(3);
  relation.copyLocs(5, 1, 2);
  const FlatPtr flat = relation.flatten();
  Relation other = identity(7);
  other.load(*flat);
  EXPECT_EQ(*other.flatten(), *flat);
  for (unsigned loc = 0; loc < 8; ++loc)
    for (unsigned cell = 0; cell < 8; ++cell)
      EXPECT_EQ(holds(*flat, loc, cell), relation.holds(loc, cell)) << loc << " " << cell;
}

TEST(Meet, KeepsWhatBothSidesHold) {
  Relation a = identity(3), b = identity(3);
  b.clear(1);
  b.put(6, 2);
  const FlatPtr met = meet(a.flatten(), b.flatten());
  EXPECT_TRUE(holds(*met, 0, 0));
  EXPECT_FALSE(holds(*met, 1, 1));
  EXPECT_TRUE(holds(*met, 2, 2));
  EXPECT_FALSE(holds(*met, 6, 2));
}

TEST(Meet, ACellUndefinedOnOneSideIsWhereTheOtherHasIt) {
  const Relation none(8, 8);
  const Relation one = identity(1);
  for (const FlatPtr &met : {meet(none.flatten(), one.flatten()), meet(one.flatten(), none.flatten())}) {
    EXPECT_TRUE(holds(*met, 0, 0));
    EXPECT_FALSE(holds(*met, 1, 0)); // defined from now on
    EXPECT_TRUE(holds(*met, 1, 1));  // undefined on both
  }
}

TEST(Meet, IsTheSameObjectWhereNothingIsLost) {
  const FlatPtr less = identity(2).flatten();
  Relation more = identity(2);
  more.copyLocs(5, 0, 1);
  EXPECT_EQ(meet(less, more.flatten()), less);
  EXPECT_EQ(*meet(more.flatten(), less), *less);
}

} // namespace
} // namespace verilocc::checker
