// The edits of an Assignment as a list in which each owns its operands: easy to change, then packed again.
#pragma once

#include "assignment/assignment.h"

#include <vector>

namespace verilocc::tests {

struct EditItem {
  assignment::Edit edit;
  std::vector<problem::Operand> operands;
};

std::vector<EditItem> unpackEdits(const assignment::Assignment &assignment);

/// Replaces the edits of `assignment`, stably sorted into program order.
void packEdits(std::vector<EditItem> items, assignment::Assignment &assignment);

/// An inserted instruction of fixed operands, definitions first. Its opcode's name joins `assignment.opcodes`.
class EditMaker {
public:
  explicit EditMaker(assignment::Assignment &assignment) : assignment(assignment) {}

  EditItem make(const std::string &opcode, problem::InstKind kind, uint16_t flags,
                std::vector<problem::Operand> operands);
  EditItem copy(problem::RegUnit to, problem::RegUnit from, unsigned lanes, uint16_t flags = 0);
  EditItem spill(uint32_t slot, problem::RegUnit from, unsigned lanes, uint16_t flags = 0);
  EditItem reload(problem::RegUnit to, uint32_t slot, unsigned lanes, uint16_t flags = 0);
  EditItem writeLane(problem::RegUnit vector, unsigned lane, problem::RegUnit scalar);
  EditItem readLane(problem::RegUnit scalar, problem::RegUnit vector, unsigned lane);
  EditItem exchange(problem::RegUnit a, problem::RegUnit b, unsigned lanes);
  EditItem saveExec(problem::RegUnit to, unsigned dwords); ///< and turn all threads on
  EditItem restoreExec(problem::RegUnit from, unsigned dwords);

  static problem::Operand def(problem::RegUnit unit, unsigned lanes = 1, uint8_t flags = 0);
  static problem::Operand use(problem::RegUnit unit, unsigned lanes = 1, uint8_t flags = 0);

private:
  assignment::Assignment &assignment;
};

} // namespace verilocc::tests
