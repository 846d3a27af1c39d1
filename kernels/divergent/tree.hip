// Nearest neighbours in a k-d tree: depth-first search with a stack in private memory, pruning by distance.
//
// Nodes are in heap order (children of n at 2n + 1 and 2n + 2); the split axis is depth % 3. out holds the P_NEAREST
// smallest squared distances of each query, ascending. Parameters: P_THREADS; P_NEAREST; P_STACK.
// Launch: P_THREADS work-items; grid (ceil(queries / THREADS)). nodes and queries are (x, y, z, unused).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

struct Pending {
  int node;
  float least; // no point below is nearer than this
};

template <int NEAREST, int STACK>
DEVICE void search(const f32x4 *RESTRICT nodes, int count, f32x4 query, float *RESTRICT out) {
  float best[NEAREST];
  UNROLL
  for (int i = 0; i < NEAREST; ++i)
    best[i] = kInfinity;
  Pending stack[STACK];
  int depth = 1;
  stack[0] = {0, 0.0f};
  while (depth > 0) {
    Pending now = stack[--depth];
    if (now.node >= count || now.least >= best[NEAREST - 1])
      continue;
    f32x4 d = nodes[now.node] - query;
    float square = fma(d.x, d.x, fma(d.y, d.y, d.z * d.z));
    UNROLL
    for (int i = 0; i < NEAREST; ++i) {
      float smaller = fmin(best[i], square);
      square = fmax(best[i], square);
      best[i] = smaller;
    }
    int axis = (31 - __builtin_clz(now.node + 1)) % 3;
    float gap = axis == 0 ? d.x : axis == 1 ? d.y : d.z;
    int near = 2 * now.node + (gap >= 0 ? 1 : 2), far = 2 * now.node + (gap >= 0 ? 2 : 1);
    stack[depth++] = {far, gap * gap};
    stack[depth++] = {near, now.least};
  }
  UNROLL
  for (int i = 0; i < NEAREST; ++i)
    out[i] = best[i];
}

} // namespace

KERNEL(P_THREADS)
(const f32x4 *RESTRICT nodes, int count, const f32x4 *RESTRICT queries, int query_count, float *RESTRICT out) {
  int query = blockX() * P_THREADS + threadX();
  if (query < query_count)
    search<P_NEAREST, P_STACK>(nodes, count, queries[query], out + (i64)query * P_NEAREST);
}
