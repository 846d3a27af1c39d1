// How a function comes by its registers, and which ways an allocator that the user names tries.
#pragma once

#include "support/result.h"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace verilocc::pipeline {

/// Who allocates first. FirstFit places what it can before LLVM's greedy runs, which takes care of the rest.
enum class Base : uint8_t { Greedy, Basic, Fast, FirstFit };

/// Who then gives the vector registers of the finished allocation new homes, without more spills and fewer waves.
/// LearnedSearch: the search begins at the model's answer.
enum class Recolour : uint8_t { None, Cheapest, Search, Learned, LearnedSearch };

struct Strategy {
  Base base = Base::Greedy;
  Recolour recolour = Recolour::None;
  /// codegen::CompileOptions::matrix_in_vgprs: another form of the matrix instructions, so other code before
  /// allocation.
  bool matrix_in_vgprs = false;
  /// Which of several answers that chance tells apart; added to the seed.
  unsigned draw = 0;
  auto operator<=>(const Strategy &) const = default;
  bool isOurs() const { return base == Base::FirstFit || recolour != Recolour::None; }
};
std::string name(const Strategy &strategy); ///< "first-fit", "greedy+search", "greedy+search+vgpr-matrix#2"

/// What --allocator= takes. All but Greedy, Basic and Fast fall back to greedy's allocation where that is better or
/// theirs is not proved.
enum class Allocator : uint8_t { Greedy, Basic, Fast, FirstFit, Cheapest, Search, Learned, Best };
constexpr unsigned num_allocators = 8;
const char *name(Allocator allocator); ///< "first-fit"
std::string allocatorNames();          ///< all of them, for messages
support::Result<Allocator> parseAllocator(const std::string &text);

/// What it tries, in the order of preference at equal cost. `with_model`: Best asks the model too.
std::vector<Strategy> strategiesOf(Allocator allocator, bool with_model = true);

} // namespace verilocc::pipeline
