// Each .ra file of this folder is a test: the checker must say what its EXPECT line says, and printing it and reading it
// again must give the same case. What the checker accepts, the interpreter must find equal.
#include "assignment/case.h"
#include "checker/describe.h"
#include "interp/interp.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
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
  auto result = checker::check(contents->problem, *contents->assignment);
  EXPECT_EQ(contents->expectation->verdict, checker::name(result.verdict)) << result.invalid_reason;
  if (!contents->expectation->kind.empty()) {
    ASSERT_FALSE(result.errors.empty());
    EXPECT_EQ(contents->expectation->kind, checker::name(result.errors.front().kind));
    EXPECT_EQ(contents->expectation->inst.value_or(result.errors.front().inst), result.errors.front().inst);
  }
  if (result.verdict == checker::Verdict::Accepted) {
    auto run = interp::interpret(contents->problem, *contents->assignment);
    EXPECT_FALSE(run.difference.has_value());
  }
  const bool in_reject = GetParam().find("/reject/") != std::string::npos;
  const bool in_accept = GetParam().find("/accept/") != std::string::npos;
  EXPECT_TRUE(!in_reject || result.verdict == checker::Verdict::Rejected);
  EXPECT_TRUE(!in_accept || result.verdict == checker::Verdict::Accepted);
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(files()), [](const auto &info) {
  std::string name = std::filesystem::path(info.param).parent_path().filename().string() + "_" +
                     std::filesystem::path(info.param).stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

} // namespace
} // namespace verilocc
