// SPDX-License-Identifier: Apache-2.0
// Temporary files that nobody else sees.
#pragma once

#include "bobbin/status.hpp"
#include "file/descriptor.hpp"

namespace bobbin::file {

// A file in $TMPDIR, or /tmp, that has no name any more: it goes with its descriptor, whatever happens.
[[nodiscard]] Result<Descriptor> nameless_file();

}  // namespace bobbin::file
