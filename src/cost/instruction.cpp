#include "cost/instruction.h"

#include <algorithm>

namespace verilocc::cost {

using namespace problem;

namespace {

constexpr unsigned num_banks = 4;

bool isVgpr(RegUnit unit) {
  return unit < first_agpr;
}

/// Source by source, for VOPD: both VGPRs, and of one bank.
bool sameBank(RegUnit a, RegUnit b) {
  return isVgpr(a) && isVgpr(b) && a % num_banks == b % num_banks;
}

struct Run {
  unsigned first = 0, size = 0; ///< size 0: none

  bool meets(Run other) const {
    return size && other.size && first < other.first + other.size && other.first < first + size;
  }
  bool operator==(const Run &) const = default;
};

Run runOf(uint32_t operand, const Locator &where) {
  const RegUnit unit = where(operand);
  return unit == no_unit ? Run{} : Run{unit, where.width(operand)};
}

/// Rows of "MFMA wait states" for one matrix instruction.
struct Waits {
  unsigned exact, partial, use, over_c;
};

Waits waitsOf(MatrixWaits table, const Shape &mfma) {
  const unsigned passes = mfma.passes;
  const unsigned exact = passes == 2 ? 2 : 0;
  if (table == MatrixWaits::Gfx90a)
    return passes <= 2 ? Waits{exact, 2, 5, 1} : passes <= 8 ? Waits{exact, 8, 11, 7} : Waits{exact, 16, 19, 15};
  const unsigned over_c = passes <= 2 ? 1 : passes <= 4 ? 3 : passes <= 8 ? 7 : 15;
  // The row is that of the XDL forms; the others finish one pass earlier (LLVM's hazard recogniser, "SMFMA").
  const unsigned n = mfma.xdl ? passes : passes - 1;
  return {exact, n + 1, n + 3, over_c};
}

} // namespace

unsigned bankStalls(const Rules &rules, const Shape &shape, const Locator &where) {
  if (!rules.valu_banks || (shape.kind != ShapeKind::Valu && shape.kind != ShapeKind::Dual))
    return 0;
  RegUnit seen[3];
  unsigned num_seen = 0, of_bank[num_banks] = {}, stalls = 0;
  for (unsigned s = 0; s < shape.num_sources; ++s) {
    const RegUnit unit = where(shape.sources[s]);
    if (!isVgpr(unit) || std::find(seen, seen + num_seen, unit) != seen + num_seen)
      continue;
    seen[num_seen++] = unit;
    stalls += of_bank[unit % num_banks]++ > 0;
  }
  return std::min(stalls, rules.max_bank_stalls);
}

bool wmmaConflict(const Shape &shape, const Locator &where) {
  if (shape.num_sources < 2)
    return false;
  const RegUnit a = where(shape.sources[0]), b = where(shape.sources[1]);
  const RegUnit c = where(shape.num_sources > 2 ? shape.sources[2] : shape.def);
  return sameBank(a, b) || sameBank(a, c) || sameBank(b, c);
}

bool banksPair(const Shape &x, const Shape &y, const Locator &where) {
  if (x.only_y && y.only_y)
    return false;
  const RegUnit x_def = where(x.def), y_def = where(y.def);
  if (x_def == no_unit || y_def == no_unit || x_def % 2 == y_def % 2)
    return false;
  return !sameBank(where(x.src0), where(y.src0)) && !sameBank(where(x.src1), where(y.src1));
}

unsigned maxWaitStates(const Rules &rules) {
  return rules.matrix_waits == MatrixWaits::None ? 0 : 19;
}

unsigned waitStates(const Rules &rules, const Shape &mfma, const Shape &inst, const Locator &where) {
  if (rules.matrix_waits == MatrixWaits::None || mfma.passes == 0 || inst.kind == ShapeKind::Other)
    return 0;
  const Waits waits = waitsOf(rules.matrix_waits, mfma);
  const Run d = runOf(mfma.def, where);
  unsigned need = 0;
  for (unsigned s = 0; s < inst.num_sources; ++s) {
    const Run source = runOf(inst.sources[s], where);
    if (!source.meets(d))
      continue;
    const bool is_c = inst.kind == ShapeKind::Mfma && s == 2;
    need = std::max(need, !is_c ? waits.use : source == d ? waits.exact : waits.partial);
  }
  if (inst.kind == ShapeKind::Mfma)
    return need;
  const Run written = runOf(inst.def, where);
  if (written.meets(d))
    need = std::max(need, waits.use);
  if (mfma.num_sources > 2 && written.meets(runOf(mfma.sources[2], where)))
    need = std::max(need, waits.over_c);
  return need;
}

CopyCost copyCost(const Rules &rules, const Shape &shape, const Locator &where) {
  const RegUnit to = where(shape.def), from = where(shape.sources[0]);
  if (to == no_unit || from == no_unit || to == from)
    return {};
  const bool accum = fileOf(to) == RegFile::Accum || fileOf(from) == RegFile::Accum;
  const unsigned dwords = std::min(where.width(shape.def), where.width(shape.sources[0]));
  return {dwords * (accum ? rules.accum_move : rules.copy), accum};
}

} // namespace verilocc::cost
