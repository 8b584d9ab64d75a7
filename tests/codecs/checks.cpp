// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/checks.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "array/array.hpp"
#include "bobbin/memory.hpp"
#include "codecs/registry.hpp"
#include "codecs/shape.hpp"
#include "core/scalar.hpp"
#include "device/backends.hpp"
#include "tests/codecs/compares.hpp"

namespace bobbin::testing {
namespace {

using Bytes = std::vector<std::byte>;

Bytes decode_by(void (*decoder)(const Array&, void*), const Array& array) {
  Bytes out(array.length * size_bytes(array.type));
  decoder(array, out.data());
  return out;
}

bool same_bytes(const Array& a, const Array& b) {
  const auto same = [](const Buffer& x, const Buffer& y) {
    return std::equal(x.bytes.begin(), x.bytes.end(), y.bytes.begin(), y.bytes.end());
  };
  return a.codec == b.codec && a.length == b.length && a.metadata == b.metadata &&
         std::equal(a.buffers.begin(), a.buffers.end(), b.buffers.begin(), b.buffers.end(), same) &&
         std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(), same_bytes);
}

Scalar scalar_at(const Bytes& values, DType type, uint64_t i) {
  Scalar scalar;
  std::memcpy(&scalar.bits, values.data() + i * size_bytes(type), size_bytes(type));
  return scalar;
}

// The expected contents of an array.
struct Rows {
  Bytes values;
  std::vector<bool> there;  // false for nulls
};

// Nulls according to the reference decoder and masked/spec.md.
std::vector<bool> rows_there(const Array& array) {
  std::vector<bool> there(array.length, true);
  if (array.codec == CodecId::masked) {
    const Array& validity = array.children[1];
    const Bytes words = decode_by(find_codec(validity.codec)->reference, validity);
    for (uint64_t i = 0; i < array.length; ++i) {
      const uint64_t bit = array.offset + i;
      there[i] = (scalar_at(words, DType::u32, bit / 32).bits >> (bit % 32) & 1) != 0;
    }
  }
  return there;
}

Rows part_of(const Rows& rows, DType type, uint64_t begin, uint64_t length) {
  const auto size = static_cast<ptrdiff_t>(size_bytes(type));
  const auto first = static_cast<ptrdiff_t>(begin);
  const auto end = static_cast<ptrdiff_t>(begin + length);
  return {{rows.values.begin() + first * size, rows.values.begin() + end * size},
          {rows.there.begin() + first, rows.there.begin() + end}};
}

// A constant to compare with: one of the values, near one, or arbitrary.
Scalar draw_constant(const Bytes& values, DType type, Random& random) {
  const uint64_t length = values.size() / size_bytes(type);
  Scalar constant{random.next()};
  if (length != 0 && random.below(4) != 0) {
    constant = scalar_at(values, type, random.below(length));
    constant.bits += random.below(3) - 1;
  }
  constant.bits &= size_bytes(type) == 8 ? ~uint64_t{0} : (uint64_t{1} << size_bits(type)) - 1;
  return constant;
}

std::string check_bitmap(const array::Bitmap& bitmap, const Rows& rows, DType type, Compare op,
                         Scalar constant) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) -> std::string {
    const auto* typed = reinterpret_cast<const T*>(rows.values.data());
    for (uint64_t i = 0; i < bitmap.length; ++i) {
      if (bitmap.at(i) != (rows.there[i] && holds(op, typed[i], value_of<T>(constant)))) {
        return "compare " + std::to_string(static_cast<int>(op)) + " is wrong at value " + std::to_string(i);
      }
    }
    return {};
  });
}

Result<array::Bitmap> compare_by(Backend backend, const Array& array, Compare op, Scalar constant) {
  if (backend == Backend::cpu) {
    return array::compare(array, op, constant);
  }
  array::Bitmap bitmap{.words = {}, .first = array.offset, .length = array.length};
  bitmap.words.resize((array.offset + array.length + 1023) / 1024 * 32);
  BOBBIN_ASSIGN(const Stream stream, Stream::create(backend));
  BOBBIN_ASSIGN(const array::OnDevice encoded, array::to_device(array, stream.view()));
  const size_t bytes = bitmap.words.size() * sizeof(uint32_t);
  BOBBIN_ASSIGN(const DeviceBuffer device, DeviceBuffer::create(bytes, stream.view()));
  BOBBIN_TRY(array::compare_on_device(encoded.array, ValueRange::of(array.type, op, constant),
                                      device.as<uint32_t>(), stream.view()));
  BOBBIN_TRY(copy_async(bitmap.words.data(), device.data(), bytes, stream.view()));
  BOBBIN_TRY(stream.view().synchronize());
  return bitmap;
}

// Decodes an array that is (part of) `rows` from row `begin` on, and compares it with one constant.
std::string check_part(const Array& part, const Rows& rows, uint64_t begin, Backend backend, Random& random) {
  const Rows expected = part_of(rows, part.type, begin, part.length);
  Bytes out(expected.values.size());
  if (const Status status = array::decode(part, out, backend); !status.ok()) {
    return "decode: " + status.message();
  }
  if (out != expected.values) {
    return "decodes incorrectly from " + std::to_string(begin) + " for " + std::to_string(part.length);
  }
  const auto validity = array::validity(part);
  for (uint64_t i = 0; i < part.length; ++i) {
    if (validity->at(i) != expected.there[i]) {
      return "the validity of row " + std::to_string(begin + i) + " is wrong";
    }
  }
  const Compare op = kAllCompares[random.below(std::size(kAllCompares))];
  const Scalar constant = draw_constant(expected.values, part.type, random);
  const auto bitmap = compare_by(backend, part, op, constant);
  return bitmap.has_value() ? check_bitmap(*bitmap, expected, part.type, op, constant)
                            : "compare: " + bitmap.error().message();
}

// The whole array and a few slices of it.
std::string check_parts(const Array& array, const Bytes& values, Backend backend, Random& random,
                        int slices) {
  const Rows rows{values, rows_there(array)};
  if (std::string wrong = check_part(array, rows, 0, backend, random); !wrong.empty()) {
    return wrong;
  }
  for (int i = 0; i < slices && array.length != 0; ++i) {
    const uint64_t begin = random.below(array.length);
    const uint64_t length = random.below(array.length - begin + 1);
    const auto part = array::slice(array, begin, length);
    if (!part.has_value() || !array::validate(*part).ok()) {
      return "slice is refused";
    }
    // A slice of a slice must equal the combined slice.
    const uint64_t skip = length / 3;
    const auto inner = array::slice(*part, skip, length - skip);
    for (const auto& [piece, at] : {std::pair{&*part, begin}, std::pair{&*inner, begin + skip}}) {
      if (std::string wrong = check_part(*piece, rows, at, backend, random); !wrong.empty()) {
        return "slice: " + wrong;
      }
    }
  }
  return {};
}

// The same array with every buffer in its own allocation of the exact size.
Array isolated(const Array& array) {
  Array copy = array;
  for (Buffer& buffer : copy.buffers) {
    const NewBuffer fresh = make_buffer(buffer.bytes.size());
    std::copy(buffer.bytes.begin(), buffer.bytes.end(), fresh.data);
    buffer = fresh.buffer;
  }
  for (Array& child : copy.children) {
    child = isolated(child);
  }
  return copy;
}

// Every piece of an array's own bytes, including its children's.
void collect_bytes(Array& array, std::vector<std::span<std::byte>>& parts) {
  parts.push_back(std::as_writable_bytes(std::span(array.metadata)));
  for (Buffer& buffer : array.buffers) {
    parts.emplace_back(const_cast<std::byte*>(buffer.bytes.data()), buffer.bytes.size());
  }
  for (Array& child : array.children) {
    collect_bytes(child, parts);
  }
}

Array with_buffer_size(const Array& array, size_t which, size_t size) {
  Array changed = array;
  const NewBuffer fresh = make_buffer(size);
  std::fill_n(fresh.data, size, std::byte{0});
  std::copy_n(array.buffers[which].bytes.begin(), std::min(size, array.buffers[which].bytes.size()),
              fresh.data);
  changed.buffers[which] = fresh.buffer;
  return changed;
}

}  // namespace

std::string check_round_trip(const Codec& codec, const Input& input) {
  const auto encoded = codec.encode(input.values());
  if (!encoded.has_value()) {
    return "encode: " + encoded.error().message();
  }
  if (const Status status = array::validate(*encoded); !status.ok()) {
    return "validate: " + status.message();
  }
  if (array::encoded_bytes(*encoded) != codec.estimate(input.values())) {
    return "the estimate is not the size";
  }
  const Codec& root = *find_codec(encoded->codec);  // may differ from the codec, as in `patched` over `alp`
  if (decode_by(root.decode, isolated(*encoded)) != input.bytes) {
    return "decodes incorrectly";
  }
  if (decode_by(root.reference, isolated(*encoded)) != input.bytes) {
    return "the reference decodes incorrectly";
  }
  return same_bytes(*encoded, *codec.encode(input.values())) ? "" : "encodes differently the second time";
}

std::string check_operations(const Codec& codec, const Input& input, Random& random) {
  const Array array = *codec.encode(input.values());
  for (int i = 0; i < 20 && array.length != 0; ++i) {
    const uint64_t at = random.below(array.length);
    if (!(*array::value_at(array, at) == scalar_at(input.bytes, input.type, at))) {
      return "value " + std::to_string(at) + " alone is wrong";
    }
  }
  const Rows rows{input.bytes, rows_there(array)};
  for (const Compare op : kAllCompares) {
    const Scalar constant = draw_constant(input.bytes, input.type, random);
    const auto bitmap = array::compare(array, op, constant);
    if (std::string wrong = check_bitmap(*bitmap, rows, input.type, op, constant); !wrong.empty()) {
      return wrong;
    }
  }
  return check_parts(array, input.bytes, Backend::cpu, random, 4);
}

std::string check_backend(const Codec& codec, const Input& input, Backend wanted, Random& random) {
  const Backend backend = has_backend(wanted) ? wanted : Backend::cpu;
  const Array array = *codec.encode(input.values());
  if (std::string wrong = check_parts(array, input.bytes, backend, random, 1); !wrong.empty()) {
    return wrong;
  }
  const auto encoded = array::encode(codec.id, input.values(), backend);
  if (!encoded.has_value()) {
    return "encode: " + encoded.error().message();
  }
  return same_bytes(array, *encoded) ? "" : "encodes to different bytes than the CPU";
}

namespace {

// Whatever a codec declares of its children is checked.
std::string check_children_refused(const Array& array) {
  const std::span<const ChildShape> shapes = find_codec(array.codec)->shape.children;
  for (size_t i = 0; i < array.children.size(); ++i) {
    const auto accepts = [&](auto&& damage) {
      Array bad = array;
      damage(bad.children[i]);
      return validate_node(bad).ok();
    };
    if (accepts([](Array& child) { child.type = DType::binary; })) {
      return "accepts " + std::string(shapes[i].name) + " of another type";
    }
    if (shapes[i].codec.has_value() && accepts([](Array& child) { child.codec = CodecId::constant; })) {
      return "accepts " + std::string(shapes[i].name) + " of another codec";
    }
    if (shapes[i].follows == Follows::rows &&
        (accepts([](Array& child) { ++child.length; }) || accepts([](Array& child) { child.offset ^= 1; }))) {
      return "accepts " + std::string(shapes[i].name) + " of other rows";
    }
  }
  return {};
}

}  // namespace

std::string check_shapes_refused(const Codec& encoder, const Input& input) {
  const Array array = *encoder.encode(input.values());
  for (size_t which = 0; which < array.buffers.size(); ++which) {
    const size_t size = array.buffers[which].bytes.size();
    for (size_t cut = size > 300 ? size - 300 : 0; cut < size; ++cut) {
      if (validate_node(with_buffer_size(array, which, cut)).ok()) {
        return "accepts buffer " + std::to_string(which) + " cut to " + std::to_string(cut) + " bytes";
      }
    }
    if (validate_node(with_buffer_size(array, which, size + 1)).ok()) {
      return "accepts a byte too many in buffer " + std::to_string(which);
    }
  }
  Array changed = array;
  changed.buffers.push_back(make_buffer(0).buffer);
  Array more_metadata = array;
  more_metadata.metadata.push_back(0);
  Array with_child = array;
  with_child.children.push_back(array);
  Array too_long = array;
  too_long.length = ~uint64_t{0};
  Array far_offset = array;
  far_offset.offset = 1024;
  for (const Array* bad : {&changed, &more_metadata, &with_child, &too_long, &far_offset}) {
    if (validate_node(*bad).ok()) {
      return "accepts an array with wrong parts";
    }
  }
  for (; !changed.buffers.empty(); changed.buffers.pop_back()) {
    if (changed.buffers.size() != array.buffers.size() && validate_node(changed).ok()) {
      return "accepts missing buffers";
    }
  }
  return check_children_refused(array);
}

std::string check_any_array(const Array& any, Backend wanted) {
  const Backend backend = has_backend(wanted) ? wanted : Backend::cpu;
  const Array array = isolated(any);
  if (!array::validate(array).ok()) {
    return {};
  }
  const Codec& codec = *find_codec(array.codec);
  const Bytes expected = decode_by(codec.reference, array);
  if (decode_by(codec.decode, array) != expected) {
    return "the CPU and the reference disagree";
  }
  if (array.length != 0 &&
      !(*array::value_at(array, array.length / 2) == scalar_at(expected, array.type, array.length / 2))) {
    return "a single value disagrees";
  }
  Random random(array.length);
  return check_parts(array, expected, backend, random, 1);
}

std::string check_flips(const Codec& codec, const Input& input, uint64_t flips, Random& random) {
  const Array array = *codec.encode(input.values());
  for (uint64_t i = 0; i < flips; ++i) {
    Array flipped = isolated(array);
    std::vector<std::span<std::byte>> parts;
    collect_bytes(flipped, parts);
    const auto part = parts[random.below(parts.size())];
    if (part.empty()) {
      continue;
    }
    part[random.below(part.size())] ^= std::byte{1} << random.below(8);
    if (std::string wrong = check_any_array(flipped, Backend::cpu); !wrong.empty()) {
      return "after a flipped bit: " + wrong;
    }
  }
  return {};
}

}  // namespace bobbin::testing
