// SPDX-License-Identifier: Apache-2.0
// Handles Ctrl-C and similar signals while files are being written: unfinished files are removed, and the
// process ends at once with that signal, so that the caller sees it.
#pragma once

#include <sys/types.h>

namespace bobbin::cli {

void catch_interrupts();
// While it lives, a signal does not end this process: for child processes and folders that must be cleaned
// up. At its end, the process ends with the signal that came, if any.
class HeldInterrupts {
 public:
  HeldInterrupts();
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;
  ~HeldInterrupts();
};
// Passes signals that are held on to a child process, also one that came already. 0: to none.
void pass_interrupts_to(pid_t child);
// A line on stderr, such as a progress bar, that the handler must erase first.
void note_shown_line(bool is_shown);

}  // namespace bobbin::cli
