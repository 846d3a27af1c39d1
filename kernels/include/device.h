// What every kernel source needs of the language, without any vendor's headers.
//
// Problem: the same source is compiled for the GPU by `clang -x hip --cuda-device-only` and, to be proved right, for
// the CPU as plain C++ with every work-item running as a fibre (kernels/host/simt.h). Idea: everything that differs
// between the two is a macro or a function of this folder. A kernel source includes these headers, keeps its templates
// in an unnamed namespace and ends with one entry:  KERNEL(max_threads)(arguments) { ... } Parameters come from the
// manifest as macros P_<NAME>. Invariants: nothing here allocates, and nothing has external linkage on the device but
// the entry itself. Source: clang 19's HIP and AMDGPU builtins; LLVM's AMDGPU usage guide for the memory model.
#pragma once

#if defined(VERILOCC_HOST)
#include "host/simt.h"
#define DEVICE inline
#define DEVICE_CALL __attribute__((noinline))
#define SHARED static
#define KERNEL_NAMESPACE_2(name) target_##name
#define KERNEL_NAMESPACE_1(name) KERNEL_NAMESPACE_2(name)
// Headers mean something else for each target, so each gets its own namespace: no two definitions of one inline
// function.
#define KERNELS_BEGIN                                                                                                  \
  namespace verilocc::kernels {                                                                                        \
  inline namespace KERNEL_NAMESPACE_1(VERILOCC_HOST) {
#define KERNELS_END                                                                                                    \
  }                                                                                                                    \
  }
#define KERNEL(max_threads) extern "C" void KERNEL_NAME
#define UNROLL_8
#define UNROLL // compile time matters more here
#define NO_UNROLL
#else
#define DEVICE __attribute__((device, always_inline)) inline
#define DEVICE_CALL __attribute__((device, noinline))
#define SHARED __attribute__((shared))
#define UNROLL _Pragma("unroll")
#define UNROLL_8 _Pragma("unroll 8")
#define NO_UNROLL _Pragma("nounroll")
#define KERNELS_BEGIN namespace verilocc::kernels {
#define KERNELS_END }
#ifndef KERNEL_ATTRIBUTES
#define KERNEL_ATTRIBUTES
#endif
#define KERNEL(max_threads)                                                                                            \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, max_threads))) KERNEL_ATTRIBUTES void KERNEL_NAME
#endif

// Lanes of a wave on this target. (clang defines it for the GPU, scripts/kernels for the CPU.)
#define WAVE_SIZE __AMDGCN_WAVEFRONT_SIZE__
#define RESTRICT __restrict__

KERNELS_BEGIN

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef _Float16 f16;
// Types whose arithmetic the kernels spell out themselves.
struct bf16 {
  u16 bits;
};
struct fp8 {
  u8 bits;
};

template <class T, int N> using Vec = T __attribute__((ext_vector_type(N)));
typedef Vec<float, 2> f32x2;
typedef Vec<float, 4> f32x4;
typedef Vec<float, 8> f32x8;
typedef Vec<float, 16> f32x16;
typedef Vec<f16, 2> f16x2;
typedef Vec<f16, 4> f16x4;
typedef Vec<f16, 8> f16x8;
typedef Vec<f16, 16> f16x16;
typedef Vec<int, 2> i32x2;
typedef Vec<int, 4> i32x4;
typedef Vec<u32, 4> u32x4;

#if defined(VERILOCC_HOST)
DEVICE int threadX() {
  return (int)simt::current->thread.x;
}
DEVICE int threadY() {
  return (int)simt::current->thread.y;
}
DEVICE int blockX() {
  return (int)simt::current->block.x;
}
DEVICE int blockY() {
  return (int)simt::current->block.y;
}
DEVICE int blockZ() {
  return (int)simt::current->block.z;
}
DEVICE int blockSize() {
  return (int)simt::current->block_dim.x;
}
DEVICE int gridSize() {
  return (int)(simt::current->grid_dim.x * simt::current->block_dim.x);
}
DEVICE void barrier() {
  simt::barrier();
}
#else
DEVICE int threadX() {
  return (int)__builtin_amdgcn_workitem_id_x();
}
DEVICE int threadY() {
  return (int)__builtin_amdgcn_workitem_id_y();
}
DEVICE int blockX() {
  return (int)__builtin_amdgcn_workgroup_id_x();
}
DEVICE int blockY() {
  return (int)__builtin_amdgcn_workgroup_id_y();
}
DEVICE int blockZ() {
  return (int)__builtin_amdgcn_workgroup_id_z();
}
// Work-items of this work-group in x, and of the whole grid in x.
DEVICE int blockSize() {
  return (int)__builtin_amdgcn_workgroup_size_x();
}
DEVICE int gridSize() {
  return (int)__builtin_amdgcn_grid_size_x();
}
// Execution and memory barrier of the work-group; every work-item of it must arrive.
DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#endif

// Atomics on the device's memory; the old value is returned.
#if defined(VERILOCC_HOST)
template <class T> DEVICE T atomicAdd(T *place, T value) {
  T old = *place;
  *place = old + value;
  return old;
}
template <class T> DEVICE T atomicMax(T *place, T value) {
  T old = *place;
  *place = old > value ? old : value;
  return old;
}
template <class T> DEVICE T atomicCompareSwap(T *place, T expected, T value) {
  T old = *place;
  if (old == expected)
    *place = value;
  return old;
}
#else
template <class T> DEVICE T atomicAdd(T *place, T value) {
  return __hip_atomic_fetch_add(place, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T> DEVICE T atomicMax(T *place, T value) {
  return __hip_atomic_fetch_max(place, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T> DEVICE T atomicCompareSwap(T *place, T expected, T value) {
  __hip_atomic_compare_exchange_strong(place, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}
#endif

template <class T> DEVICE T min(T a, T b) {
  return a < b ? a : b;
}
template <class T> DEVICE T max(T a, T b) {
  return a > b ? a : b;
}
constexpr int ceilDiv(int a, int b) {
  return (a + b - 1) / b;
}
template <class To, class From> DEVICE To bitCast(From from) {
  return __builtin_bit_cast(To, from);
}

KERNELS_END
