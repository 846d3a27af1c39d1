// How long something took: the difference of two readings.
#pragma once

#include <chrono>

namespace verilocc::support {

/// Seconds of a clock that never goes back; since when is nobody's business.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace verilocc::support
