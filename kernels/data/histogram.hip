// Histogram of bytes with atomics: counters in LDS, one copy a group of lanes, added to memory at the end.
//
// Parameters: P_THREADS; P_COPIES copies of the 256 counters in LDS; P_MATCH 1: lanes with equal bytes are found by
// ballots
//   and only the first of them adds, for inputs with few values.
// Launch: P_THREADS work-items, any grid. Input is dwords of 4 bytes.
#include "wave.h"
using namespace verilocc::kernels;

namespace {

// The lanes of the wave whose `value` has this lane's low 8 bits; `valid` lanes only.
DEVICE u64 lanesWithEqualByte(u32 value, bool valid) {
  u64 equal = ballot(valid);
  UNROLL
  for (int bit = 0; bit < 8; ++bit) {
    bool set = value >> bit & 1;
    u64 with = ballot(set);
    equal &= set ? with : ~with;
  }
  return equal;
}

template <int THREADS, int COPIES, bool MATCH>
DEVICE void histogram(const u32 *RESTRICT in, u32 *RESTRICT out, int count) {
  SHARED u32 counters[COPIES][256];
  for (int i = threadX(); i < COPIES * 256; i += THREADS)
    counters[i / 256][i % 256] = 0;
  barrier();
  u32 *mine = counters[threadX() % COPIES];
  int step = gridSize();
  for (int first = blockX() * THREADS; first < count; first += step) {
    int place = first + threadX();
    bool valid = place < count;
    u32 packed = in[valid ? place : count - 1];
    UNROLL
    for (int byte = 0; byte < 4; ++byte) {
      u32 value = packed >> 8 * byte & 255u;
      if constexpr (MATCH) {
        u64 equal = lanesWithEqualByte(value, valid);
        if (valid && bitsBelow(equal) == 0)
          atomicAdd(&counters[waveId() % COPIES][value], (u32)__builtin_popcountll(equal));
      } else if (valid) {
        atomicAdd(&mine[value], 1u);
      }
    }
  }
  barrier();
  for (int value = threadX(); value < 256; value += THREADS) {
    u32 sum = 0;
    UNROLL
    for (int c = 0; c < COPIES; ++c)
      sum += counters[c][value];
    if (sum)
      atomicAdd(&out[value], sum);
  }
}

} // namespace

#ifndef P_MATCH
#define P_MATCH 0
#endif

KERNEL(P_THREADS)(const u32 *RESTRICT in, u32 *RESTRICT out, int count) {
  histogram<P_THREADS, P_COPIES, P_MATCH>(in, out, count);
}
