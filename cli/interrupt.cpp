// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <csignal>

namespace bobbin::cli {
namespace {

static_assert(sizeof(std::sig_atomic_t) >= sizeof(pid_t));

volatile std::sig_atomic_t pending = 0;
volatile std::sig_atomic_t receiver = 0;  // a child process

void pass_on() {
  if (pending != 0 && receiver != 0) {
    kill(receiver, pending);
  }
}

void remember(int signal) {
  pending = signal;
  pass_on();
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = &remember;
  // No SA_RESTART: a read that waits for a pipe must return.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  std::signal(SIGXFSZ, SIG_IGN);  // writing more than a limit allows is then an error
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) {  // a signal that is ignored, as under nohup, stays ignored
      sigaction(signal, &action, nullptr);
    }
  }
}

void pass_interrupts_to(pid_t child) {
  receiver = child;
  pass_on();
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
