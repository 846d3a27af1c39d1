#include "problem/text.h"

#include "problem/inst_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace verilocc::problem {

using support::quotedName;
using support::TextReader;

namespace {

/// True if the names stand in the order in which the instructions first use them, so that the text need not list them.
bool inOrderOfUse(const std::vector<std::string> &names, const std::vector<Inst> &insts) {
  uint32_t next = 0;
  for (const Inst &inst : insts) {
    if (inst.opcode > next)
      return false;
    next += inst.opcode == next;
  }
  return next == names.size();
}

std::string printBlock(const Block &block, BlockId id) {
  std::string out = fmt::format("block {}", id);
  if (block.frequency != 1)
    out += fmt::format(" freq {}", block.frequency);
  if (block.loop_depth)
    out += fmt::format(" depth {}", block.loop_depth);
  if (!std::is_sorted(block.preds.begin(), block.preds.end())) {
    out += " preds";
    for (BlockId pred : block.preds)
      out += fmt::format(" {}", pred);
  }
  if (!block.succs.empty())
    out += " ->";
  for (BlockId succ : block.succs)
    out += fmt::format(" {}", succ);
  if (block.empty_succ != no_block)
    out += fmt::format(" empty {}", block.empty_succ);
  return out + "\n";
}

class ProblemParser {
public:
  explicit ProblemParser(TextReader &reader) : reader(reader) {}

  support::Result<Problem> parse() {
    while (reader.nextLine()) {
      if (reader.peekWord() == "assignment") {
        reader.stayOnLine();
        break;
      }
      if (!line())
        break;
    }
    if (!reader.failed())
      finish();
    if (reader.failed())
      return reader.error();
    if (auto status = wellFormed(problem); !status) {
      reader.failWhole("the problem is not well-formed: " + status.error().message);
      return reader.error();
    }
    return std::move(problem);
  }

private:
  bool line() {
    const size_t column = reader.column();
    if (reader.takeWord("block"))
      return blockLine() && reader.endOfLine();
    if (!problem.blocks.empty()) {
      Inst inst;
      inst.first_operand = static_cast<uint32_t>(problem.operands.size());
      if (!parseInst(reader, problem.env, vregs, opcodes, inst, problem.operands))
        return false;
      problem.insts.push_back(inst);
      return true;
    }
    std::string_view word;
    return reader.word(word, "a line of the header, or a block") &&
           (headerLine(word) || reader.failAt(column, fmt::format("unknown line '{}' before the first block", word))) &&
           reader.endOfLine();
  }

  bool headerLine(std::string_view word) {
    MachineEnv &env = problem.env;
    if (word == "problem")
      return reader.name(problem.name, "the name of the function");
    if (word == "arch")
      return reader.name(env.arch, "an architecture");
    if (word == "wave")
      return reader.number(env.wave_size, "a wave size", 32, 64);
    if (word == "limits")
      return limits();
    if (word == "reserved")
      return parseUnitSet(reader, env.reserved);
    if (word == "live-in")
      return parseUnitSet(reader, problem.live_in);
    if (word == "class")
      return classLine();
    if (word == "clobbers") {
      uint32_t number = 0;
      if (!reader.number(number, "the number of the next clobber set", problem.clobber_sets.size(),
                         problem.clobber_sets.size()) ||
          !reader.expect("="))
        return false;
      problem.clobber_sets.emplace_back();
      return parseUnitSet(reader, problem.clobber_sets.back());
    }
    if (word == "opcodes") {
      while (!reader.failed() && !reader.atEnd()) {
        std::string opcode;
        if (reader.name(opcode, "an opcode"))
          opcodes.intern(opcode);
      }
      return !reader.failed();
    }
    if (word == "vreg") {
      while (!reader.failed() && !reader.atEnd()) {
        VReg vreg = 0;
        if (!reader.expect("%") || !vregs.parse(reader, vreg))
          return false;
      }
      return true;
    }
    return false;
  }

  bool limits() {
    MachineEnv &env = problem.env;
    while (!reader.failed() && !reader.atEnd()) {
      if (reader.takeWord("vgpr"))
        reader.number(env.max_vgprs, "a number of VGPRs", 0, 256);
      else if (reader.takeWord("agpr"))
        reader.number(env.max_agprs, "a number of AGPRs", 0, 256);
      else if (reader.takeWord("sgpr"))
        reader.number(env.max_sgprs, "a number of SGPRs", 0, 106);
      else
        return reader.fail("expected 'vgpr', 'agpr' or 'sgpr'");
    }
    return !reader.failed();
  }

  bool classLine() {
    RegClass cls;
    const size_t column = reader.column();
    if (!reader.name(cls.name, "the name of a register class"))
      return false;
    for (const RegClass &other : problem.env.classes)
      if (other.name == cls.name)
        return reader.failAt(column, fmt::format("register class '{}' is there already", cls.name));
    if (problem.env.classes.size() + 1 >= no_class)
      return reader.fail("too many register classes");
    if (reader.takeWord("width") && !reader.number(cls.width, "a width", 1, 32))
      return false;
    if (!reader.expect("=") || !parseUnitSet(reader, cls.bases))
      return false;
    problem.env.classes.push_back(std::move(cls));
    return true;
  }

  bool blockLine() {
    if (!problem.blocks.empty())
      problem.blocks.back().last = static_cast<InstId>(problem.insts.size());
    BlockId id = 0;
    if (!reader.number(id, "the number of the next block", problem.blocks.size(), problem.blocks.size()))
      return false;
    Block &block = problem.blocks.emplace_back();
    block.first = block.last = static_cast<InstId>(problem.insts.size());
    listed_preds.push_back(false);
    if (reader.takeWord("freq") && !reader.real(block.frequency, "a frequency"))
      return false;
    if (reader.takeWord("depth") && !reader.number(block.loop_depth, "a loop depth", 0, 0xffff))
      return false;
    const auto list = [&](std::vector<BlockId> &out) {
      BlockId neighbour = 0;
      while (!reader.failed() && !reader.atEnd() && !reader.take("->") && reader.peekWord() != "empty" &&
             reader.number(neighbour, "the number of a block", 0, std::numeric_limits<BlockId>::max()))
        out.push_back(neighbour);
      return !reader.failed();
    };
    if (reader.takeWord("preds")) {
      listed_preds.back() = true;
      if (!list(block.preds) || !list(block.succs))
        return false;
    } else if (!reader.atEnd() && (!reader.expect("->") || !list(block.succs))) {
      return false;
    }
    return !reader.takeWord("empty") ||
           reader.number(block.empty_succ, "the number of a block", 0, std::numeric_limits<BlockId>::max() - 1);
  }

  void finish() {
    if (problem.blocks.empty()) {
      reader.failWhole("there is no block");
      return;
    }
    problem.blocks.back().last = static_cast<InstId>(problem.insts.size());
    for (BlockId b = 0; b < problem.blocks.size(); ++b)
      for (BlockId succ : problem.blocks[b].succs) {
        if (succ >= problem.blocks.size()) {
          reader.failWhole(fmt::format("block {} goes to block {}, which does not exist", b, succ));
          return;
        }
        if (!listed_preds[succ])
          problem.blocks[succ].preds.push_back(b);
      }
    if (auto classes = vregs.dense(reader))
      problem.vregs = std::move(*classes);
    problem.opcodes = std::move(opcodes.names);
  }

  TextReader &reader;
  Problem problem;
  VRegTable vregs{problem.env};
  Interner opcodes;
  std::vector<bool> listed_preds; ///< by block
};

} // namespace

std::string print(const Problem &problem) {
  const MachineEnv &env = problem.env, defaults;
  std::string out;
  if (!problem.name.empty())
    out += fmt::format("problem {}\n", quotedName(problem.name));
  if (!env.arch.empty())
    out += fmt::format("arch {}\n", quotedName(env.arch));
  if (env.wave_size != defaults.wave_size)
    out += fmt::format("wave {}\n", env.wave_size);
  std::string limits;
  if (env.max_vgprs != defaults.max_vgprs)
    limits += fmt::format(" vgpr {}", env.max_vgprs);
  if (env.max_agprs != defaults.max_agprs)
    limits += fmt::format(" agpr {}", env.max_agprs);
  if (env.max_sgprs != defaults.max_sgprs)
    limits += fmt::format(" sgpr {}", env.max_sgprs);
  if (!limits.empty())
    out += "limits" + limits + "\n";
  if (env.reserved.any())
    out += fmt::format("reserved {}\n", printUnitSet(env.reserved));
  for (const RegClass &cls : env.classes) {
    out += "class " + quotedName(cls.name);
    if (cls.width != 1)
      out += fmt::format(" width {}", cls.width);
    out += fmt::format(" = {}\n", printUnitSet(cls.bases));
  }
  for (size_t c = 0; c < problem.clobber_sets.size(); ++c)
    out += fmt::format("clobbers {} = {}\n", c, printUnitSet(problem.clobber_sets[c]));
  if (problem.live_in.any())
    out += fmt::format("live-in {}\n", printUnitSet(problem.live_in));
  if (!inOrderOfUse(problem.opcodes, problem.insts)) {
    out += "opcodes";
    for (const std::string &opcode : problem.opcodes)
      out += " " + quotedName(opcode);
    out += "\n";
  }

  InstPrinter printer{env, problem.vregs, std::vector<bool>(problem.vregs.size())};
  std::vector<bool> mentioned(problem.vregs.size());
  for (const Operand &op : problem.operands)
    if (!op.fixed)
      mentioned[op.reg] = true;
  for (VReg v = 0; v < problem.vregs.size(); ++v)
    if (!mentioned[v])
      out += fmt::format("vreg %{}:{}\n", v, quotedName(problem.classOf(v).name));
  for (BlockId b = 0; b < problem.blocks.size(); ++b) {
    const Block &block = problem.blocks[b];
    out += printBlock(block, b);
    for (InstId i = block.first; i < block.last; ++i)
      out += fmt::format("  {}\n", printer.print(problem.insts[i], problem.operandsOf(problem.insts[i]),
                                                 problem.opcodes[problem.insts[i].opcode]));
  }
  return out;
}

support::Result<Problem> parseProblem(TextReader &reader) {
  return ProblemParser(reader).parse();
}

} // namespace verilocc::problem
