// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/cascades.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "codecs/alp/alp.hpp"
#include "codecs/alprd/alprd.hpp"
#include "codecs/constant/constant.hpp"
#include "codecs/masked/masked.hpp"
#include "codecs/nesting.hpp"
#include "codecs/patched/patched.hpp"
#include "codecs/registry.hpp"
#include "codecs/zigzag/zigzag.hpp"
#include "core/bits.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::testing {
namespace {

Array draw_array(Random& random, DType type, uint64_t length, int depth);

Array draw_leaf(Random& random, DType type, uint64_t length) {
  const CodecId leaves[] = {CodecId::bitpack, CodecId::ffor, CodecId::delta,
                            CodecId::zstd,    CodecId::line, CodecId::ans};
  const size_t kinds = std::size(leaves) - (size_bytes(type) == 1 ? 0 : 1);  // the last one is for bytes
  const Codec& codec = *find_codec(leaves[random.below(kinds)]);
  const auto width = static_cast<uint32_t>(random.below(size_bits(type) + 1));
  return visit_bits(type, [&]<class T>(std::type_identity<T>) {
    std::vector<T> values(length);
    for (T& value : values) {
      value = static_cast<T>(random.next() & low_mask<uint64_t>(width));
    }
    return *codec.encode({type, values.data(), length});
  });
}

// Patches over an array: few, many, or some chunks full of them.
Array draw_patched(Random& random, Array inner) {
  const uint64_t every = 1 + random.below(300);
  const uint64_t chunks_in = 1 + random.below(4);
  return visit_bits(inner.type, [&]<class T>(std::type_identity<T>) {
    std::vector<uint64_t> places;
    std::vector<T> values;
    for (uint64_t i = 0; i < inner.length; ++i) {
      if (i / 1024 % chunks_in == 0 && random.below(every) == 0) {
        places.push_back(i);
        values.push_back(static_cast<T>(random.next()));
      }
    }
    const Array array = *codec::patched::wrap<T>(inner, places, values);
    return random.below(2) == 0 ? array : codec::patched::to_lanes(array);
  });
}

Array draw_alp(Random& random, DType type, uint64_t length, int depth) {
  const DType integers = type == DType::f64 ? DType::i64 : DType::i32;
  const uint64_t vectors = (length + 1023) / 1024;
  const NewBuffer scales = make_buffer(2 * vectors);
  for (uint64_t v = 0; v < vectors; ++v) {
    const uint64_t e = random.below(type == DType::f64 ? 19 : 11);
    scales.data[2 * v] = static_cast<std::byte>(e);
    scales.data[2 * v + 1] = static_cast<std::byte>(random.below(e + 1));
  }
  return {.codec = CodecId::alp,
          .type = type,
          .length = length,
          .offset = 0,
          .metadata = {},
          .buffers = {scales.buffer},
          .children = {draw_array(random, integers, length, depth - 1)}};
}

// Packed parts, with or without patches, half of the time: those are decoded in one launch.
Array draw_part(Random& random, DType type, uint64_t length, int depth) {
  if (random.below(2) == 0) {
    return draw_array(random, type, length, depth);
  }
  const Array leaf = draw_leaf(random, type, length);
  return type == DType::u16 && random.below(2) == 0 ? draw_patched(random, leaf) : leaf;
}

Array draw_cut(Random& random, DType type, uint64_t length, int depth) {
  const uint32_t bits = size_bits(type);
  const auto right_bits = static_cast<uint32_t>(bits - 1 - random.below(16));
  const uint64_t parts = uint64_t{1} << (bits - right_bits);
  codec::alprd::Cut cut{.right_bits = right_bits,
                        .entries = 1 + static_cast<uint32_t>(random.below(std::min<uint64_t>(parts, 8))),
                        .dict = {}};
  for (uint32_t j = 0; j < cut.entries; ++j) {
    const uint64_t other = 8 + 8 * random.below(2) + j;  // differs from all others
    cut.dict[j] = static_cast<uint16_t>(random.below(2) == 0 || other >= parts ? j : other);
  }
  return {.codec = CodecId::alprd,
          .type = type,
          .length = length,
          .offset = 0,
          .metadata = metadata_of(cut),
          .buffers = {},
          .children = {draw_part(random, DType::u16, length, depth - 1),
                       draw_part(random, type == DType::f64 ? DType::u64 : DType::u32, length, depth - 1)}};
}

// Codes of any kind, including codes past the last entry, and entries in any order.
Array draw_dict(Random& random, DType type, uint64_t length, int depth) {
  const DType code_types[] = {DType::u8, DType::u16, DType::u32};
  const uint64_t entries = 1 + random.below(random.below(4) == 0 ? 3000 : 300);
  Array dictionary = draw_array(random, type, entries, depth - 1);
  if (dictionary.codec == CodecId::dict) {
    dictionary = draw_leaf(random, type, entries);
  }
  return {.codec = CodecId::dict,
          .type = type,
          .length = length,
          .offset = 0,
          .metadata = {},
          .buffers = {},
          .children = {draw_array(random, code_types[random.below(3)], length, depth - 1),
                       std::move(dictionary)}};
}

Array draw_constant(Random& random, DType type, uint64_t length) {
  const std::vector<uint64_t> value(1, random.next());
  Array array = *codec::constant::encode({type, value.data(), 1});
  array.length = length;
  return array;
}

// Ascending row numbers, in a codec that may hold them.
Array draw_rows(Random& random, const std::vector<uint32_t>& rows) {
  const Values values{DType::u32, rows.data(), rows.size()};
  const CodecId ids[] = {CodecId::bitpack, CodecId::ffor, CodecId::delta, CodecId::patched};
  return *find_codec(ids[random.below(std::size(ids))])->encode(values);
}

// Runs, or sparse values, with any array for their values. The first rows may be skipped.
Array draw_ascending(Random& random, CodecId codec, DType type, uint64_t length, int depth) {
  const uint64_t first_row = 1024 * random.below(3);
  const uint64_t end = first_row + length;
  const uint64_t longest = uint64_t{1} << random.below(12);
  std::vector<uint32_t> rows;
  for (uint64_t row = random.below(longest); row < end; row += 1 + random.below(longest)) {
    if (row != 0) {
      rows.push_back(static_cast<uint32_t>(row));
    }
  }
  if (codec == CodecId::rle && end != 0) {
    rows.push_back(static_cast<uint32_t>(end + random.below(5)));
  }
  std::vector<uint8_t> metadata;
  const auto add_number = [&](uint64_t number) {
    for (uint32_t b = 0; b < 8; ++b) {
      metadata.push_back(static_cast<uint8_t>(number >> (8 * b)));
    }
  };
  if (codec == CodecId::sparse) {
    add_number(random.next() & low_mask<uint64_t>(size_bits(type)));
  }
  add_number(first_row);
  return {.codec = codec,
          .type = type,
          .length = length,
          .offset = 0,
          .metadata = std::move(metadata),
          .buffers = {},
          .children = {draw_rows(random, rows), draw_array(random, type, rows.size(), depth - 1)}};
}

Array draw_zigzag(Random& random, DType type, uint64_t length, int depth) {
  return {.codec = CodecId::zigzag,
          .type = type,
          .length = length,
          .offset = 0,
          .metadata = {},
          .buffers = {},
          .children = {draw_array(random, codec::zigzag::code_type(type), length, depth - 1)}};
}

Array draw_diff(Random& random, DType type, uint64_t length, int depth) {
  return {.codec = CodecId::diff,
          .type = type,
          .length = length,
          .offset = 0,
          .metadata = {},
          .buffers = {},
          .children = {draw_array(random, child_type(CodecId::diff, 0, type), length, depth - 1),
                       draw_array(random, type, num_vectors(length), depth - 1)}};
}

Array draw_array(Random& random, DType type, uint64_t length, int depth) {
  if (random.below(8) == 0) {
    return draw_constant(random, type, length);
  }
  if (depth > 1 && random.below(4) == 0) {
    return draw_ascending(random, random.below(2) == 0 ? CodecId::rle : CodecId::sparse, type, length, depth);
  }
  if (depth > 1 && random.below(5) == 0) {
    return draw_dict(random, type, length, depth);
  }
  if (depth > 1 && is_signed(type) && random.below(3) == 0) {
    return draw_zigzag(random, type, length, depth);
  }
  if (depth > 1 && !is_float(type) && random.below(4) == 0) {
    return draw_diff(random, type, length, depth);
  }
  if (depth > 1 && is_float(type) && random.below(4) == 0) {
    return draw_cut(random, type, length, depth);
  }
  if (depth > 1 && is_float(type) && random.below(2) == 0) {
    return draw_alp(random, type, length, depth);
  }
  if (depth > 1 && random.below(3) != 0) {
    return draw_patched(random, draw_array(random, type, length, depth - 1));
  }
  return draw_leaf(random, type, length);
}

// Nulls over an array: in runs, many or few, in any codec.
Array draw_masked(Random& random, Array values, int depth) {
  const uint64_t run = 1 + random.below(100);
  const uint64_t nulls_in = 1 + random.below(50);
  std::vector<uint8_t> bits((values.length + 7) / 8, 0xff);
  for (uint64_t i = 0; i < values.length; i += run) {
    const bool null = random.below(nulls_in) == 0;
    for (uint64_t k = i; null && k < std::min(i + run, values.length); ++k) {
      bits[k / 8] &= static_cast<uint8_t>(~(1U << (k % 8)));
    }
  }
  Array array = *codec::masked::wrap(std::move(values), bits.data());
  if (random.below(2) == 0) {
    array.children[1] = draw_array(random, DType::u32, array.children[1].length, depth);
  }
  return array;
}

}  // namespace

Array draw_cascade(Random& random) {
  const DType type = random.below(2) == 0 ? (random.below(2) == 0 ? DType::f32 : DType::f64)
                                          : kAllTypes[random.below(std::size(kAllTypes))];
  Array array = draw_array(random, type, random.below(6000), 3);
  return random.below(3) == 0 ? draw_masked(random, std::move(array), 2) : array;
}

std::string name_of(const Array& array) {
  std::string name(find_codec(array.codec)->name);
  for (const Array& child : array.children) {
    name += '(';
    name += name_of(child);
    name += ')';
  }
  return name;
}

}  // namespace bobbin::testing
