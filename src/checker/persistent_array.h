// An array of numbers that is copied in constant time: a tree whose parts are shared by all copies until one of them
// changes. Comparing two copies costs what they differ by. A part that is all zero is no node at all.
//
// The checker keeps one state for each block and set of threads; neighbouring states differ by a few instructions.
// Idea: path copying (Driscoll, Sarnak, Sleator, Tarjan, "Making data structures persistent", 1989), with reference
// counts so that the only owner of a path writes in place. One thread only; the pool must outlive its arrays.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace verilocc::checker {

class NodePool {
public:
  static constexpr unsigned leaf_bits = 5, inner_bits = 4;
  struct Node {
    uint32_t owners;
    union {
      std::array<uint32_t, 1u << leaf_bits> values;
      std::array<Node *, 1u << inner_bits> children;
    };
  };

  /// All zero, with one owner.
  Node *make() {
    if (free.empty()) {
      constexpr unsigned nodes_a_chunk = 256;
      chunks.push_back(std::make_unique<Node[]>(nodes_a_chunk));
      for (unsigned i = 0; i < nodes_a_chunk; ++i)
        free.push_back(&chunks.back()[i]);
    }
    Node *node = free.back();
    free.pop_back();
    node->owners = 1;
    node->values.fill(0);
    return node;
  }
  void release(Node *node, unsigned level) {
    if (!node || is_abandoned || --node->owners)
      return;
    if (level)
      for (Node *child : node->children)
        release(child, level - 1);
    free.push_back(node);
  }
  /// No array will be read or written again: what is left of them need not be taken apart.
  void abandon() { is_abandoned = true; }
  size_t bytes() const { return chunks.size() * 256 * sizeof(Node); }

private:
  std::vector<std::unique_ptr<Node[]>> chunks;
  std::vector<Node *> free;
  bool is_abandoned = false;
};
static_assert(sizeof(NodePool::Node::values) == sizeof(NodePool::Node::children));

class PersistentArray {
  using Node = NodePool::Node;

public:
  /// `size` zeros.
  PersistentArray(NodePool &pool, uint32_t size) : pool(&pool) {
    while (uint64_t(1) << (NodePool::leaf_bits + levels * NodePool::inner_bits) < size)
      ++levels;
  }
  PersistentArray(const PersistentArray &other) : pool(other.pool), root(other.root), levels(other.levels) {
    if (root)
      ++root->owners;
  }
  PersistentArray(PersistentArray &&other) noexcept
      : pool(other.pool), root(std::exchange(other.root, nullptr)), levels(other.levels) {}
  PersistentArray &operator=(PersistentArray other) noexcept {
    std::swap(pool, other.pool);
    std::swap(root, other.root);
    std::swap(levels, other.levels);
    return *this;
  }
  ~PersistentArray() { pool->release(root, levels); }

  uint32_t get(uint32_t i) const {
    const Node *node = root;
    for (unsigned level = levels; node && level; --level)
      node = node->children[childAt(i, level)];
    return node ? node->values[i % leaf_size] : 0;
  }
  void set(uint32_t i, uint32_t value) {
    Node **node = &root;
    for (unsigned level = levels; level; --level)
      node = &own(*node, level)->children[childAt(i, level)];
    own(*node, 0)->values[i % leaf_size] = value;
  }

  /// Sets [first, first + count) to zero, and gives up the parts that are all zero then.
  void reset(uint32_t first, uint32_t count) { resetIn(root, levels, 0, first, first + count); }

  /// Copies of one array, neither changed since: then they are equal. (Equal ones need not be the same.)
  bool isSame(const PersistentArray &other) const { return root == other.root; }

  /// Calls function(index, value here, value there) where the two differ.
  template <typename Function> void forDifferences(const PersistentArray &other, Function &&function) const {
    compare(root, other.root, levels, 0, function);
  }
  /// Calls function(index, value here, value there) where they are not both zero, in shared parts too.
  template <typename Function> void forBoth(const PersistentArray &other, Function &&function) const {
    walk(root, other.root, levels, 0, function);
  }

private:
  static constexpr uint32_t leaf_size = 1u << NodePool::leaf_bits, fan_out = 1u << NodePool::inner_bits;
  static constexpr unsigned shiftOf(unsigned level) { return NodePool::leaf_bits + (level - 1) * NodePool::inner_bits; }
  static constexpr uint32_t childAt(uint32_t i, unsigned level) { return i >> shiftOf(level) & (fan_out - 1); }

  /// Makes `node` one that this array alone owns.
  Node *own(Node *&node, unsigned level) {
    if (!node)
      return node = pool->make();
    if (node->owners == 1)
      return node;
    Node *copy = pool->make();
    if (level) {
      copy->children = node->children;
      for (Node *child : copy->children)
        if (child)
          ++child->owners;
    } else {
      copy->values = node->values;
    }
    --node->owners;
    return node = copy;
  }

  /// Of the part from `base` on: zero what lies in [first, last).
  void resetIn(Node *&node, unsigned level, uint32_t base, uint32_t first, uint32_t last) {
    if (!node)
      return;
    if (level) {
      const uint32_t size = 1u << shiftOf(level);
      const uint32_t begin = first > base ? (first - base) >> shiftOf(level) : 0;
      bool is_one_gone = false;
      for (uint32_t c = begin; c < fan_out && base + c * size < last; ++c)
        if (node->children[c]) {
          Node *&child = own(node, level)->children[c];
          resetIn(child, level - 1, base + c * size, first, last);
          is_one_gone |= !child;
        }
      if (!is_one_gone ||
          std::any_of(node->children.begin(), node->children.end(), [](const Node *child) { return child; }))
        return;
    } else {
      const uint32_t begin = first > base ? first - base : 0, end = std::min(last - base, leaf_size);
      if (std::all_of(node->values.begin() + begin, node->values.begin() + end, [](uint32_t v) { return !v; }))
        return;
      own(node, 0);
      std::fill(node->values.begin() + begin, node->values.begin() + end, 0);
      if (std::any_of(node->values.begin(), node->values.end(), [](uint32_t v) { return v; }))
        return;
    }
    pool->release(std::exchange(node, nullptr), level);
  }

  template <typename Function>
  static void compare(const Node *a, const Node *b, unsigned level, uint32_t first, Function &&function) {
    if (a == b)
      return;
    if (level) {
      for (uint32_t c = 0; c < fan_out; ++c)
        compare(a ? a->children[c] : nullptr, b ? b->children[c] : nullptr, level - 1, first + (c << shiftOf(level)),
                function);
      return;
    }
    for (uint32_t i = 0; i < leaf_size; ++i) {
      uint32_t x = a ? a->values[i] : 0, y = b ? b->values[i] : 0;
      if (x != y)
        function(first + i, x, y);
    }
  }
  template <typename Function>
  static void walk(const Node *a, const Node *b, unsigned level, uint32_t first, Function &&function) {
    if (!a && !b)
      return;
    for (uint32_t c = 0; level && c < fan_out; ++c)
      walk(a ? a->children[c] : nullptr, b ? b->children[c] : nullptr, level - 1, first + (c << shiftOf(level)),
           function);
    for (uint32_t i = 0; !level && i < leaf_size; ++i) {
      uint32_t x = a ? a->values[i] : 0, y = b ? b->values[i] : 0;
      if (x | y)
        function(first + i, x, y);
    }
  }

  NodePool *pool;
  Node *root = nullptr;
  unsigned levels = 0;
};

} // namespace verilocc::checker
