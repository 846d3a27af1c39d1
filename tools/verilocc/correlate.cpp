#include "correlate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace verilocc::tool {

namespace {

std::vector<double> ranks(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t last = first;
    while (last < order.size() && values[order[last]] == values[order[first]])
      ++last;
    for (size_t i = first; i < last; ++i)
      result[order[i]] = double(first + last - 1) / 2;
    first = last;
  }
  return result;
}

double spearman(const std::vector<double> &x, const std::vector<double> &y) {
  if (x.size() < 3)
    return std::nan("");
  const std::vector<double> a = ranks(x), b = ranks(y);
  const double mean = double(x.size() - 1) / 2;
  double both = 0, of_a = 0, of_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean) * (b[i] - mean);
    of_a += (a[i] - mean) * (a[i] - mean);
    of_b += (b[i] - mean) * (b[i] - mean);
  }
  return both / std::sqrt(of_a * of_b);
}

} // namespace

std::variant<std::vector<Correlation>, codegen::Failure>
correlate(const codegen::Module &module, const pipeline::RunOptions &options, unsigned assignments) {
  constexpr uint64_t fewest_moves = 30;
  constexpr unsigned doublings = 8; // then from the start again, with other seeds
  std::vector<Correlation> result;
  std::vector<double> greedy; // emitted; what it is estimated at comes with the first recolouring
  for (unsigned n = 0; n < assignments; ++n) {
    pipeline::RunOptions run_options = options;
    run_options.check = false;
    run_options.explain = true;
    run_options.strategy = {pipeline::Base::Greedy, n == 0   ? pipeline::Recolour::None
                                                    : n == 1 ? pipeline::Recolour::Cheapest
                                                             : pipeline::Recolour::Search};
    run_options.recolour.seed = options.recolour.seed + n;
    run_options.recolour.moves = fewest_moves << (n % doublings);
    auto answer = pipeline::run(module, run_options);
    if (auto *failure = std::get_if<codegen::Failure>(&answer))
      return std::move(*failure);
    const auto &functions = std::get<pipeline::Run>(answer).functions;
    result.resize(functions.size());
    for (size_t f = 0; f < functions.size(); ++f) {
      result[f].function = functions[f].name;
      if (n == 0)
        greedy.push_back(functions[f].cost.total);
      if (functions[f].recoloured == 0)
        continue;
      if (result[f].estimated.empty()) {
        result[f].estimated.push_back(functions[f].recolour.cost_before);
        result[f].emitted.push_back(greedy[f]);
      }
      result[f].estimated.push_back(functions[f].recolour.cost_after);
      result[f].emitted.push_back(functions[f].cost.total);
    }
  }
  for (Correlation &correlation : result)
    correlation.rho = spearman(correlation.estimated, correlation.emitted);
  return result;
}

} // namespace verilocc::tool
