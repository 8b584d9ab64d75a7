// SPDX-License-Identifier: Apache-2.0
// Partial aggregates from any bytes: they are refused, or can be finished, merged and written without a
// crash. The magic number and the checksum are added here, so that the fuzzer gets past them.
// Covers: src/query/partial.cpp
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "bobbin/partial.hpp"
#include "file/checksum.hpp"

using namespace bobbin;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::string_view kMagic = "BOBPAR\x01\n";
  std::vector<std::byte> bytes;
  const auto add = [&](std::span<const std::byte> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  };
  add(std::as_bytes(std::span(kMagic)));
  add(std::as_bytes(std::span(data, size)));
  const uint64_t checksum = file::checksum(bytes);
  add(std::as_bytes(std::span(&checksum, 1)));
  Result<query::Partial> read = query::Partial::from_bytes(bytes);
  if (!read.has_value()) {
    return 0;
  }
  if (!query::Partial::from_bytes(read->to_bytes()).has_value()) {
    std::fprintf(stderr, "bytes that were read and written again are refused\n");
    std::abort();
  }
  static_cast<void>(read->finish().has_value());
  const query::Partial copy = *read;
  static_cast<void>(read->merge(copy).ok() && read->finish().has_value());
  return 0;
}
