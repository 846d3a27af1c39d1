#include "checker/relation.h"

#include <algorithm>

namespace verilocc::checker {

namespace {

constexpr uint64_t pairOf(Loc loc, Cell cell) { return uint64_t(loc) << 32 | cell; }
constexpr Cell cellOf(uint64_t pair) { return static_cast<Cell>(pair); }
constexpr Loc locOf(uint64_t pair) { return static_cast<Loc>(pair >> 32); }

bool isDefinedIn(const FlatRelation &flat, Cell cell) { return flat.defined[cell / 64] >> (cell % 64) & 1; }

} // namespace

FlatPtr meet(const FlatPtr &a, const FlatPtr &b) {
  if (a == b)
    return a;
  auto result = std::make_shared<FlatRelation>();
  auto x = a->pairs.begin(), y = b->pairs.begin();
  result->pairs.reserve(std::min(a->pairs.size(), b->pairs.size()));
  while (x != a->pairs.end() || y != b->pairs.end()) {
    if (y == b->pairs.end() || (x != a->pairs.end() && *x < *y)) {
      if (!isDefinedIn(*b, cellOf(*x)))
        result->pairs.push_back(*x);
      ++x;
    } else if (x == a->pairs.end() || *y < *x) {
      if (!isDefinedIn(*a, cellOf(*y)))
        result->pairs.push_back(*y);
      ++y;
    } else {
      result->pairs.push_back(*x);
      ++x, ++y;
    }
  }
  result->defined.resize(a->defined.size());
  for (size_t i = 0; i < a->defined.size(); ++i)
    result->defined[i] = a->defined[i] | b->defined[i];
  return *result == *a ? a : result;
}

bool holds(const FlatRelation &flat, Loc loc, Cell cell) {
  return !isDefinedIn(flat, cell) || std::binary_search(flat.pairs.begin(), flat.pairs.end(), pairOf(loc, cell));
}

Relation::Relation(uint32_t num_cells, uint32_t num_locs)
    : at_loc(num_locs, -1),
      of_cell(num_cells, -1),
      defined((num_cells + 63) / 64, 0) {}

void Relation::reset() {
  for (const Node &node : nodes)
    if (node.loc != ~0u) {
      at_loc[node.loc] = -1;
      of_cell[node.cell] = -1;
    }
  nodes.clear();
  free_list = -1;
}

void Relation::load(const FlatRelation &flat) {
  reset();
  defined = flat.defined;
  nodes.reserve(flat.pairs.size());
  for (uint64_t pair : flat.pairs)
    put(locOf(pair), cellOf(pair));
}

FlatPtr Relation::flatten() const {
  auto flat = std::make_shared<FlatRelation>();
  flat->pairs.reserve(nodes.size());
  for (Loc loc = 0; loc < at_loc.size(); ++loc) {
    size_t begin = flat->pairs.size();
    forCellsAt(loc, [&](Cell cell) { flat->pairs.push_back(pairOf(loc, cell)); });
    if (flat->pairs.size() - begin > 1)
      std::sort(flat->pairs.begin() + static_cast<ptrdiff_t>(begin), flat->pairs.end());
  }
  flat->defined = defined;
  return flat;
}

void Relation::remove(int32_t n) {
  Node &node = nodes[n];
  if (node.prev_at_loc >= 0)
    nodes[node.prev_at_loc].next_at_loc = node.next_at_loc;
  else
    at_loc[node.loc] = node.next_at_loc;
  if (node.next_at_loc >= 0)
    nodes[node.next_at_loc].prev_at_loc = node.prev_at_loc;
  if (node.prev_of_cell >= 0)
    nodes[node.prev_of_cell].next_of_cell = node.next_of_cell;
  else
    of_cell[node.cell] = node.next_of_cell;
  if (node.next_of_cell >= 0)
    nodes[node.next_of_cell].prev_of_cell = node.prev_of_cell;
  node.loc = ~0u;
  node.next_at_loc = free_list;
  free_list = n;
}

void Relation::forget(Cell cell) {
  while (of_cell[cell] >= 0)
    remove(of_cell[cell]);
}

void Relation::clear(Loc loc) {
  while (at_loc[loc] >= 0)
    remove(at_loc[loc]);
}

void Relation::put(Loc loc, Cell cell) {
  int32_t n = free_list;
  if (n >= 0) {
    free_list = nodes[n].next_at_loc;
  } else {
    n = static_cast<int32_t>(nodes.size());
    nodes.emplace_back();
  }
  nodes[n] = {cell, loc, at_loc[loc], -1, of_cell[cell], -1};
  if (at_loc[loc] >= 0)
    nodes[at_loc[loc]].prev_at_loc = n;
  if (of_cell[cell] >= 0)
    nodes[of_cell[cell]].prev_of_cell = n;
  at_loc[loc] = of_cell[cell] = n;
}

void Relation::copyCells(Cell dst, Cell src, unsigned count) {
  if (dst == src)
    return;
  scratch.clear();
  uint64_t sources_defined = 0;
  for (unsigned i = 0; i < count; ++i) {
    sources_defined |= uint64_t(isDefined(src + i)) << i;
    for (int32_t n = of_cell[src + i]; n >= 0; n = nodes[n].next_of_cell)
      scratch.push_back({nodes[n].loc, dst + i});
  }
  for (unsigned i = 0; i < count; ++i)
    sources_defined >> i & 1 ? define(dst + i) : undefine(dst + i);
  for (auto [loc, cell] : scratch)
    put(loc, cell);
}

void Relation::copyLocs(Loc dst, Loc src, unsigned count) {
  if (dst == src)
    return;
  scratch.clear();
  for (unsigned i = 0; i < count; ++i)
    forCellsAt(src + i, [&](Cell cell) { scratch.push_back({dst + i, cell}); });
  for (unsigned i = 0; i < count; ++i)
    clear(dst + i);
  for (auto [loc, cell] : scratch)
    put(loc, cell);
}

void Relation::swapLocs(Loc a, Loc b, unsigned count) {
  scratch.clear();
  for (unsigned i = 0; i < count; ++i) {
    forCellsAt(a + i, [&](Cell cell) { scratch.push_back({b + i, cell}); });
    forCellsAt(b + i, [&](Cell cell) { scratch.push_back({a + i, cell}); });
  }
  for (unsigned i = 0; i < count; ++i)
    clear(a + i), clear(b + i);
  for (auto [loc, cell] : scratch)
    put(loc, cell);
}

} // namespace verilocc::checker
