// Which threads an instruction acts on: the classes of threads that the lane masks of the reference program tell apart.
//
// The threads of a wave are partitioned into classes; all threads of a class belong to the same masks. A mask is a
// scalar (a vreg of the wave's width, or a physical register) whose value reaches EXEC; only those are followed. So
// every followed mask is a union of classes, and And, Or, Xor, AndNot on masks are the same operations on sets of
// classes, exact. A compare splits each active class into those for which it holds and the others; a mask of unknown
// origin splits every class when it is first used. Classes that no live mask tells apart are merged.
#pragma once

#include "problem/problem.h"

#include <unordered_map>
#include <vector>

namespace verilocc::checker {

/// One bit for each followed mask; bit 0 is EXEC. Masks that are never in use at once share a bit.
using MaskBits = std::vector<uint64_t>;
constexpr unsigned exec_mask = 0;

inline bool testBit(const MaskBits &bits, unsigned i) {
  return bits[i / 64] >> (i % 64) & 1;
}
inline void setBit(MaskBits &bits, unsigned i, bool value) {
  if (value)
    bits[i / 64] |= uint64_t(1) << (i % 64);
  else
    bits[i / 64] &= ~(uint64_t(1) << (i % 64));
}

struct ThreadClass {
  /// Two bits a mask: whether the class is in it (first half), and whether that is not known (second half; then the
  /// first is 0). Of EXEC it is always known.
  MaskBits member;
  uint32_t group = 0; ///< index of the relation that holds for it; the caller's

  bool isActive() const { return testBit(member, exec_mask); }
};

class ExecMasks {
public:
  explicit ExecMasks(const problem::Problem &problem);

  unsigned numMasks() const { return num_masks; }
  unsigned numWords() const { return (num_masks + 63) / 64; }

  /// True if the instruction writes a followed mask (EXEC among them).
  bool isMaskInst(problem::InstId inst) const { return effect_of[inst] >= 0; }
  bool writesExec(problem::InstId inst) const {
    return isMaskInst(inst) && (effects[effect_of[inst]].writes_exec || effects[effect_of[inst]].def == int(exec_mask));
  }
  /// Applies the instruction: updates memberships, may split classes (a split copies the group number). Returns the
  /// number of masks of unknown origin it met.
  unsigned apply(problem::InstId inst, std::vector<ThreadClass> &classes) const;
  /// The classes at entry: threads inside EXEC and outside, in no other mask for certain.
  std::vector<ThreadClass> entryClasses() const;

  /// Masks that may be read before they are written: after a mask instruction, and at a block's start. EXEC is always
  /// in.
  const MaskBits &liveAfter(problem::InstId inst) const { return live_after[effect_of[inst]]; }
  const MaskBits &liveIn(problem::BlockId block) const { return live_in[block]; }

  /// Gives up what is known of a mask; classes are split again when it is next used.
  void forget(unsigned mask, std::vector<ThreadClass> &classes, bool active_only = false) const;
  /// Forgets of `to` what `from` has otherwise, so that one class can stand for both. Both active or both not.
  void generalise(ThreadClass &to, const ThreadClass &from) const;
  /// Forgets masks that are not live.
  void restrict(ThreadClass &thread_class, const MaskBits &live) const;

private:
  struct Source {
    enum class Kind : uint8_t { None, Mask, Constant, Unknown } kind = Kind::None;
    unsigned mask = 0;
    int64_t constant = 0;
  };
  struct Effect {
    problem::MaskOp op = problem::MaskOp::None;
    int def = -1;             ///< the mask `d`, -1 if not followed
    bool writes_exec = false; ///< other than as `d`
    bool undefined = false;
    Source a, b;
    std::vector<unsigned> unknown; ///< other masks that it overwrites
  };

  void shareNumbers();
  void split(unsigned mask, bool active_only, std::vector<ThreadClass> &classes) const;
  unsigned resolve(const Source &source, std::vector<ThreadClass> &classes) const;
  bool isUnknown(const ThreadClass &c, unsigned mask) const { return testBit(c.member, mask + 64 * numWords()); }
  void setKnown(ThreadClass &c, unsigned mask, bool value) const {
    setBit(c.member, mask, value);
    setBit(c.member, mask + 64 * numWords(), false);
  }

  unsigned num_masks = 1;
  std::vector<int32_t> effect_of;
  std::vector<Effect> effects;
  std::vector<MaskBits> live_after, live_in;
};

} // namespace verilocc::checker
