// Executes the two programs of a Code side by side along a path of blocks, and stops where they differ.
//
// Each instruction of the Problem runs in the reference memory, and unless deleted in the allocated one; an inserted
// instruction runs in the allocated memory alone. Inputs are compared before anything is written. As long as they agree
// the results are computed once.
#pragma once

#include "interp/code.h"
#include "interp/hashing.h"
#include "interp/interp.h"

#include <span>
#include <vector>

namespace verilocc::interp {

/// Traced: notes who wrote each word, so that a difference can be explained; slower.
template <bool Traced> class Machine {
public:
  /// The arguments must outlive the Machine.
  Machine(const problem::Problem &problem, const Code &code, bool strict);

  /// Runs from a fresh state made of `seed`; `path` numbers the path of its seed. Returns false at a difference; if
  /// Traced it is described in `difference`.
  bool run(std::span<const problem::BlockId> blocks, uint64_t seed, unsigned path, Difference &difference);

  uint64_t instructions() const { return num_instructions; }

private:
  /// Whose values: the reference's, the allocated program's at an instruction of the Problem, or those of an edit.
  enum class Side { Ref, Alloc, Edit };

  /// Hashes of what an instruction reads: of its scalars, and of each active thread's values.
  struct Inputs {
    uint64_t scalars;
    bool has_vectors;
    uint64_t threads[max_threads];
  };
  struct Masks {
    uint64_t def[32];
    uint64_t exec[2];
    bool writes_exec;
  };

  void enter(uint64_t seed, unsigned path);
  void updateExec();
  uint64_t activeOf(const std::vector<uint64_t> &memory) const;
  uint64_t readersOf(const CodeInst &inst, unsigned o, uint64_t threads, uint64_t active) const;
  uint64_t threadsOf(const CodeInst &inst, uint64_t active) const {
    return inst.inst->has(problem::inst_flag::AllThreads) ? all_threads : active;
  }

  bool runInst(const CodeInst &inst);
  bool runEdit(const CodeInst &inst);
  bool compareInputs(const CodeInst &inst, bool &same);
  bool compareExec(const CodeInst &inst, bool &same);

  template <Side S> const Place &placeOf(const CodeOperand &op) const { return S == Side::Ref ? op.ref : op.alloc; }
  template <Side S> std::vector<uint64_t> &memoryOf() { return S == Side::Ref ? ref : alloc; }
  template <Side S> uint64_t raw(const CodeOperand &op, unsigned lane, unsigned thread);
  template <Side S> uint64_t input(const CodeOperand &op, unsigned lane, unsigned thread);
  template <Side S> void put(uint32_t word, uint64_t value);
  template <Side S> void gather(const CodeInst &inst, uint64_t threads, Inputs &inputs);
  uint64_t scalarResult(const Inputs &inputs, uint64_t threads) const;
  template <Side S> void computeMasks(const CodeInst &inst, uint64_t scalar, Masks &masks);
  template <Side S> void writeDefs(const CodeInst &inst, uint64_t threads, const Inputs &inputs, const Masks *masks);
  template <Side S> void move(const CodeInst &inst, uint64_t threads);
  template <Side S> void copy(const CodeInst &inst, uint64_t threads);
  template <Side S> void exchange(const CodeInst &inst, uint64_t threads);
  template <Side S> void spill(const CodeInst &inst, uint64_t threads);
  template <Side S> void reload(const CodeInst &inst, uint64_t threads);
  template <Side S> void writeLane(const CodeInst &inst);
  template <Side S> void readLane(const CodeInst &inst);
  template <Side S> void clobber(const CodeInst &inst, uint64_t threads);
  void undefine(const CodeInst &inst, uint64_t threads);
  void startUndefined(const CodeInst &inst, uint64_t threads);

  void explain(const CodeInst &inst, Difference::Kind kind);
  void explainInput(const CodeInst &inst, const CodeOperand &op, unsigned lane, int thread);
  void findHolder(uint64_t value, int thread);

  const problem::Problem &problem;
  const Code &code;
  const bool strict;
  std::vector<uint64_t> ref, alloc;
  std::vector<Writer> ref_writer, alloc_writer; ///< if Traced
  std::vector<uint64_t> buffer;                 ///< what a move carries
  Place exec;
  uint64_t all_threads = 0, ref_active = 0, alloc_active = 0;
  bool exec_differs = false;
  uint64_t path_seed = 0;
  unsigned mask_density = 0; ///< how many hashes a compare's result ors
  uint64_t effects = 0;      ///< side effects so far
  uint64_t num_instructions = 0;
  Writer now;
  Difference *difference = nullptr;
};

} // namespace verilocc::interp
