// Twins: an allocation that keeps the meaning, and one that differs from it in one thing and does not.
#include "tests/unit/interp/testing.h"

namespace verilocc::interp {
namespace {

/// `problem` with each of two assignments: the first is right, the second is wrong.
void twins(const std::string &problem, const std::string &right, const std::string &wrong) {
  EXPECT_EQUAL(problem + "assignment\n" + right);
  EXPECT_DIFFERENT(problem + "assignment\n" + wrong);
}

TEST(Interp, HomesThatOverlap) {
  const std::string problem = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:vgpr_32 = LOAD_B | per-thread load
  STORE %0 | per-thread side-effect
  STORE %1 | per-thread side-effect
)";
  twins(problem, "home %0 = v0, %1 = v1\n", "home %0 = v0, %1 = v0\n");
}

TEST(Interp, RegistersMayBeReusedAfterTheLastUse) {
  EXPECT_EQUAL(R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:vgpr_32 = ADD %0 | per-thread
  STORE %1 | per-thread side-effect
assignment
home %0 = v0, %1 = v0
)");
}

TEST(Interp, LanesOfATuple) {
  const std::string problem = R"(
block 0
  %0:vreg_64 = LOAD | per-thread load
  STORE %0[1] | per-thread side-effect
)";
  twins(problem, "home %0 = v[4:5]\n", "home %0 = v[4:5]\nat 1: 0 = v4\n");
}

TEST(Interp, LanesNeverWrittenMatchAnything) {
  const std::string problem = R"(
block 0
  undef %0:vreg_64[0] = LOAD | per-thread load
  %1:vgpr_32 = LOAD_B | per-thread load
  STORE %0 | per-thread side-effect
  STORE %1 | per-thread side-effect
)";
  twins(problem, "home %0 = v[4:5], %1 = v5\n", "home %0 = v[4:5], %1 = v4\n");
}

TEST(Interp, UndefOnALaneDefinitionForgetsTheOthers) {
  const std::string code = R"(
block 0
  %0:vreg_64 = LOAD | per-thread load
  STORE %0 | per-thread side-effect
  FLAGS%0[0] = LOAD_B | per-thread load
  %1:vgpr_32 = LOAD_C | per-thread load
  STORE %0 | per-thread side-effect
  STORE %1 | per-thread side-effect
assignment
home %0 = v[4:5], %1 = v5
)";
  std::string undef = code, kept = code;
  undef.replace(undef.find("FLAGS"), 5, "undef ");
  kept.replace(kept.find("FLAGS"), 5, "");
  EXPECT_EQUAL(undef);
  EXPECT_DIFFERENT(kept);
}

TEST(Interp, TwoRegistersSwapped) {
  const std::string problem = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:vgpr_32 = LOAD_B | per-thread load
  %2:vgpr_32 = SUB %0, %1 | per-thread
  STORE %2 | per-thread side-effect
)";
  const std::string homes = "home %0 = v0, %1 = v1, %2 = v2\n";
  twins(problem, homes, homes + "at 2: 1 = v1, 2 = v0\n");
}

constexpr const char *divergent = R"(
block 0 -> 1 2
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:sgpr_32 = CMP %0 | vcmp per-thread mask compare
  %2:sgpr_32, implicit exec_lo, implicit scc = S_AND_SAVEEXEC %1, implicit exec_lo | salu mask and-save
  S_CBRANCH_EXECZ | branch terminator side-effect
block 1 -> 2
  %3:vgpr_32 = ADD %0 | per-thread
  STORE %3 | per-thread side-effect
block 2
  exec_lo, implicit scc = S_OR exec_lo, %2 | salu mask or
  STORE %0 | per-thread side-effect
  S_ENDPGM | return terminator side-effect
assignment
home %0 = v0, %1 = s0, %2 = s1, %3 = v2
)";

TEST(Interp, CopyUnderNarrowerExec) {
  EXPECT_EQUAL(divergent);
  // Moved and used inside the branch: right. Moved inside and used after it: the other threads' values are lost.
  EXPECT_EQUAL(std::string(divergent) + "at 4: 1 = v1\nedit 4: v1 = COPY v0 | copy\n");
  const std::string lost = "at 4: 1 = v1\nat 7: 0 = v1\n";
  EXPECT_DIFFERENT(std::string(divergent) + lost + "edit 4: v1 = COPY v0 | copy\n");
  // The same copy before EXEC narrows, or of all threads.
  EXPECT_EQUAL(std::string(divergent) + lost + "edit 1: v1 = COPY v0 | copy\n");
  EXPECT_DIFFERENT(std::string(divergent) + lost + "edit 4: v1 = COPY v0 | copy all-threads\n"); // not on 0 -> 2
  EXPECT_EQUAL(std::string(divergent) + lost + "edit 3: v1 = COPY v0 | copy all-threads\n");
}

TEST(Interp, WholeWaveAroundACopy) {
  const std::string moved = std::string(divergent) + "at 4: 1 = v1\nat 7: 0 = v1\n";
  const std::string widen =
      "edit 3: s9, implicit exec_lo, implicit scc = S_OR_SAVEEXEC | salu mask or-save constant -1\n";
  const std::string copy = "edit 3: v1 = COPY v0 | copy\n";
  EXPECT_EQUAL(moved + widen + copy + "edit 3: exec_lo = S_MOV s9 | salu mask move\n");
  EXPECT_DIFFERENT(moved + widen + copy); // EXEC is not put back
  EXPECT_DIFFERENT(moved + widen + "edit 3: exec_lo = S_MOV s9 | salu mask move\n" + copy);
}

TEST(Interp, SpillUnderNarrowerExec) {
  // The branch spills again what it needs itself; behind it only the first slot has every thread's value.
  const std::string spilled =
      std::string(divergent) + "at 7: 0 = v5\nedit 1: SPILL v0 | spill slot 0\nedit end 0: SPILL v0 | spill slot 1\n";
  EXPECT_EQUAL(spilled + "edit 7: v5 = RELOAD | reload slot 0\n");
  EXPECT_DIFFERENT(spilled + "edit 7: v5 = RELOAD | reload slot 1\n");
  // A reload under the narrower EXEC fills the register for few threads.
  EXPECT_DIFFERENT(spilled + "edit 6: v5 = RELOAD | reload slot 0\n");
  EXPECT_EQUAL(spilled + "edit 6: v5 = RELOAD | reload all-threads slot 0\n");
}

TEST(Interp, WritesInABranchKeepTheOtherThreads) {
  // %0 is redefined for some threads only: the others still need its old value, which a copy in the branch loses.
  const std::string problem = R"(
block 0 -> 1 2
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:sgpr_32 = CMP %0 | vcmp per-thread mask compare
  %2:sgpr_32, implicit exec_lo, implicit scc = S_AND_SAVEEXEC %1, implicit exec_lo | salu mask and-save
  S_CBRANCH_EXECZ | branch terminator side-effect
block 1 -> 2
  %0 = LOAD_B | per-thread load
block 2
  exec_lo, implicit scc = S_OR exec_lo, %2 | salu mask or
  STORE %0 | per-thread side-effect
)";
  const std::string homes = "home %0 = v0, %1 = s0, %2 = s1\n";
  twins(problem, homes, homes + "at 4: 0 = v1\nedit 4: v2 = COPY v0 | copy\nedit 5: v0 = COPY v1 | copy all-threads\n");
}

TEST(Interp, SlotsThatClash) {
  const std::string problem = R"(
block 0
  %0:vreg_64 = LOAD_A | per-thread load
  %1:vreg_64 = LOAD_B | per-thread load
  STORE %0, %1 | per-thread side-effect
assignment
home %0 = v[0:1], %1 = v[2:3]
at 2: 0 = v[4:5], 1 = v[6:7]
edit 1: SPILL v[0:1] | spill slot 3
)";
  const std::string rest = "edit 2: v[4:5] = RELOAD | reload slot 3\nedit 2: v[6:7] = RELOAD | reload slot S\n";
  EXPECT_EQUAL(problem + "edit 2: SPILL v[2:3] | spill slot 4\n" +
               "edit 2: v[4:5] = RELOAD | reload slot 3\nedit 2: v[6:7] = RELOAD | reload slot 4\n");
  EXPECT_DIFFERENT(problem + "edit 2: SPILL v[2:3] | spill slot 3\n" +
                   "edit 2: v[4:5] = RELOAD | reload slot 3\nedit 2: v[6:7] = RELOAD | reload slot 3\n");
}

TEST(Interp, ScalarSpillsInLanes) {
  const std::string problem = R"(
block 0 -> 1
  %0:sgpr_32 = S_LOAD | smem load
  %1:sgpr_32 = S_LOAD_B | smem load
block 1
  S_STORE %0, %1 | side-effect
)";
  const std::string homes = "assignment\nhome %0 = s0, %1 = s0\nat 2: 0 = s4, 1 = s5\n";
  const std::string writes = "edit 1: v40 = V_WRITELANE s0, v40 tied 0 | lane-write all-threads lane 17\n"
                             "edit end 0: v40 = V_WRITELANE s0, v40 tied 0 | lane-write all-threads lane 18\n";
  const std::string reads = "edit 2: s4 = V_READLANE v40 | lane-read all-threads lane 17\n"
                            "edit 2: s5 = V_READLANE v40 | lane-read all-threads lane 18\n";
  EXPECT_EQUAL(problem + homes + writes + reads);
  std::string clash = writes;
  clash.replace(clash.find("lane 18"), 7, "lane 17");
  EXPECT_DIFFERENT(problem + homes + clash + reads);
  // The register of the lanes is spilled: by all threads, or by the active ones only.
  const std::string spill = "edit end 0: SPILL v40 | spill all-threads slot 1\n"
                            "edit end 0: v40 = V_MOV_0 | per-thread\n"
                            "edit 2: v40 = RELOAD | reload all-threads slot 1\n";
  EXPECT_EQUAL(problem + homes + writes + spill + reads);
  const std::string overwritten = "edit end 0: v40 = V_MOV_0 | all-threads\n";
  EXPECT_DIFFERENT(problem + homes + writes + overwritten + reads);
}

TEST(Interp, BrokenTie) {
  const std::string problem = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:vgpr_32 = LOAD_B | per-thread load
  %0 = FMAC %1, %0 tied 0 | per-thread
  STORE %0 | per-thread side-effect
)";
  const std::string homes = "home %0 = v0, %1 = v1\n";
  twins(problem, homes, homes + "at 2: 0 = v2\nat 3: 0 = v2\n");
  EXPECT_EQUAL(problem + "assignment\n" + homes + "at 2: 0 = v2, 2 = v2\nat 3: 0 = v2\nedit 2: v2 = COPY v0 | copy\n");
}

TEST(Interp, BrokenTieWhoseUseIsNotRead) {
  // The machine reads v0, the definition's register, whatever the use says: no effect differs.
  const std::string text = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %0 = FMAC %0 tied 0 | per-thread
  STORE %0 | per-thread side-effect
assignment
home %0 = v0
at 1: 1 = v1
)";
  const Answer answer = ask(text);
  ASSERT_FALSE(answer.equal());
  EXPECT_EQ(answer.result.difference->kind, Difference::Kind::BrokenTie);
  EXPECT_NE(answer.text.find("operand 1 at v1 is tied to operand 0 at v0"), std::string::npos) << answer.text;
  InterpOptions lenient;
  lenient.strict = false;
  EXPECT_EQUAL(text, lenient);
}

TEST(Interp, EarlyClobber) {
  const std::string problem = R"(
block 0
  %0:vreg_64 = LOAD_A | per-thread load
  early %1:vreg_64 = WMMA %0 | per-thread matrix
  STORE %1 | per-thread side-effect
)";
  twins(problem, "home %0 = v[0:1], %1 = v[2:3]\n", "home %0 = v[0:1], %1 = v[1:2]\n");
}

TEST(Interp, DefinitionsThatOverlap) {
  const std::string problem = R"(
block 0
  %0:vgpr_32, %1:vgpr_32 = LOAD_PAIR | per-thread load
  STORE %1 | per-thread side-effect
)";
  twins(problem, "home %0 = v0, %1 = v1\n", "home %0 = v1, %1 = v1\n");
}

TEST(Interp, Rematerialisation) {
  const std::string problem = R"(
block 0
  %0:sgpr_32 = S_LOAD | smem load
  %1:vgpr_32 = V_MOV %0, implicit exec_lo | per-thread pure
  %0 = S_LOAD_B | smem load
  S_STORE %0 | side-effect
  STORE %1 | per-thread side-effect
assignment
home %0 = s0, %1 = v1
at 4: 0 = v7
)";
  EXPECT_EQUAL(problem + "edit 2: v7 = V_MOV s0, implicit exec_lo | per-thread pure\n");
  EXPECT_DIFFERENT(problem + "edit 4: v7 = V_MOV s0, implicit exec_lo | per-thread pure\n"); // s0 has changed
  EXPECT_DIFFERENT(problem + "edit 2: v7 = V_NOT s0, implicit exec_lo | per-thread pure\n");
}

TEST(Interp, ALoadRepeatedBehindAStore) {
  const std::string problem = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load FLAG
  STORE %0 | per-thread side-effect
  STORE %0 | per-thread side-effect
assignment
home %0 = v0
at 2: 0 = v1
edit 2: v1 = LOAD_A | per-thread load FLAG
)";
  const auto with = [&](const std::string &flag) {
    std::string text = problem;
    for (size_t at; (at = text.find("FLAG")) != std::string::npos;)
      text.replace(at, 4, flag);
    return text;
  };
  EXPECT_EQUAL(with("pure")); // of memory that nobody writes
  EXPECT_DIFFERENT(with(""));
}

TEST(Interp, Exchange) {
  const std::string problem = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:vgpr_32 = LOAD_B | per-thread load
  STORE %0, %1 | per-thread side-effect
)";
  const std::string swapped = "home %0 = v0, %1 = v1\nat 2: 0 = v1, 1 = v0\n";
  twins(problem, swapped + "edit 2: v0, v1 = V_SWAP v1, v0 | exchange per-thread\n", swapped);
  EXPECT_EQUAL(problem + "assignment\n" + swapped + "edit 2: v0, v1 = V_SWAP v0, v1 | exchange per-thread\n");
}

TEST(Interp, ParallelCopyInTheWrongOrder) {
  const std::string problem = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:vgpr_32 = LOAD_B | per-thread load
  STORE %0, %1 | per-thread side-effect
)";
  const std::string homes = "home %0 = v0, %1 = v1\nat 2: 0 = v1, 1 = v2\n";
  twins(problem, homes + "edit 2: v2 = COPY v1 | copy\nedit 2: v1 = COPY v0 | copy\n",
        homes + "edit 2: v1 = COPY v0 | copy\nedit 2: v2 = COPY v1 | copy\n");
}

TEST(Interp, DeletedInstructions) {
  const std::string problem = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:vgpr_32 = COPY %0 | copy per-thread
  %2:vgpr_32 = DEAD %0 | per-thread
  STORE %1 | per-thread side-effect
)";
  twins(problem, "home %0 = v0, %1 = v0, %2 = v2\ndelete 1, 2\n", "home %0 = v0, %1 = v1, %2 = v2\ndelete 1\n");
  const Answer answer = ask(problem + "assignment\nhome %0 = v0, %1 = v0, %2 = v2\ndelete 3\n");
  ASSERT_FALSE(answer.equal());
  EXPECT_EQ(answer.result.difference->kind, Difference::Kind::MissingEffect);
  EXPECT_EQ(answer.result.difference->inst, 3u);
}

TEST(Interp, InsertedStore) {
  const Answer answer = ask(R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  STORE %0 | per-thread side-effect
assignment
home %0 = v0
edit 1: STORE v0 | per-thread side-effect
)");
  ASSERT_FALSE(answer.equal());
  EXPECT_EQ(answer.result.difference->kind, Difference::Kind::ExtraEffect);
  EXPECT_EQ(answer.result.difference->edit, 0);
  EXPECT_EQ(answer.result.difference->inst, 1u);
}

TEST(Interp, CallsClobber) {
  const std::string problem = R"(
clobbers 0 = v0-v31 s0-s31
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  v0 = COPY %0 | copy per-thread
  implicit v0 = CALL implicit v0 | call side-effect clobbers 0
  %1:vgpr_32 = COPY v0 | copy per-thread
  STORE %0, %1 | per-thread side-effect
)";
  twins(problem, "home %0 = v40, %1 = v0\n", "home %0 = v4, %1 = v0\n");
}

TEST(Interp, TheCopyThatSavesExecDoesNotWriteIt) {
  // LLVM gives it an implicit definition of EXEC, for the order. If that were a write, no thread would need %0 below.
  const std::string problem = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:sgpr_32, implicit exec_lo = COPY exec_lo | copy mask move
  S_STORE exec_lo, %1 | side-effect
  STORE %0 | per-thread side-effect
)";
  for (unsigned seed = 1; seed < 20; ++seed) {
    InterpOptions options;
    options.seed = seed;
    options.paths = 1; // its EXEC is all ones
    const Answer answer = ask(problem + "assignment\nhome %0 = v0, %1 = s0\nat 3: 0 = v1\n", options);
    ASSERT_FALSE(answer.equal());
    EXPECT_EQ(answer.result.difference->thread, 0);
    EXPECT_TRUE(ask(problem + "assignment\nhome %0 = v0, %1 = s0\n", options).equal());
  }
}

TEST(Interp, UndefinedMasksAreEmpty) {
  // EXEC without the undefined mask is EXEC: every thread of the first path stores.
  InterpOptions options;
  options.paths = 1;
  const Answer answer = ask(R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:sgpr_32 = IMPLICIT_DEF | implicit-def
  exec_lo = S_ANDN2 exec_lo, %1 | salu mask and-not
  STORE %0 | per-thread side-effect
assignment
home %0 = v0, %1 = s0
at 3: 0 = v1
)",
                            options);
  ASSERT_FALSE(answer.equal());
  EXPECT_EQ(answer.result.difference->thread, 0);
}

TEST(Interp, CallsSpareInactiveThreads) {
  const std::string problem = R"(
clobbers 0 = v0-v31
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:sgpr_32 = COPY exec_lo | copy mask move
  exec_lo = S_MOV | salu mask move constant VALUE
  CALL | call side-effect clobbers 0
  exec_lo = COPY %1 | copy mask move
  STORE %0 | per-thread side-effect
assignment
home %0 = v4, %1 = s40
)";
  std::string none = problem, all = problem;
  none.replace(none.find("VALUE"), 5, "0");
  all.replace(all.find("VALUE"), 5, "-1");
  EXPECT_EQUAL(none);
  EXPECT_DIFFERENT(all);
}

TEST(Interp, FixedRegistersAreStorageOfBoth) {
  const std::string problem = R"(
block 0
  %0:sgpr_32 = S_LOAD | smem load
  vcc_lo = CMP %0 | vcmp mask compare
  %1:sgpr_32 = S_LOAD_B | smem load
  S_STORE vcc_lo, %1, %0 | side-effect
)";
  twins(problem, "home %0 = s0, %1 = vcc_hi\n", "home %0 = s0, %1 = vcc_lo\n");
}

TEST(Interp, VregsLeftToAnotherAllocatorHaveStorageOfTheirOwn) {
  const std::string problem = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:vgpr_32 = LOAD_B | per-thread load
  %2:sgpr_32 = S_LOAD | smem load
  STORE %0, %1, %2 | per-thread side-effect
)";
  twins(problem, "home %1 = v0, %2 = s0\n", "home %1 = v0, %2 = s0\nat 3: 0 = v0\n");
}

TEST(Interp, ValuesInTheWrongFile) {
  const std::string problem = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:sgpr_32 = S_LOAD | smem load
  STORE %0, %1 | per-thread side-effect
)";
  twins(problem, "home %0 = a0, %1 = s0\n", "home %0 = s1, %1 = s0\n");
  twins(problem, "home %0 = v0, %1 = s0\n", "home %0 = v0, %1 = v1\n");
}

TEST(Interp, BroadcastOfAScalar) {
  const std::string problem = R"(
block 0
  %0:sgpr_64 = S_LOAD | smem load
  %1:vreg_64 = COPY %0 | copy per-thread
  STORE %1 | per-thread side-effect
)";
  twins(problem, "home %0 = s[0:1], %1 = v[0:1]\n", "home %0 = s[0:1], %1 = v[0:1]\nat 1: 1 = s[2:3]\n");
}

TEST(Interp, HighHalfOfExecInWavesOf64) {
  const std::string problem = R"(
wave 64
block 0 -> 1 2
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:sgpr_64 = CMP %0 | vcmp per-thread mask compare
  %2:sgpr_64 = COPY exec | copy mask move
  exec = S_AND exec, %1 | salu mask and
  S_CBRANCH_EXECZ | branch terminator side-effect
block 1 -> 2
  STORE %0 | per-thread side-effect
block 2
  exec = COPY %2 | copy mask move
  STORE %0 | per-thread side-effect
)";
  const std::string homes = "home %0 = v0, %1 = s[0:1], %2 = s[2:3]\n";
  twins(problem, homes, homes + "edit 4: s3 = S_MOV | salu mask move constant 0\n");
}

TEST(Interp, InsertedBehindABranch) {
  // Behind the conditional branch the copy runs on one of the two ways only.
  const std::string problem = R"(
block 0 -> 1 2
  %0:vgpr_32 = LOAD_A | per-thread load
  S_CBRANCH_SCC1 implicit scc | branch terminator side-effect
  S_BRANCH | branch terminator side-effect
block 1
  STORE %0 | per-thread side-effect
block 2
  STORE %0 | per-thread side-effect
)";
  const std::string homes = "home %0 = v0\nat 3: 0 = v1\nat 4: 0 = v1\n";
  twins(problem, homes + "edit 1: v1 = COPY v0 | copy\n", homes + "edit 2: v1 = COPY v0 | copy\n");
}

TEST(Interp, HalvesOfADword) {
  const std::string problem = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  half %0 = LOAD_HI | per-thread load
  STORE %0 | per-thread side-effect
)";
  twins(problem, "home %0 = v0\n", "home %0 = v0\nat 1: 0 = v1\nat 2: 0 = v1\n");
}

TEST(Interp, EqualInMeaning) {
  // A dead sum reads a register that was overwritten: an input differs, no effect does.
  const std::string text = R"(
block 0
  %0:vgpr_32 = LOAD_A | per-thread load
  %1:vgpr_32 = LOAD_B | per-thread load
  %2:vgpr_32 = ADD %0, %1 | per-thread
  STORE %1 | per-thread side-effect
assignment
home %0 = v0, %1 = v0, %2 = v2
)";
  InterpOptions lenient;
  lenient.strict = false;
  EXPECT_DIFFERENT(text);
  EXPECT_EQUAL(text, lenient);
  std::string used = text;
  used.replace(used.find("STORE %1"), 8, "STORE %2");
  EXPECT_DIFFERENT(used, lenient);
}

TEST(Interp, EqualInMeaningInSpiteOfExec) {
  // A value computed by too few threads: it matters where they need it, not otherwise.
  const std::string text = std::string(divergent) + "edit 4: exec_lo = S_MOV | salu mask move constant 0\n";
  InterpOptions lenient;
  lenient.strict = false;
  EXPECT_DIFFERENT(text, lenient); // the store in the branch
}

} // namespace
} // namespace verilocc::interp
