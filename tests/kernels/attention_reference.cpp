#include "tests/kernels/reference.h"

#include <cmath>

namespace verilocc::kernels {
namespace {

struct Attention {
  std::vector<double> out, lse;
};

// Plain attention in double precision. q: [heads][queries][d]; k, v: [heads / group][keys][d]. Rows `tokens` long.
Attention attend(const Tensor &q, const Tensor &k, const Tensor &v, int heads, int group, int queries, int keys, int d,
                 double scale, bool causal) {
  Attention result;
  result.out.resize(static_cast<size_t>(heads) * queries * d);
  result.lse.resize(static_cast<size_t>(heads) * queries);
  std::vector<double> scores(keys), wide_q = q.all(), wide_k = k.all(), wide_v = v.all();
  for (int head = 0; head < heads; ++head)
    for (int row = 0; row < queries; ++row) {
      size_t token = static_cast<size_t>(head) * queries + row, first_key = static_cast<size_t>(head / group) * keys;
      int visible = causal ? std::min(keys, row + keys - queries + 1) : keys;
      double largest = -INFINITY, sum = 0;
      for (int key = 0; key < visible; ++key) {
        scores[key] = 0;
        for (int c = 0; c < d; ++c)
          scores[key] += scale * wide_q[token * d + c] * wide_k[(first_key + key) * d + c];
        largest = std::max(largest, scores[key]);
      }
      for (int key = 0; key < visible; ++key) {
        scores[key] = std::exp(scores[key] - largest);
        sum += scores[key];
      }
      for (int key = 0; key < visible; ++key)
        for (int c = 0; c < d; ++c)
          result.out[token * d + c] += scores[key] / sum * wide_v[(first_key + key) * d + c];
      result.lse[token] = largest + std::log(sum);
    }
  return result;
}

double toleranceOf(Format format) {
  return format == Format::F16 ? 4e-3 : format == Format::BF16 ? 3e-2 : 2e-5;
}

REFERENCE("attention/naive.hip", naiveAttention) {
  int d = v.number("D"), group = v.number("GROUP", 1), heads = 2 * group, queries = 3, keys = 150;
  bool causal = v.number("CAUSAL");
  Format format = v.format();
  Tensor q(format, static_cast<size_t>(heads) * queries * d), k(format, size_t{2} * keys * d),
      values(format, size_t{2} * keys * d), out(format, q.size());
  q.fill(1, -1, 1);
  k.fill(2, -1, 1);
  values.fill(3, -1, 1);
  float scale = 1.0f / std::sqrt(static_cast<float>(d));
  run(v, {static_cast<unsigned>(queries), static_cast<unsigned>(heads), 1}, static_cast<unsigned>(v.number("THREADS")),
      q.data(), k.data(), values.data(), out.data(), queries, keys, scale);
  Attention want = attend(q, k, values, heads, group, queries, keys, d, scale, causal);
  expectClose(out, [&](size_t i) { return want.out[i]; }, toleranceOf(format), toleranceOf(format), "out");
}

// Both flash kernels take the same arguments; `rows` queries belong to a work-group.
void flashForward(const Variant &v, int rows, unsigned threads) {
  int d = v.number("D"), group = v.number("GROUP", 1), tile = v.number("KEYS");
  bool causal = v.number("CAUSAL");
  int key_heads = group > 1 ? 1 : 2, heads = key_heads * group, queries = rows + 5, keys = queries + tile + 3;
  Format format = v.format();
  Tensor q(format, static_cast<size_t>(heads) * queries * d), k(format, static_cast<size_t>(key_heads) * keys * d),
      values(format, k.size()), out(format, q.size()), lse(Format::F32, static_cast<size_t>(heads) * queries);
  q.fill(1, -2, 2);
  k.fill(2, -2, 2);
  values.fill(3, -1, 1);
  float scale = 1.0f / std::sqrt(static_cast<float>(d));
  run(v, {ceilDiv(queries, rows), static_cast<unsigned>(heads), 1}, threads, q.data(), k.data(), values.data(),
      out.data(), lse.data(), static_cast<void *>(nullptr), queries, keys, scale);
  Attention want = attend(q, k, values, heads, group, queries, keys, d, scale, causal);
  double tolerance = toleranceOf(format);
  expectClose(out, [&](size_t i) { return want.out[i]; }, tolerance, tolerance, "out");
  expectClose(lse, [&](size_t i) { return want.lse[i]; }, 1e-4, 1e-4, "log-sum-exp");
}

// Sequences of different lengths in one batch, one behind the other; the kernel must keep them apart.
void flashVariableLength(const Variant &v) {
  int d = v.number("D"), rows = v.number("ROWS"), heads = v.number("GROUP", 1);
  bool causal = v.number("CAUSAL");
  Format format = v.format();
  std::vector<int> starts{0, 3, 3 + rows + 9, 4 + rows + 9};
  int tokens = starts.back(), sequences = static_cast<int>(starts.size()) - 1;
  Tensor q(format, static_cast<size_t>(heads) * tokens * d), k(format, static_cast<size_t>(tokens) * d),
      values(format, k.size()), out(format, q.size()), lse(Format::F32, static_cast<size_t>(heads) * tokens),
      start_table(Format::I32, starts.size());
  q.fill(1, -2, 2);
  k.fill(2, -2, 2);
  values.fill(3, -1, 1);
  for (size_t i = 0; i < starts.size(); ++i)
    start_table.set(i, starts[i]);
  float scale = 1.0f / std::sqrt(static_cast<float>(d));
  run(v, {ceilDiv(tokens, rows), static_cast<unsigned>(heads), static_cast<unsigned>(sequences)},
      static_cast<unsigned>(rows * v.number("SPLIT")), q.data(), k.data(), values.data(), out.data(), lse.data(),
      start_table.data(), tokens, tokens, scale);
  Tensor want(Format::F64, out.size());
  for (int s = 0; s < sequences; ++s) {
    int first = starts[s], length = starts[s + 1] - first;
    Tensor qs(format, static_cast<size_t>(length) * d), ks(format, qs.size()), vs(format, qs.size());
    for (int head = 0; head < heads; ++head) {
      for (size_t i = 0; i < qs.size(); ++i) {
        qs.set(i, q.at((static_cast<size_t>(head) * tokens + first) * d + i));
        ks.set(i, k.at(static_cast<size_t>(first) * d + i));
        vs.set(i, values.at(static_cast<size_t>(first) * d + i));
      }
      Attention one = attend(qs, ks, vs, 1, 1, length, length, d, scale, causal);
      for (size_t i = 0; i < qs.size(); ++i)
        want.set((static_cast<size_t>(head) * tokens + first) * d + i, one.out[i]);
    }
  }
  expectClose(out, [&](size_t i) { return want.at(i); }, toleranceOf(format), toleranceOf(format), "out");
}

REFERENCE("attention/flash.hip", flash) {
  if (v.number("VARLEN"))
    return flashVariableLength(v);
  flashForward(v, v.number("ROWS"), static_cast<unsigned>(v.number("ROWS") * v.number("SPLIT")));
}

REFERENCE("attention/flash_matrix.hip", flashMatrix) {
  flashForward(v, v.number("SIZE", 16) * v.number("WAVES"), static_cast<unsigned>(v.number("WAVES")) * v.wave);
}

REFERENCE("attention/paged.hip", pagedDecode) {
  int d = v.number("D"), page = v.number("PAGE"), group = v.number("GROUP", 1), kv_heads = 2, heads = kv_heads * group;
  std::vector<int> lengths{1, page, 2 * page + 3, 150};
  int max_pages = 150 / page + 3, sequences = static_cast<int>(lengths.size()), pages = sequences * max_pages;
  Format format = v.format();
  Tensor q(format, static_cast<size_t>(sequences) * heads * d), out(format, q.size()),
      k_cache(format, static_cast<size_t>(pages) * kv_heads * page * d), v_cache(format, k_cache.size()),
      table(Format::I32, static_cast<size_t>(pages), -1), length_table(Format::I32, lengths.size());
  q.fill(1, -2, 2);
  k_cache.fill(2, -2, 2);
  v_cache.fill(3, -1, 1);
  // Pages lie in no order: multiplying by a number coprime to their count permutes them.
  for (int i = 0; i < pages; ++i)
    table.set(static_cast<size_t>(i), (i * 37 + 5) % pages);
  ASSERT_NE(pages % 37, 0);
  for (size_t i = 0; i < lengths.size(); ++i)
    length_table.set(i, lengths[i]);
  float scale = 1.0f / std::sqrt(static_cast<float>(d));
  run(v, {static_cast<unsigned>(heads), static_cast<unsigned>(sequences), 1},
      static_cast<unsigned>(v.number("WAVES")) * v.wave, q.data(), k_cache.data(), v_cache.data(), out.data(),
      table.data(), length_table.data(), max_pages, scale);
  std::vector<double> want(out.size());
  for (int s = 0; s < sequences; ++s)
    for (int head = 0; head < heads; ++head) {
      Tensor one_q(format, static_cast<size_t>(d)), keys(format, static_cast<size_t>(lengths[s]) * d),
          values(format, keys.size());
      size_t token = (static_cast<size_t>(s) * heads + head) * d;
      for (int c = 0; c < d; ++c)
        one_q.set(static_cast<size_t>(c), q.at(token + c));
      for (int key = 0; key < lengths[s]; ++key)
        for (int c = 0; c < d; ++c) {
          auto number = static_cast<size_t>(table.at(static_cast<size_t>(s * max_pages + key / page)));
          size_t place = ((number * kv_heads + head / group) * page + key % page) * d + c;
          keys.set(static_cast<size_t>(key) * d + c, k_cache.at(place));
          values.set(static_cast<size_t>(key) * d + c, v_cache.at(place));
        }
      Attention attention = attend(one_q, keys, values, 1, 1, 1, lengths[s], d, scale, false);
      std::copy(attention.out.begin(), attention.out.end(), want.begin() + static_cast<long>(token));
    }
  expectClose(out, [&](size_t i) { return want[i]; }, toleranceOf(format), toleranceOf(format), "out");
}

REFERENCE("attention/flash_backward.hip", flashBackward) {
  int d = v.number("D"), rows = v.number("ROWS"), heads = 2, tokens = rows + v.number("TILE") + 3;
  bool causal = v.number("CAUSAL"), keys_side = v.number("PART");
  size_t size = static_cast<size_t>(heads) * tokens * d;
  Tensor q(Format::F32, size), k(Format::F32, size), values(Format::F32, size), d_out(Format::F32, size),
      lse(Format::F32, static_cast<size_t>(heads) * tokens), delta(Format::F32, lse.size()),
      grad_a(Format::F32, size, 9), grad_b(Format::F32, size, 9);
  q.fill(1, -1, 1);
  k.fill(2, -1, 1);
  values.fill(3, -1, 1);
  d_out.fill(4, -1, 1);
  float scale = 1.0f / std::sqrt(static_cast<float>(d));
  Attention forward = attend(q, k, values, heads, 1, tokens, tokens, d, scale, causal);
  for (size_t token = 0; token < lse.size(); ++token) {
    lse.set(token, forward.lse[token]);
    double sum = 0;
    for (int c = 0; c < d; ++c)
      sum += d_out.at(token * d + c) * forward.out[token * d + c];
    delta.set(token, sum);
  }
  run(v, {ceilDiv(tokens, rows), static_cast<unsigned>(heads), 1}, static_cast<unsigned>(rows * v.number("SPLIT")),
      q.data(), k.data(), values.data(), d_out.data(), lse.data(), delta.data(), grad_a.data(), grad_b.data(), tokens,
      scale);
  std::vector<double> dq(size), dk(size), dv(size);
  for (int head = 0; head < heads; ++head)
    for (int row = 0; row < tokens; ++row)
      for (int key = 0; key < (causal ? row + 1 : tokens); ++key) {
        size_t i = (static_cast<size_t>(head) * tokens + row) * d, j = (static_cast<size_t>(head) * tokens + key) * d;
        double score = 0, gradient = 0;
        for (int c = 0; c < d; ++c) {
          score += q.at(i + c) * k.at(j + c);
          gradient += d_out.at(i + c) * values.at(j + c);
        }
        double p = std::exp(score * scale - forward.lse[i / d]), ds = p * (gradient - delta.at(i / d)) * scale;
        for (int c = 0; c < d; ++c) {
          dq[i + c] += ds * k.at(j + c);
          dk[j + c] += ds * q.at(i + c);
          dv[j + c] += p * d_out.at(i + c);
        }
      }
  expectClose(grad_a, [&](size_t i) { return keys_side ? dk[i] : dq[i]; }, 1e-4, 1e-5, keys_side ? "dK" : "dQ");
  if (keys_side)
    expectClose(grad_b, [&](size_t i) { return dv[i]; }, 1e-4, 1e-5, "dV");
}

} // namespace
} // namespace verilocc::kernels
