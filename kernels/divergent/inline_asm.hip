// Inline assembly with the constraints that registers know: tied, early-clobber, scalar, tuples, fixed registers,
// clobbers.
//
// out[i] = ((x a + b) rotated) plus products of 4-vectors, computed by instructions spelled out; see the reference.
// Parameters: P_THREADS; P_OP 0: multiply-adds, tied and early-clobber results; 1: 64-bit and 128-bit tuples through
//   memory instructions of our own; 2: fixed registers and clobbers, in a loop.
// Launch: P_THREADS work-items; grid (ceil(count / THREADS)).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

// d = a * b + d, the result tied to the addend.
DEVICE float multiplyAdd(float a, float b, float d) {
#if defined(VERILOCC_HOST)
  return fma(a, b, d);
#elif defined(__GFX9__) && !defined(__gfx90a__) && !defined(__gfx942__)
  asm volatile("v_fma_f32 %0, %1, %2, %0" : "+v"(d) : "v"(a), "v"(b));
  return d;
#else
  asm volatile("v_fmac_f32 %0, %1, %2" : "+v"(d) : "v"(a), "v"(b));
  return d;
#endif
}

// sum = x + y and its exclusive or with y; the first result is written before the last operand is read.
DEVICE u32 sumThenXor(u32 x, u32 y) {
#if defined(VERILOCC_HOST)
  return (x + y) ^ y;
#else
  u32 sum, out;
#if defined(__GFX9__)
  asm("v_add_u32 %0, %2, %3\n\tv_xor_b32 %1, %0, %3" : "=&v"(sum), "=v"(out) : "v"(x), "v"(y));
#else
  asm("v_add_nc_u32 %0, %2, %3\n\tv_xor_b32 %1, %0, %3" : "=&v"(sum), "=v"(out) : "v"(x), "v"(y));
#endif
  return out;
#endif
}

// A scalar operand, for a value that is the same in all lanes.
DEVICE u32 scaleByScalar(u32 x, u32 uniform) {
#if defined(VERILOCC_HOST)
  return x * uniform;
#else
  u32 out;
  asm("v_mul_lo_u32 %0, %1, %2" : "=v"(out) : "v"(x), "s"(uniform));
  return out;
#endif
}

DEVICE f32x4 loadFour(const float *place) {
#if defined(VERILOCC_HOST)
  typedef f32x4 Stored __attribute__((aligned(4)));
  return *(const Stored *)place;
#else
  f32x4 out;
#if defined(__GFX12__)
  asm volatile("global_load_b128 %0, %1, off\n\ts_wait_loadcnt 0x0" : "=&v"(out) : "v"(place) : "memory");
#elif defined(__GFX11__)
  asm volatile("global_load_b128 %0, %1, off\n\ts_waitcnt vmcnt(0)" : "=&v"(out) : "v"(place) : "memory");
#else
  asm volatile("global_load_dwordx4 %0, %1, off\n\ts_waitcnt vmcnt(0)" : "=&v"(out) : "v"(place) : "memory");
#endif
  return out;
#endif
}

// Double-precision multiply-add on pairs of registers.
DEVICE double multiplyAddDouble(double a, double b, double c) {
#if defined(VERILOCC_HOST)
  return fma(a, b, c);
#else
  double out;
  asm("v_fma_f64 %0, %1, %2, %3" : "=v"(out) : "v"(a), "v"(b), "v"(c));
  return out;
#endif
}

// One round of a mix through fixed registers; v40 and v41 must hold nothing of ours meanwhile.
DEVICE u32 mixThroughFixed(u32 x, u32 key) {
#if defined(VERILOCC_HOST)
  u32 t = x ^ key;
  return ((t << 13) | (t >> 19)) + key;
#else
  u32 out;
#if defined(__GFX9__)
  asm volatile("v_xor_b32 v40, %1, %2\n\tv_alignbit_b32 v41, v40, v40, 19\n\tv_add_u32 %0, v41, %2"
               : "=v"(out)
               : "v"(x), "v"(key)
               : "v40", "v41");
#else
  asm volatile("v_xor_b32 v40, %1, %2\n\tv_alignbit_b32 v41, v40, v40, 19\n\tv_add_nc_u32 %0, v41, %2"
               : "=v"(out)
               : "v"(x), "v"(key)
               : "v40", "v41");
#endif
  return out;
#endif
}

template <int OP> DEVICE u32 compute(const float *RESTRICT x, int i, u32 uniform) {
  if constexpr (OP == 0) {
    float a = x[i * 4], b = x[i * 4 + 1], sum = x[i * 4 + 2];
    UNROLL
    for (int step = 0; step < 8; ++step) {
      sum = multiplyAdd(a, b, sum);
      a = multiplyAdd(b, 0.5f, a);
    }
    return scaleByScalar(sumThenXor(bitCast<u32>(sum), bitCast<u32>(a)), uniform);
  } else if constexpr (OP == 1) {
    f32x4 v = loadFour(x + i * 4);
    double sum = multiplyAddDouble(v.x, v.y, multiplyAddDouble(v.z, v.w, 1.0));
    sum = multiplyAddDouble(sum, sum, v.x);
    u64 bits = bitCast<u64>(sum);
    return sumThenXor((u32)bits, (u32)(bits >> 32)) + uniform;
  } else {
    u32 a = bitCast<u32>(x[i * 4]), b = bitCast<u32>(x[i * 4 + 1]), c = bitCast<u32>(x[i * 4 + 2]);
    for (u32 round = 0; round < (a & 15u) + 3; ++round) {
      b = mixThroughFixed(b, c ^ uniform);
      c = mixThroughFixed(c, b + round);
    }
    return b ^ c;
  }
}

} // namespace

KERNEL(P_THREADS)(const float *RESTRICT x, u32 *RESTRICT out, int count, u32 uniform) {
  int i = blockX() * P_THREADS + threadX();
  if (i < count)
    out[i] = compute<P_OP>(x, i, uniform);
}
