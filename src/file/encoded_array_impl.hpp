// SPDX-License-Identifier: Apache-2.0
// What an EncodedArray holds, for batches of them.
#pragma once

#include <memory>
#include <optional>

#include "bobbin/encoded_array.hpp"
#include "bobbin/memory.hpp"
#include "codecs/codec.hpp"

namespace bobbin {

struct EncodedArray::Impl {
  Array array;
  std::optional<Backend> device{};         // where its buffers are; nothing: in host memory
  std::shared_ptr<DeviceBuffer> memory{};  // of what was copied there
  bool is_slice = false;                   // its parts may hold more than its values
};

}  // namespace bobbin
