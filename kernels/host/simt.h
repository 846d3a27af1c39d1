// Runs a kernel on the CPU: each work-item is a fibre, barriers and cross-lane operations are the points where it
// waits.
//
// Problem: the reference tests must run the kernels' own source, barriers, shuffles and matrix instructions included.
// Idea: work-groups run one after another; inside one, the scheduler resumes fibres in order until each waits or ended.
// Then either every live lane of some wave waits at the same collective (it is computed, the wave goes on), or every
// live work-item waits at the barrier (all go on), or the kernel is wrong: launch() says where. Invariants: one launch
// at a time in a process; no exception may leave a work-item.
#pragma once
#include <functional>
#include <string>

namespace verilocc::simt {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

struct Thread {
  Dim3 thread, block, block_dim, grid_dim;
  unsigned lane = 0;
};

// The work-item that runs now; valid only inside launch().
extern const Thread *current;

constexpr unsigned kMaxLanes = 64;

// The operands of one collective: null for lanes that ended or do not exist.
struct WaveView {
  unsigned lanes = 0;
  const void *in[kMaxLanes] = {};
  void *out[kMaxLanes] = {};
};

// Waits until every live work-item of the work-group is here.
void barrier();

// Waits until every live lane of the wave is here with the same `what` (compared as text), runs `compute` once.
void collective(const char *what, const void *in, void *out, void (*compute)(const WaveView &));

// Runs `body` once for each work-item. Empty on success, else what went wrong and where (barrier or collective that not
// all lanes reach). `wave` is 32 or 64.
std::string launch(Dim3 grid, Dim3 block, unsigned wave, const std::function<void()> &body);

} // namespace verilocc::simt
