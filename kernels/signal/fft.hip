// Complex FFT of rows of P_N points in one work-group: Stockham passes of radix P_RADIX through LDS, last radix as
// needed.
//
// Each work-item holds P_RADIX points; N / RADIX work-items. Forward transform, no scaling.
// (Stockham's autosort; see Van Loan, Computational Frameworks for the FFT, chapter 1.7.)
// Parameters: P_N; P_RADIX 2, 4 or 8, with N a power of P_RADIX; P_INVERSE 1: conjugate, scaled by 1 / N.
// Launch: N / RADIX work-items; grid (rows). in and out are pairs (real, imaginary).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

DEVICE f32x2 multiply(f32x2 a, f32x2 b) {
  return f32x2{fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x)};
}
DEVICE f32x2 timesMinusI(f32x2 a) {
  return f32x2{a.y, -a.x};
}

// Discrete Fourier transform of RADIX points in registers, results in natural order.
template <int RADIX> DEVICE void butterfly(f32x2 (&x)[RADIX]) {
  if constexpr (RADIX == 2) {
    f32x2 a = x[0];
    x[0] = a + x[1];
    x[1] = a - x[1];
  } else {
    constexpr int HALF = RADIX / 2;
    f32x2 even[HALF], odd[HALF];
    UNROLL
    for (int i = 0; i < HALF; ++i) {
      even[i] = x[2 * i];
      odd[i] = x[2 * i + 1];
    }
    butterfly<HALF>(even);
    butterfly<HALF>(odd);
    constexpr float h = 0.70710678118f;
    UNROLL
    for (int i = 0; i < HALF; ++i) {
      f32x2 t = odd[i];
      if (RADIX == 8 && i == 1)
        t = f32x2{(t.x + t.y) * h, (t.y - t.x) * h};
      if ((RADIX == 8 && i == 2) || (RADIX == 4 && i == 1))
        t = timesMinusI(t);
      if (RADIX == 8 && i == 3)
        t = f32x2{(t.y - t.x) * h, (-t.x - t.y) * h};
      x[i] = even[i] + t;
      x[i + HALF] = even[i] - t;
    }
  }
}

template <int N, int RADIX, bool INVERSE> DEVICE void transform(const f32x2 *RESTRICT in, f32x2 *RESTRICT out) {
  constexpr int THREADS = N / RADIX;
  SHARED float real[N];
  SHARED float imaginary[N];
  in += (i64)blockX() * N;
  out += (i64)blockX() * N;
  int thread = threadX();
  f32x2 x[RADIX];
  UNROLL
  for (int i = 0; i < RADIX; ++i) {
    x[i] = in[thread + i * THREADS];
    if (INVERSE)
      x[i].y = -x[i].y;
  }
  UNROLL
  for (int done = 1; done < N; done *= RADIX) {
    // Twiddle by the position inside the blocks that are transformed already.
    if (done > 1) {
      int inside = thread % done;
      UNROLL
      for (int i = 1; i < RADIX; ++i) {
        float turns = -(float)(inside * i) / (float)(done * RADIX);
        x[i] = multiply(x[i], f32x2{cosTurns(turns), sinTurns(turns)});
      }
    }
    butterfly<RADIX>(x);
    if (done * RADIX == N)
      break;
    int first = thread / done * done * RADIX + thread % done;
    barrier();
    UNROLL
    for (int i = 0; i < RADIX; ++i) {
      real[first + i * done] = x[i].x;
      imaginary[first + i * done] = x[i].y;
    }
    barrier();
    UNROLL
    for (int i = 0; i < RADIX; ++i)
      x[i] = f32x2{real[thread + i * THREADS], imaginary[thread + i * THREADS]};
  }
  UNROLL
  for (int i = 0; i < RADIX; ++i) {
    if (INVERSE)
      x[i] = f32x2{x[i].x / N, -x[i].y / N};
    out[thread + i * THREADS] = x[i];
  }
}

} // namespace

#ifndef P_INVERSE
#define P_INVERSE 0
#endif

KERNEL(P_N / P_RADIX)(const f32x2 *RESTRICT in, f32x2 *RESTRICT out) {
  transform<P_N, P_RADIX, P_INVERSE>(in, out);
}
