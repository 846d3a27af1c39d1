#include "support/rng.h"
#include "support/text.h"

#include <gtest/gtest.h>

namespace verilocc::support {
namespace {

TEST(TextReader, SkipsCommentsAndBlankLinesAndCountsLines) {
  TextReader reader("# first\n\n  ; second\none # rest\r\n  \"a;b\" two\n", "f");
  ASSERT_TRUE(reader.nextLine());
  EXPECT_EQ(reader.lineNumber(), 4u);
  EXPECT_EQ(reader.takeComments(), (std::vector<std::string>{"first", "second"}));
  EXPECT_TRUE(reader.takeWord("one"));
  EXPECT_TRUE(reader.endOfLine());
  ASSERT_TRUE(reader.nextLine());
  std::string name;
  EXPECT_TRUE(reader.name(name, "a name"));
  EXPECT_EQ(name, "a;b");
  EXPECT_EQ(reader.peekWord(), "two");
  EXPECT_FALSE(reader.takeWord("tw")) << "only whole words";
  reader.stayOnLine();
  ASSERT_TRUE(reader.nextLine());
  EXPECT_FALSE(reader.takeWord("two")) << "the line starts again";
}

TEST(TextReader, KeepsTheFirstErrorWithItsPlace) {
  TextReader reader("a\n  b 300\n", "f");
  ASSERT_TRUE(reader.nextLine() && reader.nextLine());
  ASSERT_TRUE(reader.takeWord("b"));
  uint8_t value = 7;
  EXPECT_FALSE(reader.number(value, "a byte", 0, 255));
  EXPECT_EQ(value, 7);
  EXPECT_FALSE(reader.fail("later"));
  EXPECT_EQ(reader.error().str(), "f:2:5: 300 is out of range for a byte (0 to 255)");
  EXPECT_FALSE(reader.nextLine());
}

TEST(TextReader, NamesOfAnyBytesReadBack) {
  std::string all;
  for (int c = 0; c < 256; ++c)
    all += static_cast<char>(c);
  for (const std::string &text :
       {all, std::string(), std::string("-x"), std::string("a.b-c$D_1"), std::string("a b")}) {
    const std::string quoted = quotedName(text);
    EXPECT_EQ(quoted.find('\n'), std::string::npos);
    TextReader reader(quoted, "f");
    std::string back;
    ASSERT_TRUE(reader.nextLine());
    ASSERT_TRUE(reader.name(back, "a name")) << quoted;
    EXPECT_EQ(back, text);
    EXPECT_TRUE(reader.atEnd());
  }
  EXPECT_EQ(quotedName("a.b-c"), "a.b-c");
}

TEST(TextReader, RefusesBrokenQuotes) {
  for (const char *text : {"\"a", "\"a\\", "\"\\x4\"", "\"\\q\"", "\"\\x"}) {
    TextReader reader(text, "f");
    ASSERT_TRUE(reader.nextLine()) << text;
    std::string name;
    EXPECT_FALSE(reader.name(name, "a name")) << text;
  }
}

TEST(Rng, IsTheSameEverywhere) {
  // The first values for seed 1, so that seeds in old reports stay valid.
  Rng rng(1);
  const uint64_t first = rng.next(), second = rng.next();
  EXPECT_EQ(first, 0xb3f2af6d0fc710c5ull);
  EXPECT_EQ(second, 0x853b559647364ceaull);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(rng.below(7), 7u);
    const int64_t value = rng.between(-3, 4);
    EXPECT_TRUE(value >= -3 && value <= 4);
    const double real = rng.real();
    EXPECT_TRUE(real >= 0 && real < 1);
  }
}

} // namespace
} // namespace verilocc::support
