// An edit whose operand runs from one register file into the next: once a wrong acceptance of the checker (two
// different spaces of locations), now no input at all.
#include "assignment/case.h"

#include <gtest/gtest.h>

namespace verilocc::checker {
namespace {

TEST(CrossingFiles, AnEditAcrossTwoRegisterFilesIsRefused) {
  const std::string head = "ra 1\nclass sgpr_64 width 2 = s0-s104\nblock 0\n  %0:sgpr_64 = S_LOAD | smem load\n"
                           "  STORE %0 | side-effect\nassignment\nhome %0 = s[0:1]\n";
  const std::string right = "edit 1: SPILL unit[512:513] | spill slot 2\n";
  const std::string wrong = "edit 1: SPILL unit[511:512] | spill slot 2\n";
  ASSERT_TRUE(assignment::parseCase(head + right, "t.ra"));
  const auto refused = assignment::parseCase(head + wrong, "t.ra");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().str(), "");
}

} // namespace
} // namespace verilocc::checker
