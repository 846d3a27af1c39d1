#include "mir/register_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>

namespace verilocc::mir {

namespace {

using llvm::StringRef;
using problem::RegUnit;

struct NumberedFile {
  StringRef prefix;
  RegUnit first;
};
constexpr NumberedFile numbered_files[] = {
    {"VGPR", problem::first_vgpr},
    {"AGPR", problem::first_agpr},
    {"SGPR", problem::first_sgpr},
    {"TTMP", problem::first_ttmp},
};

/// Registers with a name instead of a number, in the order of their units. Generation suffixes are cut off before the
/// look-up, halves (_LO, _HI of a pair) are derived. A name that is not here is our bug: readers of new LLVM versions
/// add it at the end, so that old .ra files keep their meaning.
struct NamedRegister {
  StringRef name;
  RegUnit first;
  uint8_t width;
};
constexpr RegUnit misc(unsigned n) {
  return problem::first_misc + n;
}
constexpr NamedRegister named_registers[] = {
    {"VCC", problem::vcc_lo, 2},
    {"EXEC", problem::exec_lo, 2},
    {"M0", problem::m0, 1},
    {"SCC", problem::scc, 1},
    {"MODE", problem::mode, 1},
    {"FLAT_SCR", problem::flat_scr_lo, 2},
    {"XNACK_MASK", problem::xnack_mask_lo, 2},
    // A 64-bit null cannot be sgpr_null and its neighbour, which is exec_lo. Nothing can be read through it, so it may
    // as well be a pair of its own.
    {"SGPR_NULL64", misc(0), 2},
    {"SGPR_NULL_HI", misc(1), 1},
    {"SGPR_NULL", problem::sgpr_null, 1},
    {"SRC_SHARED_BASE", misc(2), 2},
    {"SRC_SHARED_LIMIT", misc(4), 2},
    {"SRC_PRIVATE_BASE", misc(6), 2},
    {"SRC_PRIVATE_LIMIT", misc(8), 2},
    {"SRC_POPS_EXITING_WAVE_ID", misc(10), 1},
    {"SRC_VCCZ", misc(11), 1},
    {"SRC_EXECZ", misc(12), 1},
    {"SRC_SCC", misc(13), 1},
    {"LDS_DIRECT", misc(14), 1},
    {"TBA", misc(15), 2},
    {"TMA", misc(17), 2},
    {"FP_REG", misc(19), 1},
    {"SP_REG", misc(20), 1},
    {"PC_REG", misc(21), 1},
    {"PRIVATE_RSRC_REG", misc(22), 1},
};

/// "VGPR4", "SGPR4_SGPR5", "TTMP0_gfx9plus": the common case, kept quick because every process reads all 9000 names.
bool parseNumbered(StringRef name, RegPlace &place) {
  const NumberedFile *file = llvm::find_if(numbered_files, [&](auto &f) { return name.starts_with(f.prefix); });
  size_t pos = 4; // length of every prefix
  if (file == std::end(numbered_files) || pos == name.size() || !llvm::isDigit(name[pos]))
    return false;
  unsigned index = 0;
  for (; pos < name.size() && llvm::isDigit(name[pos]); ++pos)
    index = 10 * index + static_cast<unsigned>(name[pos] - '0');
  place.first = static_cast<RegUnit>(file->first + index);
  place.width = static_cast<uint8_t>(1 + std::count(name.begin() + pos, name.end(), '_'));
  return true;
}

RegPlace placeOf(StringRef name) {
  RegPlace place;
  place.half = name.ends_with("16") && (name.consume_back("_LO16") || name.consume_back("_HI16"));
  if (llvm::isLower(name.back()))
    for (StringRef suffix : {"_gfxpre11", "_gfx11plus", "_gfx9plus", "_ci", "_vi"})
      name.consume_back(suffix);
  else
    name.consume_back("_gfxpre11");
  if (parseNumbered(name, place))
    return place;
  for (const NamedRegister &known : named_registers) {
    StringRef rest = name;
    if (!rest.consume_front(known.name))
      continue;
    place.first = known.first;
    place.width = known.width;
    if (rest.empty())
      return place;
    place.width = 1;
    if (rest == "_LO")
      return place;
    place.first = known.first + 1;
    if (rest == "_HI")
      return place;
  }
  std::fprintf(stderr, "verilocc: this LLVM has a register '%s' that the register table does not know\n",
               name.str().c_str());
  std::abort();
}

} // namespace

RegisterTable::RegisterTable(const llvm::TargetRegisterInfo &tri) {
  places.resize(tri.getNumRegs());
  for (unsigned reg = 1; reg < tri.getNumRegs(); ++reg) {
    places[reg] = placeOf(tri.getName(reg));
    if (places[reg].width == 1 && !places[reg].half)
      dword_list.push_back({places[reg].first, static_cast<llvm::MCPhysReg>(reg)});
  }
  std::sort(dword_list.begin(), dword_list.end(),
            [](const Dword &a, const Dword &b) { return std::pair(a.unit, a.reg) < std::pair(b.unit, b.reg); });

  lane_places.resize(tri.getNumSubRegIndices());
  for (unsigned index = 1; index < tri.getNumSubRegIndices(); ++index) {
    unsigned offset = tri.getSubRegIdxOffset(index), size = tri.getSubRegIdxSize(index);
    // The 16-bit sequences that TableGen invents for its own closure are no operand of any instruction.
    unsigned last_bit = offset + size - 1;
    lane_places[index] = {static_cast<uint8_t>(offset / 32), static_cast<uint8_t>(last_bit / 32 - offset / 32 + 1),
                          size % 32 != 0};
  }
}

const RegisterTable &RegisterTable::of(const llvm::TargetRegisterInfo &tri) {
  static const RegisterTable table(tri);
  assert(table.places.size() == tri.getNumRegs() && "registers of another target");
  return table;
}

problem::RegClass RegisterTable::classOf(const llvm::TargetRegisterClass &rc,
                                         const llvm::TargetRegisterInfo &tri) const {
  problem::RegClass result;
  result.name = tri.getRegClassName(&rc);
  unsigned bits = tri.getRegSizeInBits(rc);
  result.width = bits % 32 ? 0 : static_cast<uint8_t>(bits / 32);
  for (llvm::MCPhysReg reg : rc)
    result.bases.set(places[reg].first);
  return result;
}

llvm::MCRegister RegisterTable::registerAt(const llvm::TargetRegisterClass &rc, problem::RegUnit first) const {
  for (llvm::MCPhysReg reg : rc)
    if (places[reg].first == first)
      return reg;
  return {};
}

} // namespace verilocc::mir
