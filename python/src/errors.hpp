// SPDX-License-Identifier: Apache-2.0
// Errors of the library as Python exceptions, and long calls that Ctrl-C can end.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "bobbin/cancel.hpp"
#include "bobbin/status.hpp"

namespace bobbin::python {

namespace nb = nanobind;

// Raises the exception of bobbin.errors that belongs to the error's code.
[[noreturn]] void raise(const Status& status);

inline void check(const Status& status) {
  if (!status.ok()) {
    raise(status);
  }
}

template <class T>
T take(Result<T> result) {
  check(result.error());
  return std::move(result).value();
}

inline constexpr std::chrono::milliseconds kSignalPeriod{100};
inline constexpr std::chrono::seconds kCancelPatience{2};

// Calls work() without the GIL, on a thread of its own, so that signals are handled meanwhile, and beat() is
// called with the GIL. Ctrl-C, or an exception of beat(), cancels the work. Work that does not end soon goes
// on alone and its result is dropped: it must own all that it uses.
template <class F, class Beat>
auto interruptible(F work, Beat beat) {
  const CancelToken token;
  std::packaged_task<decltype(work())()> task([token, work = std::move(work)] {
    const CancelScope scope(token);
    return work();
  });
  auto future = task.get_future();
  nb::gil_scoped_release released;
  std::thread(std::move(task)).detach();
  try {
    while (future.wait_for(kSignalPeriod) == std::future_status::timeout) {
      nb::gil_scoped_acquire acquired;
      if (PyErr_CheckSignals() != 0) {
        throw nb::python_error();
      }
      beat();
    }
  } catch (...) {
    token.cancel();
    future.wait_for(kCancelPatience);
    throw;
  }
  return future.get();
}
template <class F>
auto interruptible(F work) {
  return interruptible(std::move(work), [] {});
}

// For work that calls back: at most every 100 ms takes the GIL, handles signals, and calls `report`. After an
// exception, which rethrow() throws again, the work is to end.
class Heartbeat {
 public:
  [[nodiscard]] bool is_due() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kSignalPeriod) {
      return false;
    }
    last_ = now;
    return true;
  }

  template <class F>
  Status beat(F&& report) {
    if (!is_due()) {
      return {};
    }
    nb::gil_scoped_acquire acquired;
    try {
      if (PyErr_CheckSignals() != 0) {
        throw nb::python_error();
      }
      report();
    } catch (...) {
      error_ = std::current_exception();
      return {StatusCode::io, "interrupted"};
    }
    return {};
  }

  void rethrow() const {
    if (error_) {
      std::rethrow_exception(error_);
    }
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::exception_ptr error_;
};

}  // namespace bobbin::python
