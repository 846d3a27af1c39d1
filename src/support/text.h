// Reading and writing of line-oriented text formats.
//
// The reader hands out one line at a time, without comments ('#' or ';' up to the line's end, outside quotes) and blank
// lines, and within it words, numbers and quoted names. Errors are sticky: the first one is kept with its line and
// column, every later call fails, so that a parser may chain calls with && and ask once at the end.
#pragma once

#include "support/result.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace verilocc::support {

/// `text` as it is if it is a word (letters, digits, '_', '.', '$', '-', not empty, not starting with '-'), else
/// quoted, with '"', '\' and bytes that do not print escaped. TextReader::name reads both back.
std::string quotedName(std::string_view text);

class TextReader {
public:
  /// `text` must outlive the reader; `file` is for messages.
  TextReader(std::string_view text, std::string file);

  /// Goes to the next line with content; false at the end of the text and after an error.
  bool nextLine();
  /// The next nextLine() answers the present line again.
  void stayOnLine() { stay = true; }
  /// Texts of whole-line comments passed since the last call, without the sign and one space.
  std::vector<std::string> takeComments() { return std::exchange(comments, {}); }

  /// Records an error at the present column (or at a given one); answers false.
  bool fail(std::string message) { return failAt(position, std::move(message)); }
  bool failAt(size_t column, std::string message);
  /// Records an error of the text as a whole: without line and column.
  bool failWhole(std::string message);
  bool failed() const { return has_error; }
  const InputError &error() const { return first_error; }
  unsigned lineNumber() const { return line_number; }
  /// 0-based offset in the line, after spaces: what failAt takes.
  size_t column();

  /// True at the end of the line.
  bool atEnd();
  /// Fails unless the line is at its end.
  bool endOfLine();
  /// Takes `sign` if it comes next.
  bool take(std::string_view sign);
  /// As take, but fails otherwise.
  bool expect(std::string_view sign);
  /// Takes `word` if it is the whole next word.
  bool takeWord(std::string_view word);
  /// The next word without taking it; empty if none.
  std::string_view peekWord();
  /// True if `sign` comes in the rest of the line outside quotes.
  bool restHas(char sign) const;

  /// Each fails, naming `what` was expected, if it does not come next.
  bool word(std::string_view &out, std::string_view what);
  bool name(std::string &out, std::string_view what);
  /// The next run of letters, digits and "_[:]": a register or a tuple.
  bool tuple(std::string_view &out, std::string_view what);
  bool real(double &out, std::string_view what);
  bool hex(uint64_t &out, std::string_view what);
  /// A decimal number in [min, max].
  template <typename T> bool number(T &out, std::string_view what, int64_t min, int64_t max) {
    int64_t value = 0;
    if (!integer(value, what, min, max))
      return false;
    out = static_cast<T>(value);
    return true;
  }

private:
  bool integer(int64_t &out, std::string_view what, int64_t min, int64_t max);
  void skipSpace();
  std::string_view rest() const { return line.substr(position); }

  std::string_view text;
  std::string file;
  std::string_view line;
  size_t next_line = 0;
  size_t position = 0;
  unsigned line_number = 0;
  bool stay = false;
  bool has_error = false;
  InputError first_error;
  std::vector<std::string> comments;
};

} // namespace verilocc::support
