// One allocation as a game: the vregs in program order, and at each the places it may take, until all are decided.
//
// The idea: nothing illegal can be said. Before each decision the analysis offers up to eight places that fit, chosen
// so that each bank is represented, and writes down what distinguishes them (digest words, vocab.def); the answer is
// one of them. Then everything is recomputed. So the language needs no register numbers, is the same on every
// architecture, and a window of a few hundred tokens suffices. Who answers is nobody's business here: a model, a rule,
// a recorded answer.
//
// What can go wrong is a dead end: a vreg for which no place is left. It stays without a home, is counted, and the game
// goes on; rewind() takes decisions back for whoever wants to try again.
//
// Invariants: homes() is at any time an allocation in which no two live lanes share a unit and every class, constraint
// and limit is kept; the same answers give the same words and homes whatever was rewound in between (all that decides
// is an integer); memory is linear in the Problem, words are not kept.
//
// Not in the words: which vreg an answer binds (Problem and order say it), and vregs with one place to go (nothing to
// decide, they are placed silently).
#pragma once

#include "assignment/assignment.h"
#include "cost/placement.h"
#include "tokens/outlook.h"
#include "tokens/plan.h"
#include "tokens/room.h"
#include "tokens/vocab.h"

#include <memory>
#include <string>

namespace verilocc::tokens {

/// The words about the problem as a whole stand before every so many decisions, so that a window of any length has
/// them.
constexpr unsigned decisions_a_head = 16;

struct EpisodeOptions {
  bool vectors = true, scalars = true; ///< which vregs are decided; the others stay as given
  /// Registers that may be used, besides what the MachineEnv allows.
  Limits limits = {};
  /// Homes that stand: empty, or by vreg, no_unit where to be decided. Those that do not fit are decided anew.
  assignment::Homes given = {};
  /// An allocation of the vectors, as whole as possible, by vreg: the plan (plan.h) from which dead ends are foretold.
  /// Empty: they are guessed from the next tuples to come.
  assignment::Homes plan = {};
  unsigned max_candidates = 6; ///< 1 to 8; from 4 on every bank that fits is represented
};

/// One place that fits.
struct Candidate {
  problem::RegUnit base = 0;
  Cycles cost = 0; ///< by which the placement's total would rise
  /// By which the plan as a whole would become dearer, in hot code with the pairs that LLVM would make of it; 0 without
  /// a plan, or where it breaks.
  Cycles plan = 0;
  Cycles ahead = 0;    ///< by which what partners without a place must at least lose would rise
  unsigned idle = 0;   ///< instructions since its registers were last live (Room::never)
  unsigned gap = 0;    ///< points by which the hole is larger than the life
  uint8_t borders = 0; ///< sides, of two, on which the next register is free too: 0 fills a hole, 2 splits one
  uint8_t leaves = 2;  ///< to the vregs to come: 0 for one of them no place is known, 1 not the planned ones, 2 all
  TokenId word = 0;
  /// What an answer is judged by at first sight.
  Cycles total() const { return cost + plan + ahead; }
};

/// Why a place was not offered.
enum class Exclusion : uint8_t {
  None,  ///< it was
  Class, ///< the class or an operand's constraint forbids it, or it is reserved
  Limit, ///< above the limits
  Tied,  ///< a tied operand demands another
  Fixed, ///< a physical register of the code is in the way
  VReg,  ///< a vreg that has a place is in the way
  Alike  ///< it fits, but one that is offered says the same or better
};
const char *name(Exclusion why);
struct Excluded {
  Exclusion why = Exclusion::None;
  std::vector<problem::VReg> vregs = {}; ///< in the way
};

/// What a decision came to.
struct Step {
  problem::VReg vreg = 0;
  problem::RegUnit home = problem::no_unit;
  uint8_t answer = 0;  ///< index into the candidates
  uint8_t offered = 0; ///< how many there were; 0: dead end; 1: nothing was asked
};

class Episode {
public:
  /// The first three must outlive it.
  Episode(const problem::Problem &problem, const analysis::LiveRanges &live, const cost::Rules &rules,
          EpisodeOptions options = {});
  ~Episode();
  Episode(Episode &&) noexcept;

  /// Goes to the next vreg with more than one place and appends all words up to where its answer is due; false at the
  /// end, after the word that says so. Call answer() between two calls.
  bool advance(std::vector<TokenId> &out);

  // While an answer is due:
  problem::VReg vreg() const;
  /// How many of the words last appended are this decision's; those before them (dead ends) stand if it is withdrawn.
  size_t ownWords() const;
  /// Those that the plan cannot follow first, then the dearest by total(), the cheapest last; no two have the same
  /// word. So the trivial policy is one word, take.back0, and is the rule `weighed`: what a model adds is where it says
  /// another.
  std::span<const Candidate> candidates() const;
  /// The words that answer, parallel to the candidates.
  TokenId answerWord(unsigned candidate) const;
  /// The candidate that `word` names, or -1.
  int candidateOf(TokenId word) const;
  void answer(unsigned candidate);
  /// Why `base` is not among the candidates.
  Excluded excluded(problem::RegUnit base) const;

  /// All that was decided so far, silently or not, dead ends among it.
  std::span<const Step> steps() const;
  /// The step to take back so that a dead end at step `dead` finds a place: of all places the one that is freed by
  /// taking back least, or, for `skip` above 0, that next after so many. Something was asked there. `nobody` if there
  /// is none.
  size_t blame(size_t dead, unsigned skip = 0) const;
  static constexpr size_t nobody = ~size_t(0);
  /// Takes back steps until `count` are left. Then advance() comes next.
  void rewind(size_t count);

  const assignment::Homes &homes() const; ///< no_unit: not yet, or a dead end
  unsigned deadEnds() const;
  /// Executions of the instructions that name their vregs.
  double deadEndWeight() const;
  /// Of the placement so far.
  double cost() const;
  /// What it will come to, as far as is known: with a plan, the plan's cost; without, that of the placement and what
  /// the vregs without a place will at least lose to banks that are settled already.
  double outcome() const;
  const Outlook &outlook() const;
  /// Vregs that the plan has no place for; 0 without one. Does not fall while an episode is played.
  unsigned unplanned() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// The candidate whose cost now is least; the first of them.
unsigned cheapest(std::span<const Candidate> candidates);
/// Of those that leave room to tuples to come, if any does, the cheapest now; among equals the one that is foreseen to
/// cost others least, then the one that fills a hole.
unsigned foresighted(std::span<const Candidate> candidates);
/// As foresighted, but filling holes comes before what is foreseen.
unsigned packed(std::span<const Candidate> candidates);
/// Of those that leave room the one whose total() is least, then the one that fills a hole: the last.
unsigned weighed(std::span<const Candidate> candidates);

} // namespace verilocc::tokens
