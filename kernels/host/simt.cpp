// See simt.h. Switching stacks takes a dozen instructions on x86-64 and AArch64; elsewhere ucontext does it.
#include "simt.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <vector>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace verilocc::simt {

const Thread *current = nullptr;

namespace {

constexpr size_t kStackBytes = 256 * 1024; // untouched pages cost nothing

enum class State : uint8_t { Ready, AtBarrier, AtCollective, Ended };

struct Fibre {
  Thread thread;
  State state = State::Ready;
  const char *what = nullptr;
  const void *in = nullptr;
  void *out = nullptr;
  void (*compute)(const WaveView &) = nullptr;
#if defined(__x86_64__) || defined(__aarch64__)
  void *stack_pointer = nullptr;
#else
  ucontext_t machine;
#endif
};

struct Machine {
  std::vector<Fibre> fibres;
  Fibre *running = nullptr;
  const std::function<void()> *body = nullptr;
  char *stacks = nullptr;
  size_t stack_count = 0;
#if defined(__x86_64__) || defined(__aarch64__)
  void *scheduler_stack_pointer = nullptr;
#else
  ucontext_t scheduler;
#endif

  ~Machine() {
    if (stacks)
      munmap(stacks, stack_count * kStackBytes);
  }
  void reserveStacks(size_t count) {
    if (count <= stack_count)
      return;
    if (stacks)
      munmap(stacks, stack_count * kStackBytes);
    void *memory =
        mmap(nullptr, count * kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      abort();
    stacks = static_cast<char *>(memory);
    stack_count = count;
  }
};

Machine machine;

#if defined(__x86_64__)
// Saves the callee-saved registers on the old stack, its pointer in *from, and continues on `to`.
extern "C" void verilocc_simt_switch(void **from, void *to);
asm(R"(
.text
.globl verilocc_simt_switch
.type verilocc_simt_switch, @function
verilocc_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size verilocc_simt_switch, .-verilocc_simt_switch
)");
constexpr size_t kReturnWord = 6, kFrameWords = 8;
#elif defined(__aarch64__)
extern "C" void verilocc_simt_switch(void **from, void *to);
asm(R"(
.text
.globl verilocc_simt_switch
.type verilocc_simt_switch, %function
verilocc_simt_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size verilocc_simt_switch, .-verilocc_simt_switch
)");
constexpr size_t kReturnWord = 11, kFrameWords = 20;
#endif

void toScheduler() {
#if defined(__x86_64__) || defined(__aarch64__)
  verilocc_simt_switch(&machine.running->stack_pointer, machine.scheduler_stack_pointer);
#else
  swapcontext(&machine.running->machine, &machine.scheduler);
#endif
}

void fibreMain() {
  (*machine.body)();
  machine.running->state = State::Ended;
  toScheduler();
  abort(); // an ended fibre is never resumed
}

void prepare(Fibre &fibre, char *stack) {
#if defined(__x86_64__) || defined(__aarch64__)
  // The first switch "returns" into fibreMain with the stack aligned as after a call.
  auto top = reinterpret_cast<uintptr_t>(stack + kStackBytes) & ~uintptr_t{15};
  auto *frame = reinterpret_cast<void **>(top) - kFrameWords;
  memset(frame, 0, kFrameWords * sizeof(void *));
  frame[kReturnWord] = reinterpret_cast<void *>(&fibreMain);
  fibre.stack_pointer = frame;
#else
  getcontext(&fibre.machine);
  fibre.machine.uc_stack.ss_sp = stack;
  fibre.machine.uc_stack.ss_size = kStackBytes;
  fibre.machine.uc_link = nullptr;
  makecontext(&fibre.machine, fibreMain, 0);
#endif
}

void resume(Fibre &fibre) {
  machine.running = &fibre;
  current = &fibre.thread;
#if defined(__x86_64__) || defined(__aarch64__)
  verilocc_simt_switch(&machine.scheduler_stack_pointer, fibre.stack_pointer);
#else
  swapcontext(&machine.scheduler, &fibre.machine);
#endif
  current = nullptr;
}

// Completes the collective of the wave at `first` if all its live lanes wait at one. False: they do not.
bool completeCollective(size_t first, size_t count) {
  WaveView view;
  const Fibre *leader = nullptr;
  for (size_t lane = 0; lane < count; ++lane) {
    Fibre &fibre = machine.fibres[first + lane];
    if (fibre.state == State::Ended)
      continue;
    if (fibre.state != State::AtCollective || (leader && strcmp(leader->what, fibre.what) != 0))
      return false;
    leader = leader ? leader : &fibre;
    view.in[lane] = fibre.in;
    view.out[lane] = fibre.out;
  }
  if (!leader)
    return false;
  view.lanes = static_cast<unsigned>(count);
  leader->compute(view);
  for (size_t lane = 0; lane < count; ++lane)
    if (machine.fibres[first + lane].state == State::AtCollective)
      machine.fibres[first + lane].state = State::Ready;
  return true;
}

std::string describeDeadlock() {
  const Fibre *one = nullptr;
  for (const Fibre &fibre : machine.fibres) {
    if (fibre.state == State::Ended)
      continue;
    if (!one) {
      one = &fibre;
      continue;
    }
    const char *a = one->state == State::AtBarrier ? "barrier" : one->what;
    const char *b = fibre.state == State::AtBarrier ? "barrier" : fibre.what;
    if (strcmp(a, b) != 0)
      return "work-item " + std::to_string(one->thread.thread.x) + " waits at " + a + ", work-item " +
             std::to_string(fibre.thread.thread.x) + " at " + b + ", work-group " + std::to_string(one->thread.block.x);
  }
  return "work-items wait for each other";
}

std::string runGroup(size_t wave) {
  auto &fibres = machine.fibres;
  for (;;) {
    for (Fibre &fibre : fibres)
      if (fibre.state == State::Ready)
        resume(fibre);
    bool progress = false;
    size_t live = 0, at_barrier = 0;
    for (size_t first = 0; first < fibres.size(); first += wave)
      progress |= completeCollective(first, std::min(wave, fibres.size() - first));
    for (const Fibre &fibre : fibres) {
      live += fibre.state != State::Ended;
      at_barrier += fibre.state == State::AtBarrier;
    }
    if (live == 0)
      return {};
    if (at_barrier == live) {
      for (Fibre &fibre : fibres)
        if (fibre.state == State::AtBarrier)
          fibre.state = State::Ready;
      progress = true;
    }
    if (!progress)
      return describeDeadlock();
  }
}

} // namespace

void barrier() {
  machine.running->state = State::AtBarrier;
  toScheduler();
}

void collective(const char *what, const void *in, void *out, void (*compute)(const WaveView &)) {
  Fibre &fibre = *machine.running;
  fibre.state = State::AtCollective;
  fibre.what = what;
  fibre.in = in;
  fibre.out = out;
  fibre.compute = compute;
  toScheduler();
}

std::string launch(Dim3 grid, Dim3 block, unsigned wave, const std::function<void()> &body) {
  assert(wave == 32 || wave == 64);
  size_t threads = size_t{block.x} * block.y * block.z;
  machine.reserveStacks(threads);
  machine.body = &body;
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        machine.fibres.assign(threads, Fibre{});
        for (size_t i = 0; i < threads; ++i) {
          Fibre &fibre = machine.fibres[i];
          auto n = static_cast<unsigned>(i);
          fibre.thread = {
              {n % block.x, n / block.x % block.y, n / block.x / block.y}, {x, y, z}, block, grid, n % wave};
          prepare(fibre, machine.stacks + i * kStackBytes);
        }
        if (std::string wrong = runGroup(wave); !wrong.empty())
          return wrong;
      }
  return {};
}

} // namespace verilocc::simt
