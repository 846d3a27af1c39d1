#include "model/kv_cache.h"

#include <cassert>

namespace verilocc::model {

void KvCache::own() {
  if (!pages.empty() && tokens % page_tokens != 0 && pages.back().use_count() > 1)
    pages.back() = std::make_shared<Page>(*pages.back());
}

void KvCache::grow(size_t count) {
  const size_t first = firstSeen(tokens) / page_tokens;
  for (; first_page < first && !pages.empty(); ++first_page)
    pages.pop_front();
  if (pages.empty())
    first_page = tokens / page_tokens;
  tokens += count;
  while ((first_page + pages.size()) * page_tokens < tokens)
    pages.push_back(std::make_shared<Page>(pageSize()));
}

void KvCache::put(size_t layer, size_t position, const float *key, const float *value) {
  assert(position < tokens);
  const size_t t = position % page_tokens;
  float *page = pages[position / page_tokens - first_page]->data();
  for (size_t head = 0; head < kv_heads; ++head) {
    float *part = page + (layer * kv_heads + head) * 2 * head_width * page_tokens;
    for (size_t d = 0; d < head_width; ++d) {
      part[d * page_tokens + t] = key[head * head_width + d];
      part[head_width * page_tokens + t * head_width + d] = value[head * head_width + d];
    }
  }
}

} // namespace verilocc::model
