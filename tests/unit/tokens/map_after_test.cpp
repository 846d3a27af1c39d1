#include "tokens/map_after.h"

#include "tests/support/random_problem.h"
#include "tokens/episode.h"
#include "tokens/replay.h"

#include <gtest/gtest.h>

namespace {

using namespace verilocc;
using namespace verilocc::tokens;

TEST(MapAfter, AnswersAndHomesAreInverse) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const problem::Problem problem = tests::randomProblem(tests::randomOptions(seed));
    const analysis::LiveRanges live(problem);
    Episode episode(problem, live, cost::rulesFor("gfx1030", 32));
    encode(episode, {}, cheapest);
    const std::string text = mapCompletion(problem, episode.homes());
    auto homes = parseMap(problem, text, "answer");
    ASSERT_TRUE(homes) << "seed " << seed << ": " << homes.error().str();
    EXPECT_EQ(*homes, episode.homes()) << "seed " << seed;
    EXPECT_NE(mapPrompt(problem).find("answer for %0"), std::string::npos);
  }
}

TEST(MapAfter, BadAnswersAreRefusedWithTheirLine) {
  tests::RandomOptions options;
  options.calls = options.fixed = false;
  const problem::Problem problem = tests::randomProblem(options);
  const analysis::LiveRanges live(problem);
  Episode episode(problem, live, cost::rulesFor("gfx1030", 32));
  encode(episode, {}, cheapest);
  const std::string good = mapCompletion(problem, episode.homes());
  const std::string first = good.substr(0, good.find('\n') + 1);
  const std::string bad[] = {"%99999 v1", "%0 q7", "%0", "v1", "%0 v[0:31]", first};
  for (const std::string &line : bad) {
    auto homes = parseMap(problem, first + line, "answer");
    ASSERT_FALSE(homes) << line;
    EXPECT_EQ(homes.error().line, 2u) << homes.error().str();
  }
}

} // namespace
