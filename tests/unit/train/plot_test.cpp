#include "train/plot.h"

#include <gtest/gtest.h>

namespace verilocc::train {
namespace {

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

constexpr const char *log = R"({"step":0,"kind":"start","parameters":5,"training_decisions":7}
{"step":20,"minutes":0.1,"kind":"training","loss":2.5,"learning_rate":0.001,"tokens_a_second":9000}
{"step":40,"minutes":0.2,"kind":"training","loss":1.5,"learning_rate":0.002,"tokens_a_second":9100}
{"step":40,"minutes":0.2,"kind":"validation","loss":1.75,"accuracy":0.5,"a<b":0.25,"best":true}
{"step":60,"minu)";

TEST(Plot, DrawsEachCurveWithItsLastValue) {
  const auto svg = plot(log, "log.jsonl");
  ASSERT_TRUE(svg) << svg.error().str();
  EXPECT_TRUE(svg->starts_with("<svg") && svg->ends_with("</svg>\n"));
  EXPECT_EQ(count(*svg, "<polyline"), 6u); // two losses, two scores, rate, speed
  EXPECT_EQ(count(*svg, "class=\"title\""), 4u);
  EXPECT_NE(svg->find("training 1.5<"), std::string::npos);
  EXPECT_NE(svg->find("validation 1.75<"), std::string::npos);
  EXPECT_NE(svg->find("a&lt;b 0.25<"), std::string::npos);
  EXPECT_NE(svg->find("5 weights, 7 training decisions"), std::string::npos);
  // The first loss is the highest of its panel and at half of the steps.
  EXPECT_NE(svg->find("points=\"317.0,54.0 570.0,114.0\""), std::string::npos) << *svg;
}

TEST(Plot, RefusesWhatIsNoLog) {
  for (const char *text : {"", "garbage\n[1]\n{}\n", R"({"step":"x","kind":1})", R"({"step":5,"kind":"training"})"}) {
    const auto svg = plot(text, "file");
    ASSERT_FALSE(svg) << text;
    EXPECT_EQ(svg.error().file, "file");
  }
}

} // namespace
} // namespace verilocc::train
