// Which threads an instruction acts on: the classes of threads that the lane masks of the reference program tell apart.
//
// The threads of a wave are partitioned into classes; all threads of a class belong to the same masks. A mask is a
// scalar (a vreg of the wave's width, or a physical register) whose value reaches EXEC; only those are followed. So
// every followed mask is a union of classes, and And, Or, Xor, AndNot on masks are the same operations on sets of
// classes, exact. Where a program makes whole quads of masks (threads 4k to 4k+3 together, for derivatives), each mask
// is followed twice: whether it names the thread, and whether it names one of the thread's quad. A compare splits each
// active class into those for which it holds and the others; a mask of unknown origin splits every class when it is
// first used. Classes that no live mask tells apart are merged.
#pragma once

#include "problem/problem.h"

#include <array>
#include <bit>
#include <compare>
#include <vector>

namespace verilocc::checker {

/// One bit for each followed mask; bit 0 is EXEC. Masks that are never in use at once share a bit.
class MaskBits {
public:
  static constexpr unsigned size = 256;

  bool test(unsigned i) const { return words[i / 64] >> (i % 64) & 1; }
  void set(unsigned i, bool value = true) {
    const uint64_t bit = uint64_t(1) << (i % 64);
    words[i / 64] = value ? words[i / 64] | bit : words[i / 64] & ~bit;
  }
  template <typename Function> void forEach(Function &&function) const {
    for (unsigned w = 0; w < words.size(); ++w)
      for (uint64_t rest = words[w]; rest; rest &= rest - 1)
        function(w * 64 + static_cast<unsigned>(std::countr_zero(rest)));
  }
  auto operator<=>(const MaskBits &) const = default;

  friend MaskBits operator|(MaskBits a, const MaskBits &b) {
    for (unsigned w = 0; w < a.words.size(); ++w)
      a.words[w] |= b.words[w];
    return a;
  }
  friend MaskBits operator&(MaskBits a, const MaskBits &b) {
    for (unsigned w = 0; w < a.words.size(); ++w)
      a.words[w] &= b.words[w];
    return a;
  }
  friend MaskBits operator-(MaskBits a, const MaskBits &b) {
    for (unsigned w = 0; w < a.words.size(); ++w)
      a.words[w] &= ~b.words[w];
    return a;
  }
  friend MaskBits operator^(MaskBits a, const MaskBits &b) {
    for (unsigned w = 0; w < a.words.size(); ++w)
      a.words[w] ^= b.words[w];
    return a;
  }

private:
  std::array<uint64_t, size / 64> words{};
};
constexpr unsigned exec_mask = 0;

/// The masks that the threads of a class are in, and those of which that is not known (never both, and not EXEC).
struct Membership {
  MaskBits in, unknown;

  bool isActive() const { return in.test(exec_mask); }
  void set(unsigned mask, bool value) {
    in.set(mask, value);
    unknown.set(mask, false);
  }
  void forget(unsigned mask) {
    in.set(mask, false);
    unknown.set(mask);
  }
  /// Forgets what `other` has otherwise, so that one class can stand for both. Both active or both not.
  void generalise(const Membership &other) {
    unknown = unknown | other.unknown | (in ^ other.in);
    in = in - unknown;
  }
  /// Forgets all but the masks in `live`, EXEC among them.
  void restrict(const MaskBits &live) {
    in = in & live;
    unknown = unknown & live;
  }
  auto operator<=>(const Membership &) const = default;
};

struct ThreadClass {
  Membership member;
  uint32_t group = 0; ///< index of the relation that holds for it; the caller's

  bool isActive() const { return member.isActive(); }
};

/// What a write of EXEC can do to a thread.
enum class ExecChange : uint8_t { None, Narrows, Widens, Any };

class ExecMasks {
public:
  explicit ExecMasks(const problem::Problem &problem);

  /// At most MaskBits::size; were more in use at once, the value of some is unknown.
  unsigned numMasks() const { return num_masks; }

  /// True if the instruction writes a followed mask (EXEC among them).
  bool isMaskInst(problem::InstId inst) const { return effect_of[inst] >= 0; }
  bool writesExec(problem::InstId inst) const {
    return isMaskInst(inst) && (effects[effect_of[inst]].writes_exec || effects[effect_of[inst]].def == int(exec_mask));
  }
  ExecChange changeOf(problem::InstId inst) const {
    return isMaskInst(inst) ? effects[effect_of[inst]].change : ExecChange::None;
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

  /// True if a thread outside EXEC stays there for good unless one of the masks in `live` brings it back.
  bool staysOutside(const MaskBits &live) const { return !names_all_threads && live == only_exec; }

  /// Gives up what is known of a mask; classes are split again when it is next used.
  static void forget(unsigned mask, std::vector<ThreadClass> &classes, bool active_only = false);

private:
  struct Source {
    enum class Kind : uint8_t { None, Mask, Constant, Unknown } kind = Kind::None;
    unsigned mask = 0;
    int quads = -1; ///< the mask's whole quads; -1 if not followed
    int64_t constant = 0;
  };
  struct Effect {
    problem::MaskOp op = problem::MaskOp::None;
    int def = -1;             ///< the mask `d`, -1 if not followed
    int def_quads = -1;       ///< its whole quads
    bool writes_exec = false; ///< other than as `d`
    bool undefined = false;
    ExecChange change = ExecChange::None;
    Source a, b;
    std::vector<unsigned> unknown; ///< other masks that it overwrites

    template <typename Function> void forWritten(Function &&function) const {
      if (def > static_cast<int>(exec_mask))
        function(static_cast<unsigned>(def));
      if (def_quads >= 0)
        function(static_cast<unsigned>(def_quads));
      for (unsigned mask : unknown)
        function(mask);
    }
  };
  /// What is known of a class's quads in regard to a mask: that it names none of the quad, or one or more.
  struct QuadBounds {
    bool none = false, some = false;
  };

  /// Masks before numbers are shared.
  using WideBits = std::vector<uint64_t>;
  template <typename Function>
  void forEffectsBackwards(const problem::Block &block, WideBits &live, Function &&function) const;
  void findLive(const problem::Problem &problem);
  void findChanges(const problem::Problem &problem);
  std::vector<unsigned> sharedNumbers(const std::vector<std::vector<unsigned>> &apart, const WideBits &at_entry);
  static void split(unsigned mask, bool active_only, std::vector<ThreadClass> &classes);
  Source execSource() const { return {Source::Kind::Mask, exec_mask, exec_quads, 0}; }
  static QuadBounds quadsOf(const Source &source, const ThreadClass &c);
  QuadBounds resultQuads(const Effect &effect, const ThreadClass &c) const;
  static void setQuads(int quads, QuadBounds bounds, bool is_in, ThreadClass &c);
  static void resolveQuads(unsigned mask, int quads, std::vector<ThreadClass> &classes);
  static unsigned resolve(const Source &source, std::vector<ThreadClass> &classes);

  unsigned num_masks = 1;
  int exec_quads = -1; ///< the mask that stands for whole quads of EXEC; -1 if the program makes no whole quads
  MaskBits only_exec;
  bool names_all_threads = false; ///< somewhere EXEC is made of a constant other than 0, or of what is not followed
  std::vector<int32_t> effect_of;
  std::vector<Effect> effects;
  std::vector<MaskBits> live_after, live_in;
};

} // namespace verilocc::checker
