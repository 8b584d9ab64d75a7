// SPDX-License-Identifier: Apache-2.0
// Decodes arrays in device memory to the place of a column's rows. Functions do not wait for the device
// unless they say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/table.hpp"
#include "codecs/codec.hpp"

namespace bobbin::table {

struct Destination {
  std::byte* values = nullptr;
  uint32_t* validity = nullptr;      // null if not requested
  DeviceStrings* strings = nullptr;  // for string columns
  uint32_t* fault = nullptr;         // a word of device memory, set if damage is found there
};

[[nodiscard]] Status decode_numbers(const Array& array, const Destination& to, StreamView stream);

// What the host knows about the strings.
struct StringFacts {
  std::optional<uint64_t> num_bytes;  // if not known, waits to determine it
  bool check_content = false;         // on the device, because the host has not done so
  std::span<const std::byte> bits;    // validity in pinned memory; empty if there are no nulls
};
// Queues the copy of the validity bits.
[[nodiscard]] Status copy_validity(const StringFacts& facts, const Destination& to,
                                   const std::shared_ptr<Stream>& stream, MemoryResource& memory);
// Everything else.
[[nodiscard]] Status decode_strings(const Array& array, const StringFacts& facts, const Destination& to,
                                    const std::shared_ptr<Stream>& stream, MemoryResource& memory);

}  // namespace bobbin::table
