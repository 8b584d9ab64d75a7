// SPDX-License-Identifier: Apache-2.0
// Errors as values. Nothing in Bobbin throws: a function that can fail returns a Status or a Result<T>, which
// the compiler does not let callers ignore.
//
// Threads: a Status or Result is a value like a std::string: any number of threads may read one at the same
// time, but a thread that changes one needs exclusive access to it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bobbin/export.h"

namespace bobbin {

enum class StatusCode {
  ok,
  invalid_argument,  // the call or its arguments are invalid
  corrupt,           // the bytes violate the format
  unsupported,       // well-formed, but this build or version cannot do it
  unavailable,       // no GPU, no driver, no CUDA in this build
  out_of_memory,
  io,
  device,     // a CUDA call or a kernel failed, or the emulator found a fault
  cancelled,  // by a CancelToken
};

[[nodiscard]] BOBBIN_API std::string_view to_string(StatusCode code);

// A location in the source. (std::source_location needs a newer clang than Debian 12's.)
struct SourcePlace {
  const char* file = "";
  int line = 0;

  static constexpr SourcePlace current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message, SourcePlace where = SourcePlace::current())
      : code_(code), message_(std::move(message)), where_(where) {}

  [[nodiscard]] bool ok() const { return code_ == StatusCode::ok; }
  [[nodiscard]] StatusCode code() const { return code_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  // Where in Bobbin the error was raised; for logs, never shown to users of the command.
  [[nodiscard]] const SourcePlace& where() const { return where_; }

  // The same error with a location in front: "place: reason".
  [[nodiscard]] Status in(std::string_view place) const {
    if (ok()) {
      return *this;
    }
    return {code_, std::string(place) + ": " + message_, where_};
  }

 private:
  StatusCode code_ = StatusCode::ok;
  std::string message_;
  SourcePlace where_;
};

namespace detail {
// End the process with a message on stderr, in every build, because what follows would read a value that does
// not exist.
[[noreturn]] BOBBIN_API void fail_without_value(const Status& error);
[[noreturn]] BOBBIN_API void fail_without_error();
}  // namespace detail

// A value, or the Status that says why there is none. Member names follow std::expected. Requesting the value
// of a Result that has none, or making a Result from a Status that is ok, is a mistake in the program, which
// then prints the error and aborts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {
    if (status_.ok()) {
      detail::fail_without_error();
    }
  }

  [[nodiscard]] bool has_value() const { return value_.has_value(); }
  // The error, or a Status that is ok if there is a value.
  [[nodiscard]] const Status& error() const { return status_; }
  [[nodiscard]] T& value() & {
    require();
    return *value_;
  }
  [[nodiscard]] const T& value() const& {
    require();
    return *value_;
  }
  // By value: a reference into a temporary Result would dangle.
  [[nodiscard]] T value() && {
    require();
    return std::move(*value_);
  }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T operator*() && { return std::move(*this).value(); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }

 private:
  void require() const {
    if (!value_.has_value()) [[unlikely]] {
      detail::fail_without_value(status_);
    }
  }

  std::optional<T> value_;
  Status status_;
};

}  // namespace bobbin

#define BOBBIN_CONCAT_INNER(a, b) a##b
#define BOBBIN_CONCAT(a, b) BOBBIN_CONCAT_INNER(a, b)

// Returns from the enclosing function with an error when the condition holds.
#define BOBBIN_RETURN_IF(condition, code, message) \
  do {                                             \
    if (condition) {                               \
      return ::bobbin::Status((code), (message));  \
    }                                              \
  } while (false)

// Returns a failed Status to the caller.
#define BOBBIN_TRY(expression)                                                  \
  do {                                                                          \
    if (::bobbin::Status bobbin_failed_ = (expression); !bobbin_failed_.ok()) { \
      return bobbin_failed_;                                                    \
    }                                                                           \
  } while (false)

// BOBBIN_ASSIGN(auto x, f()): x is f()'s value, or the enclosing function returns f()'s error.
#define BOBBIN_ASSIGN(declaration, expression)                 \
  auto BOBBIN_CONCAT(bobbin_result_, __LINE__) = (expression); \
  if (!BOBBIN_CONCAT(bobbin_result_, __LINE__).has_value()) {  \
    return BOBBIN_CONCAT(bobbin_result_, __LINE__).error();    \
  }                                                            \
  declaration = std::move(BOBBIN_CONCAT(bobbin_result_, __LINE__)).value()
