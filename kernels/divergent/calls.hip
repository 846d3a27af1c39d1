// Numerical integration through functions that are not inlined: call-clobbered registers, a stack, values live across
// calls.
//
// out[i] = integral from lower[i] to upper[i] of f_k, k = which[i]: 0 exp(-x x), 1 sin(x) / (1 + x x), 2 sqrt(|x|) + x,
// 3 a rational function. Parameters: P_THREADS; P_RULE 0: composite Simpson with `intervals`; 1: Gauss-Legendre of 5
// points
//   on each interval (more values live across the calls).
// Launch: P_THREADS work-items; grid (ceil(count / THREADS)).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

DEVICE_CALL float gaussian(float x) {
  return expFast(-x * x);
}
DEVICE_CALL float wave(float x) {
  return sinTurns(x * kInverseTwoPi) / (1.0f + x * x);
}
DEVICE_CALL float rooted(float x) {
  return __builtin_sqrtf(fabs(x)) + x;
}
DEVICE_CALL float rational(float x, float a, float b) {
  return (a * x * x + b) / (x * x + x + 1.0f);
}

DEVICE_CALL float integrand(int which, float x) {
  switch (which) {
  case 0:
    return gaussian(x);
  case 1:
    return wave(x);
  case 2:
    return rooted(x);
  default:
    return rational(x, 2.0f, -1.0f);
  }
}

template <int RULE> DEVICE float integrate(int which, float lower, float upper, int intervals) {
  float width = (upper - lower) / intervals, sum = 0;
  if constexpr (RULE == 0) {
    sum = integrand(which, lower) + integrand(which, upper);
    for (int i = 1; i < 2 * intervals; ++i)
      sum += (i & 1 ? 4.0f : 2.0f) * integrand(which, lower + 0.5f * i * width);
    return sum * width / 6;
  } else {
    constexpr float node1 = 0.5384693101f, node2 = 0.9061798459f;
    constexpr float weight0 = 0.5688888889f, weight1 = 0.4786286705f, weight2 = 0.2369268851f;
    for (int i = 0; i < intervals; ++i) {
      float middle = lower + (i + 0.5f) * width, half = 0.5f * width;
      float a = integrand(which, middle - node2 * half), b = integrand(which, middle - node1 * half);
      float c = integrand(which, middle), d = integrand(which, middle + node1 * half);
      float e = integrand(which, middle + node2 * half);
      sum += half * (weight2 * (a + e) + weight1 * (b + d) + weight0 * c);
    }
    return sum;
  }
}

} // namespace

KERNEL(P_THREADS)
(const int *RESTRICT which, const float *RESTRICT lower, const float *RESTRICT upper, float *RESTRICT out, int count,
 int intervals) {
  int i = blockX() * P_THREADS + threadX();
  if (i < count)
    out[i] = integrate<P_RULE>(which[i], lower[i], upper[i], intervals);
}
