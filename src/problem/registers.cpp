// Names of registers. Runs of one numbered file print as "v[12:15]"; pairs with a name of their own by that name; any
// other run (one that crosses files, or part of the named ones) as "unit[616:619]", so that every run has a name.
#include "problem/registers.h"

#include <cassert>
#include <charconv>
#include <fmt/format.h>

namespace verilocc::problem {

namespace {

struct NumberedFile {
  std::string_view prefix;
  RegUnit first;
  unsigned count;
};
constexpr NumberedFile numbered_files[] = {
    {"v", first_vgpr, 256},
    {"a", first_agpr, 256},
    {"s", first_sgpr, 106},
    {"ttmp", first_ttmp, 16},
    {"misc", first_misc, num_units - first_misc},
};
constexpr NumberedFile raw_units = {"unit", 0, num_units};

struct NamedUnit {
  std::string_view name;
  RegUnit first;
  unsigned size;
};
constexpr NamedUnit named_units[] = {
    {"vcc_lo", vcc_lo, 1},
    {"vcc_hi", vcc_hi, 1},
    {"vcc", vcc_lo, 2},
    {"m0", m0, 1},
    {"null", sgpr_null, 1},
    {"exec_lo", exec_lo, 1},
    {"exec_hi", exec_hi, 1},
    {"exec", exec_lo, 2},
    {"scc", scc, 1},
    {"mode", mode, 1},
    {"flat_scr_lo", flat_scr_lo, 1},
    {"flat_scr_hi", flat_scr_hi, 1},
    {"flat_scr", flat_scr_lo, 2},
    {"xnack_mask_lo", xnack_mask_lo, 1},
    {"xnack_mask_hi", xnack_mask_hi, 1},
    {"xnack_mask", xnack_mask_lo, 2},
};

std::string runName(std::string_view prefix, unsigned index, unsigned size) {
  return size == 1 ? fmt::format("{}{}", prefix, index) : fmt::format("{}[{}:{}]", prefix, index, index + size - 1);
}

/// Takes a decimal number without sign off the front of `text`.
std::optional<unsigned> takeNumber(std::string_view &text) {
  unsigned value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.front() == '-')
    return std::nullopt;
  text.remove_prefix(end - text.data());
  return value;
}

bool take(std::string_view &text, char c) {
  if (text.empty() || text.front() != c)
    return false;
  text.remove_prefix(1);
  return true;
}

std::optional<UnitRange> parseRun(std::string_view text, const NumberedFile &file) {
  if (!text.starts_with(file.prefix))
    return std::nullopt;
  text.remove_prefix(file.prefix.size());
  const bool bracket = take(text, '[');
  std::optional<unsigned> first = takeNumber(text), last = first;
  if (!first)
    return std::nullopt;
  if (bracket) {
    if (take(text, ':'))
      last = takeNumber(text);
    if (!last || !take(text, ']'))
      return std::nullopt;
  }
  if (!text.empty() || *last < *first || *last >= file.count)
    return std::nullopt;
  return UnitRange{static_cast<RegUnit>(file.first + *first), *last - *first + 1};
}

} // namespace

std::string unitName(RegUnit unit) {
  return tupleName(unit, 1);
}

std::string tupleName(RegUnit first, unsigned size) {
  assert(size >= 1 && first + size <= num_units);
  for (const NumberedFile &file : numbered_files)
    if (first >= file.first && first + size <= file.first + file.count)
      return runName(file.prefix, first - file.first, size);
  for (const NamedUnit &named : named_units)
    if (named.first == first && named.size == size)
      return std::string(named.name);
  return runName(raw_units.prefix, first, size);
}

std::optional<UnitRange> parseTuple(std::string_view text) {
  for (const NamedUnit &named : named_units)
    if (named.name == text)
      return UnitRange{named.first, named.size};
  for (const NumberedFile &file : numbered_files)
    if (auto range = parseRun(text, file))
      return range;
  return parseRun(text, raw_units);
}

} // namespace verilocc::problem
