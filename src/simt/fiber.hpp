// SPDX-License-Identifier: Apache-2.0
// Fibers with Boost.Context, which switches without system calls (ucontext makes two per switch). They are
// registered with AddressSanitizer and ThreadSanitizer if those are linked in. (Boost's own fiber class
// supports them only on top of ucontext, so this uses the layer below it.)
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <utility>

namespace bobbin::simt::emulator {

// Anonymous memory. What an earlier launch left there may still be in it, except where ThreadSanitizer is
// linked in.
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

// A context of ThreadSanitizer, or null if that is not active. Making one takes longer than most kernels'
// threads run, so those that ended are kept for the next fibers of this system thread.
class RaceContext {
 public:
  RaceContext() = default;
  RaceContext(const RaceContext&) = delete;
  RaceContext& operator=(const RaceContext&) = delete;
  ~RaceContext();

  // What uses it next happens, for ThreadSanitizer, after all that used it before.
  void obtain();
  // Only if it is not left in the middle of a function may another fiber use it.
  void may_be_kept(bool may) { may_be_kept_ = may; }
  [[nodiscard]] void* get() const { return context_; }

 private:
  void* context_ = nullptr;
  bool may_be_kept_ = false;
};

// A context of execution with its own stack, or (default) the running one. A fiber must not be moved.
class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes this the running context.
  void adopt_current();
  // Makes this a fiber that will run entry(argument) on the given stack; entry must never return.
  void start(std::byte* stack, size_t size, void (*entry)(void*), void* argument);
  // Leaves the running fiber `from` for `to`, without ordering their memory accesses.
  static void change(Fiber& from, Fiber& to);
  // Called on the fiber, which will only be left once more.
  void ends() { own_races_.may_be_kept(true); }
  // Calls f immediately, but for ThreadSanitizer as this fiber.
  template <class F>
  void stand_in(F&& f) {
    void* const caller = current_races();
    switch_races(races_);
    f();
    switch_races(caller);
  }

 private:
  static void* current_races();
  static void switch_races(void* context);

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
  RaceContext own_races_;
  void* races_ = nullptr;  // ThreadSanitizer's context: its own, or the system thread's
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
};

}  // namespace bobbin::simt::emulator
