// Bodies of attention_kernels.h, compiled once for any machine and once for AVX2 (compare model/kernels_impl.h).
//
// Keys are taken 32 at a time (a page) and queries four at a time (a block), so that what is loaded is used several
// times and no matrix of time by time is ever written to memory. On the way back the shares are computed anew from the
// saved logarithm: arXiv 2205.14135 (FlashAttention), without its online softmax, since a window's scores fit.
#include "train/attention_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace verilocc::train::VERILOCC_KERNELS {
namespace {

typedef float Vec __attribute__((vector_size(32)));
typedef int32_t IntVec __attribute__((vector_size(32)));
constexpr size_t lanes = 8, page = 32, page_vecs = page / lanes, block = 4;

inline __attribute__((always_inline)) Vec load(const float *from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline __attribute__((always_inline)) void store(float *to, const Vec &v) {
  std::memcpy(to, &v, sizeof v);
}
inline __attribute__((always_inline)) Vec all(float x) {
  return Vec{x, x, x, x, x, x, x, x};
}

/// e^x as in model/kernels_impl.h; x <= 0 here.
inline __attribute__((always_inline)) Vec exponential(const Vec &x) {
  const Vec low = all(-87);
  const Vec clamped = x < low ? low : x;
  const Vec shifted = clamped * all(1.44269504f) + all(12582912.0f);
  const Vec n = shifted - all(12582912.0f);
  Vec rest = clamped - n * all(0.693359375f);
  rest = rest - n * all(-2.12194440e-4f);
  Vec p = all(1 / 720.0f);
  p = p * rest + all(1 / 120.0f);
  p = p * rest + all(1 / 24.0f);
  p = p * rest + all(1 / 6.0f);
  p = p * rest + all(0.5f);
  p = p * rest + all(1);
  p = p * rest + all(1);
  IntVec bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  const IntVec power = (bits - 0x4b400000 + 127) << 23;
  Vec two_to_n;
  std::memcpy(&two_to_n, &power, sizeof power);
  return x < low ? all(0) : p * two_to_n;
}

/// out[b][t] = x[b] . column t of a transposed page, for the block.
inline __attribute__((always_inline)) void dots(const float *x, const float *transposed, size_t head, float *out,
                                                size_t out_stride) {
  for (size_t b = 0; b < block; b += 2) {
    Vec sums[2][page_vecs];
#pragma GCC unroll 2
    for (size_t r = 0; r < 2; ++r)
#pragma GCC unroll 4
      for (size_t i = 0; i < page_vecs; ++i)
        sums[r][i] = all(0);
    for (size_t d = 0; d < head; ++d) {
      const Vec one = all(x[b * head + d]), two = all(x[(b + 1) * head + d]);
#pragma GCC unroll 4
      for (size_t i = 0; i < page_vecs; ++i) {
        const Vec column = load(transposed + d * page + i * lanes);
        sums[0][i] += one * column;
        sums[1][i] += two * column;
      }
    }
#pragma GCC unroll 2
    for (size_t r = 0; r < 2; ++r)
#pragma GCC unroll 4
      for (size_t i = 0; i < page_vecs; ++i)
        store(out + (b + r) * out_stride + i * lanes, sums[r][i]);
  }
}

/// out[b] += sum over t of shares[b][t] * rows[t], for the block.
inline __attribute__((always_inline)) void gatherRows(const float *shares, size_t stride, const float *rows,
                                                      size_t head, float *out) {
  for (size_t d = 0; d < head; d += 2 * lanes) {
    Vec sums[block][2];
#pragma GCC unroll 4
    for (size_t b = 0; b < block; ++b) {
      sums[b][0] = load(out + b * head + d);
      sums[b][1] = load(out + b * head + d + lanes);
    }
    for (size_t t = 0; t < page; ++t) {
      const Vec one = load(rows + t * head + d), two = load(rows + t * head + d + lanes);
#pragma GCC unroll 4
      for (size_t b = 0; b < block; ++b) {
        const Vec share = all(shares[b * stride + t]);
        sums[b][0] += share * one;
        sums[b][1] += share * two;
      }
    }
#pragma GCC unroll 4
    for (size_t b = 0; b < block; ++b) {
      store(out + b * head + d, sums[b][0]);
      store(out + b * head + d + lanes, sums[b][1]);
    }
  }
}

/// rows[t] += sum over b of shares[b][t] * x[b].
inline __attribute__((always_inline)) void spreadRows(const float *shares, size_t stride, const float *x, size_t head,
                                                      float *rows) {
  for (size_t d = 0; d < head; d += 2 * lanes) {
    Vec from[block][2];
#pragma GCC unroll 4
    for (size_t b = 0; b < block; ++b) {
      from[b][0] = load(x + b * head + d);
      from[b][1] = load(x + b * head + d + lanes);
    }
    for (size_t t = 0; t < page; ++t) {
      Vec one = load(rows + t * head + d), two = load(rows + t * head + d + lanes);
#pragma GCC unroll 4
      for (size_t b = 0; b < block; ++b) {
        const Vec share = all(shares[b * stride + t]);
        one += share * from[b][0];
        two += share * from[b][1];
      }
      store(rows + t * head + d, one);
      store(rows + t * head + d + lanes, two);
    }
  }
}

/// Turns the pairs of a head; sign -1 turns back.
void turnHead(const float *x, const float *turn, float sign, size_t head, float *out) {
  for (size_t i = 0; i < head; i += 2) {
    const float a = x[i], b = x[i + 1], cosine = turn[i], sine = sign * turn[i + 1];
    out[i] = a * cosine - b * sine;
    out[i + 1] = a * sine + b * cosine;
  }
}

/// One batch row and one kv head, in order and page by page; zero beyond the end.
struct Pages {
  std::vector<float> keys, keys_across, values, values_across;

  Pages(const AttentionArrays &a, size_t batch, size_t kv_head) {
    const size_t room = (a.time + page - 1) / page * page * a.head, stride = a.kv_heads * a.head;
    keys.resize(room);
    keys_across.resize(room);
    values.resize(room);
    values_across.resize(room);
    for (size_t t = 0; t < a.time; ++t) {
      const size_t from = (batch * a.time + t) * stride + kv_head * a.head;
      turnHead(a.key + from, a.turn + t * a.head, 1, a.head, &keys[t * a.head]);
      std::copy_n(a.value + from, a.head, &values[t * a.head]);
      float *across = &keys_across[t / page * page * a.head + t % page];
      float *values_at = &values_across[t / page * page * a.head + t % page];
      for (size_t d = 0; d < a.head; ++d) {
        across[d * page] = keys[t * a.head + d];
        values_at[d * page] = values[t * a.head + d];
      }
    }
  }
};

/// Four queries, of which the first `count` are real, and the pages that they see together.
struct Block {
  size_t index, count, first_page, pages;
  size_t first[block], last[block]; // keys seen, inclusive
  std::vector<float> query, scores;

  Block(const AttentionArrays &a) : query(block * a.head), scores(block * (a.time + 2 * page)) {}
  size_t stride() const { return pages * page; }

  void start(const AttentionArrays &a, size_t batch, size_t head, size_t at) {
    index = at;
    count = std::min(block, a.count - at);
    size_t low = a.time, high = 0;
    for (size_t b = 0; b < block; ++b) {
      const size_t row = batch * a.count + at + std::min(b, count - 1);
      const auto position = static_cast<size_t>(a.positions[row]);
      last[b] = position;
      first[b] = position + 1 > a.window ? position + 1 - a.window : 0;
      low = std::min(low, first[b]);
      high = std::max(high, last[b]);
      turnHead(a.query + (row * a.heads + head) * a.head, a.turn + position * a.head, 1, a.head, &query[b * a.head]);
    }
    first_page = low / page;
    pages = high / page - first_page + 1;
  }
  void score(const AttentionArrays &a, const Pages &p) {
    for (size_t i = 0; i < pages; ++i)
      dots(query.data(), &p.keys_across[(first_page + i) * page * a.head], a.head, &scores[i * page], stride());
    for (size_t b = 0; b < block; ++b) {
      float *row = &scores[b * stride()];
      std::fill(row, row + (first[b] - first_page * page), -INFINITY);
      std::fill(row + (last[b] + 1 - first_page * page), row + stride(), -INFINITY);
    }
  }
};

void forward(const AttentionArrays &a, size_t batch, size_t kv_head) {
  const Pages p(a, batch, kv_head);
  const size_t shared = a.heads / a.kv_heads;
  const float scale = 1 / std::sqrt(static_cast<float>(a.head));
  Block q(a);
  std::vector<float> out(block * a.head);
  for (size_t head = kv_head * shared; head < (kv_head + 1) * shared; ++head)
    for (size_t at = 0; at < a.count; at += block) {
      q.start(a, batch, head, at);
      q.score(a, p);
      float sums[block];
      for (size_t b = 0; b < block; ++b) {
        float *row = &q.scores[b * q.stride()];
        Vec top = load(row), sum = all(0);
        for (size_t i = lanes; i < q.stride(); i += lanes) {
          const Vec v = load(row + i);
          top = v > top ? v : top;
        }
        float most = top[0];
        for (size_t i = 1; i < lanes; ++i)
          most = std::max(most, top[i]);
        for (size_t i = 0; i < q.stride(); i += lanes) {
          const Vec v = exponential((load(row + i) - all(most)) * all(scale));
          sum += v;
          store(row + i, v);
        }
        sums[b] = 0;
        for (size_t i = 0; i < lanes; ++i)
          sums[b] += sum[i];
        if (b < q.count)
          a.logarithm[(batch * a.heads + head) * a.count + at + b] = most * scale + std::log(sums[b]);
      }
      std::fill(out.begin(), out.end(), 0.0f);
      for (size_t i = 0; i < q.pages; ++i)
        gatherRows(&q.scores[i * page], q.stride(), &p.values[(q.first_page + i) * page * a.head], a.head, out.data());
      for (size_t b = 0; b < q.count; ++b)
        for (size_t d = 0; d < a.head; ++d)
          a.out[((batch * a.count + at + b) * a.heads + head) * a.head + d] = out[b * a.head + d] / sums[b];
    }
}

void backward(const AttentionArrays &a, size_t batch, size_t kv_head) {
  const Pages p(a, batch, kv_head);
  const size_t shared = a.heads / a.kv_heads;
  const float scale = 1 / std::sqrt(static_cast<float>(a.head));
  Block q(a);
  std::vector<float> key_gradient(p.keys.size()), value_gradient(p.keys.size());
  std::vector<float> out_gradient(block * a.head), query_gradient(block * a.head), change(q.scores.size());
  for (size_t head = kv_head * shared; head < (kv_head + 1) * shared; ++head)
    for (size_t at = 0; at < a.count; at += block) {
      q.start(a, batch, head, at);
      q.score(a, p);
      std::fill(out_gradient.begin(), out_gradient.end(), 0.0f); // so that the filling of a block adds nothing
      float along[block] = {}, logarithm[block] = {};
      for (size_t b = 0; b < q.count; ++b) {
        const size_t row = ((batch * a.count + at + b) * a.heads + head) * a.head;
        for (size_t d = 0; d < a.head; ++d) {
          out_gradient[b * a.head + d] = a.out_gradient[row + d];
          along[b] += a.out_gradient[row + d] * a.out[row + d];
        }
        logarithm[b] = a.logarithm[(batch * a.heads + head) * a.count + at + b];
      }
      for (size_t b = q.count; b < block; ++b)
        logarithm[b] = logarithm[q.count - 1];
      std::fill(query_gradient.begin(), query_gradient.end(), 0.0f);
      for (size_t i = 0; i < q.pages; ++i) {
        const size_t start = (q.first_page + i) * page * a.head;
        float *shares = &q.scores[i * page], *changes = &change[i * page];
        dots(out_gradient.data(), &p.values_across[start], a.head, changes, q.stride());
        for (size_t b = 0; b < block; ++b)
          for (size_t t = 0; t < page; t += lanes) {
            float *share = shares + b * q.stride() + t, *to = changes + b * q.stride() + t;
            const Vec v = exponential(load(share) * all(scale) - all(logarithm[b]));
            store(share, v);
            store(to, v * (load(to) - all(along[b])) * all(scale));
          }
        gatherRows(changes, q.stride(), &p.keys[start], a.head, query_gradient.data());
        spreadRows(changes, q.stride(), q.query.data(), a.head, &key_gradient[start]);
        spreadRows(shares, q.stride(), out_gradient.data(), a.head, &value_gradient[start]);
      }
      for (size_t b = 0; b < q.count; ++b)
        turnHead(&query_gradient[b * a.head], a.turn + q.last[b] * a.head, -1, a.head,
                 a.query_gradient + ((batch * a.count + at + b) * a.heads + head) * a.head);
    }
  for (size_t t = 0; t < a.time; ++t) {
    const size_t to = ((batch * a.time + t) * a.kv_heads + kv_head) * a.head;
    turnHead(&key_gradient[t * a.head], a.turn + t * a.head, -1, a.head, a.key_gradient + to);
    std::copy_n(&value_gradient[t * a.head], a.head, a.value_gradient + to);
  }
}

} // namespace

extern const AttentionKernels table;
const AttentionKernels table = {forward, backward};

} // namespace verilocc::train::VERILOCC_KERNELS
