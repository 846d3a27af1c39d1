// The convolution of conv.hip on the matrix unit: f16 input and filters, f32 output.
//
// Parameters: P_WM, P_WN waves; P_TM, P_TN 16 x 16 tiles of a wave; P_BK depth of a slice; P_R, P_S. Channels are a
// multiple of 8, so that eight neighbours along the depth are eight channels of one tap. Launch: P_WM * P_WN waves;
// grid (ceil(filters / BN), ceil(N P Q / BM)).
#include "matrix.h"
using namespace verilocc::kernels;

namespace {

struct Shape {
  int images, height, width, channels, filters, out_height, out_width, padding;
};

template <int WAVES_M, int WAVES_N, int TILES_M, int TILES_N, int BK, int R, int S>
DEVICE void convolve(const f16 *RESTRICT in, const f16 *RESTRICT filter, float *RESTRICT out, Shape shape) {
  typedef Mma<f16, 16> M;
  constexpr int BM = WAVES_M * TILES_M * 16, BN = WAVES_N * TILES_N * 16, THREADS = WAVES_M * WAVES_N * WAVE_SIZE;
  constexpr int STRIDE = BK + 8, CHUNKS = BK / 8;
  alignas(16) SHARED f16 lds_a[BM * STRIDE];
  alignas(16) SHARED f16 lds_b[BN * STRIDE];
  int pixels = shape.images * shape.out_height * shape.out_width, depth = R * S * shape.channels;
  int pixel0 = blockY() * BM, filter0 = blockX() * BN, lane = laneId();
  typename M::Accumulator c[TILES_M][TILES_N] = {};

  NO_UNROLL
  for (int k0 = 0; k0 < depth; k0 += BK) {
    UNROLL
    for (int i = 0; i < ceilDiv(BM * CHUNKS, THREADS); ++i) {
      int index = threadX() + i * THREADS;
      if (BM * CHUNKS % THREADS == 0 || index < BM * CHUNKS) {
        int k = k0 + index % CHUNKS * 8, pixel = pixel0 + index / CHUNKS;
        f16x8 value = 0;
        if (k < depth && pixel < pixels) {
          int channel = k % shape.channels, tap = k / shape.channels;
          int q = pixel % shape.out_width, p = pixel / shape.out_width % shape.out_height;
          int image = pixel / (shape.out_width * shape.out_height);
          int y = p + tap / S - shape.padding, x = q + tap % S - shape.padding;
          if (y >= 0 && y < shape.height && x >= 0 && x < shape.width)
            value =
                *(const f16x8 *)(in + (((i64)image * shape.height + y) * shape.width + x) * shape.channels + channel);
        }
        *(f16x8 *)(lds_a + index / CHUNKS * STRIDE + index % CHUNKS * 8) = value;
      }
    }
    UNROLL
    for (int i = 0; i < ceilDiv(BN * CHUNKS, THREADS); ++i) {
      int index = threadX() + i * THREADS;
      if (BN * CHUNKS % THREADS == 0 || index < BN * CHUNKS) {
        int k = k0 + index % CHUNKS * 8, which = filter0 + index / CHUNKS;
        f16x8 value = 0;
        if (k < depth && which < shape.filters)
          value = *(const f16x8 *)(filter + (i64)which * depth + k);
        *(f16x8 *)(lds_b + index / CHUNKS * STRIDE + index % CHUNKS * 8) = value;
      }
    }
    barrier();
    UNROLL
    for (int step = 0; step < BK; step += M::K) {
      typename M::Fragment a[TILES_M], b[TILES_N];
      UNROLL
      for (int i = 0; i < TILES_M; ++i)
        a[i] = M::load(lds_a + ((waveId() / WAVES_N * TILES_M + i) * 16 + lane % 16) * STRIDE + step + M::kStart(lane));
      UNROLL
      for (int j = 0; j < TILES_N; ++j)
        b[j] = M::load(lds_b + ((waveId() % WAVES_N * TILES_N + j) * 16 + lane % 16) * STRIDE + step + M::kStart(lane));
      UNROLL
      for (int i = 0; i < TILES_M; ++i)
        UNROLL
      for (int j = 0; j < TILES_N; ++j)
        c[i][j] = M::multiply(a[i], b[j], c[i][j]);
    }
    barrier();
  }
  UNROLL
  for (int i = 0; i < TILES_M; ++i)
    UNROLL
  for (int j = 0; j < TILES_N; ++j)
    UNROLL
  for (int e = 0; e < M::kAccumulators; ++e) {
    int pixel = pixel0 + (waveId() / WAVES_N * TILES_M + i) * 16 + M::row(lane, e);
    int which = filter0 + (waveId() % WAVES_N * TILES_N + j) * 16 + lane % 16;
    if (pixel < pixels && which < shape.filters)
      out[(i64)pixel * shape.filters + which] = c[i][j][e];
  }
}

} // namespace

KERNEL(P_WM *P_WN *WAVE_SIZE)
(const f16 *RESTRICT in, const f16 *RESTRICT filter, float *RESTRICT out, int images, int height, int width,
 int channels, int filters, int out_height, int out_width, int padding) {
  convolve<P_WM, P_WN, P_TM, P_TN, P_BK, P_R, P_S>(
      in, filter, out, {images, height, width, channels, filters, out_height, out_width, padding});
}
