// Gravitational N-body forces, all pairs: bodies pass through LDS, each work-item sums for P_BODIES of its own.
//
// acceleration[i] = sum over j of mass[j] (p[j] - p[i]) / (|p[j] - p[i]|^2 + softening)^1.5; bodies are (x, y, z,
// mass). Parameters: P_THREADS; P_BODIES; P_UNROLL bodies of the tile at once. Launch: P_THREADS work-items; grid
// (ceil(bodies / (THREADS * BODIES))).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

template <int THREADS, int BODIES, int AT_ONCE>
DEVICE void accelerate(const f32x4 *RESTRICT bodies, f32x4 *RESTRICT out, int count, float softening) {
  SHARED f32x4 tile[THREADS];
  f32x4 own[BODIES], sum[BODIES];
  int first = blockX() * THREADS * BODIES + threadX();
  UNROLL
  for (int b = 0; b < BODIES; ++b) {
    own[b] = bodies[min(first + b * THREADS, count - 1)];
    sum[b] = 0.0f;
  }
  for (int tile0 = 0; tile0 < count; tile0 += THREADS) {
    int index = tile0 + threadX();
    f32x4 loaded = bodies[min(index, count - 1)];
    loaded.w = index < count ? loaded.w : 0.0f; // a body without mass pulls nobody
    tile[threadX()] = loaded;
    barrier();
    NO_UNROLL
    for (int j = 0; j < THREADS; j += AT_ONCE) {
      UNROLL
      for (int u = 0; u < AT_ONCE; ++u) {
        f32x4 other = tile[j + u];
        UNROLL
        for (int b = 0; b < BODIES; ++b) {
          f32x4 d = other - own[b];
          float square = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, softening)));
          float inverse = reciprocalSqrt(square);
          float pull = other.w * inverse * inverse * inverse;
          sum[b].x = fma(d.x, pull, sum[b].x);
          sum[b].y = fma(d.y, pull, sum[b].y);
          sum[b].z = fma(d.z, pull, sum[b].z);
        }
      }
    }
    barrier();
  }
  UNROLL
  for (int b = 0; b < BODIES; ++b)
    if (first + b * THREADS < count)
      out[first + b * THREADS] = sum[b];
}

} // namespace

KERNEL(P_THREADS)(const f32x4 *RESTRICT bodies, f32x4 *RESTRICT out, int count, float softening) {
  accelerate<P_THREADS, P_BODIES, P_UNROLL>(bodies, out, count, softening);
}
