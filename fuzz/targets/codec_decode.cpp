// SPDX-License-Identifier: Apache-2.0
// The bytes as an encoded array: codec, type, offset, length, metadata, buffers, children. It is either
// refused, or all decoders agree.
// Covers: src/codecs
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "codecs/registry.hpp"
#include "tests/codecs/checks.hpp"

namespace {

// Consumes up to `n` bytes from the front.
std::span<const uint8_t> take(std::span<const uint8_t>& bytes, size_t n) {
  const auto front = bytes.first(std::min(n, bytes.size()));
  bytes = bytes.subspan(front.size());
  return front;
}

uint64_t number(std::span<const uint8_t>& bytes, size_t size) {
  uint64_t value = 0;
  for (const uint8_t byte : take(bytes, size)) {
    value = value << 8 | byte;
  }
  return value;
}

bobbin::Array make_array(std::span<const uint8_t>& bytes, int depth) {
  using namespace bobbin;
  Array array;
  array.codec = all_codecs()[number(bytes, 1) % all_codecs().size()]->id;
  array.type = kAllTypes[number(bytes, 1) % std::size(kAllTypes)];
  array.offset = number(bytes, 2) % 1100;
  array.length = number(bytes, 2) % 9000;
  const auto metadata = take(bytes, number(bytes, 1) % 40);
  array.metadata.assign(metadata.begin(), metadata.end());
  const uint64_t buffers = number(bytes, 1) % 5;
  for (uint64_t i = 0; i < buffers; ++i) {
    const auto part = take(bytes, number(bytes, 2));
    array.buffers.push_back({{}, std::as_bytes(part)});
  }
  const uint64_t children = depth > 0 ? number(bytes, 1) % 3 : 0;
  for (uint64_t i = 0; i < children; ++i) {
    array.children.push_back(make_array(bytes, depth - 1));
  }
  return array;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const uint8_t> bytes(data, size);
  const bobbin::Array array = make_array(bytes, 2);
  const bool emulate = array.length % 16 == 3;
  if (const std::string wrong =
          bobbin::testing::check_any_array(array, emulate ? bobbin::Backend::emulator : bobbin::Backend::cpu);
      !wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
