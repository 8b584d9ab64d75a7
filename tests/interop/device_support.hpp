// SPDX-License-Identifier: Apache-2.0
// Arrow device arrays in tests: received, read as texts, and what the host's stream gives.
#pragma once

#include <string>
#include <vector>

#include "bobbin/arrow_device.hpp"
#include "tests/interop/support.hpp"

namespace bobbin::interop_tests {

// Releases what a test received.
struct ReceivedDevice {
  ArrowDeviceArray held{};

  ReceivedDevice() = default;
  ReceivedDevice(const ReceivedDevice&) = delete;
  ReceivedDevice& operator=(const ReceivedDevice&) = delete;
  ~ReceivedDevice() {
    if (held.array.release != nullptr) {
      held.array.release(&held.array);
    }
  }
};
using DeviceStream = Received<ArrowDeviceArrayStream>;

// A released array after the last.
inline void next_of(ArrowDeviceArrayStream& stream, ReceivedDevice& to) {
  ASSERT_EQ(stream.get_next(&stream, &to.held), 0) << stream.get_last_error(&stream);
}

// The size of a value in bytes; booleans are bits.
inline size_t value_bytes(const std::string& format) {
  return format.starts_with("d:")             ? 16
         : format == "ttm" || format == "tts" ? 4
         : format == "tdD"                    ? 4
         : format.starts_with("t")            ? 8
         : format == "c" || format == "C"     ? 1
         : format == "s" || format == "S"     ? 2
         : format == "i" || format == "I"     ? 4
         : format == "f"                      ? 4
                                              : 8;
}

inline bool is_string(const std::string& format) {
  return format == "u" || format == "z" || format == "U" || format == "Z";
}

inline uint64_t offset_of(const ArrowArray& array, const std::string& format, uint64_t i) {
  return format == "u" || format == "z"
             ? static_cast<uint64_t>(static_cast<const int32_t*>(array.buffers[1])[i])
             : static_cast<uint64_t>(static_cast<const int64_t*>(array.buffers[1])[i]);
}

// The bytes of a value of a column of numbers, decimals as 16, booleans as 1.
inline std::string value_of(const ArrowArray& array, const std::string& format, uint64_t row) {
  const auto* const values = static_cast<const uint8_t*>(array.buffers[1]);
  const uint64_t at = row + static_cast<uint64_t>(array.offset);
  if (format == "b") {
    return values[at / 8] >> (at % 8) & 1 ? "yes" : "no";
  }
  if (!is_string(format)) {
    const size_t size = value_bytes(format);
    return {reinterpret_cast<const char*>(values) + at * size, size};
  }
  const uint64_t begin = offset_of(array, format, at);
  return {static_cast<const char*>(array.buffers[2]) + begin, offset_of(array, format, at + 1) - begin};
}

// "-" for a null.
inline std::vector<std::string> texts_of(const ArrowArray& array, const std::string& format) {
  const auto* const bits = static_cast<const uint8_t*>(array.buffers[0]);
  std::vector<std::string> made;
  for (uint64_t row = 0; row < static_cast<uint64_t>(array.length); ++row) {
    const uint64_t at = row + static_cast<uint64_t>(array.offset);
    const bool is_null = bits != nullptr && (bits[at / 8] >> (at % 8) & 1) == 0;
    made.push_back(is_null ? "-" : value_of(array, format, row));
  }
  return made;
}

// What the stream of a scan on the host gives, per column.
inline std::vector<std::vector<std::string>> on_the_host(const std::shared_ptr<const Reader>& reader,
                                                         const arrow::TableScanOptions& options) {
  Received<ArrowArrayStream> stream;
  const Status status = arrow::export_table_scan(reader, options, &stream.held);
  EXPECT_TRUE(status.ok()) << status.message();
  std::vector<std::vector<std::string>> made(options.formats.size());
  for (;;) {
    Received<ArrowArray> array;
    EXPECT_EQ(stream.held.get_next(&stream.held, &array.held), 0);
    if (array.held.release == nullptr) {
      return made;
    }
    for (size_t c = 0; c < made.size(); ++c) {
      const auto texts = texts_of(*array.held.children[c], options.formats[c]);
      made[c].insert(made[c].end(), texts.begin(), texts.end());
    }
  }
}

inline std::vector<std::string> device_formats(const Reader& reader) {
  std::vector<std::string> formats;
  for (const arrow::Field& field : arrow::device_fields_of(reader)) {
    formats.push_back(field.format);
  }
  return formats;
}

}  // namespace bobbin::interop_tests
