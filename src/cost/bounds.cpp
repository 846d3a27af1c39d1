#include "cost/bounds.h"

#include "cost/shape.h"

#include <algorithm>
#include <array>
#include <map>

namespace verilocc::cost {

using namespace problem;

namespace {

/// A source: its vreg, or the common name of all fixed registers, whose base is 0; and its place from that base.
struct Source {
  uint32_t owner;
  unsigned lane;
};
constexpr uint32_t fixed_owner = ~0u;

struct Reader {
  double weight; ///< cycles if it pays once
  bool is_wmma;
  std::vector<Source> sources;
};

using Owners = std::pair<uint32_t, uint32_t>;
/// Cycles at stake by (base of the second - base of the first) mod 4: those of instructions that would meet then.
using Classes = std::array<double, 4>;

struct Pair {
  Owners owners;
  unsigned distance; ///< of the bases, mod 4, at which the two registers share a bank
};

Pair pairOf(Source a, Source b) {
  if (a.owner > b.owner)
    std::swap(a, b);
  return {{a.owner, b.owner}, (a.lane - b.lane) % 4};
}

double rarest(const Classes &classes) {
  return *std::min_element(classes.begin(), classes.end());
}

std::vector<Reader> readersOf(const Problem &problem, const Rules &rules) {
  std::vector<Reader> readers;
  const std::vector<Shape> shapes = shapesOf(problem);
  for (const Block &block : problem.blocks)
    for (InstId i = block.first; i < block.last; ++i) {
      const Shape &shape = shapes[i];
      const bool valu = rules.valu_banks && (shape.kind == ShapeKind::Valu || shape.kind == ShapeKind::Dual);
      const bool wmma = rules.wmma_banks && shape.kind == ShapeKind::Wmma;
      if (!valu && !wmma)
        continue;
      Reader reader{block.frequency * (wmma ? rules.wmma_conflict : 1), wmma, {}};
      const auto add = [&](uint32_t operand) {
        const Operand &op = problem.operands[operand];
        // Undefined registers may be any, and so one that is read already. AGPRs have no banks here.
        if (op.has(operand_flag::Undef) ||
            (op.fixed ? op.reg >= first_agpr : problem.classOf(op.reg).bases._Find_next(first_agpr - 1) < first_sgpr))
          return;
        const Source source = op.fixed ? Source{fixed_owner, op.reg} : Source{op.reg, op.first_lane};
        const auto same = [&](const Source &s) { return s.owner == source.owner && s.lane == source.lane; };
        if (wmma || std::none_of(reader.sources.begin(), reader.sources.end(), same))
          reader.sources.push_back(source);
      };
      for (unsigned s = 0; s < shape.num_sources; ++s)
        add(shape.sources[s]);
      if (wmma && shape.num_sources == 2 && shape.def != no_operand)
        add(shape.def);
      if (reader.sources.size() > 1)
        readers.push_back(std::move(reader));
    }
  return readers;
}

} // namespace

BankBound bankBound(const Problem &problem, const Rules &rules) {
  const std::vector<Reader> readers = readersOf(problem, rules);
  BankBound bound;
  std::map<Owners, Classes> everything;
  const auto pairsOf = [&](const Reader &reader) {
    std::vector<Pair> pairs;
    for (size_t a = 0; a < reader.sources.size(); ++a)
      for (size_t b = a + 1; b < reader.sources.size(); ++b)
        pairs.push_back(pairOf(reader.sources[a], reader.sources[b]));
    return pairs;
  };
  for (const Reader &reader : readers)
    for (const Pair &pair : pairsOf(reader))
      everything[pair.owners][pair.distance] += reader.weight;

  // Each reader counts for the pairs that are hardest to keep apart; those of one owner cannot be kept apart at all.
  std::map<Owners, Classes> counted[2];
  for (const Reader &reader : readers) {
    std::vector<Pair> pairs = pairsOf(reader);
    const auto share = [&](const Pair &pair) {
      if (pair.owners.first == pair.owners.second)
        return pair.distance == 0 ? 2.0 : -1.0;
      const Classes &classes = everything[pair.owners];
      double sum = 0;
      for (double weight : classes)
        sum += weight;
      return rarest(classes) / sum;
    };
    std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair &a, const Pair &b) { return share(a) > share(b); });
    const size_t most = reader.is_wmma ? 1 : reader.sources.size() - 1;
    for (size_t p = 0; p < std::min(most, pairs.size()); ++p) {
      const Pair &pair = pairs[p];
      if (pair.owners.first != pair.owners.second)
        counted[reader.is_wmma][pair.owners][pair.distance] += reader.weight;
      else if (pair.distance == 0)
        (reader.is_wmma ? bound.conflicts : bound.stalls) += reader.weight;
    }
  }
  for (const auto &[owners, classes] : counted[0])
    bound.stalls += rarest(classes);
  for (const auto &[owners, classes] : counted[1])
    bound.conflicts += rarest(classes);
  return bound;
}

} // namespace verilocc::cost
