// SPDX-License-Identifier: Apache-2.0
// Device functions of compressed arrays, for each back end (device.cu). In slots, values are bytes: the
// layout does not depend on their type.
#pragma once

#include <cstdint>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/types.hpp"
#include "codecs/codec.hpp"

namespace bobbin::assist {

// Slots in device memory.
struct SlotMemory {
  uint8_t* codes;
  uint32_t* slots;
  uint64_t lines;
};

struct DeviceFunctions {
  // Both asynchronous, from and to memory aligned to 16 bytes.
  Status (*write_slots)(const void* values, uint64_t bytes, const SlotMemory& to, StreamView stream);
  Status (*read_slots)(const SlotMemory& from, void* values, uint64_t bytes, StreamView stream);
  // Tiles with the codes that are fastest to read. The first waits for the stream.
  Result<Array> (*encode_tiles)(DType type, const void* values, uint64_t length, StreamView stream);
  Status (*decode_tiles)(const Array& tiles, void* values, StreamView stream);
};

template <Backend kBackend>
[[nodiscard]] const DeviceFunctions& functions_on();

}  // namespace bobbin::assist
