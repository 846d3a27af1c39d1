// Many small dense systems, one a work-item, all in registers: LU with partial pivoting, or Cholesky.
//
// Solves A x = b for each of `count` systems of order N. A is [N][N][count], b and x [N][count]: neighbouring
// work-items read neighbouring addresses. Parameters: P_TYPE; P_N; P_METHOD 0 LU, 1 Cholesky (A symmetric positive
// definite);
//   P_THREADS. Above N = 12 or so the matrix no longer fits the registers.
// Launch: P_THREADS work-items; grid (ceil(count / THREADS)).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

DEVICE float squareRoot(float x) {
  return __builtin_sqrtf(x);
}
DEVICE double squareRoot(double x) {
  return __builtin_sqrt(x);
}
template <class T> DEVICE T absolute(T x) {
  return x < 0 ? -x : x;
}

template <class T, int N> DEVICE void solveLu(T (&a)[N][N], T (&b)[N]) {
  UNROLL
  for (int k = 0; k < N; ++k) {
    // Rows are exchanged by selects, so that no register is addressed by a variable.
    UNROLL
    for (int i = k + 1; i < N; ++i) {
      bool swap = absolute(a[i][k]) > absolute(a[k][k]);
      UNROLL
      for (int j = k; j < N; ++j) {
        T upper = swap ? a[i][j] : a[k][j], lower = swap ? a[k][j] : a[i][j];
        a[k][j] = upper;
        a[i][j] = lower;
      }
      T upper = swap ? b[i] : b[k], lower = swap ? b[k] : b[i];
      b[k] = upper;
      b[i] = lower;
    }
    T inverse = T(1) / a[k][k];
    UNROLL
    for (int i = k + 1; i < N; ++i) {
      T factor = a[i][k] * inverse;
      UNROLL
      for (int j = k + 1; j < N; ++j)
        a[i][j] = fma(-factor, a[k][j], a[i][j]);
      b[i] = fma(-factor, b[k], b[i]);
    }
  }
  UNROLL
  for (int i = N - 1; i >= 0; --i) {
    UNROLL
    for (int j = i + 1; j < N; ++j)
      b[i] = fma(-a[i][j], b[j], b[i]);
    b[i] /= a[i][i];
  }
}

template <class T, int N> DEVICE void solveCholesky(T (&a)[N][N], T (&b)[N]) {
  UNROLL
  for (int j = 0; j < N; ++j) {
    UNROLL
    for (int k = 0; k < j; ++k)
      a[j][j] = fma(-a[j][k], a[j][k], a[j][j]);
    T inverse = T(1) / squareRoot(a[j][j]);
    a[j][j] = inverse; // the diagonal of L, inverted
    UNROLL
    for (int i = j + 1; i < N; ++i) {
      UNROLL
      for (int k = 0; k < j; ++k)
        a[i][j] = fma(-a[i][k], a[j][k], a[i][j]);
      a[i][j] *= inverse;
    }
  }
  UNROLL
  for (int i = 0; i < N; ++i) {
    UNROLL
    for (int k = 0; k < i; ++k)
      b[i] = fma(-a[i][k], b[k], b[i]);
    b[i] *= a[i][i];
  }
  UNROLL
  for (int i = N - 1; i >= 0; --i) {
    UNROLL
    for (int k = i + 1; k < N; ++k)
      b[i] = fma(-a[k][i], b[k], b[i]);
    b[i] *= a[i][i];
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif

KERNEL(P_THREADS)(const P_TYPE *RESTRICT matrices, const P_TYPE *RESTRICT right, P_TYPE *RESTRICT x, int count) {
  int system = blockX() * P_THREADS + threadX();
  if (system >= count)
    return;
  P_TYPE a[P_N][P_N], b[P_N];
  UNROLL
  for (int i = 0; i < P_N; ++i) {
    UNROLL
    for (int j = 0; j < P_N; ++j)
      a[i][j] = matrices[(i64)(i * P_N + j) * count + system];
    b[i] = right[(i64)i * count + system];
  }
#if P_METHOD
  solveCholesky(a, b);
#else
  solveLu(a, b);
#endif
  UNROLL
  for (int i = 0; i < P_N; ++i)
    x[(i64)i * count + system] = b[i];
}
