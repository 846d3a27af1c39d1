// Floating-point functions without a math library: the machine's own approximations, and what is built on them.
//
// Errors (of the GPU's instructions, ISA guides of RDNA 3 and CDNA 3): exp2, log2, rcp and rsq are good to 1 ulp or so
// on normal inputs; sin and cos take revolutions and lose absolute accuracy with the argument's size. The CPU build
// uses the C library's functions, so reference tests must leave the tolerance for the approximation to the comparison.
#pragma once
#include "device.h"

KERNELS_BEGIN

constexpr float kLog2E = 1.4426950408889634f;
constexpr float kLn2 = 0.6931471805599453f;
constexpr float kInverseTwoPi = 0.15915494309189535f;
constexpr float kInfinity = __builtin_inff();

#if defined(VERILOCC_HOST)
DEVICE float exp2Fast(float x) {
  return __builtin_exp2f(x);
}
DEVICE float log2Fast(float x) {
  return __builtin_log2f(x);
}
DEVICE float reciprocal(float x) {
  return 1.0f / x;
}
DEVICE float reciprocalSqrt(float x) {
  return 1.0f / __builtin_sqrtf(x);
}
DEVICE float sinTurns(float x) {
  return __builtin_sinf(x * 6.283185307179586f);
}
DEVICE float cosTurns(float x) {
  return __builtin_cosf(x * 6.283185307179586f);
}
DEVICE float median3(float a, float b, float c) {
  return __builtin_fmaxf(__builtin_fminf(a, b), __builtin_fminf(__builtin_fmaxf(a, b), c));
}
#else
DEVICE float exp2Fast(float x) {
  return __builtin_amdgcn_exp2f(x);
}
DEVICE float log2Fast(float x) {
  return __builtin_amdgcn_logf(x);
}
DEVICE float reciprocal(float x) {
  return __builtin_amdgcn_rcpf(x);
}
DEVICE float reciprocalSqrt(float x) {
  return __builtin_amdgcn_rsqf(x);
}
// Arguments in revolutions.
DEVICE float sinTurns(float x) {
  return __builtin_amdgcn_sinf(x);
}
DEVICE float cosTurns(float x) {
  return __builtin_amdgcn_cosf(x);
}
DEVICE float median3(float a, float b, float c) {
  return __builtin_amdgcn_fmed3f(a, b, c);
}
#endif

DEVICE float fmin(float a, float b) {
  return __builtin_fminf(a, b);
}
DEVICE float fmax(float a, float b) {
  return __builtin_fmaxf(a, b);
}
DEVICE float fabs(float a) {
  return __builtin_fabsf(a);
}
DEVICE float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
DEVICE double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
DEVICE f16 fma(f16 a, f16 b, f16 c) {
  return __builtin_elementwise_fma(a, b, c);
}
DEVICE float expFast(float x) {
  return exp2Fast(x * kLog2E);
}
DEVICE float logFast(float x) {
  return log2Fast(x) * kLn2;
}
DEVICE float sigmoid(float x) {
  return reciprocal(1.0f + exp2Fast(-x * kLog2E));
}

// tanh by one exponential; saturates instead of overflowing.
DEVICE float tanhFast(float x) {
  float e = exp2Fast(2.0f * kLog2E * median3(x, -10.0f, 10.0f));
  return (e - 1.0f) * reciprocal(e + 1.0f);
}

// Gaussian error linear unit, the tanh form (Hendrycks and Gimpel, arXiv 1606.08415, section 2).
DEVICE float gelu(float x) {
  return 0.5f * x * (1.0f + tanhFast(0.7978845608f * (x + 0.044715f * x * x * x)));
}

// bfloat16 is the upper half of a float; rounding to nearest, ties to even. NaN stays NaN because its quiet bit is
// kept.
DEVICE float toFloat(bf16 x) {
  return bitCast<float>((u32)x.bits << 16);
}
DEVICE float toFloat(f16 x) {
  return (float)x;
}
DEVICE float toFloat(float x) {
  return x;
}
DEVICE bf16 toBf16(float x) {
  u32 bits = bitCast<u32>(x);
  u32 rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  return bf16{(u16)((x == x ? rounded : bits | 0x400000u) >> 16)};
}
template <class T> DEVICE T fromFloat(float x) {
  if constexpr (__is_same(T, bf16))
    return toBf16(x);
  else
    return (T)x;
}

KERNELS_END
