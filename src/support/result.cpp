#include "support/result.h"

namespace verilocc::support {

std::string InputError::str() const {
  std::string text = file;
  for (unsigned number : {line, column})
    if (number)
      text += (text.empty() ? "" : ":") + std::to_string(number);
  return text.empty() ? message : text + ": " + message;
}

} // namespace verilocc::support
