// SPDX-License-Identifier: Apache-2.0
// The temporary files that this process is writing, in a form that a signal handler can read: see
// remove_unfinished() in bobbin/io.hpp.
#pragma once

#include <cstddef>
#include <string>

namespace bobbin::file {

// To be called before the file is created. Returns a number for forget_unfinished(); of more files at a time
// than can be kept, the others are not removed by a signal.
[[nodiscard]] size_t note_unfinished(int directory, const std::string& name);
// To be called when the file has its name, or was removed, and before the directory is closed.
void forget_unfinished(size_t number);

}  // namespace bobbin::file
