#include "tests/support/cases.h"

#include <stdexcept>

namespace verilocc::tests {

assignment::Case caseOf(std::string_view lines) {
  std::string head(lines.substr(0, lines.find("block 0")));
  std::string text = "ra 1\n";
  // What names the machine stands before the classes, clobber sets and the like behind them.
  const size_t behind = head.find("clobbers ");
  text += head.substr(0, behind);
  if (head.find("reserved ") == std::string::npos)
    text += "reserved exec_lo exec_hi null\n";
  text += "class vgpr_32 = v0-v255\n"
          "class vreg_64 width 2 = v0-v254\n"
          "class vreg_128 width 4 = v0-v252\n"
          "class agpr_32 = a0-a255\n"
          "class av_32 = v0-v255 a0-a255\n"
          "class sgpr_32 = s0-s105 vcc_lo vcc_hi\n"
          "class sgpr_64 width 2 = s0-s104 step 2 vcc_lo\n";
  if (behind != std::string::npos)
    text += head.substr(behind);
  text += lines.substr(head.size());
  auto parsed = assignment::parseCase(text, "case.ra");
  if (!parsed)
    throw std::runtime_error(parsed.error().str() + "\n" + text);
  return std::move(*parsed);
}

} // namespace verilocc::tests
