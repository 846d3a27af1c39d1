// Stable radix sort of 32-bit keys of one row in one work-group, P_BITS bits a pass.
//
// Each pass: waves rank their keys among equal digits by ballots, counts go to LDS, a scan over (digit, wave) gives
// each key its place, keys move through LDS. (Merrill and Grimshaw, Revisiting sorting for GPGPU stream architectures,
// 2010.) Parameters: P_THREADS; P_BITS digits of 1 to 5 bits; P_KEY_BITS sorted low bits of the key. Launch: P_THREADS
// work-items; grid (rows); rows of at most THREADS keys.
#include "wave.h"
using namespace verilocc::kernels;

namespace {

template <int THREADS, int BITS, int KEY_BITS> DEVICE void sort(u32 *RESTRICT keys, int columns) {
  constexpr int DIGITS = 1 << BITS, WAVES = THREADS / WAVE_SIZE;
  SHARED int counts[DIGITS][WAVES];
  SHARED u32 lds[THREADS];
  keys += (i64)blockX() * columns;
  int thread = threadX();
  u32 key = thread < columns ? keys[thread] : ~0u;
  NO_UNROLL
  for (int shift = 0; shift < KEY_BITS; shift += BITS) {
    int digit = (int)(key >> shift & (DIGITS - 1));
    u64 equal = ~0ull;
    UNROLL
    for (int bit = 0; bit < BITS; ++bit) {
      u64 with = ballot(digit >> bit & 1);
      equal &= digit >> bit & 1 ? with : ~with;
    }
    if (WAVE_SIZE == 32)
      equal &= 0xffffffffull;
    int rank = bitsBelow(equal);
    for (int i = thread; i < DIGITS * WAVES; i += THREADS)
      counts[i / WAVES][i % WAVES] = 0;
    barrier();
    if (rank == 0)
      counts[digit][waveId()] = __builtin_popcountll(equal);
    barrier();
    int before = rank;
    for (int d = 0; d <= digit; ++d) {
      UNROLL
      for (int w = 0; w < WAVES; ++w)
        before += d < digit || w < waveId() ? counts[d][w] : 0;
    }
    lds[before] = key;
    barrier();
    key = lds[thread];
    barrier();
  }
  if (thread < columns)
    keys[thread] = key;
}

} // namespace

KERNEL(P_THREADS)(u32 *RESTRICT keys, int columns) {
  sort<P_THREADS, P_BITS, P_KEY_BITS>(keys, columns);
}
