// Cross-lane operations: shuffles, ballots, reductions and scans of one wave, by four different hardware paths.
//
// Every function is collective: all lanes of the wave that have not ended must reach it together (the CPU build checks
// this and fails the test otherwise). Lane numbers count from 0 inside the wave.
// Source: the instructions' descriptions in the ISA guides of RDNA 2 to 4 and CDNA 2 and 3 (DS_BPERMUTE, DPP16, DPP8,
// DS_SWIZZLE, V_PERMLANEX16, V_READLANE, V_CMP as ballot).
#pragma once
#include "device.h"

KERNELS_BEGIN

#if defined(VERILOCC_HOST)
DEVICE int laneId() {
  return (int)simt::current->lane;
}

namespace lane_rules {
// The lane whose value lane `lane` receives; the host shuffles and reductions share one gather.
template <class T, class Rule> __attribute__((noinline)) T gather(const char *what, T value, Rule rule) {
  struct In {
    T value;
    Rule rule;
  } in{value, rule};
  T out{};
  simt::collective(what, &in, &out, [](const simt::WaveView &w) {
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      if (w.in[lane]) {
        int from = ((const In *)w.in[lane])->rule((int)lane, (int)w.lanes);
        // An inactive lane's register holds nothing that a kernel may rely on: its own value stands in.
        const void *source = from >= 0 && from < (int)w.lanes && w.in[from] ? w.in[from] : w.in[lane];
        *(T *)w.out[lane] = ((const In *)source)->value;
      }
  });
  return out;
}
} // namespace lane_rules

template <class T> DEVICE T shuffle(T value, int from) {
  return lane_rules::gather("shuffle", value, [from](int, int lanes) { return from & (lanes - 1); });
}
template <class T> DEVICE T shuffleXor(T value, int mask) {
  return lane_rules::gather("shuffleXor", value, [mask](int lane, int) { return lane ^ mask; });
}
template <int MASK, class T> DEVICE T swizzleXor(T value) {
  return shuffleXor(value, MASK);
}
template <int N, class T> DEVICE T rowShiftRight(T value, T fill) {
  T moved = lane_rules::gather("rowShiftRight", value, [](int lane, int) { return lane - N; });
  return laneId() % 16 < N ? fill : moved;
}
template <int MASK, class T> DEVICE T rowXor(T value) {
  return shuffleXor(value, MASK);
}
template <class T> DEVICE T firstLane(T value) {
  struct Out {
    T value;
  } out{};
  simt::collective("firstLane", &value, &out, [](const simt::WaveView &w) {
    const T *first = nullptr;
    for (unsigned lane = 0; lane < w.lanes; ++lane) {
      if (!first && w.in[lane])
        first = (const T *)w.in[lane];
      if (w.out[lane])
        *(T *)w.out[lane] = *first;
    }
  });
  return out.value;
}
template <class T> DEVICE T readLane(T value, int lane) {
  return lane_rules::gather("readLane", value, [lane](int, int) { return lane; });
}
DEVICE u64 ballot(bool predicate) {
  u64 out = 0;
  simt::collective("ballot", &predicate, &out, [](const simt::WaveView &w) {
    u64 mask = 0;
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      if (w.in[lane] && *(const bool *)w.in[lane])
        mask |= 1ull << lane;
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      if (w.out[lane])
        *(u64 *)w.out[lane] = mask;
  });
  return out;
}
#else
DEVICE int laneId() {
#if WAVE_SIZE == 64
  return (int)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
#else
  return (int)__builtin_amdgcn_mbcnt_lo(~0u, 0);
#endif
}

// Applies a 32-bit lane operation to each dword of a value.
template <class T, class Move> DEVICE T eachDword(T value, Move move) {
  if constexpr (sizeof(T) == 4) {
    return bitCast<T>(move(bitCast<int>(value)));
  } else {
    static_assert(sizeof(T) == 8);
    i32x2 dwords = bitCast<i32x2>(value);
    i32x2 moved = {move(dwords.x), move(dwords.y)};
    return bitCast<T>(moved);
  }
}

// Any lane's value, through the LDS crossbar.
template <class T> DEVICE T shuffle(T value, int from) {
  return eachDword(value, [from](int v) { return __builtin_amdgcn_ds_bpermute((from & (WAVE_SIZE - 1)) * 4, v); });
}
template <class T> DEVICE T shuffleXor(T value, int mask) {
  return shuffle(value, laneId() ^ mask);
}
// DS_SWIZZLE in bit-mask mode: lanes of one half of 32 exchange with no address register.
template <int MASK, class T> DEVICE T swizzleXor(T value) {
  static_assert(MASK > 0 && MASK < 32);
  return eachDword(value, [](int v) { return __builtin_amdgcn_ds_swizzle(v, (MASK << 10) | 0x1f); });
}
// DPP row_shr: lane i of each row of 16 gets lane i-N; the first N get `fill`.
template <int N, class T> DEVICE T rowShiftRight(T value, T fill) {
  static_assert(N > 0 && N < 16 && sizeof(T) == 4);
  return bitCast<T>(__builtin_amdgcn_update_dpp(bitCast<int>(fill), bitCast<int>(value), 0x110 + N, 0xf, 0xf, false));
}
// Exchange inside a row of 16 by DPP alone: quad_perm for 1, 2 and 3, row_half_mirror for 7, row_mirror for 15.
template <int MASK, class T> DEVICE T rowXor(T value) {
  constexpr int control = MASK == 1    ? 0xb1
                          : MASK == 2  ? 0x4e
                          : MASK == 3  ? 0x1b
                          : MASK == 7  ? 0x141
                          : MASK == 15 ? 0x140
                                       : -1;
  static_assert(control >= 0, "no DPP control for this mask");
  return eachDword(value, [](int v) { return __builtin_amdgcn_update_dpp(v, v, control, 0xf, 0xf, false); });
}
template <class T> DEVICE T firstLane(T value) {
  return eachDword(value, [](int v) { return __builtin_amdgcn_readfirstlane(v); });
}
// `lane` must be the same in all lanes.
template <class T> DEVICE T readLane(T value, int lane) {
  return eachDword(value, [lane](int v) { return __builtin_amdgcn_readlane(v, lane); });
}
DEVICE u64 ballot(bool predicate) {
#if WAVE_SIZE == 64
  return __builtin_amdgcn_ballot_w64(predicate);
#else
  return __builtin_amdgcn_ballot_w32(predicate);
#endif
}
#endif

DEVICE int waveId() {
  return threadX() / WAVE_SIZE;
}
DEVICE bool anyLane(bool predicate) {
  return ballot(predicate) != 0;
}
// Bits of `mask` below this lane.
DEVICE int bitsBelow(u64 mask) {
  return __builtin_popcountll(mask & ((1ull << laneId()) - 1));
}

struct Sum {
  template <class T> DEVICE T operator()(T a, T b) const { return a + b; }
};
struct Maximum {
  template <class T> DEVICE T operator()(T a, T b) const { return a > b ? a : b; }
};

// Reduction over groups of WIDTH neighbouring lanes (a power of two); every lane gets the result.
template <int WIDTH = WAVE_SIZE, class T, class Combine> DEVICE T waveReduce(T value, Combine combine) {
  UNROLL
  for (int mask = WIDTH / 2; mask > 0; mask /= 2)
    value = combine(value, shuffleXor(value, mask));
  return value;
}

// The same by DPP inside rows of 16 and shuffles across rows: other instructions, other register demands.
template <class T, class Combine> DEVICE T waveReduceDpp(T value, Combine combine) {
  value = combine(value, rowXor<1>(value));
  value = combine(value, rowXor<2>(value));
  value = combine(value, rowXor<7>(value));
  value = combine(value, rowXor<15>(value));
  value = combine(value, swizzleXor<16>(value));
  if constexpr (WAVE_SIZE == 64)
    value = combine(value, shuffleXor(value, 32));
  return value;
}

// Inclusive scan over the wave.
template <class T, class Combine> DEVICE T waveScan(T value, Combine combine) {
  int lane = laneId();
  UNROLL
  for (int distance = 1; distance < WAVE_SIZE; distance *= 2) {
    T below = shuffle(value, lane - distance);
    if (lane >= distance)
      value = combine(below, value);
  }
  return value;
}

// Reduction over a work-group of THREADS; `scratch` holds one T a wave. Ends with a barrier, so `scratch` may be
// reused.
template <int THREADS, class T, class Combine> DEVICE T blockReduce(T value, T *scratch, Combine combine) {
  constexpr int kWaves = ceilDiv(THREADS, WAVE_SIZE);
  value = waveReduce(value, combine);
  if constexpr (kWaves > 1) {
    if (laneId() == 0)
      scratch[waveId()] = value;
    barrier();
    value = scratch[0];
    UNROLL
    for (int w = 1; w < kWaves; ++w)
      value = combine(value, scratch[w]);
    barrier();
  }
  return value;
}

KERNELS_END
