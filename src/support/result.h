// The answer of a fallible function: a value, or an InputError that says what is wrong with the user's input and where.
// Three tiers, never mixed: InputError (the input is bad), checker::CheckerError (an allocation is wrong),
// assert (our own bug).
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace verilocc::support {

/// What is wrong with an input. `file` may be empty (the command line); `line` and `column` are 1-based, 0 = unknown.
struct InputError {
  std::string message;
  std::string file = {};
  unsigned line = 0;
  unsigned column = 0;

  /// "file:line:column: message", leaving out what is unknown.
  std::string str() const;
};

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(InputError error) : state(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state); }
  T &operator*() { return std::get<T>(state); }
  const T &operator*() const { return std::get<T>(state); }
  T *operator->() { return &std::get<T>(state); }
  const T *operator->() const { return &std::get<T>(state); }
  const InputError &error() const { return std::get<InputError>(state); }

private:
  std::variant<T, InputError> state;
};

/// A Result without a value.
struct Ok {};
using Status = Result<Ok>;

} // namespace verilocc::support
