// Bitonic sort of rows in one work-group, keys with values: steps inside a work-item, a wave, and the work-group.
//
// Rows have THREADS * ITEMS elements at most; the rest is filled with the largest key. Element e of work-item t is
// number t * ITEMS + e. A step exchanges numbers that differ in one bit: inside registers, by shuffles, or through LDS.
// (Batcher, Sorting networks and their applications, 1968.)
// Parameters: P_THREADS; P_ITEMS power of two; P_VALUES 1: a value travels with each key.
// Launch: P_THREADS work-items; grid (rows).
#include "wave.h"
using namespace verilocc::kernels;

namespace {

template <int THREADS, int ITEMS, bool VALUES> DEVICE void sort(u32 *RESTRICT keys, u32 *RESTRICT values, int columns) {
  SHARED u32 lds_keys[THREADS * ITEMS];
  SHARED u32 lds_values[VALUES ? THREADS * ITEMS : 1];
  keys += (i64)blockX() * columns;
  values += (i64)blockX() * columns;
  int thread = threadX();
  u32 k[ITEMS], v[ITEMS] = {};
  UNROLL
  for (int i = 0; i < ITEMS; ++i) {
    int place = thread * ITEMS + i;
    k[i] = place < columns ? keys[place] : ~0u;
    if (VALUES)
      v[i] = place < columns ? values[place] : 0u;
  }
  // Keeps the smaller or the larger of own and other; equal keys keep their own, in both partners, so none is lost.
  auto keep = [&](int i, u32 other_key, u32 other_value, bool smaller) {
    bool take = smaller ? other_key < k[i] : other_key > k[i];
    k[i] = take ? other_key : k[i];
    if (VALUES)
      v[i] = take ? other_value : v[i];
  };
  NO_UNROLL
  for (int size = 2; size <= THREADS * ITEMS; size *= 2) {
    NO_UNROLL
    for (int distance = size / 2; distance > 0; distance /= 2) {
      if (distance < ITEMS) {
        UNROLL
        for (int d = 1; d < ITEMS; d *= 2)
          if (d == distance) {
            UNROLL
            for (int i = 0; i < ITEMS; ++i)
              if (!(i & d)) {
                bool up = !((thread * ITEMS + i) & size);
                u32 a = k[i], b = k[i | d], va = v[i], vb = v[i | d];
                bool swap = up ? a > b : a < b;
                k[i] = swap ? b : a;
                k[i | d] = swap ? a : b;
                v[i] = swap ? vb : va;
                v[i | d] = swap ? va : vb;
              }
          }
        continue;
      }
      int partner_distance = distance / ITEMS;
      bool low = !(thread & partner_distance);
      if (partner_distance < WAVE_SIZE) {
        UNROLL
        for (int i = 0; i < ITEMS; ++i) {
          u32 other_key = shuffleXor(k[i], partner_distance);
          u32 other_value = VALUES ? shuffleXor(v[i], partner_distance) : 0u;
          keep(i, other_key, other_value, low == !((thread * ITEMS + i) & size));
        }
        continue;
      }
      UNROLL
      for (int i = 0; i < ITEMS; ++i) {
        lds_keys[i * THREADS + thread] = k[i];
        if (VALUES)
          lds_values[i * THREADS + thread] = v[i];
      }
      barrier();
      UNROLL
      for (int i = 0; i < ITEMS; ++i) {
        int other = i * THREADS + (thread ^ partner_distance);
        keep(i, lds_keys[other], VALUES ? lds_values[other] : 0u, low == !((thread * ITEMS + i) & size));
      }
      barrier();
    }
  }
  UNROLL
  for (int i = 0; i < ITEMS; ++i) {
    int place = thread * ITEMS + i;
    if (place < columns) {
      keys[place] = k[i];
      if (VALUES)
        values[place] = v[i];
    }
  }
}

} // namespace

#ifndef P_VALUES
#define P_VALUES 0
#endif

KERNEL(P_THREADS)(u32 *RESTRICT keys, u32 *RESTRICT values, int columns) {
  sort<P_THREADS, P_ITEMS, P_VALUES>(keys, values, columns);
}
