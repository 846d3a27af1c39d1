// Two-dimensional convolution as an implicit GEMM, vector unit: NHWC input, filters [KOUT][R][S][C], NHWC output.
//
// Idea: rows of the GEMM are output pixels, columns output channels, depth is (r, s, c); the input is gathered into LDS
// without ever building the matrix. Zero padding, stride.
// Parameters: P_BM pixels, P_BN channels, P_BK depth of a slice; P_TM, P_TN tile of a work-item; P_R, P_S filter size;
//   P_STRIDE; P_RELU.
// Launch: (BM / TM) * (BN / TN) work-items; grid (ceil(KOUT / BN), ceil(N P Q / BM)).
#include "fastmath.h"
using namespace verilocc::kernels;

namespace {

struct Shape {
  int images, height, width, channels, filters, out_height, out_width, padding;
};

template <int BM, int BN, int BK, int TM, int TN, int R, int S, int STRIDE, bool RELU>
DEVICE void convolve(const float *RESTRICT in, const float *RESTRICT filter, float *RESTRICT out, Shape shape) {
  constexpr int THREADS = (BM / TM) * (BN / TN);
  alignas(16) SHARED float lds_a[BK][BM + 4];
  alignas(16) SHARED float lds_b[BK][BN + 4];
  int pixels = shape.images * shape.out_height * shape.out_width, depth = R * S * shape.channels;
  int pixel0 = blockY() * BM, filter0 = blockX() * BN;
  int row = threadX() / (BN / TN) * TM, column = threadX() % (BN / TN) * TN;
  float c[TM][TN] = {};

  NO_UNROLL
  for (int k0 = 0; k0 < depth; k0 += BK) {
    UNROLL
    for (int i = 0; i < ceilDiv(BM * BK, THREADS); ++i) {
      int index = threadX() + i * THREADS;
      if (BM * BK % THREADS == 0 || index < BM * BK) {
        int k = k0 + index % BK, pixel = pixel0 + index / BK;
        float value = 0;
        if (k < depth && pixel < pixels) {
          int channel = k % shape.channels, tap = k / shape.channels;
          int q = pixel % shape.out_width, p = pixel / shape.out_width % shape.out_height;
          int image = pixel / (shape.out_width * shape.out_height);
          int y = p * STRIDE + tap / S - shape.padding, x = q * STRIDE + tap % S - shape.padding;
          if (y >= 0 && y < shape.height && x >= 0 && x < shape.width)
            value = in[(((i64)image * shape.height + y) * shape.width + x) * shape.channels + channel];
        }
        lds_a[index % BK][index / BK] = value;
      }
    }
    UNROLL
    for (int i = 0; i < ceilDiv(BN * BK, THREADS); ++i) {
      int index = threadX() + i * THREADS;
      if (BN * BK % THREADS == 0 || index < BN * BK) {
        int k = k0 + index % BK, which = filter0 + index / BK;
        lds_b[index % BK][index / BK] = k < depth && which < shape.filters ? filter[(i64)which * depth + k] : 0.0f;
      }
    }
    barrier();
    UNROLL
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      UNROLL
      for (int i = 0; i < TM; ++i)
        a[i] = lds_a[k][row + i];
      UNROLL
      for (int j = 0; j < TN; ++j)
        b[j] = lds_b[k][column + j];
      UNROLL
      for (int i = 0; i < TM; ++i)
        UNROLL
      for (int j = 0; j < TN; ++j)
        c[i][j] = fma(a[i], b[j], c[i][j]);
    }
    barrier();
  }
  UNROLL
  for (int i = 0; i < TM; ++i)
    UNROLL
  for (int j = 0; j < TN; ++j) {
    int pixel = pixel0 + row + i, which = filter0 + column + j;
    if (pixel < pixels && which < shape.filters)
      out[(i64)pixel * shape.filters + which] = RELU ? fmax(c[i][j], 0.0f) : c[i][j];
  }
}

} // namespace

#ifndef P_STRIDE
#define P_STRIDE 1
#endif
#ifndef P_RELU
#define P_RELU 0
#endif

KERNEL((P_BM / P_TM) * (P_BN / P_TN))
(const float *RESTRICT in, const float *RESTRICT filter, float *RESTRICT out, int images, int height, int width,
 int channels, int filters, int out_height, int out_width, int padding) {
  convolve<P_BM, P_BN, P_BK, P_TM, P_TN, P_R, P_S, P_STRIDE, P_RELU>(
      in, filter, out, {images, height, width, channels, filters, out_height, out_width, padding});
}
