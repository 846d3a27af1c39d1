// The course of a training run as a picture.
#pragma once

#include "support/result.h"

#include <string>
#include <string_view>

namespace verilocc::train {

/// From the text of log.jsonl to an SVG: loss (training and validation), accuracy and other validation scores between
/// 0 and 1, learning rate, tokens a second, each over the steps. `file` is for messages. Lines that are not finished
/// (the run was killed while it wrote) are left out; a log without any line to draw is an error.
support::Result<std::string> plot(std::string_view log, const std::string &file);

} // namespace verilocc::train
