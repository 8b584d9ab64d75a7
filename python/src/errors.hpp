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

// Calls work() as interruptible() does, but waits for its end after it was cancelled: for work that uses what
// the caller owns.
template <class F>
auto cancellable(F&& work) {
  const CancelToken token;
  nb::gil_scoped_release released;
  auto future = std::async(std::launch::async, [&] {
    const CancelScope scope(token);
    return work();
  });
  try {
    while (future.wait_for(kSignalPeriod) == std::future_status::timeout) {
      nb::gil_scoped_acquire acquired;
      if (PyErr_CheckSignals() != 0) {
        throw nb::python_error();
      }
    }
  } catch (...) {
    token.cancel();
    future.wait();
    throw;
  }
  return future.get();
}

// Says every 100 ms that Python may want to know something.
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

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace bobbin::python
