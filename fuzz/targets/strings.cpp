// SPDX-License-Identifier: Apache-2.0
// Strings made from the bytes: they are reproduced, on the CPU and in the emulator. Or the bytes modify an
// encoded array: it is either refused, or all decoders give the same result.
// Covers: src/codecs/fsst src/codecs/dict
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "array/strings.hpp"
#include "tests/codecs/fsst/strings.hpp"

namespace {

using namespace bobbin;
using namespace bobbin::testing;

// Itself, or something below it.
Array& draw_node(Array& array, Random& random) {
  return array.children.empty() || (!array.buffers.empty() && random.below(2) == 0)
             ? array
             : draw_node(array.children[random.below(array.children.size())], random);
}

// Some bytes of its parts are changed.
Array damage(Array array, Random& random) {
  for (uint64_t times = 1 + random.below(4); times > 0; --times) {
    Array& node = draw_node(array, random);
    const uint64_t where = random.below(node.buffers.size() + 1);
    const auto flip = static_cast<uint8_t>(1 + random.below(255));
    if (where == node.buffers.size()) {
      if (!node.metadata.empty()) {
        node.metadata[random.below(node.metadata.size())] ^= flip;
      }
    } else if (!node.buffers[where].bytes.empty()) {
      const NewBuffer fresh = make_buffer(node.buffers[where].bytes.size());
      std::ranges::copy(node.buffers[where].bytes, fresh.data);
      fresh.data[random.below(fresh.buffer.bytes.size())] ^= static_cast<std::byte>(flip);
      node.buffers[where] = fresh.buffer;
    }
  }
  return array;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Random random(std::span(data, size));
  const bool emulate = random.below(64) == 0;
  const bool damaged = random.below(2) == 0;
  constexpr CodecId kCodecs[] = {CodecId::fsst, CodecId::dict, CodecId::zstd};
  const CodecId codec = kCodecs[random.below(std::size(kCodecs))];
  Strings strings = draw_strings(random);
  if (codec == CodecId::dict) {
    strings = draw_from(strings, random.below(1000), random);
  }
  std::string wrong;
  if (damaged) {
    const auto array = array::encode_strings(codec, strings.view(), nullptr, Backend::cpu);
    wrong = check_any_strings(damage(*array, random), emulate);
  } else {
    Random choices(size);
    wrong = check_strings(strings, codec) +
            check_strings_on(strings, emulate ? Backend::emulator : Backend::cpu, choices, codec);
  }
  if (!wrong.empty()) {
    std::fprintf(stderr, "strings: %s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
