// SPDX-License-Identifier: Apache-2.0
// Coroutines that warps run.
#pragma once

#include <coroutine>
#include <utility>

namespace bobbin::sim {

// A coroutine that a Warp runs. Programs may `co_await` other programs: functions of the kernel that load.
class [[nodiscard]] Program {
 public:
  struct promise_type {
    std::coroutine_handle<> continuation;

    Program get_return_object() { return Program(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Return {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
          const std::coroutine_handle<> next = ended.promise().continuation;
          return next ? next : std::noop_coroutine();
        }
        void await_resume() noexcept {}
      };
      return Return{};
    }
    void return_void() {}
    void unhandled_exception() {}  // only EndlessProgram, which the warp has noted
  };
  using Handle = std::coroutine_handle<promise_type>;

  Program() = default;
  explicit Program(Handle handle) : handle_(handle) {}
  Program(Program&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Program& operator=(Program&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Program() {
    if (handle_) {
      handle_.destroy();
    }
  }

  [[nodiscard]] Handle handle() const { return handle_; }

  auto operator co_await() const {
    struct Call {
      Handle callee;
      bool await_ready() { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
        callee.promise().continuation = caller;
        return callee;
      }
      void await_resume() {}
    };
    return Call{handle_};
  }

 private:
  Handle handle_;
};

// Thrown through a program that makes instructions without end and awaits nothing: the only way out of it. It
// never leaves the warp.
struct EndlessProgram {};

}  // namespace bobbin::sim
