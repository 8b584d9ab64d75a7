// SPDX-License-Identifier: Apache-2.0
// Ending long calls early, from another thread.
//
//   CancelToken token;
//   std::jthread worker([&] {
//     const CancelScope scope(token);  // for calls of this thread, until the scope ends
//     status = reader.verify();
//   });
//   token.cancel();  // verify() returns an error with code `cancelled`
//
// Reading, querying, verifying and writing check the token once per chunk of a column, also in the threads
// that they start; the threads of a Loader and of Arrow streams do not check it. A Writer that was cancelled
// can only be destroyed: no file is made.
//
// Threads: any number of threads may use a token, or copies of it. A scope belongs to the thread that made
// it; the scopes of a thread must end in the reverse order of their creation.
#pragma once

#include <atomic>
#include <memory>

#include "bobbin/export.h"
#include "bobbin/status.hpp"

namespace bobbin {

// Copies share their state.
class CancelToken {
 public:
  CancelToken() : cancelled_(std::make_shared<std::atomic<bool>>(false)) {}

  // May be called by a signal handler.
  void cancel() const { cancelled_->store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_cancelled() const { return cancelled_->load(std::memory_order_relaxed); }

 private:
  friend class CancelScope;
  std::shared_ptr<std::atomic<bool>> cancelled_;
};

// While it lives, calls of this thread end when the token is cancelled. Inside another scope, only the inner
// one counts.
class BOBBIN_API CancelScope {
 public:
  explicit CancelScope(const CancelToken& token);
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
  ~CancelScope();

  // Fails with code `cancelled` if the token of this thread's scope is cancelled. For loops of your own
  // between calls of Bobbin.
  [[nodiscard]] static Status check();
  // The token of this thread's innermost scope, to pass on to threads that work for it; nullptr: none.
  [[nodiscard]] static const CancelToken* current();

 private:
  CancelToken token_;
  const CancelScope* outer_;
};

}  // namespace bobbin
