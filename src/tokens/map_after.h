// The other language, in which large models are asked: the whole problem first, then one register a vreg, as in
// VeriLocc (arXiv 2506.17506). As text; vregs are numbered by first mention (problem/canonicalize.h), so that a prompt
// says the same of kernels that are the same.
#pragma once

#include "assignment/assignment.h"

#include <string>

namespace verilocc::tokens {

/// What is asked: the limits, then the instructions of the canonical problem, vregs with their classes at first
/// mention, vregs to be answered listed at the end.
std::string mapPrompt(const problem::Problem &problem);

/// The answer: a line "%0 v3", "%1 v[4:7]" for each vreg that has a home, in canonical numbers.
std::string mapCompletion(const problem::Problem &problem, const assignment::Homes &homes);

/// Reads an answer for `problem`. Errors name the line: what is no such line, a vreg that does not exist or was
/// answered before, a register that is no place of its class. Vregs that are not answered have no home. Whether the
/// answer is right is the checker's question.
support::Result<assignment::Homes> parseMap(const problem::Problem &problem, std::string_view text,
                                            const std::string &file);

} // namespace verilocc::tokens
