// The Problem: all that a register allocator or a checker needs to know of a function, as plain data.
//
// It is read from LLVM's MachineFunction (src/mir), from a .ra text file (text.h), or constructed. It holds the code
// before allocation, where virtual registers and fixed physical registers are the storage; the code after allocation is
// read into the same type (all operands fixed) and paired with it (src/validate).
//
// Invariants (checked by wellFormed): ids are indices into the vectors of the Problem; the instructions of a block are
// consecutive and blocks follow one another; block 0 is the entry; preds and succs agree; operands of an instruction
// are consecutive, explicit ones first as in the source.
#pragma once

#include "problem/registers.h"
#include "support/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace verilocc::problem {

using BlockId = uint32_t;
using InstId = uint32_t;
using VReg = uint32_t;
using ClassId = uint16_t;
constexpr ClassId no_class = 0xffff;
constexpr uint32_t no_slot = ~0u;
constexpr BlockId no_block = ~0u;

enum class InstKind : uint8_t {
#define INST_KIND(name, text) name,
#include "problem/kinds.def"
};
enum class MaskOp : uint8_t {
#define MASK_OP(name, text) name,
#include "problem/kinds.def"
};
enum class InstFlagIndex : uint8_t {
#define INST_FLAG(name, text) name,
#include "problem/kinds.def"
};
enum class OperandFlagIndex : uint8_t {
#define OPERAND_FLAG(name, text) name,
#include "problem/kinds.def"
};
namespace inst_flag {
#define INST_FLAG(name, text) constexpr uint16_t name = 1u << static_cast<unsigned>(InstFlagIndex::name);
#include "problem/kinds.def"
} // namespace inst_flag
namespace operand_flag {
#define OPERAND_FLAG(name, text) constexpr uint8_t name = 1u << static_cast<unsigned>(OperandFlagIndex::name);
#include "problem/kinds.def"
} // namespace operand_flag

/// A set of tuples that may hold a value: `width` consecutive units whose first unit is in `bases`.
/// Alignment and AV classes (VGPR or AGPR) are expressed by `bases`.
struct RegClass {
  std::string name;
  uint8_t width = 1; ///< units
  UnitSet bases;     ///< allowed first units, reserved registers included
  /// One value a thread (VGPRs, AGPRs); no class holds both those and scalars.
  bool isPerThread() const { return (bases << (num_units - first_sgpr)).any(); }
  bool operator==(const RegClass &) const = default;
};

/// The register file that a function may use.
struct MachineEnv {
  std::string arch; ///< "gfx1100"
  unsigned wave_size = 32;
  UnitSet reserved; ///< an allocator must not hand these out
  std::vector<RegClass> classes;
  /// Limits set for this function (occupancy attributes, amdgpu-num-vgpr): numbers of units from v0, a0, s0.
  unsigned max_vgprs = 256, max_agprs = 0, max_sgprs = 102;
  bool operator==(const MachineEnv &) const = default;
};

enum class Access : uint8_t { Use, Def };

/// One register operand. Lanes are dwords: an operand reads or writes lanes [first_lane, first_lane + num_lanes) of its
/// vreg. A fixed operand names units [reg, reg + num_lanes) and has first_lane 0.
struct Operand {
  uint32_t reg = 0; ///< VReg, or RegUnit if fixed
  bool fixed = false;
  Access access = Access::Use;
  uint8_t first_lane = 0;
  uint8_t num_lanes = 1;
  uint8_t flags = 0;             ///< operand_flag
  int8_t tied_to = -1;           ///< use: index within the instruction of the def that must have the same register
  ClassId constraint = no_class; ///< class that the accessed lanes must lie in
  /// Use: bit i if the instruction takes nothing from lane first_lane + i, for all its results: a shift by a constant,
  /// a packed operation that takes one half twice.
  uint32_t unread = 0;
  /// Use: bit i if LLVM's live intervals call lane first_lane + i undefined although the code does not say so. No proof
  /// rests on it: a checker may doubt where it would reject.
  uint32_t claimed_undefined = 0;

  bool isUse() const { return access == Access::Use; }
  bool isDef() const { return access == Access::Def; }
  bool has(uint8_t flag) const { return flags & flag; }
  bool operator==(const Operand &) const = default;
};

struct Inst {
  uint32_t opcode = 0;    ///< index into Problem::opcodes; for people, never for a proof
  uint64_t signature = 0; ///< hash of opcode and all non-register operands: equal signatures are the same operation
  InstKind kind = InstKind::Other;
  MaskOp mask_op = MaskOp::None;
  uint16_t flags = 0; ///< inst_flag
  uint32_t first_operand = 0;
  uint16_t num_operands = 0;
  uint8_t latency = 0;       ///< matrix: number of passes; Nop: wait states; else 0 (unknown)
  uint8_t lane = 0;          ///< LaneWrite, LaneRead: the lane of the VGPR
  uint32_t slot = no_slot;   ///< Spill, Reload: stack slot
  int32_t clobbers = -1;     ///< index into Problem::clobber_sets, -1 for none (calls)
  int64_t mask_constant = 0; ///< value of an immediate source of a mask operation; meaningful if mask_has_constant
  bool mask_has_constant = false;

  bool has(uint16_t flag) const { return flags & flag; }
  bool operator==(const Inst &) const = default;
};

struct Block {
  InstId first = 0, last = 0; ///< [first, last)
  std::vector<BlockId> succs, preds;
  double frequency = 1; ///< executions for one execution of the function
  uint16_t loop_depth = 0;
  /// The one of `succs`, if any, that is entered from here only with EXEC empty: by a branch on EXEC zero, or past a
  /// branch on EXEC not zero.
  BlockId empty_succ = no_block;
  bool operator==(const Block &) const = default;
};

struct Problem {
  std::string name;
  MachineEnv env;
  std::vector<ClassId> vregs; ///< class of each virtual register
  std::vector<Block> blocks;
  std::vector<Inst> insts;
  std::vector<Operand> operands;
  std::vector<std::string> opcodes; ///< interned names
  std::vector<UnitSet> clobber_sets;
  UnitSet live_in; ///< units with a meaning at entry

  std::span<const Operand> operandsOf(const Inst &inst) const {
    return {operands.data() + inst.first_operand, inst.num_operands};
  }
  const RegClass &classOf(VReg vreg) const { return env.classes[vregs[vreg]]; }
  unsigned widthOf(VReg vreg) const { return classOf(vreg).width; }
  bool isPerThread(const Operand &operand) const {
    return operand.fixed ? problem::isPerThread(static_cast<RegUnit>(operand.reg)) : classOf(operand.reg).isPerThread();
  }
  BlockId blockOf(InstId inst) const; ///< by binary search
  bool operator==(const Problem &) const = default;
};

/// Checks the invariants above and that every number is in range; the message names the place.
support::Status wellFormed(const Problem &problem);

const char *name(InstKind kind);
const char *name(MaskOp op);
const char *instFlagName(InstFlagIndex flag);
const char *operandFlagName(OperandFlagIndex flag);

} // namespace verilocc::problem
