#include "train/plot.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace verilocc::train {
namespace {

struct Point {
  double x, y;
};
/// By name, in order of the steps.
using Curves = std::map<std::string, std::vector<Point>>;

constexpr double width = 720, panel = 150, left = 64, right = 150, top = 34, gap = 44;
constexpr const char *colours[] = {"#1f6fb4", "#d1495b", "#2a9d5c", "#8a5cc2", "#c98a1b", "#4a4a4a"};

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

/// A number with as many digits as an axis needs.
std::string label(double value) {
  return std::abs(value) >= 10000 ? fmt::format("{:.0f}k", value / 1000) : fmt::format("{:.3g}", value);
}

/// One diagram with its own vertical axis, from 0 or the lowest value up.
void draw(std::string &svg, const std::string &title, const Curves &curves, double last_step, double y) {
  double low = 0, high = 0;
  for (const auto &[name, points] : curves)
    for (const Point &point : points) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  if (high <= low)
    high = low + 1;
  auto across = [&](double x) { return left + x / last_step * (width - left - right); };
  auto down = [&](double value) { return y + panel - (value - low) / (high - low) * panel; };
  svg += fmt::format("<text x=\"{}\" y=\"{}\" class=\"title\">{}</text>\n", left, y - 8, escaped(title));
  for (int i = 0; i <= 4; ++i) {
    const double value = low + (high - low) * i / 4;
    svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"grid\"/>"
                       "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                       left, width - right, down(value), down(value), left - 6, down(value) + 4, label(value));
    const double step = last_step * i / 4;
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", across(step),
                       y + panel + 15, label(step));
  }
  size_t index = 0;
  for (const auto &[name, points] : curves) {
    const char *colour = colours[index % std::size(colours)];
    std::string path;
    for (const Point &point : points)
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", across(point.x), down(point.y));
    svg += fmt::format("<polyline points=\"{}\" stroke=\"{}\"/>\n", path, colour);
    const Point &end = points.back();
    if (points.size() == 1)
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n", across(end.x), down(end.y),
                         colour);
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" fill=\"{}\">{} {}</text>\n", width - right + 8,
                       y + 12 + 15 * double(index), colour, escaped(name), label(end.y));
    ++index;
  }
}

} // namespace

support::Result<std::string> plot(std::string_view log, const std::string &file) {
  Curves loss, scores, rate, speed;
  double last_step = 0;
  std::string caption;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    const auto line = nlohmann::json::parse(log.substr(0, end), nullptr, false);
    log.remove_prefix(std::min(log.size(), end + 1));
    if (!line.is_object() || !line.contains("step") || !line["step"].is_number() || !line.contains("kind") ||
        !line["kind"].is_string())
      continue;
    const double step = line["step"];
    const std::string kind = line["kind"];
    for (const auto &[key, value] : line.items()) {
      if (!value.is_number())
        continue;
      const Point point{step, value.get<double>()};
      if (!std::isfinite(point.y))
        continue;
      if (key == "loss")
        loss[kind].push_back(point);
      else if (key == "learning_rate")
        rate["rate"].push_back(point);
      else if (key == "tokens_a_second")
        speed["tokens/s"].push_back(point);
      else if (kind == "validation" && key != "step" && key != "minutes" && point.y >= 0 && point.y <= 1)
        scores[key].push_back(point);
      else
        continue;
      last_step = std::max(last_step, step);
    }
    if (kind == "start" && line.contains("parameters"))
      caption = fmt::format("{} weights, {} training decisions", line["parameters"].dump(),
                            line.value("training_decisions", nlohmann::json()).dump());
  }
  if (last_step <= 0)
    return support::InputError{"no line of a training log in it", file};
  const std::pair<const char *, const Curves *> panels[] = {{"loss (divergence from the labels)", &loss},
                                                            {"validation scores", &scores},
                                                            {"learning rate", &rate},
                                                            {"speed", &speed}};
  std::string body;
  double y = top + 20;
  for (const auto &[title, curves] : panels)
    if (!curves->empty()) {
      draw(body, title, *curves, last_step, y);
      y += panel + gap;
    }
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n"
                     "<style>text{{font:11px sans-serif}} .title{{font-weight:bold}} .grid{{stroke:#ddd}} "
                     "polyline{{fill:none;stroke-width:1.5}}</style>\n<rect width=\"100%\" height=\"100%\" "
                     "fill=\"white\"/>\n<text x=\"{2}\" y=\"20\">{3}</text>\n{4}</svg>\n",
                     width, y, left, escaped(caption), body);
}

} // namespace verilocc::train
