// SPDX-License-Identifier: Apache-2.0
// The compiler's version is part of a kernel's key. Loading the library only to ask for it would take longer
// than all else that reading a kernel from the folder takes, so the folder has a note of the library that was
// loaded last.
#pragma once

#include <string>

#include "bobbin/status.hpp"
#include "jit/folder.hpp"

namespace bobbin::jit {

// NVRTC's version: from the note, if the library's file has not changed since; otherwise from the library,
// which is then noted.
[[nodiscard]] Result<std::string> known_compiler_version(const Folder& folder);
// Of the library. Notes it if the folder's note says something else.
[[nodiscard]] Result<std::string> loaded_compiler_version(const Folder& folder);

}  // namespace bobbin::jit
