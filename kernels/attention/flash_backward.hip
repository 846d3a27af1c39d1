// Flash attention backward: gradients of attention without the score matrix (arXiv 2205.14135, algorithm 4).
//
// All tensors [heads][tokens][D], float. lse is the forward's log-sum-exp, delta[row] = sum of dO * O. With
// P = exp(scale Q K^T - lse) and dS = P (dO V^T - delta):  dQ = scale dS K,  dK = scale dS^T Q,  dV = P^T dO.
// Idea: a work-group owns ROWS rows of the side it differentiates, SPLIT lanes a row; the other side passes through
// LDS. Parameters: P_PART 0: dQ (owns queries), 1: dK and dV (owns keys); P_D; P_ROWS; P_TILE rows of the other side in
// LDS;
//   P_SPLIT; P_CAUSAL.
// Launch: P_ROWS * P_SPLIT work-items; grid (ceil(tokens / ROWS), heads).
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

template <int D, int ROWS, int TILE, int SPLIT, bool CAUSAL, bool KEYS_SIDE>
DEVICE void backward(const float *RESTRICT q, const float *RESTRICT k, const float *RESTRICT v,
                     const float *RESTRICT d_out, const float *RESTRICT lse, const float *RESTRICT delta,
                     float *RESTRICT grad_a, float *RESTRICT grad_b, int tokens, float scale) {
  constexpr int THREADS = ROWS * SPLIT, PART = D / SPLIT;
  // Owned side: (q, dO) for dQ, (k, v) for dK and dV; the tile holds the other pair.
  SHARED float tile_a[TILE][D];
  SHARED float tile_b[TILE][D];
  SHARED float tile_lse[TILE];
  SHARED float tile_delta[TILE];
  i64 base = (i64)blockY() * tokens * D;
  int part = threadX() % SPLIT;
  int row = blockX() * ROWS + threadX() / SPLIT;
  int clamped = min(row, tokens - 1);
  const float *own_a = (KEYS_SIDE ? k : q) + base, *own_b = (KEYS_SIDE ? v : d_out) + base;
  const float *other_a = (KEYS_SIDE ? q : k) + base, *other_b = (KEYS_SIDE ? d_out : v) + base;
  lse += (i64)blockY() * tokens;
  delta += (i64)blockY() * tokens;

  float a[PART], b[PART], sum_a[PART], sum_b[PART];
  UNROLL
  for (int i = 0; i < PART; ++i) {
    a[i] = own_a[(i64)clamped * D + i * SPLIT + part];
    b[i] = own_b[(i64)clamped * D + i * SPLIT + part];
    sum_a[i] = sum_b[i] = 0;
  }
  float own_lse = lse[clamped], own_delta = delta[clamped];
  int first = CAUSAL && KEYS_SIDE ? blockX() * ROWS / TILE * TILE : 0;
  int last = CAUSAL && !KEYS_SIDE ? min(tokens, (blockX() + 1) * ROWS) : tokens;

  NO_UNROLL
  for (int other0 = first; other0 < last; other0 += TILE) {
    for (int index = threadX(); index < TILE * D; index += THREADS) {
      int other = other0 + index / D;
      bool exists = other < tokens;
      tile_a[index / D][index % D] = exists ? other_a[(i64)other * D + index % D] : 0.0f;
      tile_b[index / D][index % D] = exists ? other_b[(i64)other * D + index % D] : 0.0f;
      if (KEYS_SIDE && index % D == 0) {
        tile_lse[index / D] = exists ? lse[other] : 0.0f;
        tile_delta[index / D] = exists ? delta[other] : 0.0f;
      }
    }
    barrier();
    UNROLL
    for (int t = 0; t < TILE; ++t) {
      float score = 0, gradient = 0;
      UNROLL
      for (int i = 0; i < PART; ++i) {
        score = fma(a[i], tile_a[t][i * SPLIT + part], score);
        gradient = fma(b[i], tile_b[t][i * SPLIT + part], gradient);
      }
      score = waveReduce<SPLIT>(score, Sum());
      gradient = waveReduce<SPLIT>(gradient, Sum());
      int query = KEYS_SIDE ? other0 + t : row, key = KEYS_SIDE ? row : other0 + t;
      bool seen = other0 + t < tokens && (!CAUSAL || key <= query);
      float p = seen ? expFast(score * scale - (KEYS_SIDE ? tile_lse[t] : own_lse)) : 0.0f;
      float ds = p * (gradient - (KEYS_SIDE ? tile_delta[t] : own_delta)) * scale;
      UNROLL
      for (int i = 0; i < PART; ++i) {
        sum_a[i] = fma(ds, tile_a[t][i * SPLIT + part], sum_a[i]);
        if (KEYS_SIDE)
          sum_b[i] = fma(p, tile_b[t][i * SPLIT + part], sum_b[i]);
      }
    }
    barrier();
  }
  if (row >= tokens)
    return;
  UNROLL
  for (int i = 0; i < PART; ++i) {
    grad_a[base + (i64)row * D + i * SPLIT + part] = sum_a[i];
    if (KEYS_SIDE)
      grad_b[base + (i64)row * D + i * SPLIT + part] = sum_b[i];
  }
}

} // namespace

#ifndef P_CAUSAL
#define P_CAUSAL 0
#endif

KERNEL(P_ROWS *P_SPLIT)
(const float *RESTRICT q, const float *RESTRICT k, const float *RESTRICT v, const float *RESTRICT d_out,
 const float *RESTRICT lse, const float *RESTRICT delta, float *RESTRICT grad_a, float *RESTRICT grad_b, int tokens,
 float scale) {
  backward<P_D, P_ROWS, P_TILE, P_SPLIT, P_CAUSAL, P_PART>(q, k, v, d_out, lse, delta, grad_a, grad_b, tokens, scale);
}
