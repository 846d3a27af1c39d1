// Which registers the operands may have, as arithmetic on register numbers.
#pragma once

#include "assignment/assignment.h"
#include "smt/demands.h"

namespace verilocc::smt {

void addConstraints(const problem::Problem &problem, const assignment::Assignment &assignment, Demands &demands);

} // namespace verilocc::smt
