// The kernels behind the .ll files of this folder, made by
//   clang-19 -target amdgcn-amd-amdhsa -mcpu=ARCH -O3 -nogpulib -fno-ident -D... -S -emit-llvm kernels.cl -o ...
//   gfx1100.ll: -DMATRIX_WMMA; gfx90a.ll: -DMATRIX_MFMA; gfx1030.ll: neither.
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define THREAD __builtin_amdgcn_workitem_id_x()
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Divergence: a tail check and a data dependent loop.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
collatz(__global uint *steps, __global const uint *values, uint n) {
  uint i = GROUP * 64 + THREAD;
  if (i >= n)
    return;
  uint value = values[i], count = 0;
  while (value > 1 && count < 1000) {
    value = value & 1 ? 3 * value + 1 : value >> 1;
    ++count;
  }
  steps[i] = count;
}

// LDS, barriers, and a register tile: C = A B, one workgroup a 32x32 tile, 4x4 a thread.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
gemm(__global float *c, __global const float *a, __global const float *b, int n, int k) {
  __local float tile_a[32][8], tile_b[8][32];
  int thread = THREAD, row = (int)(GROUP / (n / 32)) * 32, column = (int)(GROUP % (n / 32)) * 32;
  int y = thread / 8 * 4, x = thread % 8 * 4;
  float sum[4][4] = {};
  for (int start = 0; start < k; start += 8) {
    for (int i = thread; i < 32 * 8; i += 64) {
      tile_a[i / 8][i % 8] = a[(row + i / 8) * k + start + i % 8];
      tile_b[i / 32][i % 32] = b[(start + i / 32) * n + column + i % 32];
    }
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    for (int p = 0; p < 8; ++p)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          sum[i][j] += tile_a[y + i][p] * tile_b[p][x + j];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      c[(row + y + i) * n + column + x + j] = sum[i][j];
}

#if defined(MATRIX_WMMA)
typedef half half16 __attribute__((ext_vector_type(16)));
typedef float float8_ __attribute__((ext_vector_type(8)));
__kernel void matrix(__global float8_ *c, __global const half16 *a, __global const half16 *b, int k) {
  float8_ sum = 0;
  for (int p = 0; p < k; ++p)
    sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a[p * 32 + THREAD], b[p * 32 + THREAD], sum);
  c[THREAD] = sum;
}
#elif defined(MATRIX_MFMA)
typedef half half4_ __attribute__((ext_vector_type(4)));
typedef float float4_ __attribute__((ext_vector_type(4)));
__kernel void matrix(__global float4_ *c, __global const half4_ *a, __global const half4_ *b, int k) {
  float4_ sum = 0;
  for (int p = 0; p < k; ++p)
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(a[p * 64 + THREAD], b[p * 64 + THREAD], sum, 0, 0, 0);
  c[THREAD] = sum;
}
#endif
