// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <csignal>

namespace bobbin::cli {
namespace {

volatile std::sig_atomic_t pending = 0;

void remember(int signal) {
  pending = signal;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = &remember;
  // No SA_RESTART: a read that waits for a pipe must return.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) {  // a signal that is ignored, as under nohup, stays ignored
      sigaction(signal, &action, nullptr);
    }
  }
}

int interrupt_signal() {
  return pending;
}

Status check_interrupt() {
  BOBBIN_RETURN_IF(pending != 0, StatusCode::io, "interrupted");
  return {};
}

void raise_interrupt() {
  if (pending != 0) {
    std::signal(pending, SIG_DFL);
    std::raise(pending);
  }
}

}  // namespace bobbin::cli
