// One instruction in, one line of the Problem out, for each class of instructions: kind, flags, mask operation,
// constraints, lanes, ties. The table is inputs/instructions.txt.
#include "testing.h"

#include <fstream>
#include <map>

namespace verilocc::mir::testing {
namespace {

struct Case {
  std::string mcpu, instruction, line;
};

struct Table {
  std::string prologue = "bb.0:\n";
  size_t prologue_length = 0;
  std::vector<Case> cases;
};

Table readTable() {
  std::ifstream file(VERILOCC_SOURCE_DIR "/tests/unit/mir/inputs/instructions.txt");
  Table table;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line == "prologue")
      continue;
    if (line.substr(0, 2) != "  ") {
      size_t colon = line.find(": ");
      table.cases.push_back({line.substr(0, colon), line.substr(colon + 2), ""});
    } else if (table.cases.empty()) {
      table.prologue += line + " = IMPLICIT_DEF\n";
      ++table.prologue_length;
    } else {
      table.cases.back().line = line.substr(2);
    }
  }
  return table;
}

TEST(Instructions, ReadAsTheTableSays) {
  Table table = readTable();
  ASSERT_GT(table.cases.size(), 100u);
  const std::string stack =
      "stack:\n  - { id: 0, size: 8, type: spill-slot }\n  - { id: 1, size: 8, type: spill-slot }\n";
  std::map<std::string, std::vector<const Case *>> by_cpu;
  for (const Case &test : table.cases)
    by_cpu[test.mcpu].push_back(&test);
  for (const auto &[mcpu, cases] : by_cpu) {
    std::vector<std::string> bodies;
    for (const Case *test : cases) {
      bool ends = test->instruction.find("S_ENDPGM") != std::string::npos;
      bodies.push_back(table.prologue + "  " + test->instruction + (ends ? "\n" : "\n  S_ENDPGM 0\n"));
    }
    size_t next = 0;
    readText(mirOf(bodies, stack), mcpu, [&](const support::Result<Reading> &reading, llvm::MachineFunction &) {
      const Case &test = *cases.at(next++);
      SCOPED_TRACE(mcpu + ": " + test.instruction);
      ASSERT_TRUE(reading) << reading.error().str();
      auto status = problem::wellFormed(reading->problem);
      EXPECT_TRUE(status) << status.error().str();
      std::vector<std::string> lines = linesOf(reading->problem);
      ASSERT_GT(lines.size(), table.prologue_length);
      EXPECT_EQ(lines[table.prologue_length], test.line);
    });
    EXPECT_EQ(next, cases.size());
  }
}

} // namespace
} // namespace verilocc::mir::testing
