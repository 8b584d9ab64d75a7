// SPDX-License-Identifier: Apache-2.0
// Fibers by Boost.Context, which switches without system calls: ucontext makes two each time. Known to
// AddressSanitizer and ThreadSanitizer when those are linked in. (Boost's own fiber class knows them only
// where it is built on ucontext, so this uses the layer below it.)
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <utility>

namespace bobbin::simt::emulator {

// Anonymous memory, zeroed and given back whole, so that the sanitizers forget what earlier fibers did there.
class Pages {
 public:
  explicit Pages(size_t bytes);
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Pages();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  std::byte* data_;
  size_t size_;
};

// True when ThreadSanitizer watches. Fresh pages are then needed for every fiber.
[[nodiscard]] bool under_thread_sanitizer();

// Calls f as a context of its own for ThreadSanitizer (plainly, when that does not watch): what f orders or
// frees is not taken for the caller's.
class Bystander {
 public:
  Bystander();
  // As a context that exists already.
  explicit Bystander(void* context) : self_(context) {}
  ~Bystander();
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;

  template <class F>
  void run(F&& f) {
    enter();
    f();
    leave();
  }

 private:
  void enter();
  void leave();

  void* self_ = nullptr;
  void* caller_ = nullptr;
  bool owned_ = false;
};

// A context of execution with its own stack, or (default) the one that is running. A fiber must stay where it
// is.
class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  // Makes this the context that is running now.
  void adopt_current();
  // Makes this a fiber that will run entry(argument) on the given stack; entry must never return.
  void start(std::byte* stack, size_t size, void (*entry)(void*), void* argument);
  // Leaves the running fiber `from` for `to`, without ordering their memory accesses.
  static void change(Fiber& from, Fiber& to);
  // Calls f here and now, but for ThreadSanitizer as this fiber.
  template <class F>
  void stand_in(F&& f) {
    Bystander(tsan_).run(f);
  }

 private:
  // What the fiber that is left says to the one that goes on.
  struct Change {
    Fiber* from;
    Fiber* to;
  };
  static void enter(boost::context::detail::transfer_t arrival);
  static Fiber& arrive(const boost::context::detail::transfer_t& arrival);

  boost::context::detail::fcontext_t context_ = nullptr;  // where it stopped
  std::byte* stack_ = nullptr;
  size_t stack_size_ = 0;
  void* fake_stack_ = nullptr;  // AddressSanitizer's
  void* tsan_ = nullptr;
  bool owns_tsan_ = false;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
};

}  // namespace bobbin::simt::emulator
