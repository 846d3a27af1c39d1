// The relation of the checker: which cells (values of the reference program) equal what a location (of the allocated
// program) holds, for one class of threads, or for the scalars.
//
// A cell is *undefined* until the reference program writes it; an undefined cell is related to every location. A defined
// cell that is at no location is lost. Cells and locations are dense numbers (places.h).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace verilocc::checker {

using Cell = uint32_t;
using Loc = uint32_t;

/// The form kept at block borders and for threads that are set aside: immutable, shared.
struct FlatRelation {
  std::vector<uint64_t> pairs;   ///< loc << 32 | cell, sorted
  std::vector<uint64_t> defined; ///< one bit a cell
  bool operator==(const FlatRelation &) const = default;
};
using FlatPtr = std::shared_ptr<const FlatRelation>;

/// What holds on both paths: a pair stays if each side has it or has its cell undefined; a cell is undefined if it is so
/// on both sides. Linear. Returns `a` itself where nothing is lost.
FlatPtr meet(const FlatPtr &a, const FlatPtr &b);

/// Relation::holds for the flat form.
bool holds(const FlatRelation &flat, Loc loc, Cell cell);

/// The form that transfer functions change: pairs as nodes on two lists, by location and by cell.
class Relation {
public:
  Relation(uint32_t num_cells, uint32_t num_locs);

  void load(const FlatRelation &flat);
  FlatPtr flatten() const;

  bool isDefined(Cell cell) const { return defined[cell / 64] >> (cell % 64) & 1; }
  /// True if reading `loc` yields the value of `cell` (an undefined cell: any value is right).
  bool holds(Loc loc, Cell cell) const { return !isDefined(cell) || has(loc, cell); }

  /// The reference writes cells: what they held is gone from every location.
  void define(Cell cell) {
    forget(cell);
    defined[cell / 64] |= uint64_t(1) << (cell % 64);
  }
  void undefine(Cell cell) {
    forget(cell);
    defined[cell / 64] &= ~(uint64_t(1) << (cell % 64));
  }
  /// The reference copies cells src+i to dst+i, i < count, all at once.
  void copyCells(Cell dst, Cell src, unsigned count);

  /// The allocated program overwrites a location with something unknown.
  void clear(Loc loc);
  void put(Loc loc, Cell cell);
  /// The allocated program moves locations src+i to dst+i, i < count, all at once.
  void copyLocs(Loc dst, Loc src, unsigned count);
  void swapLocs(Loc a, Loc b, unsigned count);

  template <typename Function> void forCellsAt(Loc loc, Function &&function) const {
    for (int32_t n = at_loc[loc]; n >= 0; n = nodes[n].next_at_loc)
      function(nodes[n].cell);
  }

private:
  struct Node {
    Cell cell;
    Loc loc;
    int32_t next_at_loc, prev_at_loc, next_of_cell, prev_of_cell;
  };
  bool has(Loc loc, Cell cell) const {
    for (int32_t n = of_cell[cell]; n >= 0; n = nodes[n].next_of_cell)
      if (nodes[n].loc == loc)
        return true;
    return false;
  }
  void forget(Cell cell);
  void remove(int32_t node);
  void reset();

  std::vector<Node> nodes;
  std::vector<int32_t> at_loc, of_cell;
  int32_t free_list = -1;
  std::vector<uint64_t> defined;
  std::vector<std::pair<uint32_t, uint32_t>> scratch;
};

} // namespace verilocc::checker
