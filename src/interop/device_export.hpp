// SPDX-License-Identifier: Apache-2.0
// Columns in device memory, in Arrow's layout.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bobbin/arrow_device.hpp"

namespace bobbin::interop {

[[nodiscard]] ArrowDeviceType device_type_of(Backend backend);

}  // namespace bobbin::interop
