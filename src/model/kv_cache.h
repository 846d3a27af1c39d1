// Keys and values of one sequence, in pages that forks share.
#pragma once

#include "model/kernels.h"

#include <deque>
#include <memory>

namespace verilocc::model {

class KvCache {
public:
  explicit KvCache(const Shape &shape)
      : head_width(shape.headWidth()), kv_heads(shape.kv_heads), layers(shape.layers), window(shape.window) {}

  size_t length() const { return tokens; }
  /// Copies the page that the next token goes into if others see it. Not at the same time as anything else that touches
  /// a cache that shares pages with this one.
  void own();
  /// Makes room for `count` more tokens (own() first), and forgets what no token from the present length() on will see.
  void grow(size_t count);

  /// Puts a token's key and value (all heads, one after the other) of one layer in place; position < length().
  void put(size_t layer, size_t position, const float *key, const float *value);
  /// One head's part of the page that holds `position`.
  const float *keys(size_t layer, size_t head, size_t position) const { return part(layer, head, position); }
  const float *values(size_t layer, size_t head, size_t position) const {
    return part(layer, head, position) + head_width * page_tokens;
  }
  size_t pageCount() const { return pages.size(); }
  /// The first position that the token at `position` sees.
  size_t firstSeen(size_t position) const { return position + 1 > window ? position + 1 - window : 0; }

private:
  using Page = std::vector<float>;
  const float *part(size_t layer, size_t head, size_t position) const {
    const Page &page = *pages[position / page_tokens - first_page];
    return page.data() + (layer * kv_heads + head) * 2 * head_width * page_tokens;
  }
  size_t pageSize() const { return layers * kv_heads * 2 * head_width * page_tokens; }

  size_t head_width, kv_heads, layers, window;
  size_t tokens = 0, first_page = 0;
  std::deque<std::shared_ptr<Page>> pages;
};

} // namespace verilocc::model
