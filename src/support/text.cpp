#include "support/text.h"

#include <fmt/format.h>

namespace verilocc::support {

namespace {

bool isAlnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isWordChar(char c) {
  return isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '-';
}
bool isTupleChar(char c) {
  return isAlnum(c) || c == '_' || c == '[' || c == ':' || c == ']';
}
bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool isComment(char c) {
  return c == '#' || c == ';';
}

/// Offset of the first character outside quotes for which `wanted` holds, or npos.
template <typename Predicate> size_t findOutsideQuotes(std::string_view line, Predicate wanted) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (!quoted && wanted(line[i]))
      return i;
  }
  return std::string_view::npos;
}

/// A word begins with no '-', so that "->" and negative numbers are not words.
size_t wordLength(std::string_view text) {
  size_t length = 0;
  if (!text.empty() && text[0] != '-')
    while (length < text.size() && isWordChar(text[length]))
      ++length;
  return length;
}

} // namespace

std::string quotedName(std::string_view text) {
  if (!text.empty() && wordLength(text) == text.size())
    return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c < ' ' || c > '~')
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

TextReader::TextReader(std::string_view text, std::string file) : text(text), file(std::move(file)) {}

bool TextReader::nextLine() {
  if (has_error)
    return false;
  if (stay) {
    stay = false;
    position = 0;
    return true;
  }
  while (next_line < text.size()) {
    const size_t end = std::min(text.find('\n', next_line), text.size());
    line = text.substr(next_line, end - next_line);
    next_line = end + 1;
    ++line_number;
    position = 0;
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    const size_t comment = findOutsideQuotes(line, isComment);
    std::string_view content = line.substr(0, comment);
    skipSpace();
    if (comment != std::string_view::npos && position == comment) {
      std::string_view words = line.substr(comment + 1);
      if (words.starts_with(' '))
        words.remove_prefix(1);
      comments.emplace_back(words);
    }
    line = content;
    position = 0;
    if (!atEnd())
      return true;
  }
  return false;
}

bool TextReader::failAt(size_t column, std::string message) {
  if (!has_error)
    first_error = {std::move(message), file, line_number, line_number ? static_cast<unsigned>(column + 1) : 0};
  has_error = true;
  return false;
}

bool TextReader::failWhole(std::string message) {
  if (!has_error)
    first_error = {std::move(message), file};
  has_error = true;
  return false;
}

size_t TextReader::column() {
  skipSpace();
  return position;
}

void TextReader::skipSpace() {
  while (position < line.size() && isSpace(line[position]))
    ++position;
}

bool TextReader::atEnd() {
  skipSpace();
  return position >= line.size();
}

bool TextReader::endOfLine() {
  if (has_error)
    return false;
  return atEnd() || fail(fmt::format("unexpected text '{}'", rest().substr(0, 40)));
}

bool TextReader::take(std::string_view sign) {
  skipSpace();
  if (has_error || !rest().starts_with(sign))
    return false;
  position += sign.size();
  return true;
}

bool TextReader::expect(std::string_view sign) {
  return take(sign) || fail(fmt::format("expected '{}'", sign));
}

std::string_view TextReader::peekWord() {
  skipSpace();
  return has_error ? std::string_view() : rest().substr(0, wordLength(rest()));
}

bool TextReader::takeWord(std::string_view word) {
  if (peekWord() != word || word.empty())
    return false;
  position += word.size();
  return true;
}

bool TextReader::restHas(char sign) const {
  return findOutsideQuotes(rest(), [sign](char c) { return c == sign; }) != std::string_view::npos;
}

bool TextReader::word(std::string_view &out, std::string_view what) {
  out = peekWord();
  if (out.empty())
    return fail(fmt::format("expected {}", what));
  position += out.size();
  return true;
}

bool TextReader::name(std::string &out, std::string_view what) {
  if (!take("\"")) {
    std::string_view bare;
    if (!word(bare, what))
      return false;
    out = bare;
    return true;
  }
  out.clear();
  while (position < line.size()) {
    const char c = line[position++];
    if (c == '"')
      return true;
    if (c != '\\') {
      out += c;
      continue;
    }
    if (position < line.size() && (line[position] == '"' || line[position] == '\\')) {
      out += line[position++];
      continue;
    }
    unsigned byte = 0;
    const char *digits = line.data() + position + 1, *end = line.data() + line.size();
    if (rest().size() < 3 || line[position] != 'x' ||
        std::from_chars(digits, std::min(digits + 2, end), byte, 16).ptr != digits + 2)
      return fail("unknown escape in a quoted name (known: \\\", \\\\, \\xNN)");
    out += static_cast<char>(byte);
    position += 3;
  }
  return fail("a quoted name does not end");
}

bool TextReader::tuple(std::string_view &out, std::string_view what) {
  skipSpace();
  size_t length = 0;
  while (!has_error && length < rest().size() && isTupleChar(rest()[length]))
    ++length;
  if (length == 0)
    return fail(fmt::format("expected {}", what));
  out = rest().substr(0, length);
  position += length;
  return true;
}

bool TextReader::integer(int64_t &out, std::string_view what, int64_t min, int64_t max) {
  skipSpace();
  if (has_error)
    return false;
  const auto [end, error] = std::from_chars(rest().data(), rest().data() + rest().size(), out);
  if (error == std::errc::invalid_argument)
    return fail(fmt::format("expected {}", what));
  if (error != std::errc() || out < min || out > max)
    return fail(fmt::format("{} is out of range for {} ({} to {})",
                            rest().substr(0, static_cast<size_t>(end - rest().data())), what, min, max));
  position = end - line.data();
  return true;
}

bool TextReader::real(double &out, std::string_view what) {
  skipSpace();
  if (has_error)
    return false;
  const auto [end, error] = std::from_chars(rest().data(), rest().data() + rest().size(), out);
  if (error != std::errc())
    return fail(fmt::format("expected {}", what));
  position = end - line.data();
  return true;
}

bool TextReader::hex(uint64_t &out, std::string_view what) {
  skipSpace();
  if (!take("0x"))
    return fail(fmt::format("expected {} in hexadecimal (0x...)", what));
  const auto [end, error] = std::from_chars(rest().data(), rest().data() + rest().size(), out, 16);
  if (error != std::errc())
    return fail(fmt::format("expected {} of at most 64 bits", what));
  position = end - line.data();
  return true;
}

} // namespace verilocc::support
