// Sphere tracing of a scene of signed distances, one shadow ray and one reflection: nested divergent loops, early
// exits.
//
// (Hart, Sphere tracing, 1996.) out[y][x] = brightness. Parameters: P_THREADS; P_STEPS; P_OBJECTS spheres in a row.
// Launch: P_THREADS work-items; grid (ceil(width / THREADS), height).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

typedef Vec<float, 4> Point; // w unused: 4 lanes keep vectors aligned

DEVICE float dot(Point a, Point b) {
  return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}
DEVICE Point scaled(Point a, float s) {
  return Point{a.x * s, a.y * s, a.z * s, 0};
}
DEVICE Point unit(Point a) {
  return scaled(a, 1.0f / __builtin_sqrtf(dot(a, a)));
}

template <int OBJECTS> DEVICE float distanceTo(Point p) {
  float nearest = p.y + 1.0f; // floor
  for (int i = 0; i < OBJECTS; ++i) {
    Point d = p - Point{1.5f * (i - (OBJECTS - 1) * 0.5f), 0, 3.0f + 0.25f * i, 0};
    float sphere = __builtin_sqrtf(dot(d, d)) - 0.7f;
    // A box cut out of every other one.
    if (i & 1) {
      float box = fmax(fmax(fabs(d.x), fabs(d.y)), fabs(d.z)) - 0.5f;
      sphere = fmax(sphere, -box);
    }
    nearest = fmin(nearest, sphere);
  }
  return nearest;
}

// Distance along the ray to the first surface, or -1.
template <int OBJECTS, int STEPS> DEVICE float march(Point from, Point along) {
  float t = 0.02f;
  for (int step = 0; step < STEPS; ++step) {
    float d = distanceTo<OBJECTS>(from + scaled(along, t));
    if (d < 0.001f)
      return t;
    t += d;
    if (t > 20.0f)
      break;
  }
  return -1.0f;
}

template <int OBJECTS> DEVICE Point normalAt(Point p) {
  constexpr float e = 0.01f;
  float d = distanceTo<OBJECTS>(p);
  return unit(Point{distanceTo<OBJECTS>(p + Point{e, 0, 0, 0}) - d, distanceTo<OBJECTS>(p + Point{0, e, 0, 0}) - d,
                    distanceTo<OBJECTS>(p + Point{0, 0, e, 0}) - d, 0});
}

template <int OBJECTS, int STEPS> DEVICE float brightness(Point from, Point along) {
  float light = 0, share = 1;
  for (int bounce = 0; bounce < 2; ++bounce) {
    float t = march<OBJECTS, STEPS>(from, along);
    if (t < 0)
      return light + share * (0.5f + 0.5f * along.y);
    Point hit = from + scaled(along, t);
    Point normal = normalAt<OBJECTS>(hit);
    Point sun = unit(Point{0.5f, 1.0f, -0.6f, 0});
    float facing = dot(normal, sun);
    if (facing > 0 && march<OBJECTS, STEPS>(hit + scaled(normal, 0.02f), sun) < 0)
      light += share * 0.7f * facing;
    light += share * 0.1f;
    share *= 0.4f;
    along = along - scaled(normal, 2.0f * dot(along, normal));
    from = hit + scaled(normal, 0.02f);
  }
  return light;
}

} // namespace

KERNEL(P_THREADS)(float *RESTRICT out, int width, int height) {
  int column = blockX() * P_THREADS + threadX(), row = blockY();
  if (column >= width)
    return;
  float x = (column + 0.5f) / width * 2 - 1, y = 1 - (row + 0.5f) / height * 2;
  out[(i64)row * width + column] = brightness<P_OBJECTS, P_STEPS>(Point{0, 0.3f, -1.5f, 0}, unit(Point{x, y, 1.2f, 0}));
}
