// SPDX-License-Identifier: Apache-2.0
// The compiler's version is part of a kernel's key. Loading the library only to ask for it would take longer
// than all else that reading a kernel from the folder takes, so the folder has a note of the library that was
// loaded last.
#pragma once

#include <optional>
#include <string>

#include "bobbin/status.hpp"
#include "jit/folder.hpp"

namespace bobbin::jit {

// NVRTC's version if it is known without loading the library: from the note, if the library's file has not
// changed since.
[[nodiscard]] std::optional<std::string> known_compiler_version(const Folder& folder);
// The version of the library, which is loaded if need be. Notes it if the folder's note says something else.
[[nodiscard]] Result<std::string> loaded_compiler_version(const Folder& folder);

}  // namespace bobbin::jit
