#include "train/attention.h"

#include "train/attention_kernels.h"

#include <ATen/Parallel.h>
#include <cmath>

namespace verilocc::train {

namespace plain {
extern const AttentionKernels table;
}
#ifdef VERILOCC_AVX2
namespace avx2 {
extern const AttentionKernels table;
}
#endif

const AttentionKernels &attentionKernels() {
#ifdef VERILOCC_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2::table;
#endif
  return plain::table;
}

bool servesHead(size_t head) {
  return head % 16 == 0 && head <= 128;
}

namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Cosine and sine of each position and pair.
Tensor turns(size_t time, size_t head, double base) {
  Tensor turn = torch::empty({static_cast<int64_t>(time), static_cast<int64_t>(head)});
  float *out = turn.data_ptr<float>();
  for (size_t t = 0; t < time; ++t)
    for (size_t i = 0; i < head; i += 2) {
      const double angle = double(t) * std::pow(base, -double(i) / double(head));
      *out++ = static_cast<float>(std::cos(angle));
      *out++ = static_cast<float>(std::sin(angle));
    }
  return turn;
}

class Fused : public torch::autograd::Function<Fused> {
public:
  static Tensor forward(AutogradContext *context, Tensor query, Tensor key, Tensor value, Tensor positions, Tensor turn,
                        int64_t heads, int64_t kv_heads, int64_t window) {
    query = query.contiguous();
    key = key.contiguous();
    value = value.contiguous();
    positions = positions.contiguous();
    Tensor out = torch::empty_like(query), logarithm = torch::empty({query.size(0), heads, query.size(1)});
    run(attentionKernels().forward,
        describe(query, key, value, positions, turn, heads, kv_heads, window, out, logarithm));
    context->save_for_backward({query, key, value, positions, turn, out, logarithm});
    context->saved_data["heads"] = heads;
    context->saved_data["kv_heads"] = kv_heads;
    context->saved_data["window"] = window;
    return out;
  }

  static variable_list backward(AutogradContext *context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor gradient = gradients[0].contiguous();
    Tensor query = torch::empty_like(saved[0]), key = torch::empty_like(saved[1]), value = torch::empty_like(saved[2]);
    AttentionArrays arrays =
        describe(saved[0], saved[1], saved[2], saved[3], saved[4], context->saved_data["heads"].toInt(),
                 context->saved_data["kv_heads"].toInt(), context->saved_data["window"].toInt(), saved[5], saved[6]);
    arrays.out_gradient = gradient.data_ptr<float>();
    arrays.query_gradient = query.data_ptr<float>();
    arrays.key_gradient = key.data_ptr<float>();
    arrays.value_gradient = value.data_ptr<float>();
    run(attentionKernels().backward, arrays);
    return {query, key, value, Tensor(), Tensor(), Tensor(), Tensor(), Tensor()};
  }

private:
  static AttentionArrays describe(const Tensor &query, const Tensor &key, const Tensor &value, const Tensor &positions,
                                  const Tensor &turn, int64_t heads, int64_t kv_heads, int64_t window,
                                  const Tensor &out, const Tensor &logarithm) {
    return {.batch = static_cast<size_t>(query.size(0)),
            .count = static_cast<size_t>(query.size(1)),
            .time = static_cast<size_t>(key.size(1)),
            .heads = static_cast<size_t>(heads),
            .kv_heads = static_cast<size_t>(kv_heads),
            .head = static_cast<size_t>(query.size(2) / heads),
            .window = static_cast<size_t>(window),
            .query = query.data_ptr<float>(),
            .key = key.data_ptr<float>(),
            .value = value.data_ptr<float>(),
            .positions = positions.data_ptr<int64_t>(),
            .turn = turn.data_ptr<float>(),
            .out = out.data_ptr<float>(),
            .logarithm = logarithm.data_ptr<float>()};
  }
  static void run(void (*kernel)(const AttentionArrays &, size_t, size_t), const AttentionArrays &arrays) {
    at::parallel_for(0, static_cast<int64_t>(arrays.batch * arrays.kv_heads), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        kernel(arrays, static_cast<size_t>(i) / arrays.kv_heads, static_cast<size_t>(i) % arrays.kv_heads);
    });
  }
};

} // namespace

Tensor attention(const Tensor &query, const Tensor &key, const Tensor &value, const Tensor &positions,
                 const model::Shape &shape) {
  if (!servesHead(shape.headWidth()))
    return plainAttention(query, key, value, positions, shape);
  const Tensor turn = turns(static_cast<size_t>(key.size(1)), shape.headWidth(), shape.rope_base);
  return Fused::apply(query, key, value, positions, turn, shape.heads, shape.kv_heads, shape.window);
}

} // namespace verilocc::train
