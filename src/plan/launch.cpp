// SPDX-License-Identifier: Apache-2.0
#include "plan/launch.hpp"

#include "device/backends.hpp"

namespace bobbin::plan {

Result<const Launchers*> launchers_of(StreamView stream) {
  const Launchers* launchers =
      on_backend(stream.backend(), []<Backend kBackend>() { return &launchers_on<kBackend>(); });
  if (launchers == nullptr) {
    return missing_backend(stream.backend());
  }
  return launchers;
}

}  // namespace bobbin::plan
