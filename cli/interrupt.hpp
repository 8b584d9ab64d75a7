// SPDX-License-Identifier: Apache-2.0
// Handles Ctrl-C and similar signals. While files are being written, a signal only sets a flag; the work
// stops at its next step and unfinished files are removed. One that comes a second later or more ends
// the process at once.
#pragma once

#include <sys/types.h>

#include "bobbin/status.hpp"

namespace bobbin::cli {

void catch_interrupts();
// Passes signals on to a child process, also one that was received already. 0: to none.
void pass_interrupts_to(pid_t child);
// The signal that was received, or 0.
[[nodiscard]] int interrupt_signal();
// An error once a signal was received.
[[nodiscard]] Status check_interrupt();
// Ends the process with the signal that was received, so that the caller sees it; returns if there was none.
void raise_interrupt();

}  // namespace bobbin::cli
