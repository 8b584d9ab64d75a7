// SPDX-License-Identifier: Apache-2.0
// Decoding arrays in a device's memory to where a column's rows go. Nothing waits for the device but where it
// says so.
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
  uint32_t* validity = nullptr;      // none: nobody asks
  DeviceStrings* strings = nullptr;  // of strings
  uint32_t* fault = nullptr;         // a word of device memory, set when damage is found there
};

[[nodiscard]] Status decode_numbers(const Array& array, const Destination& to, StreamView stream);

// What is known of strings from the host.
struct StringFacts {
  std::optional<uint64_t> num_bytes;  // not known: waits, to find out
  bool check_content = false;         // by the device: the host has not
  std::span<const std::byte> bits;    // of nulls, in pinned memory; nothing: there are none
};
// Queues the copy of the bits.
[[nodiscard]] Status copy_validity(const StringFacts& facts, const Destination& to,
                                   const std::shared_ptr<Stream>& stream, MemoryResource& memory);
// All but those.
[[nodiscard]] Status decode_strings(const Array& array, const StringFacts& facts, const Destination& to,
                                    const std::shared_ptr<Stream>& stream, MemoryResource& memory);

}  // namespace bobbin::table
