#include "tests/kernels/reference.h"

#include <sstream>

namespace verilocc::kernels {

namespace {

std::map<std::string, Reference> &references() {
  static std::map<std::string, Reference> table;
  return table;
}

class KernelReference : public testing::TestWithParam<Variant> {};

TEST_P(KernelReference, computesTheRightThing) {
  auto found = references().find(GetParam().source);
  ASSERT_NE(found, references().end()) << "no reference for kernels/" << GetParam().source;
  found->second(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Manifest, KernelReference, testing::ValuesIn(variants()),
                         [](const auto &info) { return info.param.name + "__" + info.param.target; });

// The machine of simt.h itself must refuse what hardware would hang on or silently get wrong.
TEST(Simt, findsBarrierUnderDivergence) {
  std::string wrong = simt::launch({}, {64, 1, 1}, 32, [] {
    if (simt::current->thread.x < 40)
      simt::barrier();
    else
      simt::collective("ballot", nullptr, nullptr, [](const simt::WaveView &) {});
  });
  EXPECT_NE(wrong.find("barrier"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("ballot"), std::string::npos) << wrong;
}

TEST(Simt, endedLanesDoNotHoldUpTheOthers) {
  unsigned rounds = 0;
  std::string wrong = simt::launch({2, 1, 1}, {96, 1, 1}, 64, [&] {
    if (simt::current->thread.x % 3 == 0)
      return;
    simt::barrier();
    if (simt::current->thread.x == 1)
      ++rounds;
    simt::barrier();
  });
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(rounds, 2u);
}

} // namespace

std::vector<Variant> variants() {
  std::vector<Variant> result;
  for (unsigned i = 0; i < kRowCount; ++i) {
    const Row &row = kRows[i];
    Variant variant{row.name, row.family, row.source, row.target, row.wave, row.entry, {}};
    std::istringstream words(row.parameters);
    for (std::string word; words >> word;)
      variant.parameters[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    result.push_back(std::move(variant));
  }
  return result;
}

int Variant::number(const std::string &key, int otherwise) const {
  auto found = parameters.find(key);
  if (found == parameters.end())
    return otherwise;
  return found->second == "WAVE_SIZE" ? static_cast<int>(wave) : std::stoi(found->second);
}

std::string Variant::text(const std::string &key, const std::string &otherwise) const {
  auto found = parameters.find(key);
  return found == parameters.end() ? otherwise : found->second;
}

Registration::Registration(const char *source, Reference reference) {
  references().emplace(source, reference);
}

} // namespace verilocc::kernels
