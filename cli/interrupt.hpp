// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and friends. While files are being written a signal only sets a flag; the work stops at its next
// step and its owners remove what is unfinished. A second signal ends the process at once.
#pragma once

#include "bobbin/status.hpp"

namespace bobbin::cli {

void catch_interrupts();
// The signal that came, or 0.
[[nodiscard]] int interrupt_signal();
// An error once a signal has come.
[[nodiscard]] Status check_interrupt();
// Ends the process by the signal that came, so that the caller sees it; returns when none did.
void raise_interrupt();

}  // namespace bobbin::cli
