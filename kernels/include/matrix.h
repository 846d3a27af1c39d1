// Matrix instructions behind one interface, with the lane layouts they have in the hardware.
//
// Mma<T, SIZE> multiplies a SIZE x K tile of A by a K x SIZE tile of B and adds to a SIZE x SIZE tile of C, spread over
// a wave. T is the element type. Members:
//   K             depth of one instruction
//   kElements     elements of A (and of B) that one lane holds: neighbours along K
//   Fragment      their vector; Accumulator: the lane's part of C
//   load(place)   the lane's elements from neighbouring addresses
//   kStart(lane)  the first of them; the row of A, and the column of B, is lane % SIZE
//   row(lane, i)  the row of C in element i of the accumulator; the column is lane % SIZE
//   multiply(a, b, c)  collective over the wave; EXEC must be full
// available<Mma<T, SIZE>> says whether this target has it.
//
// Sources of the layouts (one table below for all, used by kernels and by the CPU's shim alike):
//   MFMA (wave64): CDNA 3 ISA guide, section 7.1.5 "dense matrix layout"; AMD matrix instruction calculator. Within A
//   and B lane / SIZE selects a run of kElements along K. C: rows in groups of 4 by lane / SIZE, 8 rows (SIZE 32)
//   apart; the double-precision form has single rows instead of groups: row 4 i + lane / 16. WMMA of RDNA 3: ISA guide,
//   section 7.9. Each half (wave64: quarter) of the wave holds the same copy of A and B; C's rows interleave: row 2 i +
//   lane / 16 (wave64: 4 i + lane / 16). WMMA of RDNA 4: ISA guide, section 7.12. No copies: lanes 16 to 31 hold the
//   upper half of K, and of C's rows.
#pragma once
#include "fastmath.h"
#include "wave.h"

KERNELS_BEGIN

enum class Unit { None, Mfma, WmmaRdna3, WmmaRdna4 };
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__)
constexpr Unit kUnit = Unit::Mfma;
#elif defined(__GFX11__)
constexpr Unit kUnit = Unit::WmmaRdna3;
#elif defined(__GFX12__)
constexpr Unit kUnit = Unit::WmmaRdna4;
#else
constexpr Unit kUnit = Unit::None;
#endif

// K elements a lane along K, in FRAGMENT; C in ACCUMULATOR of C_ELEMENTS.
template <int SIZE, int DEPTH, int ELEMENTS, class FRAGMENT, class C, bool SINGLE_ROWS = false> struct Layout {
  static constexpr int K = DEPTH;
  static constexpr int kSize = SIZE;
  static constexpr int kElements = ELEMENTS;
  static constexpr int kAccumulators = SIZE * SIZE / WAVE_SIZE;
  typedef FRAGMENT Fragment;
  typedef C Sum;
  typedef Vec<C, kAccumulators> Accumulator;

  // A fragment from memory, the address aligned to its size or to 16 bytes, whichever is less.
  typedef FRAGMENT Stored __attribute__((aligned(sizeof(FRAGMENT) < 16 ? sizeof(FRAGMENT) : 16)));
  template <class T> DEVICE static Fragment load(const T *place) { return *(const Stored *)place; }

  DEVICE static constexpr int kStart(int lane) { return kUnit == Unit::WmmaRdna3 ? 0 : lane / SIZE * ELEMENTS; }
  DEVICE static constexpr int row(int lane, int i) {
    int group = lane / SIZE;
    if (kUnit == Unit::WmmaRdna3)
      return i * (WAVE_SIZE / 16) + group;
    if (kUnit == Unit::WmmaRdna4)
      return group * 8 + i;
    return SINGLE_ROWS ? i * 4 + group : i / 4 * 8 * (SIZE / 32) + group * 4 + i % 4;
  }
};

template <class T, int SIZE> struct Mma;
template <class M> constexpr bool available = sizeof(M) > 0;

#if defined(VERILOCC_HOST)
// The CPU's matrix unit: gathers the tiles by the layout, multiplies in the accumulator's type, scatters.
namespace matrix_rules {
template <class T> struct Widen {
  typedef float type;
  static float value(T x) { return toFloat(x); }
};
template <> struct Widen<i8> {
  typedef int type;
  static int value(i8 x) { return x; }
};
template <> struct Widen<double> {
  typedef double type;
  static double value(double x) { return x; }
};
// e4m3. CDNA 3: no infinities, exponent bias 8, 0x80 is the only NaN. RDNA 4: OCP, bias 7, 0x7f and 0xff are NaN.
template <> struct Widen<fp8> {
  typedef float type;
  static float value(fp8 x) {
    constexpr bool ocp = kUnit == Unit::WmmaRdna4;
    constexpr int bias = ocp ? 7 : 8;
    int exponent = x.bits >> 3 & 15, mantissa = x.bits & 7;
    if (ocp ? (x.bits & 0x7f) == 0x7f : x.bits == 0x80)
      return __builtin_nanf("");
    float magnitude = exponent ? __builtin_ldexpf(float(8 + mantissa), exponent - bias - 3)
                               : __builtin_ldexpf(float(mantissa), 1 - bias - 3);
    return x.bits & 0x80 ? -magnitude : magnitude;
  }
};

template <class T, class L>
__attribute__((noinline)) typename L::Accumulator multiply(typename L::Fragment a, typename L::Fragment b,
                                                           typename L::Accumulator c) {
  struct In {
    typename L::Fragment a, b;
    typename L::Accumulator c;
  } in{a, b, c};
  typename L::Accumulator out{};
  simt::collective("matrix", &in, &out, [](const simt::WaveView &w) {
    static_assert(sizeof(typename L::Fragment) == sizeof(T) * L::kElements);
    typedef typename Widen<T>::type Wide;
    Wide a[L::kSize][L::K], b[L::K][L::kSize];
    for (int lane = 0; lane < (int)w.lanes; ++lane) {
      if (!w.in[lane])
        return; // EXEC is not full: leave zeroes, which no test accepts
      T ea[L::kElements], eb[L::kElements];
      __builtin_memcpy(ea, &((const In *)w.in[lane])->a, sizeof ea);
      __builtin_memcpy(eb, &((const In *)w.in[lane])->b, sizeof eb);
      for (int i = 0; i < L::kElements; ++i) {
        a[lane % L::kSize][L::kStart(lane) + i] = Widen<T>::value(ea[i]);
        b[L::kStart(lane) + i][lane % L::kSize] = Widen<T>::value(eb[i]);
      }
    }
    for (int lane = 0; lane < (int)w.lanes; ++lane)
      for (int i = 0; i < L::kAccumulators; ++i) {
        int row = L::row(lane, i), column = lane % L::kSize;
        typename L::Sum sum = ((const In *)w.in[lane])->c[i];
        for (int k = 0; k < L::K; ++k)
          sum += a[row][k] * b[k][column];
        (*(typename L::Accumulator *)w.out[lane])[i] = sum;
      }
  });
  return out;
}
} // namespace matrix_rules
#define MATRIX_INSTRUCTION(T, BUILTIN_CALL) return matrix_rules::multiply<T, Mma>(a, b, c);
#else
#define MATRIX_INSTRUCTION(T, BUILTIN_CALL) return BUILTIN_CALL;
#endif

// One instruction: element type, size, depth, elements a lane, fragment vector, type of C, and the builtin's call.
#define MATRIX(T, SIZE, DEPTH, ELEMENTS, FRAGMENT, C, SINGLE_ROWS, ...)                                                \
  template <> struct Mma<T, SIZE> : Layout<SIZE, DEPTH, ELEMENTS, FRAGMENT, C, SINGLE_ROWS> {                          \
    DEVICE static Accumulator multiply(Fragment a, Fragment b, Accumulator c) {                                        \
      MATRIX_INSTRUCTION(T, (__VA_ARGS__))                                                                             \
    }                                                                                                                  \
  };
#define BITS(type, x) bitCast<type>(x)

typedef Vec<i16, 2> i16x2;
typedef Vec<i16, 4> i16x4;
typedef Vec<i16, 8> i16x8;
typedef Vec<i16, 16> i16x16;

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__)
MATRIX(float, 16, 4, 1, float, float, false, __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0))
MATRIX(float, 32, 2, 1, float, float, false, __builtin_amdgcn_mfma_f32_32x32x2f32(a, b, c, 0, 0, 0))
MATRIX(f16, 16, 16, 4, f16x4, float, false, __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0))
MATRIX(f16, 32, 8, 4, f16x4, float, false, __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0))
#if defined(__gfx908__)
MATRIX(bf16, 16, 8, 2, i16x2, float, false, __builtin_amdgcn_mfma_f32_16x16x8bf16(a, b, c, 0, 0, 0))
MATRIX(bf16, 32, 4, 2, i16x2, float, false, __builtin_amdgcn_mfma_f32_32x32x4bf16(a, b, c, 0, 0, 0))
#else
MATRIX(bf16, 16, 16, 4, i16x4, float, false, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0))
MATRIX(bf16, 32, 8, 4, i16x4, float, false, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, c, 0, 0, 0))
MATRIX(double, 16, 4, 1, double, double, true, __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, c, 0, 0, 0))
#endif
#if defined(__gfx942__)
MATRIX(i8, 16, 32, 8, i32x2, int, false,
       __builtin_amdgcn_mfma_i32_16x16x32_i8(BITS(long, a), BITS(long, b), c, 0, 0, 0))
MATRIX(i8, 32, 16, 8, i32x2, int, false,
       __builtin_amdgcn_mfma_i32_32x32x16_i8(BITS(long, a), BITS(long, b), c, 0, 0, 0))
MATRIX(fp8, 16, 32, 8, i32x2, float, false,
       __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(BITS(long, a), BITS(long, b), c, 0, 0, 0))
MATRIX(fp8, 32, 16, 8, i32x2, float, false,
       __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(BITS(long, a), BITS(long, b), c, 0, 0, 0))
#else
MATRIX(i8, 16, 16, 4, int, int, false, __builtin_amdgcn_mfma_i32_16x16x16i8(a, b, c, 0, 0, 0))
MATRIX(i8, 32, 8, 4, int, int, false, __builtin_amdgcn_mfma_i32_32x32x8i8(a, b, c, 0, 0, 0))
#endif
#elif defined(__GFX11__)
#if WAVE_SIZE == 32
MATRIX(f16, 16, 16, 16, f16x16, float, false, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c))
MATRIX(bf16, 16, 16, 16, i16x16, float, false, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c))
MATRIX(i8, 16, 16, 16, i32x4, int, false, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, a, true, b, c, false))
#else
MATRIX(f16, 16, 16, 16, f16x16, float, false, __builtin_amdgcn_wmma_f32_16x16x16_f16_w64(a, b, c))
MATRIX(bf16, 16, 16, 16, i16x16, float, false, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w64(a, b, c))
MATRIX(i8, 16, 16, 16, i32x4, int, false, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w64(true, a, true, b, c, false))
#endif
#elif defined(__GFX12__) && WAVE_SIZE == 32
MATRIX(f16, 16, 16, 8, f16x8, float, false, __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c))
MATRIX(bf16, 16, 16, 8, i16x8, float, false, __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c))
MATRIX(i8, 16, 16, 8, i32x2, int, false, __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, a, true, b, c, false))
MATRIX(fp8, 16, 16, 8, i32x2, float, false, __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a, b, c))
#endif

// The layouts, pinned by single facts read off the guides' figures, so that no edit of the formulas changes them
// unseen.
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__)
static_assert(Mma<f16, 16>::row(0, 3) == 3 && Mma<f16, 16>::row(16, 0) == 4 && Mma<f16, 16>::row(63, 3) == 15);
static_assert(Mma<f16, 32>::row(32, 0) == 4 && Mma<f16, 32>::row(0, 4) == 8 && Mma<f16, 32>::row(63, 15) == 31);
static_assert(Mma<f16, 16>::kStart(16) == 4 && Mma<f16, 32>::kStart(32) == 4 && Mma<float, 16>::kStart(48) == 3);
#if !defined(__gfx908__)
static_assert(Mma<double, 16>::row(16, 0) == 1 && Mma<double, 16>::row(0, 1) == 4);
#endif
#elif defined(__GFX11__) && WAVE_SIZE == 32
static_assert(Mma<f16, 16>::row(0, 1) == 2 && Mma<f16, 16>::row(16, 0) == 1 && Mma<f16, 16>::kStart(16) == 0);
#elif defined(__GFX11__)
static_assert(Mma<f16, 16>::row(0, 1) == 4 && Mma<f16, 16>::row(48, 0) == 3 && Mma<f16, 16>::kStart(16) == 0);
#elif defined(__GFX12__) && WAVE_SIZE == 32
static_assert(Mma<f16, 16>::row(0, 1) == 1 && Mma<f16, 16>::row(16, 0) == 8 && Mma<f16, 16>::kStart(16) == 8);
#endif

KERNELS_END
