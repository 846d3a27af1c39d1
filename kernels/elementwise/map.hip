// Elementwise maps with heavy arithmetic, grid-stride, several elements a work-item at once.
//
// out[i] = f(x[i], y[i], z[i]). Parameters: P_TYPE of x, y, z and out; P_ITEMS elements at once; P_THREADS; P_OP:
//   0 gelu(x) * y + z                      1 silu(x) * y (SwiGLU)
//   2 Black-Scholes call price: spot x, strike y, years z, rate 0.05, volatility 0.2
//   3 log(1 + exp(x)) * tanh(softplus(y)) (softplus and mish)
//   4 sin(x) cos(y) exp(-z * z)            5 atan2(y, x) by polynomial, plus sqrt(x * x + y * y)
//   6 Adam: x parameter, y gradient, z first moment; out parameter; z is updated too
// Launch: P_THREADS work-items, any grid.
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

// Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17: |error| < 7.5e-8.
DEVICE float normalCdf(float x) {
  float a = fabs(x), t = reciprocal(fma(0.2316419f, a, 1.0f));
  float poly =
      t * fma(t, fma(t, fma(t, fma(t, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.319381530f);
  float tail = 0.3989422804f * expFast(-0.5f * a * a) * poly;
  return x >= 0 ? 1.0f - tail : tail;
}

DEVICE float softplus(float x) {
  return x > 20.0f ? x : logFast(1.0f + expFast(x));
}

// Minimax polynomial of atan on [0, 1] (Abramowitz and Stegun 4.4.49, |error| < 1e-5), octants by cases.
DEVICE float atan2Polynomial(float y, float x) {
  float ax = fabs(x), ay = fabs(y);
  float small = fmin(ax, ay), large = fmax(ax, ay);
  float t = large > 0 ? small * reciprocal(large) : 0.0f, s = t * t;
  float angle = t * fma(s, fma(s, fma(s, fma(s, 0.0208351f, -0.0851330f), 0.1801410f), -0.3302995f), 0.9998660f);
  if (ay > ax)
    angle = 1.57079632679f - angle;
  if (x < 0)
    angle = 3.14159265359f - angle;
  return y < 0 ? -angle : angle;
}

template <int OP> DEVICE float apply(float x, float y, float &z) {
  if constexpr (OP == 0)
    return gelu(x) * y + z;
  if constexpr (OP == 1)
    return x * sigmoid(x) * y;
  if constexpr (OP == 2) {
    constexpr float rate = 0.05f, volatility = 0.2f;
    float root = __builtin_sqrtf(z);
    float d1 = (logFast(x / y) + (rate + 0.5f * volatility * volatility) * z) / (volatility * root);
    return x * normalCdf(d1) - y * expFast(-rate * z) * normalCdf(d1 - volatility * root);
  }
  if constexpr (OP == 3)
    return softplus(x) * tanhFast(softplus(y));
  if constexpr (OP == 4)
    return sinTurns(x * kInverseTwoPi) * cosTurns(y * kInverseTwoPi) * expFast(-z * z);
  if constexpr (OP == 5)
    return atan2Polynomial(y, x) + __builtin_sqrtf(fma(x, x, y * y));
  if constexpr (OP == 6) {
    z = fma(0.9f, z, 0.1f * y);
    return x - 0.001f * z * reciprocalSqrt(fma(y, y, 1e-8f));
  }
}

template <class T, int OP, int ITEMS>
DEVICE void map(const T *RESTRICT x, const T *RESTRICT y, T *RESTRICT z, T *RESTRICT out, int count) {
  int step = gridSize();
  for (int first = blockX() * blockSize() + threadX(); first < count; first += step * ITEMS) {
    float a[ITEMS], b[ITEMS], c[ITEMS];
    UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      int place = min(first + i * step, count - 1);
      a[i] = toFloat(x[place]);
      b[i] = toFloat(y[place]);
      c[i] = toFloat(z[place]);
    }
    UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      int place = first + i * step;
      float result = apply<OP>(a[i], b[i], c[i]);
      if (place < count) {
        out[place] = fromFloat<T>(result);
        if (OP == 6)
          z[place] = fromFloat<T>(c[i]);
      }
    }
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif

KERNEL(P_THREADS)
(const P_TYPE *RESTRICT x, const P_TYPE *RESTRICT y, P_TYPE *RESTRICT z, P_TYPE *RESTRICT out, int count) {
  map<P_TYPE, P_OP, P_ITEMS>(x, y, z, out, count);
}
