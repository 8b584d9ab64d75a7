// SPDX-License-Identifier: Apache-2.0
// Work that may be done ahead, and again.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <utility>

#include "bobbin/status.hpp"

namespace bobbin::interop {

// Work on a thread of its own, or on that of whoever waits for it. It can be begun again.
template <class T>
class Task {
 public:
  Task(std::function<Result<T>()> work, bool on_own_thread)
      : work_(std::move(work)), policy_(on_own_thread ? std::launch::async : std::launch::deferred) {
    begin();
  }

  [[nodiscard]] bool is_running() const {
    return result_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
  }
  // A call that was cancelled can be repeated.
  Result<T> get() {
    Result<T> made = result_.get();
    if (!made.has_value() && made.error().code() == StatusCode::cancelled) {
      begin();
    }
    return made;
  }

 private:
  void begin() { result_ = std::async(policy_, work_); }

  std::function<Result<T>()> work_;
  std::launch policy_;
  std::future<Result<T>> result_;
};

}  // namespace bobbin::interop
