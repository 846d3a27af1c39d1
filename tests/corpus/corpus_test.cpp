// Each .ra file of this folder is a test: the checker must say what its EXPECT line says, and printing it and reading
// it again must give the same case. What the checker accepts, the interpreter must find equal.
#include "assignment/case.h"
#include "checker/describe.h"
#include "interp/interp.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

namespace verilocc {
namespace {

std::vector<std::string> files() {
  std::vector<std::string> found;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(VERILOCC_SOURCE_DIR "/tests/corpus"))
    if (entry.path().extension() == ".ra")
      found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsJudgedAsExpected) {
  std::ifstream in(GetParam());
  std::stringstream text;
  text << in.rdbuf();
  auto contents = assignment::parseCase(text.str(), GetParam());
  ASSERT_TRUE(contents) << contents.error().str();
  auto again = assignment::parseCase(assignment::print(*contents), "printed");
  ASSERT_TRUE(again) << again.error().str();
  EXPECT_TRUE(*again == *contents);

  ASSERT_TRUE(contents->expectation && contents->assignment);
  const assignment::Expectation &expected = *contents->expectation;
  auto result = checker::check(contents->problem, *contents->assignment);
  std::string text_of_error;
  if (!result.errors.empty())
    text_of_error = checker::describe(result.errors.front(), contents->problem, *contents->assignment);
  EXPECT_EQ(expected.verdict, checker::name(result.verdict)) << result.invalid_reason << text_of_error;
  // A rejection without a reason would hold of any wrong rejection too.
  EXPECT_EQ(expected.verdict == checker::name(checker::Verdict::Rejected), !expected.kind.empty());
  if (!expected.kind.empty()) {
    ASSERT_FALSE(result.errors.empty());
    const checker::CheckerError &first = result.errors.front();
    EXPECT_EQ(expected.kind, checker::name(first.kind)) << text_of_error;
    EXPECT_EQ(expected.inst.value_or(first.inst), first.inst) << text_of_error;
    EXPECT_EQ(expected.lane.value_or(first.lane), first.lane) << text_of_error;
    // A place that the line does not name is not the error's, if it names one at all.
    EXPECT_EQ(expected.edit ? static_cast<int>(*expected.edit) : -1, first.edit) << text_of_error;
    if (expected.operand) {
      EXPECT_EQ(static_cast<int>(*expected.operand), first.operand) << text_of_error;
    }
  }
  if (result.verdict == checker::Verdict::Accepted) {
    auto run = interp::interpret(contents->problem, *contents->assignment);
    EXPECT_FALSE(run.difference.has_value())
        << interp::describe(contents->problem, *contents->assignment, *run.difference);
  }
  const bool in_reject = GetParam().find("/reject/") != std::string::npos;
  const bool in_accept = GetParam().find("/accept/") != std::string::npos;
  EXPECT_TRUE(!in_reject || result.verdict == checker::Verdict::Rejected);
  EXPECT_TRUE(!in_accept || result.verdict == checker::Verdict::Accepted);
}

/// What EXPECT says in the files of a folder, by file name.
std::map<std::string, assignment::Expectation> expectationsIn(const std::string &folder) {
  std::map<std::string, assignment::Expectation> found;
  for (const std::string &file : files()) {
    const std::filesystem::path path(file);
    if (path.parent_path().filename() != folder)
      continue;
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    const auto contents = assignment::parseCase(text.str(), file);
    if (contents && contents->expectation)
      found[path.filename().string()] = *contents->expectation;
  }
  return found;
}

TEST(CorpusFolders, EveryKindOfErrorOccurs) {
  std::set<std::string> kinds;
  for (const char *folder : {"reject", "regress"})
    for (const auto &[file, expectation] : expectationsIn(folder))
      kinds.insert(expectation.kind);
  const std::string all[] = {
#define CHECKER_ERROR(name, text, what) text,
#include "checker/errors.def"
  };
  // No file can hold fixed-moved: it would not be well-formed (tests/unit/checker/constraints_test.cpp).
  kinds.insert(checker::name(checker::ErrorKind::FixedMoved));
  for (const std::string &kind : all)
    EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST(CorpusFolders, EveryRejectedCaseHasAnAcceptedTwin) {
  const auto accepted = expectationsIn("accept"), rejected = expectationsIn("reject");
  EXPECT_GT(rejected.size(), 0u);
  for (const auto &[file, expectation] : rejected)
    EXPECT_TRUE(accepted.contains(file)) << file;
  for (const auto &[file, expectation] : accepted)
    EXPECT_TRUE(rejected.contains(file)) << file;
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(files()), [](const auto &info) {
  std::string name = std::filesystem::path(info.param).parent_path().filename().string() + "_" +
                     std::filesystem::path(info.param).stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

} // namespace
} // namespace verilocc
