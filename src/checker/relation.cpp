#include "checker/relation.h"

#include <algorithm>
#include <cassert>

namespace verilocc::checker {

// ---- values and sets of them

RelationSpace::SetId RelationSpace::makeSet(std::vector<ValueId> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.empty())
    return 0;
  if (values.size() == 1)
    return values.front();
  auto [it, is_new] = set_ids.try_emplace(std::move(values), static_cast<SetId>(sets.size()) | set_bit);
  if (is_new)
    sets.push_back(&it->first);
  return it->second;
}

ValueId RelationSpace::newValue(Cell cell) {
  assert(last_holder.size() < set_bit);
  last_holder.push_back(0);
  last_place.push_back(0);
  addHolder(static_cast<ValueId>(last_holder.size() - 1), cell);
  return static_cast<ValueId>(last_holder.size() - 1);
}

void RelationSpace::addHolder(ValueId value, Cell cell) {
  const uint32_t last = last_holder[value];
  if (value == lost || value == undefined || (last && holders[last].cell == cell))
    return;
  last_holder[value] = static_cast<uint32_t>(holders.size());
  holders.push_back({cell, last});
}

// ---- transfer

void Relation::copyCells(Cell dst, Cell src, unsigned count) {
  if (dst == src)
    return;
  std::array<ValueId, 256> values;
  for (unsigned i = 0; i < count; ++i)
    values[i] = cells.get(src + i);
  for (unsigned i = 0; i < count; ++i) {
    cells.set(dst + i, values[i]);
    space->addHolder(values[i], dst + i);
  }
}

void Relation::put(Loc loc, Cell cell) {
  ValueId value = cells.get(cell);
  if (value == RelationSpace::undefined)
    return;
  if (value == RelationSpace::lost)
    cells.set(cell, value = space->newValue(cell));
  const RelationSpace::SetId before = locs.get(loc);
  if (!before) {
    setLoc(loc, value);
    return;
  }
  auto old = space->valuesOf(before);
  std::vector<ValueId> values(old.begin(), old.end());
  values.push_back(value);
  setLoc(loc, space->makeSet(std::move(values)));
}

void Relation::add(Loc loc, Loc other) {
  const RelationSpace::SetId here = locs.get(loc), there = locs.get(other);
  auto a = space->valuesOf(here), b = space->valuesOf(there);
  std::vector<ValueId> values(a.begin(), a.end());
  values.insert(values.end(), b.begin(), b.end());
  setLoc(loc, space->makeSet(std::move(values)));
}

void Relation::copyLocs(Loc dst, Loc src, unsigned count) {
  if (dst == src)
    return;
  std::array<RelationSpace::SetId, 256> moved;
  for (unsigned i = 0; i < count; ++i)
    moved[i] = locs.get(src + i);
  for (unsigned i = 0; i < count; ++i)
    setLoc(dst + i, moved[i]);
}

void Relation::swapLocs(Loc a, Loc b, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const RelationSpace::SetId from_a = locs.get(a + i);
    setLoc(a + i, locs.get(b + i));
    setLoc(b + i, from_a);
  }
}

std::vector<Cell> Relation::cellsAt(Loc loc) const {
  std::vector<Cell> found;
  const RelationSpace::SetId set = locs.get(loc);
  for (ValueId value : space->valuesOf(set))
    space->anyHolder(value, [&](Cell cell) {
      if (cells.get(cell) == value)
        found.push_back(cell);
      return false;
    });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// ---- meet

/// A cell's value on the two sides of a meet is a pair (x, y). Where x = y the value stays; every other pair gets a
/// name, a new value. It is at a location if x is there on the one side and y on the other, where "undefined" is
/// everywhere. A pair with "lost" is lost.
class Meeting {
public:
  explicit Meeting(RelationSpace &space) : space(space) {}

  static constexpr int32_t none = -1;
  using Side = RelationSpace::Side; ///< all pairs of one value on one side

  void reserve(size_t count) {
    size_t size = 16;
    while (size < 2 * count)
      size *= 2;
    for (std::vector<Side> *table : {&space.x_sides, &space.y_sides})
      table->assign(count ? size : 0, {});
    space.pairs.clear();
  }
  bool isEmpty() const { return space.x_sides.empty(); }

  /// The pair of a cell that differs: its index, or none where it is lost.
  int32_t add(Cell cell, ValueId x, ValueId y) {
    constexpr ValueId undefined = RelationSpace::undefined, lost = RelationSpace::lost;
    if (x == lost)
      return none;
    if (y == lost) {
      if (x != undefined)
        make(space.x_sides, x).count++;
      return none;
    }
    if (x == undefined || y == undefined) {
      Side &side = x == undefined ? make(space.y_sides, y) : make(space.x_sides, x);
      return makePair(cell, x, y, side.with_undefined);
    }
    Side &of_x = make(space.x_sides, x), &of_y = make(space.y_sides, y);
    int32_t pair = find(of_x, of_y);
    if (pair == none) {
      makePair(cell, x, y, pair);
      space.pairs[pair].next_of_x = std::exchange(of_x.first, pair);
      space.pairs[pair].next_of_y = std::exchange(of_y.first, pair);
      ++of_x.count, ++of_y.count;
    }
    return pair;
  }

  /// Calls function(value) for the values by which a location that both sides have alike can matter.
  template <typename Function> void forValues(Function &&function) const {
    for (const Side &side : space.x_sides)
      if (side.value)
        function(side.value);
    for (const Side &side : space.y_sides)
      if (side.value && side.with_undefined != none)
        function(side.value);
  }
  const Side *ofX(ValueId x) const { return lookUp(space.x_sides, x); }
  const Side *ofY(ValueId y) const { return lookUp(space.y_sides, y); }
  /// The pair of two values; none if no cell has it.
  int32_t find(const Side &of_x, const Side &of_y) const {
    const bool by_x = of_x.count < of_y.count;
    for (int32_t p = by_x ? of_x.first : of_y.first; p != none;
         p = by_x ? space.pairs[p].next_of_x : space.pairs[p].next_of_y)
      if (space.pairs[p].x == of_x.value && space.pairs[p].y == of_y.value)
        return p;
    return none;
  }
  /// The pair is at a location: adds its name to `values`.
  void use(int32_t pair, std::vector<ValueId> &values) {
    RelationSpace::Pair &used = space.pairs[pair];
    if (!used.name)
      used.name = space.newValue(used.cell);
    values.push_back(used.name);
  }
  /// The name of the pair that `cell` has; lost if it is at no location.
  ValueId nameOf(Cell cell, int32_t pair) const {
    if (pair == none || !space.pairs[pair].name)
      return RelationSpace::lost;
    space.addHolder(space.pairs[pair].name, cell);
    return space.pairs[pair].name;
  }

private:
  int32_t makePair(Cell cell, ValueId x, ValueId y, int32_t &pair) {
    if (pair == none) {
      pair = static_cast<int32_t>(space.pairs.size());
      space.pairs.push_back({x, y, cell});
    }
    return pair;
  }
  static size_t slotOf(const std::vector<Side> &table, ValueId value) {
    size_t slot = (value * 0x9e3779b1u >> 7) & (table.size() - 1);
    while (table[slot].value && table[slot].value != value) // never more than half full
      slot = (slot + 1) & (table.size() - 1);
    return slot;
  }
  Side &make(std::vector<Side> &table, ValueId value) {
    Side &side = table[slotOf(table, value)];
    side.value = value;
    return side;
  }
  static const Side *lookUp(const std::vector<Side> &table, ValueId value) {
    const Side &side = table[slotOf(table, value)];
    return side.value ? &side : nullptr;
  }

  RelationSpace &space;
};

Relation meet(const Relation &a, const Relation &b) {
  if (a.isSame(b))
    return a;
  RelationSpace &space = *a.space;
  using SetId = RelationSpace::SetId;

  using Difference = RelationSpace::Difference;
  std::vector<Difference> &differences = space.differences;
  differences.clear();
  a.cells.forDifferences(b.cells,
                         [&](Cell cell, ValueId x, ValueId y) { differences.push_back({cell, x, y, Meeting::none}); });
  Meeting pairs(space);
  pairs.reserve(differences.size());
  bool has_lost = false; // a pair of cell and location that `a` has, or an undefined cell of `a`
  for (Difference &difference : differences) {
    has_lost |= difference.x == RelationSpace::undefined;
    difference.pair = pairs.add(difference.cell, difference.x, difference.y);
  }

  std::vector<std::pair<Loc, SetId>> &changed_locs = space.changed_locs;
  changed_locs.clear();
  std::vector<ValueId> &values = space.values;
  auto meetAt = [&](Loc loc, SetId here, SetId there) {
    values.clear();
    for (const ValueId &x : space.valuesOf(here)) {
      if (space.contains(there, x))
        values.push_back(x);
      else
        has_lost =
            has_lost || space.anyHolder(x, [&](Cell cell) { return a.cells.get(cell) == x && b.cells.get(cell) == x; });
      const Meeting::Side *of_x = pairs.isEmpty() ? nullptr : pairs.ofX(x);
      if (!of_x)
        continue;
      uint32_t partners = 0;
      if (of_x->count)
        for (const ValueId &y : space.valuesOf(there))
          if (const Meeting::Side *of_y = pairs.ofY(y))
            if (int32_t pair = pairs.find(*of_x, *of_y); pair != Meeting::none) {
              pairs.use(pair, values);
              ++partners;
            }
      has_lost |= partners < of_x->count;
      if (of_x->with_undefined != Meeting::none)
        pairs.use(of_x->with_undefined, values);
    }
    if (!pairs.isEmpty())
      for (const ValueId &y : space.valuesOf(there))
        if (const Meeting::Side *of_y = pairs.ofY(y); of_y && of_y->with_undefined != Meeting::none)
          pairs.use(of_y->with_undefined, values);
    const SetId met = values.empty() ? 0 : values.size() == 1 ? values.front() : space.makeSet(values);
    if (met != here)
      changed_locs.push_back({loc, met});
  };
  // Where the two have different sets, and where the values of the pairs are.
  if (pairs.isEmpty()) {
    a.locs.forDifferences(b.locs, meetAt);
  } else {
    space.looked_at.resize(space.num_locs);
    ++space.num_meets;
    auto lookAt = [&](Loc loc, SetId here, SetId there) {
      if (std::exchange(space.looked_at[loc], space.num_meets) != space.num_meets)
        meetAt(loc, here, there);
    };
    a.locs.forDifferences(b.locs, lookAt);
    uint32_t steps = 0; // a constant may have been in more places than there are
    pairs.forValues([&](ValueId value) {
      for (uint32_t p = space.last_place[value]; p && steps < space.num_locs; p = space.value_places[p].before, ++steps)
        if (const SetId set = a.locs.get(space.value_places[p].loc); space.contains(set, value))
          lookAt(space.value_places[p].loc, set, set); // both sides have it, or it was looked at
    });
    if (steps == space.num_locs)
      a.locs.forBoth(b.locs, lookAt);
  }

  if (!has_lost)
    return a;
  Relation met = a;
  for (const Difference &difference : differences) {
    const ValueId name = pairs.nameOf(difference.cell, difference.pair);
    if (name != RelationSpace::lost)
      met.cells.set(difference.cell, name);
    else
      met.cells.reset(difference.cell, 1);
  }
  for (auto [loc, set] : changed_locs)
    met.setLoc(loc, set);
  return met;
}

} // namespace verilocc::checker
