// The checker on constructed functions of 1,000 to 100,000 instructions: microseconds an instruction (which must not
// grow with the function), and the most bytes that one check holds at once, by instruction and by instruction and
// location in use. The functions are random structured code with divergence, calls and inner loops, piece after piece
// in one outer loop; first-fit's homes and a split for every 20 or so instructions.
#include "allocators/first_fit.h"
#include "checker/checker.h"
#include "tests/support/detours.h"
#include "tests/support/random_problem.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <malloc.h>
#include <map>
#include <new>

using namespace verilocc;

namespace {

size_t live_bytes = 0, most_bytes = 0; // of one thread

void *count(void *memory) {
  live_bytes += malloc_usable_size(memory);
  most_bytes = std::max(most_bytes, live_bytes);
  return memory;
}

} // namespace

[[gnu::noinline]] void *operator new(size_t size) { // inlined, g++ takes malloc for a mismatch with delete
  void *memory = std::malloc(size);
  if (!memory)
    throw std::bad_alloc();
  return count(memory);
}
[[gnu::noinline]] void operator delete(void *memory) noexcept {
  live_bytes -= memory ? malloc_usable_size(memory) : 0;
  std::free(memory);
}
void operator delete(void *memory, size_t) noexcept {
  operator delete(memory);
}

namespace {

struct Constructed {
  problem::Problem problem;
  assignment::Assignment assignment;
  size_t locations = 0;
};

/// `next` behind `all`, entered from the blocks in which `all` ends.
void append(problem::Problem &all, const problem::Problem &next) {
  const auto vregs = static_cast<uint32_t>(all.vregs.size()), insts = static_cast<uint32_t>(all.insts.size());
  const auto blocks = static_cast<uint32_t>(all.blocks.size()), operands = static_cast<uint32_t>(all.operands.size());
  std::vector<uint32_t> opcodes;
  for (const std::string &opcode : next.opcodes) {
    opcodes.push_back(
        static_cast<uint32_t>(std::find(all.opcodes.begin(), all.opcodes.end(), opcode) - all.opcodes.begin()));
    if (opcodes.back() == all.opcodes.size())
      all.opcodes.push_back(opcode);
  }
  const auto sets = static_cast<int32_t>(all.clobber_sets.size());
  for (problem::BlockId b = 0; b < blocks; ++b)
    if (all.blocks[b].succs.empty())
      all.blocks[b].succs.push_back(blocks);
  all.vregs.insert(all.vregs.end(), next.vregs.begin(), next.vregs.end());
  all.clobber_sets.insert(all.clobber_sets.end(), next.clobber_sets.begin(), next.clobber_sets.end());
  for (problem::Operand operand : next.operands) {
    operand.reg += operand.fixed ? 0 : vregs;
    all.operands.push_back(operand);
  }
  for (problem::Inst inst : next.insts) {
    inst.first_operand += operands;
    inst.opcode = opcodes[inst.opcode];
    inst.clobbers += inst.clobbers >= 0 ? sets : 0;
    all.insts.push_back(inst);
  }
  for (problem::Block block : next.blocks) {
    block.first += insts;
    block.last += insts;
    for (problem::BlockId &succ : block.succs)
      succ += blocks;
    all.blocks.push_back(std::move(block));
  }
}

const Constructed &constructed(unsigned insts, bool loops) {
  static std::map<std::pair<unsigned, bool>, Constructed> known;
  auto [it, is_new] = known.try_emplace({insts, loops});
  Constructed &c = it->second;
  if (!is_new)
    return c;
  tests::RandomOptions options;
  options.insts = 250;
  options.vector_pool = 24;
  options.scalar_pool = 10;
  options.max_vgprs = 128;
  options.max_sgprs = 96;
  for (options.seed = 1; c.problem.insts.size() < insts; ++options.seed)
    options.seed == 1 ? void(c.problem = tests::randomProblem(options))
                      : append(c.problem, tests::randomProblem(options));
  if (loops)
    c.problem.blocks.back().succs.push_back(c.problem.blocks.size() > 1 ? 1 : 0);
  for (problem::Block &block : c.problem.blocks)
    block.preds.clear();
  for (problem::BlockId b = 0; b < c.problem.blocks.size(); ++b)
    for (problem::BlockId succ : c.problem.blocks[b].succs)
      c.problem.blocks[succ].preds.push_back(b);
  const auto homes = allocators::firstFit(c.problem, analysis::LiveRanges(c.problem));
  c.assignment = tests::withDetours(c.problem, homes, {7, insts / 20});
  problem::UnitSet used;
  for (size_t o = 0; o < c.problem.operands.size(); ++o)
    if (c.assignment.units[o] != problem::no_unit)
      for (unsigned lane = 0; lane < c.problem.operands[o].num_lanes; ++lane)
        used.set(c.assignment.units[o] + lane);
  c.locations = used.count();
  return c;
}

void check(benchmark::State &state) {
  const Constructed &c = constructed(static_cast<unsigned>(state.range(0)), state.range(1));
  const auto insts = static_cast<double>(c.problem.insts.size());
  checker::CheckResult result;
  const size_t before = live_bytes;
  most_bytes = live_bytes;
  for (auto _ : state)
    result = checker::check(c.problem, c.assignment);
  if (result.verdict != checker::Verdict::Accepted)
    state.SkipWithError(result.invalid_reason.empty() ? "not Accepted" : result.invalid_reason.c_str());
  const auto bytes = static_cast<double>(most_bytes - before);
  using Counter = benchmark::Counter;
  state.counters["insts"] = insts;
  state.counters["blocks"] = static_cast<double>(c.problem.blocks.size());
  state.counters["edits"] = static_cast<double>(c.assignment.edits.size());
  state.counters["visits"] = static_cast<double>(result.statistics.block_visits);
  state.counters["us/inst"] = Counter(insts * 1e-6, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["bytes/inst"] = bytes / insts;
  state.counters["bytes/inst/loc"] = bytes / insts / static_cast<double>(c.locations);
}
BENCHMARK(check)->ArgsProduct({{1000, 3000, 10000, 30000, 100000}, {0, 1}})->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
