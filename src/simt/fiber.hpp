// SPDX-License-Identifier: Apache-2.0
// Fibers with Boost.Context, which switches without system calls (ucontext makes two per switch). They are
// registered with AddressSanitizer and ThreadSanitizer if those are linked in. (Boost's own fiber class
// supports them only on top of ucontext, so this uses the layer below it.)
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <utility>

namespace bobbin::simt::emulator {

// Anonymous memory, zeroed and released as a whole, so that the sanitizers forget what earlier fibers did
// there.
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

// Whether ThreadSanitizer is active. Every fiber then needs fresh pages.
[[nodiscard]] bool under_thread_sanitizer();

// Calls f as a separate context for ThreadSanitizer (directly, if it is not active): what f orders or frees
// is not attributed to the caller.
class Bystander {
 public:
  Bystander();
  // The same with an existing context.
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

// A context of execution with its own stack, or (default) the running one. A fiber must not be moved.
class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  // Makes this the running context.
  void adopt_current();
  // Makes this a fiber that will run entry(argument) on the given stack; entry must never return.
  void start(std::byte* stack, size_t size, void (*entry)(void*), void* argument);
  // Leaves the running fiber `from` for `to`, without ordering their memory accesses.
  static void change(Fiber& from, Fiber& to);
  // Calls f immediately, but for ThreadSanitizer as this fiber.
  template <class F>
  void stand_in(F&& f) {
    Bystander(tsan_).run(f);
  }

 private:
  // What the fiber being left passes to the one that continues.
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
