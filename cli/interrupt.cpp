// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <csignal>
#include <ctime>

namespace bobbin::cli {
namespace {

static_assert(sizeof(std::sig_atomic_t) >= sizeof(pid_t));

volatile std::sig_atomic_t pending = 0;
volatile std::sig_atomic_t receiver = 0;  // a child process
timespec first{};                         // when the first signal came

void pass_on() {
  if (pending != 0 && receiver != 0) {
    kill(receiver, pending);
  }
}

// Some programs send a signal twice. One that comes later says that the first was not enough.
bool is_again(const timespec& now) {
  constexpr time_t kPatience = 1;
  return now.tv_sec - first.tv_sec > kPatience ||
         (now.tv_sec - first.tv_sec == kPatience && now.tv_nsec >= first.tv_nsec);
}

void remember(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (pending == 0) {
    first = now;
  } else if (is_again(now)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  pending = signal;
  pass_on();
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = &remember;
  action.sa_flags = 0;  // no SA_RESTART: a read that waits for a pipe must return
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaddset(&action.sa_mask, SIGHUP);
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
