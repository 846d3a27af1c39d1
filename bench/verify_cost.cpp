// verify_cost MCPU FILE...: what verification adds to a plain compile. For each input, processor time of the plain
// compile to an object with LLVM's greedy allocator, of reading the code before and after, of pairing the two, and of
// the checker alone; and the checker's share of the plain compile. Each part is the least of a few runs.
#include "checker/checker.h"
#include "codegen/compile.h"
#include "mir/reader.h"
#include "validate/pair.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <map>

using namespace verilocc;

namespace {

double processorTime() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <typename Function> double least(unsigned runs, Function &&function) {
  double best = 1e9;
  for (unsigned run = 0; run < runs; ++run) {
    const double start = processorTime();
    function();
    best = std::min(best, processorTime() - start);
  }
  return best;
}

struct Cost {
  size_t insts = 0, functions = 0;
  double compile = 0, read = 0, pair = 0, check = 0;
  bool accepted = true;
};

bool measure(const std::string &path, const std::string &mcpu, Cost &cost) {
  codegen::LoadOptions load_options;
  load_options.mcpu = mcpu;
  auto module = codegen::load(path, load_options);
  if (!module) {
    fmt::print(stderr, "{}\n", module.error().str());
    return false;
  }
  codegen::CompileOptions options;
  options.mcpu = mcpu;
  options.sgpr_allocator = options.vgpr_allocator = codegen::RegAlloc::Greedy;
  cost.compile = least(2, [&] { cost.accepted &= bool(codegen::compile(*module, options)); });

  std::map<std::string, problem::Problem> originals;
  codegen::Seams seams;
  seams[codegen::SeamPoint::BeforeSgpr] = [&](codegen::SeamContext &context) {
    cost.read += least(3, [&] {
      auto reading = mir::readFunction(context.function, {.frequencies_wanted = false});
      if (reading)
        originals[context.function.getName().str()] = std::move(reading->problem);
    });
  };
  seams[codegen::SeamPoint::AfterRewrite] = [&](codegen::SeamContext &context) {
    problem::Problem after;
    cost.read += least(3, [&] {
      auto reading = mir::readFunction(context.function, {.frequencies_wanted = false});
      if (reading)
        after = std::move(reading->problem);
    });
    const problem::Problem &before = originals[context.function.getName().str()];
    assignment::Assignment assignment;
    cost.pair += least(3, [&] {
      if (auto pairing = validate::pair(before, after))
        assignment = std::move(*pairing);
    });
    cost.check +=
        least(5, [&] { cost.accepted &= checker::check(before, assignment).verdict == checker::Verdict::Accepted; });
    cost.insts += before.insts.size();
    ++cost.functions;
  };
  options.emit = codegen::Emit::Nothing;
  return bool(codegen::compile(*module, options, seams));
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: verify_cost MCPU FILE...\n");
    return 2;
  }
  fmt::print("{:<48}{:>8}{:>12}{:>10}{:>10}{:>10}{:>9}{:>9}\n", "input", "insts", "compile ms", "read ms", "pair ms",
             "check ms", "check %", "all %");
  std::vector<double> shares;
  for (int i = 2; i < argc; ++i) {
    Cost cost;
    std::string name = argv[i];
    if (!measure(name, argv[1], cost) || !cost.functions) {
      fmt::print(stderr, "{}: not compiled\n", name);
      return 1;
    }
    name = name.substr(name.rfind('/') + 1);
    shares.push_back(100 * cost.check / cost.compile);
    fmt::print("{:<48}{:>8}{:>12.2f}{:>10.2f}{:>10.2f}{:>10.2f}{:>9.2f}{:>9.2f}{}\n", name, cost.insts,
               1e3 * cost.compile, 1e3 * cost.read, 1e3 * cost.pair, 1e3 * cost.check, shares.back(),
               100 * (cost.read + cost.pair + cost.check) / cost.compile, cost.accepted ? "" : "  not Accepted");
    std::fflush(stdout);
  }
  std::sort(shares.begin(), shares.end());
  fmt::print("checker's share of the plain compile: median {:.2f} %, largest {:.2f} %\n", shares[shares.size() / 2],
             shares.back());
}
