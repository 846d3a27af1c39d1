#include "model/shards.h"

#include "model/bytes.h"
#include "model/files.h"
#include "support/hash.h"

#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace verilocc::model {
namespace {

constexpr std::string_view magic = "VLSHARD1";

/// Empty if the sequence is well formed, else what is wrong.
std::string whatIsWrong(const TrainingSequence &sequence, uint32_t vocab_size) {
  if (sequence.tokens.empty())
    return "a sequence without tokens";
  for (TokenId token : sequence.tokens)
    if (token >= vocab_size)
      return fmt::format("token {} of a vocabulary of {}", token, vocab_size);
  uint32_t last = 0;
  for (const Decision &decision : sequence.decisions) {
    if (decision.position <= last || decision.position >= sequence.tokens.size())
      return fmt::format("a decision at position {}, after one at {}, of {} tokens", decision.position, last,
                         sequence.tokens.size());
    last = decision.position;
    if (!(decision.weight > 0) || !std::isfinite(decision.weight))
      return fmt::format("a decision of weight {}", decision.weight);
    if (decision.answers.empty() || decision.answers.size() > max_answers)
      return fmt::format("a decision with {} answers", decision.answers.size());
    double sum = 0;
    for (const Decision::Answer &answer : decision.answers) {
      if (answer.token >= vocab_size)
        return fmt::format("answer {} of a vocabulary of {}", answer.token, vocab_size);
      if (!(answer.probability >= 0))
        return fmt::format("an answer of probability {}", answer.probability);
      sum += answer.probability;
    }
    if (!(std::abs(sum - 1) <= 1e-3))
      return fmt::format("answers whose probabilities sum to {}", sum);
  }
  return {};
}

bool readSequence(ByteReader &reader, TrainingSequence &sequence) {
  uint32_t tokens = 0, decisions = 0;
  std::string_view raw;
  if (!reader.read(tokens, "a token count") || !reader.read(decisions, "a decision count") ||
      !reader.take(raw, uint64_t(tokens) * sizeof(TokenId), "the tokens of a sequence"))
    return false;
  if (decisions > tokens) // before anything is reserved for them
    return reader.fail(fmt::format("{} decisions in {} tokens", decisions, tokens));
  sequence.tokens.resize(tokens);
  if (tokens > 0)
    std::memcpy(sequence.tokens.data(), raw.data(), raw.size());
  sequence.decisions.resize(decisions);
  for (Decision &decision : sequence.decisions) {
    uint8_t answers = 0;
    if (!reader.read(decision.position, "a decision") || !reader.read(decision.weight, "a decision") ||
        !reader.read(answers, "a decision"))
      return false;
    decision.answers.resize(answers);
    for (Decision::Answer &answer : decision.answers)
      if (!reader.read(answer.token, "an answer") || !reader.read(answer.probability, "an answer"))
        return false;
  }
  return true;
}

support::InputError writeError(const std::string &path) {
  return {std::string("cannot be written: ") + std::strerror(errno), path};
}

} // namespace

support::Result<ShardWriter> ShardWriter::create(const std::string &path, const ShardHeader &header) {
  std::FILE *file = std::fopen((path + ".partial").c_str(), "wbe");
  if (!file)
    return writeError(path);
  ShardWriter writer(path, header.vocab_size, file);
  std::string bytes(magic);
  appendBytes(bytes, header.vocab_hash);
  appendBytes(bytes, header.vocab_size);
  appendBytes(bytes, static_cast<uint32_t>(header.description.size()));
  bytes += header.description;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size())
    return writeError(path);
  return writer;
}

support::Status ShardWriter::add(const TrainingSequence &sequence) {
  assert(whatIsWrong(sequence, vocab_size).empty());
  std::string bytes;
  appendBytes(bytes, static_cast<uint32_t>(sequence.tokens.size()));
  appendBytes(bytes, static_cast<uint32_t>(sequence.decisions.size()));
  for (TokenId token : sequence.tokens)
    appendBytes(bytes, token);
  for (const Decision &decision : sequence.decisions) {
    appendBytes(bytes, decision.position);
    appendBytes(bytes, decision.weight);
    appendBytes(bytes, static_cast<uint8_t>(decision.answers.size()));
    for (const Decision::Answer &answer : decision.answers) {
      appendBytes(bytes, answer.token);
      appendBytes(bytes, answer.probability);
    }
  }
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
    return writeError(path);
  return support::Ok{};
}

support::Status ShardWriter::finish() {
  if (std::fclose(file.release()) != 0)
    return writeError(path);
  return publishFile(path + ".partial", path);
}

support::Result<Shard> readShard(const std::string &path) {
  support::Result<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  return parseShard(*bytes, path);
}

support::Result<Shard> parseShard(std::string_view bytes, const std::string &file) {
  ByteReader reader(bytes, file);
  Shard shard;
  std::string_view raw;
  uint32_t description = 0;
  if (reader.left() < magic.size() || !reader.take(raw, magic.size(), "the magic") || raw != magic)
    return support::InputError{fmt::format("not a shard: it does not start with {}", magic), file};
  if (reader.read(shard.header.vocab_hash, "the header") && reader.read(shard.header.vocab_size, "the header") &&
      reader.read(description, "the header") && reader.take(raw, description, "the description"))
    shard.header.description = raw;
  while (!reader.failed() && reader.left() > 0) {
    TrainingSequence sequence;
    if (!readSequence(reader, sequence))
      break;
    const std::string wrong = whatIsWrong(sequence, shard.header.vocab_size);
    if (!wrong.empty())
      reader.fail(wrong);
    else
      shard.sequences.push_back(std::move(sequence));
  }
  if (reader.failed())
    return reader.error();
  shard.hash = support::Hash().add(bytes).value();
  return shard;
}

} // namespace verilocc::model
