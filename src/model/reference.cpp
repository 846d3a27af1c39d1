#include "model/reference.h"

#include <algorithm>
#include <cmath>

namespace verilocc::model {
namespace {

using Vector = std::vector<double>;

Vector multiply(const Matrix &matrix, const Vector &x) {
  Vector y(matrix.rows);
  for (size_t r = 0; r < matrix.rows; ++r)
    for (size_t c = 0; c < matrix.columns; ++c)
      y[r] += matrix.values[r * matrix.columns + c] * x[c];
  return y;
}

Vector normalize(const Vector &x, const std::vector<float> &scale, double epsilon) {
  double squares = 0;
  for (double value : x)
    squares += value * value;
  const double factor = 1 / std::sqrt(squares / double(x.size()) + epsilon);
  Vector y(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    y[i] = x[i] * factor * scale[i];
  return y;
}

void add(Vector &x, const Vector &y) {
  for (size_t i = 0; i < x.size(); ++i)
    x[i] += y[i];
}

void rotate(Vector &x, size_t position, const Shape &shape) {
  const size_t head = shape.headWidth();
  for (size_t start = 0; start < x.size(); start += head)
    for (size_t i = 0; i < head; i += 2) {
      const double angle = double(position) * std::pow(shape.rope_base, -double(i) / double(head));
      const double a = x[start + i], b = x[start + i + 1];
      x[start + i] = a * std::cos(angle) - b * std::sin(angle);
      x[start + i + 1] = a * std::sin(angle) + b * std::cos(angle);
    }
}

/// What the token `position` takes from those of its window. All vectors are rotated already.
Vector attend(const Vector &query, const std::vector<Vector> &keys, const std::vector<Vector> &values, size_t position,
              const Shape &shape) {
  const size_t head = shape.headWidth(), shared = shape.heads / shape.kv_heads;
  const size_t first = position + 1 > shape.window ? position + 1 - shape.window : 0;
  Vector result(shape.width);
  for (size_t h = 0; h < shape.heads; ++h) {
    const size_t kv = h / shared * head;
    Vector scores;
    for (size_t t = first; t <= position; ++t) {
      double score = 0;
      for (size_t i = 0; i < head; ++i)
        score += query[h * head + i] * keys[t][kv + i];
      scores.push_back(score / std::sqrt(double(head)));
    }
    const double top = std::ranges::max(scores);
    double sum = 0;
    for (double &score : scores)
      sum += score = std::exp(score - top);
    for (size_t t = first; t <= position; ++t)
      for (size_t i = 0; i < head; ++i)
        result[h * head + i] += scores[t - first] / sum * values[t][kv + i];
  }
  return result;
}

} // namespace

std::vector<std::vector<double>> referenceLogits(const Weights &weights, std::span<const TokenId> tokens) {
  const Shape &shape = weights.shape;
  std::vector<Vector> x;
  for (TokenId token : tokens) {
    const float *row = &weights.embedding.values[size_t(token) * shape.width];
    x.emplace_back(row, row + shape.width);
  }
  for (const Layer &layer : weights.layers) {
    std::vector<Vector> queries, keys, values;
    for (size_t t = 0; t < x.size(); ++t) {
      const Vector normal = normalize(x[t], layer.attention_norm, shape.norm_epsilon);
      queries.push_back(multiply(layer.query, normal));
      keys.push_back(multiply(layer.key, normal));
      values.push_back(multiply(layer.value, normal));
      rotate(queries[t], t, shape);
      rotate(keys[t], t, shape);
    }
    for (size_t t = 0; t < x.size(); ++t) {
      add(x[t], multiply(layer.attention_output, attend(queries[t], keys, values, t, shape)));
      const Vector normal = normalize(x[t], layer.feed_norm, shape.norm_epsilon);
      Vector gate = multiply(layer.gate, normal);
      const Vector up = multiply(layer.up, normal);
      for (size_t i = 0; i < gate.size(); ++i)
        gate[i] *= up[i] / (1 + std::exp(-gate[i]));
      add(x[t], multiply(layer.down, gate));
    }
  }
  std::vector<Vector> logits;
  for (const Vector &state : x)
    logits.push_back(multiply(weights.output, normalize(state, weights.output_norm, shape.norm_epsilon)));
  return logits;
}

} // namespace verilocc::model
