// The relation of the checker: which cells (values of the reference program) equal what a location (of the allocated
// program) holds, for one class of threads, or for the scalars.
//
// A cell is *undefined* where the reference program has not written it; an undefined cell is related to every location.
// A cell that is at no location is lost; what will not be read again may be given up as lost, which is always right.
// Cells and locations are dense numbers (places.h).
//
// Form. A definition makes a new value, a number; a cell has one value, a location a set of them, nearly always one. A
// cell is at a location if its value is in the location's set. So a definition, a copy of a cell and a copy of a
// location change one number each, however many cells and locations are equal, and a value that no cell has any more
// needs no removal. Both maps are persistent arrays: a relation is copied in constant time, and a meet costs what the
// two sides differ by (and a look at each location in use).
#pragma once

#include "checker/persistent_array.h"

#include <map>
#include <span>
#include <vector>

namespace verilocc::checker {

using Cell = uint32_t;
using Loc = uint32_t;
using ValueId = uint32_t;

class Relation;
class Meeting;

/// What the relations of one space (scalars, or values of threads) have in common: the numbers in use, and the sets of
/// values. Must outlive its relations.
class RelationSpace {
public:
  RelationSpace(uint32_t num_cells, uint32_t num_locs) : num_cells(num_cells), num_locs(num_locs) {}
  size_t bytes() const { return nodes.bytes(); }
  /// No relation will be used again.
  void abandon() { nodes.abandon(); }

private:
  friend class Relation;
  friend class Meeting;
  friend Relation meet(const Relation &a, const Relation &b);
  static constexpr ValueId lost = 0;      ///< of a cell: at no location
  static constexpr ValueId undefined = 1; ///< of a cell

  /// The values of a location as one number: 0 for none, a value, or (top bit set) the number of a set of several.
  using SetId = uint32_t;
  static constexpr SetId set_bit = 1u << 31;
  std::span<const ValueId> valuesOf(const SetId &set) const {
    if (set & set_bit)
      return *sets[set & ~set_bit];
    return {&set, set ? size_t(1) : size_t(0)};
  }
  bool contains(SetId set, ValueId value) const {
    if (!(set & set_bit))
      return set == value;
    for (ValueId v : *sets[set & ~set_bit])
      if (v == value)
        return true;
    return false;
  }
  /// `values` in any order, with doubles.
  SetId makeSet(std::vector<ValueId> values);

  /// A value that `cell` has, alone.
  ValueId newValue(Cell cell);
  /// `cell` receives a value that another cell has.
  void addHolder(ValueId value, Cell cell);
  /// `loc` receives the values of a set.
  void addPlace(SetId set, Loc loc) {
    for (const ValueId &value : valuesOf(set))
      if (uint32_t &last = last_place[value]; !last || value_places[last].loc != loc) {
        value_places.push_back({loc, last});
        last = static_cast<uint32_t>(value_places.size() - 1);
      }
  }
  /// Calls function(cell) for every cell that has, or in some relation once had, the value, the latest first and some
  /// twice; until it answers true.
  template <typename Function> bool anyHolder(ValueId value, Function &&function) const {
    for (uint32_t h = last_holder[value]; h; h = holders[h].before)
      if (function(holders[h].cell))
        return true;
    return false;
  }

  // Room for meets, kept between them; see Meeting.
  struct Pair {
    ValueId x, y;
    Cell cell;        ///< one that has it
    ValueId name = 0; ///< given where it is found at a location
    int32_t next_of_x = -1, next_of_y = -1;
  };
  struct Side {
    ValueId value = 0;
    uint32_t count = 0;          ///< pairs with a value on the other side; of an x also those with "lost"
    int32_t first = -1;          ///< the list of the pairs with a value on the other side
    int32_t with_undefined = -1; ///< the pair with "undefined" on the other side
  };
  struct Difference {
    Cell cell;
    ValueId x, y;
    int32_t pair;
  };
  std::vector<Difference> differences;
  std::vector<std::pair<Loc, SetId>> changed_locs;
  std::vector<ValueId> values;
  std::vector<Side> x_sides, y_sides;
  std::vector<Pair> pairs;
  std::vector<uint32_t> looked_at; ///< by location: the number of the meet that has looked there
  uint32_t num_meets = 0;

  uint32_t num_cells, num_locs;
  NodePool nodes;
  struct Holder {
    Cell cell;
    uint32_t before; ///< another holder of the same value, or 0
  };
  std::vector<Holder> holders{{0, 0}};
  std::vector<uint32_t> last_holder{0, 0}; ///< by value: index into `holders`; the first two are no values
  struct Place {
    Loc loc;
    uint32_t before; ///< another place of the same value, or 0
  };
  std::vector<Place> value_places{{0, 0}};
  std::vector<uint32_t> last_place{0, 0};         ///< by value: index into `value_places`: where it ever was
  std::vector<const std::vector<ValueId> *> sets; ///< the keys of set_ids
  std::map<std::vector<ValueId>, SetId> set_ids;
};

class Relation {
public:
  /// All cells lost, nothing known of any location.
  explicit Relation(RelationSpace &space)
      : space(&space), cells(space.nodes, space.num_cells), locs(space.nodes, space.num_locs) {}

  bool isDefined(Cell cell) const { return cells.get(cell) != RelationSpace::undefined; }
  /// True if reading `loc` yields the value of `cell` (an undefined cell: any value is right).
  bool holds(Loc loc, Cell cell) const {
    const ValueId value = cells.get(cell);
    return value == RelationSpace::undefined || (value != RelationSpace::lost && space->contains(locs.get(loc), value));
  }

  /// The reference writes cells: what they held is gone from every location.
  void define(Cell cell) { cells.set(cell, space->newValue(cell)); }
  void undefine(Cell cell) { cells.set(cell, RelationSpace::undefined); }
  /// `count` cells from `first` on will not be read before they are written.
  void giveUp(Cell first, unsigned count) { cells.reset(first, count); }
  /// The reference copies cells src+i to dst+i, i < count, all at once.
  void copyCells(Cell dst, Cell src, unsigned count);

  /// The allocated program overwrites a location with something unknown.
  void clear(Loc loc) {
    if (locs.get(loc))
      locs.set(loc, 0);
  }
  /// The location now holds the value of `cell`, beside what it is known to hold.
  void put(Loc loc, Cell cell);
  /// `loc` now also holds what `other` holds.
  void add(Loc loc, Loc other);
  /// The allocated program moves locations src+i to dst+i, i < count, all at once.
  void copyLocs(Loc dst, Loc src, unsigned count);
  void swapLocs(Loc a, Loc b, unsigned count);

  /// The defined cells at a location, in order; none that was given up.
  std::vector<Cell> cellsAt(Loc loc) const;

  /// True of copies of which neither has changed since.
  bool isSame(const Relation &other) const { return cells.isSame(other.cells) && locs.isSame(other.locs); }

  /// What holds on both paths: a pair stays if each side has it or has its cell undefined; a cell is undefined if it is
  /// so on both sides. The same as `a` where nothing is lost of it.
  friend Relation meet(const Relation &a, const Relation &b);

private:
  void setLoc(Loc loc, RelationSpace::SetId set) {
    locs.set(loc, set);
    space->addPlace(set, loc);
  }

  RelationSpace *space;
  PersistentArray cells; ///< by Cell: ValueId
  PersistentArray locs;  ///< by Loc: SetId
  friend class Meeting;
};

} // namespace verilocc::checker
