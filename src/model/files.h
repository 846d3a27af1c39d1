// Whole files in and out, with errors that name the file.
#pragma once

#include "support/result.h"

#include <string>
#include <string_view>

namespace verilocc::model {

support::Result<std::string> readFile(const std::string &path);
/// Under the name `path` there is either the old content or the whole new one, even if the machine stops in between.
support::Status writeFile(const std::string &path, std::string_view bytes);
/// Makes what was written to `path` durable (fsync) and renames it to `target`.
support::Status publishFile(const std::string &path, const std::string &target);

} // namespace verilocc::model
