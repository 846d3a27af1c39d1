// Rotary position embedding (Su et al., arXiv 2104.09864) of queries and keys in place.
//
// x is [tokens][heads][D]; pairs (i, i + D/2) (P_PAIRS 0, as in GPT-NeoX) or (2i, 2i + 1) (P_PAIRS 1, as in the paper)
// turn by position * base^(-2i/D). Parameters: P_TYPE; P_D; P_PAIRS; P_HEADS heads a work-item handles with one sine.
// Launch: P_D / 2 work-items; grid (tokens, ceil(heads / HEADS)).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

template <class T, int D, bool INTERLEAVED, int HEADS>
DEVICE void rotate(T *RESTRICT x, const int *RESTRICT positions, int heads, float log2_base) {
  int token = blockX(), pair = threadX();
  float frequency = exp2Fast(-2.0f * (float)pair / D * log2_base);
  float turns = (float)positions[token] * frequency * kInverseTwoPi;
  turns -= __builtin_floorf(turns); // the hardware's sine wants a small argument
  float sine = sinTurns(turns), cosine = cosTurns(turns);
  int low = INTERLEAVED ? 2 * pair : pair, high = INTERLEAVED ? 2 * pair + 1 : pair + D / 2;
  UNROLL
  for (int h = 0; h < HEADS; ++h) {
    int head = blockY() * HEADS + h;
    if (head >= heads)
      return;
    T *row = x + ((i64)token * heads + head) * D;
    float a = toFloat(row[low]), b = toFloat(row[high]);
    row[low] = fromFloat<T>(a * cosine - b * sine);
    row[high] = fromFloat<T>(a * sine + b * cosine);
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif

KERNEL(P_D / 2)(P_TYPE *RESTRICT x, const int *RESTRICT positions, int heads, float log2_base) {
  rotate<P_TYPE, P_D, P_PAIRS, P_HEADS>(x, positions, heads, log2_base);
}
