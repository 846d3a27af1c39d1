// What the reader says an allocator must not hand out, at the moment at which it is about to choose.
#include "testing.h"

#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/IR/Function.h"

namespace verilocc::mir::testing {
namespace {

// amdgpu-pre-ra-long-branch-reg reserves a pair after the set was frozen and before LLVM's allocator freezes it anew.
// An allocator that took the frozen set gave that pair away (private_insertion_sort_64 on gfx90a), and branch
// relaxation would have overwritten it.
TEST(Environment, WhatIsReservedSinceTheSetWasFrozenIsReserved) {
  readText(mirOf("bb.0:\n  S_ENDPGM 0\n"), "gfx90a",
           [](const support::Result<Reading> &before, llvm::MachineFunction &function) {
             ASSERT_TRUE(before) << before.error().str();
             const problem::RegUnit s40 = problem::first_sgpr + 40;
             EXPECT_FALSE(before->problem.env.reserved[s40]);
             function.getRegInfo().freezeReservedRegs();
             function.getFunction().addFnAttr("amdgpu-num-sgpr", "24");
             const auto after = readFunction(function);
             ASSERT_TRUE(after) << after.error().str();
             EXPECT_TRUE(after->problem.env.reserved[s40]);
             EXPECT_LT(after->problem.env.max_sgprs, before->problem.env.max_sgprs);
           });
}

} // namespace
} // namespace verilocc::mir::testing
