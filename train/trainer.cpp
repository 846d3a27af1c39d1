#include "train/trainer.h"

#include <cmath>

namespace verilocc::train {
namespace {

struct Tensors {
  torch::Tensor tokens, asked, answers, probabilities, weights;
};

/// Views into the batch, which must outlive them.
Tensors viewOf(const Batch &batch) {
  auto view = [](const auto &values, std::vector<int64_t> sizes, auto type) {
    return torch::from_blob(const_cast<void *>(static_cast<const void *>(values.data())), sizes, type);
  };
  const auto rows = static_cast<int64_t>(batch.rows), time = static_cast<int64_t>(batch.time);
  const auto count = static_cast<int64_t>(batch.decisions);
  constexpr int64_t answers = model::max_answers;
  return {view(batch.tokens, {rows, time}, torch::kInt64), view(batch.asked, {rows, count}, torch::kInt64),
          view(batch.answers, {rows, count, answers}, torch::kInt64),
          view(batch.probabilities, {rows, count, answers}, torch::kFloat32),
          view(batch.weights, {rows, count}, torch::kFloat32)};
}

constexpr double unlabelled = 20; // the regret of an answer without a label

/// Per decision: the divergence of the model's distribution from the labels.
torch::Tensor divergence(const torch::Tensor &logarithms, const Tensors &labels) {
  const torch::Tensor entropy = torch::xlogy(labels.probabilities, labels.probabilities);
  return (entropy - labels.probabilities * logarithms).sum(-1);
}

/// Per answer: log(best label / its label), from 0 to `unlabelled`.
torch::Tensor regrets(const Tensors &labels) {
  const torch::Tensor best = std::get<0>(labels.probabilities.max(-1, true)).clamp_min(1e-30); // 0 only in the filling
  return (best.log() - labels.probabilities.log()).clamp(0, unlabelled);
}

/// The logarithms of what the model gives the answers: [rows, count, max_answers].
torch::Tensor answerLogarithms(const torch::Tensor &logits, const Tensors &labels) {
  return torch::log_softmax(logits, -1).gather(-1, labels.answers);
}

} // namespace

Trainer::Trainer(const model::Weights &initial, const TrainOptions &options)
    : options(options), decoder(std::make_shared<Decoder>(initial, options.features)) {
  auto settings = [&](double decay) {
    return std::make_unique<torch::optim::AdamWOptions>(
        torch::optim::AdamWOptions(options.learning_rate).betas({0.9, 0.98}).eps(1e-9).weight_decay(decay));
  };
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(decoder->matrices(), settings(options.weight_decay));
  groups.emplace_back(decoder->vectors(), settings(0));
  optimizer = std::make_unique<torch::optim::AdamW>(groups);
}

StepReport Trainer::step(const Batch &batch, double learning_rate) {
  const Tensors labels = viewOf(batch);
  for (torch::optim::OptimizerParamGroup &group : optimizer->param_groups())
    static_cast<torch::optim::AdamWOptions &>(group.options()).lr(learning_rate);
  optimizer->zero_grad();
  const torch::Tensor logarithms = answerLogarithms(decoder->forward(labels.tokens, labels.asked), labels);
  const torch::Tensor each = divergence(logarithms, labels);
  const torch::Tensor real = labels.weights.gt(0).to(torch::kFloat32);
  const torch::Tensor &weights = options.label_weights ? labels.weights : real;
  torch::Tensor loss = (each * weights).sum() / weights.sum();
  if (options.regret_share > 0) {
    // What is given to words without a label costs the most; the labelled ones save some of that.
    const torch::Tensor given = logarithms.exp() * labels.probabilities.gt(0);
    const torch::Tensor expected = unlabelled - (given * (unlabelled - regrets(labels))).sum(-1);
    loss = loss + options.regret_share * (expected * real).sum() / real.sum();
  }
  loss.backward();
  StepReport report;
  report.gradient_norm = torch::nn::utils::clip_grad_norm_(decoder->parameters(), options.clip);
  report.loss = ((each * real).sum() / real.sum()).item<double>();
  report.tokens = batch.rows * batch.time;
  report.decisions = static_cast<uint64_t>(real.sum().item<double>());
  if (std::isfinite(loss.item<double>()) &&
      std::isfinite(report.gradient_norm)) // one bad batch must not spoil the weights
    optimizer->step();
  return report;
}

Scores Trainer::validate(const std::vector<std::vector<Piece>> &batches) {
  torch::NoGradGuard no_gradients;
  double loss = 0, right = 0, mass = 0, regret = 0, count = 0;
  torch::Tensor saved =
      torch::zeros({decoder->shape().vocab_size}, torch::kFloat64); // of `unlabelled` a decision, by always this token
  for (const std::vector<Piece> &pieces : batches) {
    const Batch batch = makeBatch(pieces);
    const Tensors labels = viewOf(batch);
    const torch::Tensor logits = decoder->forward(labels.tokens, labels.asked);
    const torch::Tensor real = labels.weights.gt(0).to(torch::kFloat32);
    const torch::Tensor chosen = logits.argmax(-1, true);
    const torch::Tensor given = (labels.answers.eq(chosen) * labels.probabilities).sum(-1);
    const torch::Tensor best = std::get<0>(labels.probabilities.max(-1)).clamp_min(1e-30); // 0 only in the filling
    loss += (divergence(answerLogarithms(logits, labels), labels) * real).sum().item<double>();
    right += (given.ge(best - 1e-6) * real).sum().item<double>();
    mass += (given * real).sum().item<double>();
    count += real.sum().item<double>();
    regret += ((best.log() - given.log()).clamp(0, unlabelled) * real).sum().item<double>();
    saved.index_add_(0, labels.answers.flatten(),
                     ((unlabelled - regrets(labels)) * real.unsqueeze(-1)).flatten().to(torch::kFloat64));
  }
  return {loss / count, right / count, mass / count, regret / count, unlabelled - saved.max().item<double>() / count};
}

void Trainer::save(torch::serialize::OutputArchive &archive) const {
  torch::serialize::OutputArchive weights, moments;
  decoder->save(weights);
  optimizer->save(moments);
  archive.write("weights", weights);
  archive.write("moments", moments);
}

void Trainer::load(torch::serialize::InputArchive &archive) {
  torch::serialize::InputArchive weights, moments;
  archive.read("weights", weights);
  archive.read("moments", moments);
  decoder->load(weights);
  optimizer->load(moments);
}

} // namespace verilocc::train
