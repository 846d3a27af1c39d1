#include "dataset/evaluate.h"
#include "dataset/extract.h"
#include "dataset/write.h"

#include "allocators/rule_backend.h"
#include "checker/checker.h"
#include "model/checkpoint.h"
#include "model/files.h"
#include "model/native.h"
#include "tests/support/random_problem.h"
#include "tokens/limits.h"
#include "tokens/map_words.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iomanip>
#include <sstream>

namespace {

using namespace verilocc;
using namespace verilocc::dataset;
namespace fs = std::filesystem;

problem::Problem randomProblem(uint64_t seed) {
  tests::RandomOptions options = tests::randomOptions(seed);
  options.undefined = 0;
  problem::Problem problem = tests::randomProblem(options);
  problem.env.arch = options.aligned ? "gfx90a" : "gfx1030";
  return problem;
}

/// A folder of its own that goes when the test ends.
class Folder {
public:
  Folder() : path(fs::temp_directory_path() / ("verilocc-dataset-" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string &name, const std::string &text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
  void writeProblem(const std::string &name, const problem::Problem &problem) const {
    assignment::Case contents;
    contents.problem = problem;
    write(name, assignment::print(contents));
  }
  std::string at(const std::string &name) const { return (path / name).string(); }
  fs::path path;
};

TEST(Label, DecisionsStandAtAnswersAndRepeat) {
  unsigned decisions = 0, agreeing = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const problem::Problem problem = randomProblem(seed);
    const analysis::LiveRanges live(problem);
    const cost::Rules &rules = cost::rulesFor(problem.env.arch, problem.env.wave_size);
    LabelOptions options;
    options.seed = seed;
    options.window = 24;
    options.keep_dull = 1;
    const Labelled first = label(problem, live, rules, options), again = label(problem, live, rules, options);
    ASSERT_EQ(first.sequences.size(), again.sequences.size());
    for (size_t s = 0; s < first.sequences.size(); ++s) {
      const model::TrainingSequence &sequence = first.sequences[s];
      EXPECT_EQ(sequence.tokens, again.sequences[s].tokens) << "seed " << seed;
      ASSERT_FALSE(sequence.decisions.empty());
      for (const model::Decision &decision : sequence.decisions) {
        ASSERT_LT(decision.position, sequence.tokens.size());
        EXPECT_EQ(tokens::wordOf(sequence.tokens[decision.position]).family, tokens::Family::Take);
        unsigned places = 0;
        while (tokens::wordOf(sequence.tokens[decision.position - 1 - places]).family == tokens::Family::Place)
          ++places;
        EXPECT_GT(places, 1u);
        double sum = 0;
        for (const auto &answer : decision.answers) {
          EXPECT_LT(tokens::wordOf(answer.token).values[0], places);
          sum += answer.probability;
        }
        EXPECT_NEAR(sum, 1, 1e-3);
      }
    }
    decisions += first.decisions;
    agreeing += first.agreeing;
    EXPECT_GE(first.regret, 0);
  }
  EXPECT_GT(decisions, 200u);
  EXPECT_LT(agreeing, decisions); // the rule is not always best
  EXPECT_GT(agreeing, decisions / 2);
}

TEST(Corpus, SplitsComeFromTheManifestAndTwinsLeaveTraining) {
  const Folder folder;
  folder.write("manifest.txt",
               "# comment\na gemm train all x.hip\nb gemm test-shape all x.hip\nc fft test-family all x\n"
               "d gemm train all y.hip\n");
  problem::Problem one = randomProblem(1), two = randomProblem(2), three = randomProblem(3);
  folder.writeProblem("p/gfx1030/a.ra", one);
  one.name = "other";
  folder.writeProblem("p/gfx1030/b.ra", one); // as a, by another name
  folder.writeProblem("p/gfx1030/c.ra", two);
  folder.writeProblem("p/gfx1030/d.ra", three);
  folder.writeProblem("p/gfx1030/d.1.ra", three);
  folder.writeProblem("p/gfx908/d.ra", randomProblem(4));
  folder.writeProblem("p/gfx1030/unknown.ra", randomProblem(5));
  auto entries = readCorpus(folder.at("p"), folder.at("manifest.txt"));
  ASSERT_TRUE(entries) << entries.error().str();
  ASSERT_TRUE(findDuplicates(*entries));
  std::map<std::string, const Entry *> by_path;
  for (const Entry &entry : *entries)
    by_path[fs::relative(entry.path, folder.path / "p").string()] = &entry;
  ASSERT_EQ(by_path.size(), 7u);
  EXPECT_EQ(by_path["gfx1030/a.ra"]->split, "train");
  EXPECT_TRUE(by_path["gfx1030/a.ra"]->duplicate);
  EXPECT_FALSE(by_path["gfx1030/b.ra"]->duplicate);
  EXPECT_EQ(by_path["gfx1030/c.ra"]->split, "test-family");
  EXPECT_EQ(by_path["gfx1030/d.1.ra"]->kernel, "d");
  EXPECT_EQ(by_path["gfx1030/d.ra"]->duplicate + by_path["gfx1030/d.1.ra"]->duplicate, 1);
  EXPECT_EQ(by_path["gfx908/d.ra"]->split, "test-arch");
  EXPECT_EQ(by_path["gfx1030/unknown.ra"]->split, "other");
  auto by_kernel = readCorpus(folder.at("p"), folder.at("manifest.txt"), {.archs = {"gfx908"}, .by_kernel = true});
  ASSERT_TRUE(by_kernel) << by_kernel.error().str();
  ASSERT_EQ(by_kernel->size(), 1u);
  EXPECT_EQ(by_kernel->front().split, "train");
  EXPECT_FALSE(readCorpus(folder.at("p"), folder.at("manifest.txt"), {.archs = {"gfx1100"}}));
  EXPECT_FALSE(readCorpus(folder.at("nowhere"), folder.at("manifest.txt")));
  EXPECT_FALSE(readCorpus(folder.at("p"), folder.at("no-manifest")));
}

/// So many random problems, all of the training split.
support::Result<std::vector<Entry>> trainingCorpus(const Folder &folder, unsigned problems) {
  std::string manifest;
  for (unsigned i = 0; i < problems; ++i) {
    manifest += "k" + std::to_string(i) + " gemm train all x.hip\n";
    folder.writeProblem("p/gfx1030/k" + std::to_string(i) + ".ra", randomProblem(i + 1));
  }
  folder.write("manifest.txt", manifest);
  auto entries = readCorpus(folder.at("p"), folder.at("manifest.txt"));
  if (entries)
    if (auto status = findDuplicates(*entries); !status)
      return status.error();
  return entries;
}

WriteOptions trainingOptions(const Folder &folder) {
  WriteOptions options;
  options.out = folder.at("out");
  options.split = "train";
  return options;
}

TEST(Shards, ArePartsOfAWholeAndAreKeptWhenComplete) {
  const Folder folder;
  auto entries = trainingCorpus(folder, 5);
  ASSERT_TRUE(entries) << entries.error().str();
  WriteOptions options = trainingOptions(folder);
  options.label.window = 24;
  auto whole = writeShard(*entries, options);
  ASSERT_TRUE(whole) << whole.error().str();
  uint64_t tokens = 0, decisions = 0;
  unsigned problems = 0;
  for (unsigned i = 0; i < 2; ++i) {
    options.shard = {i, 2};
    auto part = writeShard(*entries, options);
    ASSERT_TRUE(part);
    tokens += part->tokens;
    decisions += part->decisions;
    problems += part->problems;
  }
  EXPECT_EQ(problems, 5u);
  EXPECT_EQ(tokens, whole->tokens);
  EXPECT_EQ(decisions, whole->decisions);
  auto shard = model::readShard(folder.at("out/train-1-of-2.shard"));
  ASSERT_TRUE(shard) << shard.error().str();
  EXPECT_EQ(shard->header.vocab_hash, tokens::vocabHash());
  // Kept if the same is asked, made again if not.
  const auto time = fs::last_write_time(folder.at("out/train-1-of-2.shard"));
  ASSERT_TRUE(writeShard(*entries, options));
  EXPECT_EQ(fs::last_write_time(folder.at("out/train-1-of-2.shard")), time);
  options.label.seed = 2;
  ASSERT_TRUE(writeShard(*entries, options));
  auto other = model::readShard(folder.at("out/train-1-of-2.shard"));
  ASSERT_TRUE(other);
  EXPECT_NE(other->hash, shard->hash);
}

TEST(Shards, MapAfterHasWholeProblemsWithOneAnswerAVReg) {
  const Folder folder;
  auto entries = trainingCorpus(folder, 6);
  ASSERT_TRUE(entries) << entries.error().str();
  WriteOptions options = trainingOptions(folder);
  options.words = Words::Map;
  options.passes = 3;
  auto card = writeShard(*entries, options);
  ASSERT_TRUE(card) << card.error().str();
  unsigned left_out = 0;
  for (const auto &[reason, problems] : card->misfits)
    left_out += problems;
  EXPECT_EQ(card->problems + left_out, 6u);
  ASSERT_GT(card->problems, 1u);
  EXPECT_LE(card->sequences, 3 * card->problems);
  const std::string file = folder.at("out/train-0-of-1.shard");
  auto shard = model::readShard(file);
  ASSERT_TRUE(shard) << shard.error().str();
  EXPECT_EQ(shard->header.vocab_hash, tokens::mapWords().hash());
  EXPECT_EQ(shard->sequences.size(), card->sequences);
  for (const model::TrainingSequence &sequence : shard->sequences) {
    const auto answers = std::ranges::count_if(sequence.tokens, [](tokens::TokenId word) {
      return tokens::mapWords().wordOf(word).family == unsigned(tokens::MapFamily::Answer);
    });
    EXPECT_EQ(answers, 1);
    for (size_t i = 0; i < sequence.decisions.size(); ++i) {
      const model::Decision &decision = sequence.decisions[i];
      EXPECT_EQ(sequence.tokens[decision.position - 1], tokens::askWord(i));
      EXPECT_NE(tokens::registerOf(sequence.tokens[decision.position]), problem::no_unit);
      ASSERT_EQ(decision.answers.size(), 1u);
      EXPECT_EQ(decision.answers[0].token, sequence.tokens[decision.position]);
    }
    EXPECT_EQ(sequence.decisions.back().position, sequence.tokens.size() - 1);
  }
  // The same again; kept if complete; a context that holds nothing leaves nothing; cut off it is refused.
  const uint64_t hash = shard->hash;
  const auto time = fs::last_write_time(file);
  ASSERT_TRUE(writeShard(*entries, options));
  EXPECT_EQ(fs::last_write_time(file), time);
  fs::remove(file);
  ASSERT_TRUE(writeShard(*entries, options));
  EXPECT_EQ(model::readShard(file)->hash, hash);
  const auto bytes = model::readFile(file);
  ASSERT_TRUE(bytes);
  auto cut = model::parseShard(std::string_view(*bytes).substr(0, bytes->size() - 9), "cut.shard");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().file, "cut.shard");
  options.context = 20;
  auto none = writeShard(*entries, options);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->sequences, 0u);
  EXPECT_EQ(none->misfits.at("context"), 6u - left_out);
}

TEST(Shards, NumbersAreChecked) {
  EXPECT_EQ(parseShard("3/8")->index, 3u);
  for (const char *bad : {"8/8", "1", "1/", "/2", "-1/2", "1/2x", ""})
    EXPECT_FALSE(parseShard(bad)) << bad;
}

TEST(Evaluate, PassAtIsUnbiased) {
  EXPECT_DOUBLE_EQ(passAt(10, 0, 5), 0);
  EXPECT_DOUBLE_EQ(passAt(10, 10, 1), 1);
  EXPECT_NEAR(passAt(10, 3, 1), 0.3, 1e-12);
  EXPECT_NEAR(passAt(4, 2, 2), 1 - 1.0 / 6, 1e-12); // of 6 pairs one is of two wrong ones
  EXPECT_DOUBLE_EQ(passAt(4, 3, 2), 1);
}

TEST(Evaluate, RuleBehindTheModelsInterfaceEqualsTheRule) {
  const Folder folder;
  folder.write("manifest.txt", "k gemm test-shape all x.hip\n");
  folder.writeProblem("p/gfx1030/k.ra", randomProblem(3));
  auto entries = readCorpus(folder.at("p"), folder.at("manifest.txt"));
  ASSERT_TRUE(entries);
  model::ScriptedBackend backend = allocators::ruleBackend(allocators::WordRule::Last);
  EvaluateOptions options;
  options.attempts = 3;
  options.avoid_dead_ends = false;
  options.search_moves = {1, 5};
  auto rows = evaluate(*entries, &backend, options);
  ASSERT_TRUE(rows) << rows.error().str();
  ASSERT_EQ(rows->size(), 1u);
  const Row &row = rows->front();
  EXPECT_EQ(row.attempts.size(), 3u);
  EXPECT_EQ(row.made.at("model").cost, row.made.at("rule-weighed").cost);
  const Relative same = compare({&row}, "model", "rule-weighed");
  EXPECT_EQ(same.n, 1u);
  EXPECT_DOUBLE_EQ(same.mean, 1);
  EXPECT_EQ(same.better + same.worse, 0u);
  const auto json = toJson(*rows);
  for (const auto &line : json["rows"])
    if (line["allocator"] == "model") {
      EXPECT_EQ(line["raw"], 1.0);
      EXPECT_EQ(line["pass_at"]["1"], 1.0);
    }
  const auto pairOf = [&](const char *allocator, const char *against) {
    const auto found = std::ranges::find_if(json["pairs"], [&](const nlohmann::json &line) {
      return line["split"] == "test-shape" && line["arch"] == "all" && line["allocator"] == allocator &&
             line["against"] == against;
    });
    return found == json["pairs"].end() ? nlohmann::json() : *found;
  };
  EXPECT_EQ(pairOf("model", "rule-weighed")["mean"], 1.0);
  EXPECT_EQ(pairOf("model-best", "search-as-long")["n"], 1);
  EXPECT_EQ(pairOf("model-search-1", "search-5")["n"], 1) << "the next larger budget";
  EXPECT_TRUE(pairOf("model-search-5", "search-1").is_null());
}

model::Shape smallMapShape() {
  return {.vocab_size = tokens::mapWords().size(),
          .width = 32,
          .layers = 1,
          .heads = 1,
          .kv_heads = 1,
          .feed_forward = 32,
          .window = 2048};
}

TEST(Evaluate, AMapAfterModelStandsInTheSameTables) {
  const Folder folder;
  std::string manifest;
  for (unsigned i = 1; i <= 4; ++i) {
    manifest += "k" + std::to_string(i) + " gemm test-shape all x.hip\n";
    tests::RandomOptions options = tests::randomOptions(i);
    options.calls = i == 4; // what the language cannot tell
    options.undefined = 0;
    problem::Problem problem = tests::randomProblem(options);
    problem.env.arch = options.aligned ? "gfx90a" : "gfx1030";
    if (options.calls) {
      ASSERT_STREQ(tokens::mapQuestion(problem, analysis::Choices(problem)).misfit, "calls");
    }
    folder.writeProblem("p/gfx1030/k" + std::to_string(i) + ".ra", problem);
  }
  folder.write("manifest.txt", manifest);
  auto entries = readCorpus(folder.at("p"), folder.at("manifest.txt"));
  ASSERT_TRUE(entries);
  const auto backend = model::nativeBackend(model::randomWeights(smallMapShape(), 3), tokens::mapWords().hash());
  EvaluateOptions options;
  options.attempts = 5;
  auto rows = evaluate(*entries, backend.get(), options);
  ASSERT_TRUE(rows) << rows.error().str();
  ASSERT_EQ(rows->size(), 4u);
  unsigned masked = 0;
  for (const Row &row : *rows) {
    ASSERT_TRUE(row.map);
    EXPECT_TRUE(row.attempts.empty());
    EXPECT_FALSE(row.raw) << "random weights";
    EXPECT_EQ(row.map->attempts.size(), row.map->misfit ? 0u : 5u);
    const bool accepted = row.map->masked && row.map->masked->outcome == allocators::Outcome::Accepted;
    EXPECT_EQ(row.made.contains("map-after"), accepted);
    if (accepted) {
      EXPECT_GE(row.made.at("map-after").cost, row.made.at("search").cost - 1e-6) << row.entry.kernel;
    }
    masked += accepted;
  }
  EXPECT_GT(masked, 0u);
  unsigned lines = 0;
  const nlohmann::json json = toJson(*rows);
  for (const auto &line : json["rows"])
    if (line["allocator"] == "map-after" && line["split"] == "test-shape" && line["arch"] == "gfx1030") {
      ++lines;
      EXPECT_EQ(line["n"], 4);
      EXPECT_EQ(line["raw"], 0.0);
      EXPECT_EQ(line["masked"], masked / 4.0);
      EXPECT_EQ(line["pass_at"]["5"], 0.0);
      EXPECT_EQ(line["misfits"]["calls"], 1);
      EXPECT_GT(line["legal_decisions"], 0.0);
      EXPECT_LT(line["legal_decisions"], 1.0);
      EXPECT_GT(line["tokens_per_second"], 0.0);
      EXPECT_EQ(line["cost_vs_cheapest"]["n"], masked);
    }
  EXPECT_EQ(lines, 1u);
  EXPECT_NE(formatRows(*rows).find("failed for calls: 1"), std::string::npos);
}

TEST(Evaluate, AMapAfterModelIsNotTakenForOneOfEpisodes) {
  const model::Weights weights = model::randomWeights(smallMapShape(), 3);
  model::Provenance from;
  from.vocab_hash = tokens::mapWords().hash();
  const std::string bytes = model::formatCheckpoint(weights, from, model::Storage::F16);
  ASSERT_TRUE(model::parseCheckpoint(bytes, "map.gguf", {.vocab_hash = tokens::mapWords().hash()}));
  auto refused = model::parseCheckpoint(bytes, "map.gguf", {.vocab_hash = tokens::vocabHash()});
  ASSERT_FALSE(refused);
  for (uint64_t hash : {tokens::mapWords().hash(), tokens::vocabHash()}) {
    std::ostringstream digits;
    digits << std::hex << std::setw(16) << std::setfill('0') << hash;
    EXPECT_NE(refused.error().str().find(digits.str()), std::string::npos) << refused.error().str();
  }
}

TEST(Extract, HomesOfGreedyFitTheLimits) {
  const std::string source = R"(
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p, float %x) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr float, ptr addrspace(1) %p, i32 %i
  %a = load float, ptr addrspace(1) %q
  %b = fmul float %a, %x
  %c = fadd float %b, %a
  store float %c, ptr addrspace(1) %q
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
)";
  auto module = codegen::loadBytes(source, "k.ll");
  ASSERT_TRUE(module) << module.error().str();
  codegen::CompileOptions options;
  options.mcpu = "gfx1030";
  auto cases = extract(*module, options);
  ASSERT_TRUE(std::holds_alternative<std::vector<assignment::Case>>(cases));
  ASSERT_EQ(std::get<0>(cases).size(), 1u);
  const assignment::Case &found = std::get<0>(cases).front();
  EXPECT_EQ(checker::check(found.problem, *found.assignment).verdict, checker::Verdict::Accepted);
  EXPECT_EQ(found.problem.env.max_vgprs, 64u); // the most registers at 16 waves
}

} // namespace
