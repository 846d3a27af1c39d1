#include "pipeline/strategy.h"

#include <iterator>

namespace verilocc::pipeline {

std::string name(const Strategy &strategy) {
  static const char *const bases[] = {"greedy", "basic", "fast", "first-fit"};
  static const char *const recolours[] = {"", "+cheapest", "+search", "+learned", "+learned+search"};
  std::string text = bases[static_cast<unsigned>(strategy.base)];
  text += recolours[static_cast<unsigned>(strategy.recolour)];
  if (strategy.matrix_in_vgprs)
    text += "+vgpr-matrix";
  if (strategy.draw)
    text += "#" + std::to_string(strategy.draw + 1);
  return text;
}

const char *name(Allocator allocator) {
  static const char *const names[] = {"greedy", "basic", "fast", "first-fit", "cheapest", "search", "learned", "best"};
  static_assert(std::size(names) == num_allocators);
  return names[static_cast<unsigned>(allocator)];
}

std::string allocatorNames() {
  std::string text;
  for (unsigned i = 0; i < num_allocators; ++i)
    text += std::string(i ? ", " : "") + name(static_cast<Allocator>(i));
  return text;
}

support::Result<Allocator> parseAllocator(const std::string &text) {
  for (unsigned i = 0; i < num_allocators; ++i)
    if (text == name(static_cast<Allocator>(i)))
      return static_cast<Allocator>(i);
  return support::InputError{"unknown allocator '" + text + "'; known: " + allocatorNames()};
}

std::vector<Strategy> strategiesOf(Allocator allocator, bool with_model) {
  switch (allocator) {
  case Allocator::Greedy:
    return {{Base::Greedy, Recolour::None}};
  case Allocator::Basic:
    return {{Base::Basic, Recolour::None}};
  case Allocator::Fast:
    return {{Base::Fast, Recolour::None}};
  case Allocator::FirstFit:
    return {{Base::FirstFit, Recolour::None}};
  case Allocator::Cheapest:
    return {{Base::FirstFit, Recolour::Cheapest}, {Base::Greedy, Recolour::Cheapest}};
  case Allocator::Search:
    return {{Base::FirstFit, Recolour::Search}, {Base::Greedy, Recolour::Search}};
  case Allocator::Learned:
    return {{Base::FirstFit, Recolour::Learned}, {Base::Greedy, Recolour::Learned}};
  case Allocator::Best:
    if (with_model)
      return {{Base::FirstFit, Recolour::Search},
              {Base::Greedy, Recolour::Search},
              {Base::FirstFit, Recolour::LearnedSearch},
              {Base::Greedy, Recolour::Cheapest}};
    return {{Base::FirstFit, Recolour::Search}, {Base::Greedy, Recolour::Search}, {Base::Greedy, Recolour::Cheapest}};
  }
  return {};
}

} // namespace verilocc::pipeline
