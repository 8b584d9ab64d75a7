// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "bobbin/io.hpp"

namespace bobbin::cli {
namespace {

static_assert(sizeof(std::sig_atomic_t) >= sizeof(pid_t));

volatile std::sig_atomic_t pending = 0;
volatile std::sig_atomic_t is_held = 0;
volatile std::sig_atomic_t receiver = 0;  // a child process
volatile std::sig_atomic_t line_is_shown = 0;

void say(std::string_view text) {
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

// Only calls what is allowed in a signal handler. Other threads may still be working: what they write is
// lost.
void end_by(int signal) {
  file::remove_unfinished();
  if (line_is_shown != 0) {
    say("\r\x1b[K");
  }
  say("bobbin: interrupted\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void handle(int signal) {
  if (is_held == 0) {
    end_by(signal);
    return;
  }
  pending = signal;
  if (receiver != 0) {
    kill(receiver, signal);
  }
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = &handle;
  action.sa_flags = 0;
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

HeldInterrupts::HeldInterrupts() {
  is_held = 1;
  catch_interrupts();
}

HeldInterrupts::~HeldInterrupts() {
  is_held = 0;
  if (pending != 0) {
    std::signal(pending, SIG_DFL);
    std::raise(pending);
  }
}

void pass_interrupts_to(pid_t child) {
  receiver = child;
  if (child != 0 && pending != 0) {
    kill(child, pending);
  }
}

void note_shown_line(bool is_shown) {
  line_is_shown = is_shown ? 1 : 0;
}

}  // namespace bobbin::cli
