// Matrix instructions with a 2:4 sparse A: V_SMFMAC_F32_16X16X32 (CDNA 3) and V_SWMMAC_F32_16X16X32 (RDNA 4).
//
// A 16 x 32 tile of A is held as the 16 kept elements of each row, spread over the lanes like a dense 16 x 16 tile; a
// lane whose kept elements come from columns [s, s + n) holds the same columns of B. The index register gives 2 bits
// for each of the lane's kept elements, lowest first. C as in the dense forms of matrix.h. Sources: CDNA 3 ISA guide,
// section 7.1.6 (sparse, CBSZ 0 and ABID 0 take the lowest index set); RDNA 4 ISA guide, 7.12. The order of lanes along
// K is the dense one by analogy; a product does not depend on it as long as A and B agree.
#pragma once
#include "matrix.h"

KERNELS_BEGIN

template <class T> struct SparseMma {
  static constexpr int K = 32;
  static constexpr int kGroups = WAVE_SIZE / 16;
  static constexpr int kKept = 16 / kGroups; // elements of A a lane holds
  static constexpr int kAccumulators = 256 / WAVE_SIZE;
  // Vectors of bits for bf16, as the builtins want them.
  typedef decltype([] {
    if constexpr (__is_same(T, f16))
      return f16();
    else
      return i16();
  }()) Element;
  typedef Vec<Element, kKept> FragmentA;
  typedef Vec<Element, 2 * kKept> FragmentB;
  typedef Vec<float, kAccumulators> Accumulator;

  // First column of A (before compression) and of B for this lane.
  DEVICE static constexpr int kStart(int lane) { return lane / 16 * 2 * kKept; }
  DEVICE static constexpr int row(int lane, int i) { return Layout<16, 32, 1, float, float>::row(lane, i); }

  typedef FragmentA StoredA __attribute__((aligned(sizeof(FragmentA) < 16 ? sizeof(FragmentA) : 16)));
  typedef FragmentB StoredB __attribute__((aligned(16)));
  DEVICE static FragmentA loadA(const T *place) { return *(const StoredA *)place; }
  DEVICE static FragmentB loadB(const T *place) { return *(const StoredB *)place; }
  DEVICE static int loadIndex(const u8 *place) { return kKept == 4 ? *place : *(const u16 *)place; }

  // c + A B for this lane's part; collective, EXEC full.
  DEVICE static Accumulator multiply(FragmentA a, int index, FragmentB b, Accumulator c) {
#if defined(VERILOCC_HOST)
    struct In {
      FragmentA a;
      FragmentB b;
      Accumulator c;
      int index;
    } in{a, b, c, index};
    Accumulator out{};
    simt::collective("sparse matrix", &in, &out, [](const simt::WaveView &w) {
      float a[16][K] = {}, b[K][16];
      for (int lane = 0; lane < (int)w.lanes; ++lane) {
        if (!w.in[lane])
          return;
        const In &from = *(const In *)w.in[lane];
        T ea[kKept], eb[2 * kKept];
        __builtin_memcpy(ea, &from.a, sizeof ea);
        __builtin_memcpy(eb, &from.b, sizeof eb);
        for (int i = 0; i < kKept; ++i)
          a[lane % 16][kStart(lane) + i / 2 * 4 + (from.index >> 2 * i & 3)] = toFloat(ea[i]);
        for (int i = 0; i < 2 * kKept; ++i)
          b[kStart(lane) + i][lane % 16] = toFloat(eb[i]);
      }
      for (int lane = 0; lane < (int)w.lanes; ++lane)
        for (int i = 0; i < kAccumulators; ++i) {
          float sum = ((const In *)w.in[lane])->c[i];
          for (int k = 0; k < K; ++k)
            sum += a[row(lane, i)][k] * b[k][lane % 16];
          (*(Accumulator *)w.out[lane])[i] = sum;
        }
    });
    return out;
#elif defined(__gfx942__)
    if constexpr (__is_same(T, f16))
      return __builtin_amdgcn_smfmac_f32_16x16x32_f16(a, b, c, index, 0, 0);
    else
      return __builtin_amdgcn_smfmac_f32_16x16x32_bf16(a, b, c, index, 0, 0);
#else
    if constexpr (__is_same(T, f16))
      return __builtin_amdgcn_swmmac_f32_16x16x32_f16_w32(a, b, c, index);
    else
      return __builtin_amdgcn_swmmac_f32_16x16x32_bf16_w32(a, b, c, index);
#endif
  }
};

KERNELS_END
