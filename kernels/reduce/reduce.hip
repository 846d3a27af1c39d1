// Reduction of a long array: sum, maximum, place of the maximum, or squared norm; one result a work-group.
//
// Parameters: P_TYPE; P_OP 0 sum, 1 maximum, 2 index of the (first) maximum, 3 sum of squares; P_THREADS; P_ITEMS
//   accumulators a work-item; P_ATOMIC 1: work-groups add their result into out[0] (sums only).
// Launch: P_THREADS work-items, any grid; out holds one number a work-group.
#include "fastmath.h"
#include "wave.h"
using namespace verilocc::kernels;

namespace {

// A candidate for the maximum; earlier places win ties.
struct Candidate {
  float value;
  int place;
};
struct Better {
  DEVICE Candidate operator()(Candidate a, Candidate b) const {
    return b.value > a.value || (b.value == a.value && b.place < a.place) ? b : a;
  }
};

template <int OP, class V> DEVICE V combine(V a, V b) {
  if constexpr (OP == 2)
    return Better()(a, b);
  else if constexpr (OP == 1)
    return fmax(a, b);
  else
    return a + b;
}

template <class T, int OP, int THREADS, int ITEMS, bool ATOMIC>
DEVICE void reduce(const T *RESTRICT in, float *RESTRICT out, int count) {
  typedef decltype([] {
    if constexpr (OP == 2)
      return Candidate();
    else
      return float();
  }()) V;
  SHARED V scratch[ceilDiv(THREADS, WAVE_SIZE)];
  int step = gridSize();
  auto make = [](float value, int place) {
    if constexpr (OP == 2)
      return Candidate{value, place};
    else
      return OP == 3 ? value * value : value;
  };
  constexpr float neutral = OP == 1 || OP == 2 ? -kInfinity : 0.0f;
  V best[ITEMS];
  UNROLL
  for (int i = 0; i < ITEMS; ++i)
    best[i] = make(neutral, 0x7fffffff);
  for (int first = blockX() * THREADS + threadX(); first < count; first += step * ITEMS) {
    UNROLL
    for (int i = 0; i < ITEMS; ++i) {
      int place = first + i * step;
      V x = make(place < count ? toFloat(in[place]) : neutral, place < count ? place : 0x7fffffff);
      best[i] = combine<OP>(best[i], x);
    }
  }
  UNROLL
  for (int width = ITEMS / 2; width > 0; width /= 2)
    UNROLL
  for (int i = 0; i < width; ++i)
    best[i] = combine<OP>(best[i], best[i + width]);
  V result = blockReduce<THREADS>(best[0], scratch, [](V a, V b) { return combine<OP>(a, b); });
  if (threadX() == 0) {
    if constexpr (OP == 2)
      out[blockX()] = (float)result.place;
    else if constexpr (ATOMIC)
      atomicAdd(out, result);
    else
      out[blockX()] = result;
  }
}

} // namespace

#ifndef P_TYPE
#define P_TYPE float
#endif
#ifndef P_ATOMIC
#define P_ATOMIC 0
#endif

KERNEL(P_THREADS)(const P_TYPE *RESTRICT in, float *RESTRICT out, int count) {
  reduce<P_TYPE, P_OP, P_THREADS, P_ITEMS, P_ATOMIC>(in, out, count);
}
