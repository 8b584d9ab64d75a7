// SPDX-License-Identifier: Apache-2.0
// Forged files with valid checksums: the bytes say which table to encode and what to change in its trees, its
// segments and its footer. The file is opened, verified and read without a crash, a hang or excessive memory;
// if it verifies, every way to read it succeeds.
// Covers: src/file src/table
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bobbin/file.hpp"
#include "codecs/nesting.hpp"
#include "codecs/registry.hpp"
#include "device/backends.hpp"
#include "file/nulls.hpp"
#include "file/zone_map.hpp"
#include "tests/file/forged_file.hpp"

namespace {

using namespace bobbin;
using file_tests::ForgedFile;
using file_tests::ForgedGroup;

// Numbers from the fuzzer's bytes, zeros after the last. Small ones take one byte, so that few bytes express
// much.
class Draw {
 public:
  explicit Draw(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint64_t number(size_t size) {
    uint64_t value = 0;
    const size_t n = std::min(size, bytes_.size());
    std::copy_n(bytes_.begin(), n, reinterpret_cast<uint8_t*>(&value));
    bytes_ = bytes_.subspan(n);
    return value;
  }
  uint64_t below(uint64_t bound) { return number(bound <= 256 ? 1 : bound <= 65536 ? 2 : 8) % bound; }
  bool one_in(uint64_t bound) { return below(bound) == 0; }
  // A length or size: near another one, near a power of two, or arbitrary.
  uint64_t size_like(uint64_t before) {
    switch (below(6)) {
      case 0:
        return before + 1;
      case 1:
        return before - 1;
      case 2:
        return below(4);
      case 3:
        return (uint64_t{1} << below(64)) + below(3) - 1;
      case 4:
        return number(8);
      default:
        return number(2);
    }
  }
  [[nodiscard]] bool done() const { return bytes_.empty(); }

 private:
  std::span<const uint8_t> bytes_;
};

std::vector<DType> all_types() {
  std::vector<DType> types(std::begin(kAllTypes), std::end(kAllTypes));
  types.push_back(DType::utf8);
  types.push_back(DType::binary);
  return types;
}
DType draw_type(Draw& draw) {
  static const std::vector<DType> kTypes = all_types();
  return kTypes[draw.below(kTypes.size())];
}
CodecId draw_codec(Draw& draw) {
  return all_codecs()[draw.below(all_codecs().size())]->id;
}

select::ResolvedCascade draw_cascade(DType type, uint32_t depth, Draw& draw) {
  std::vector<const Codec*> codecs;
  for (const Codec* codec : all_codecs()) {
    if (codec->takes(type) && !codec->has_nulls()) {
      codecs.push_back(codec);
    }
  }
  const Codec& codec = *codecs[draw.below(codecs.size())];
  select::ResolvedCascade cascade{codec.id, {}};
  for (size_t i = 0; depth > 1 && i < codec.parts().size(); ++i) {
    cascade.children.push_back(draw_cascade(child_type(codec.id, i, type), depth - 1, draw));
  }
  return cascade;
}

// Runs, sequences and repeated values, so that every codec has something to do.
std::vector<uint64_t> draw_bits(uint64_t rows, Draw& draw) {
  const uint64_t step = draw.number(1 + draw.below(8));
  const uint64_t run = 1 + draw.below(300);
  const uint64_t kinds = 1 + draw.below(256);
  const uint64_t rare = 2 + draw.below(100);
  std::vector<uint64_t> bits(rows);
  for (uint64_t i = 0; i < rows; ++i) {
    bits[i] = i % rare == 1 ? step << 20 : i / run % kinds * step;
  }
  return bits;
}

std::optional<file::EncodedChunk> draw_numbers(DType type, uint64_t rows, bool nulls, Draw& draw) {
  const std::vector<uint64_t> bits = draw_bits(rows, draw);
  std::vector<std::byte> values(rows * size_bytes(type));
  for (uint64_t i = 0; i < rows; ++i) {
    std::memcpy(values.data() + i * size_bytes(type), &bits[i], size_bytes(type));
  }
  std::vector<uint8_t> validity((rows + 7) / 8);
  const uint64_t pattern = draw.number(1);
  for (size_t i = 0; nulls && i < validity.size(); ++i) {
    validity[i] = static_cast<uint8_t>(pattern * (i / 100));
  }
  file::Recipe recipe;
  if (!draw.one_in(4)) {
    recipe.cascade = draw_cascade(type, 1 + static_cast<uint32_t>(draw.below(3)), draw);
  }
  auto chunk = file::encode_numbers({type, values.data(), rows}, nulls ? validity.data() : nullptr, recipe);
  return chunk.has_value() ? std::optional(std::move(*chunk)) : std::nullopt;
}

std::optional<file::EncodedChunk> draw_strings(DType type, uint64_t rows, Draw& draw) {
  const std::vector<uint64_t> bits = draw_bits(rows, draw);
  const uint64_t longest = 1 + draw.below(40);
  const uint64_t nulls = 1 + draw.below(30);
  Strings strings;
  strings.type = type;
  for (const uint64_t value : bits) {
    if (value % nulls == 7) {
      strings.push_null();
      continue;
    }
    const std::string text = std::to_string(value) + std::string(value % longest, 'x');
    strings.push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  file::Recipe recipe;
  if (!draw.one_in(4)) {
    recipe.cascade = draw_cascade(type, 1 + static_cast<uint32_t>(draw.below(3)), draw);
  }
  auto chunk = file::encode_strings(strings.view(), nullptr, 0, recipe);
  return chunk.has_value() ? std::optional(std::move(*chunk)) : std::nullopt;
}

// Empty if a cascade does not fit its values.
std::optional<ForgedFile> draw_file(Draw& draw) {
  ForgedFile forged;
  const uint64_t num_columns = 1 + draw.below(2);
  const uint64_t rows = 1 + draw.below(draw.one_in(4) ? 5000 : 50);
  forged.groups.resize(1);
  forged.groups[0].num_rows = rows;
  for (uint64_t c = 0; c < num_columns; ++c) {
    const DType type = draw_type(draw);
    const bool nulls = !is_string(type) && draw.one_in(3);
    forged.columns.push_back({.name = std::to_string(c), .type = type, .nullable = nulls});
    auto chunk = is_string(type) ? draw_strings(type, rows, draw) : draw_numbers(type, rows, nulls, draw);
    if (!chunk.has_value()) {
      return std::nullopt;
    }
    forged.groups[0].chunks.push_back(std::move(*chunk));
  }
  return forged;
}

void collect(Array& array, std::vector<Array*>& nodes) {
  nodes.push_back(&array);
  for (Array& child : array.children) {
    collect(child, nodes);
  }
}

void set_length(Array& array, uint64_t length) {
  array.length = length;
  for (Array& child : array.children) {
    set_length(child, length);
  }
}

Buffer copy_of(std::vector<std::byte> bytes) {
  auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  return {owner, *owner};
}

void change_buffer(Array& node, Draw& draw) {
  if (node.buffers.empty()) {
    if (draw.one_in(16)) {
      node.buffers.push_back(copy_of(std::vector<std::byte>(draw.below(300))));
    }
    return;
  }
  Buffer& buffer = node.buffers[draw.below(node.buffers.size())];
  std::vector<std::byte> bytes(buffer.bytes.begin(), buffer.bytes.end());
  switch (draw.below(3)) {
    case 0:
      bytes.resize(std::min<uint64_t>(draw.size_like(bytes.size()), 4096));
      break;
    default:
      if (!bytes.empty()) {
        std::byte& byte = bytes[draw.below(bytes.size())];
        byte = draw.one_in(2) ? std::byte{static_cast<uint8_t>(draw.number(1))} : byte ^ std::byte{1};
      }
  }
  buffer = copy_of(std::move(bytes));
}

void change_metadata(Array& node, Draw& draw) {
  if (node.metadata.empty()) {
    return;
  }
  if (draw.one_in(16)) {
    node.metadata.resize(draw.below(50));
  } else if (draw.one_in(3) && node.metadata.size() >= 8) {
    const uint64_t word = draw.size_like(0);
    std::memcpy(node.metadata.data() + draw.below(node.metadata.size() - 7), &word, sizeof word);
  } else {
    node.metadata[draw.below(node.metadata.size())] = static_cast<uint8_t>(draw.number(1));
  }
}

// The same values through one more node, or with other nodes as children.
void change_children(Array& node, const Array& other, Draw& draw) {
  switch (draw.below(4)) {
    case 0: {
      Array inner = node;
      node.codec = draw_codec(draw);
      node.metadata.clear();
      node.buffers.clear();
      node.children = {inner, draw.one_in(2) ? inner : other};
      break;
    }
    case 1:
      if (!node.children.empty()) {
        node.children[draw.below(node.children.size())] = other;
      }
      break;
    case 2:
      node.children.push_back(other);
      break;
    default:
      if (!node.children.empty()) {
        node.children.pop_back();
      }
  }
}

void change_tree(Array& root, Draw& draw) {
  std::vector<Array*> nodes;
  collect(root, nodes);
  if (draw.one_in(2)) {  // most nodes of a tree have no bytes to change
    std::erase_if(nodes, [](const Array* node) { return node->buffers.empty() && node->metadata.empty(); });
  }
  if (nodes.empty()) {
    return;
  }
  Array& node = *nodes[draw.below(nodes.size())];
  const Array other = *nodes[draw.below(nodes.size())];
  switch (draw.below(8)) {
    case 0:
      node.codec = draw_codec(draw);
      break;
    case 1:
      node.type = draw_type(draw);
      break;
    case 2:
      node.length = draw.size_like(node.length);
      break;
    case 3:
      set_length(node, draw.size_like(node.length));
      break;
    case 4:
      change_metadata(node, draw);
      break;
    case 5:
      change_children(node, other, draw);
      break;
    default:
      change_buffer(node, draw);
  }
}

void change_zone(file::EncodedChunk& chunk, Draw& draw) {
  switch (draw.below(5)) {
    case 0:
      chunk.zone.min.bits = draw.size_like(chunk.zone.min.bits);
      break;
    case 1:
      chunk.zone.max.bits = draw.size_like(chunk.zone.max.bits);
      break;
    case 2:
      chunk.null_count = draw.size_like(chunk.null_count);
      break;
    case 3:
      chunk.strings.num_bytes = draw.size_like(chunk.strings.num_bytes);
      break;
    default:
      chunk.strings.null_count = draw.size_like(chunk.strings.null_count);
  }
}

void change(ForgedFile& forged, Draw& draw) {
  ForgedGroup& group = forged.groups[draw.below(forged.groups.size())];
  file::EncodedChunk& chunk = group.chunks[draw.below(group.chunks.size())];
  Column& column = forged.columns[draw.below(forged.columns.size())];
  switch (draw.below(16)) {
    case 0:
      column.type = draw_type(draw);
      break;
    case 1:
      column.nullable = !column.nullable;
      break;
    case 2:
      group.num_rows = draw.size_like(group.num_rows);
      break;
    case 3:
      change_zone(chunk, draw);
      break;
    case 4:
      if (forged.groups.size() < 3) {
        forged.groups.push_back(ForgedGroup(group));
      }
      break;
    case 5:
    case 6: {
      // Rows of all columns: constants and dictionaries then have many more.
      const uint64_t rows = 1 + draw.below(draw.one_in(8) ? uint64_t{1} << 18 : 3000);
      for (file::EncodedChunk& each : group.chunks) {
        each.array.length = rows;
        for (Array& child : each.array.children) {
          child.length = draw.one_in(2) ? rows : child.length;
        }
      }
      break;
    }
    default:
      change_tree(chunk.array, draw);
  }
}

// Makes the footer match the trees: a mismatch would be detected at once, and hide other errors.
void agree(ForgedFile& forged) {
  for (size_t c = 0; c < forged.columns.size(); ++c) {
    const Array& root = forged.groups[0].chunks[c].array;
    forged.columns[c].type = root.type;
    forged.columns[c].nullable = root.codec == CodecId::masked && !is_string(root.type);
  }
  for (ForgedGroup& group : forged.groups) {
    group.num_rows = group.chunks[0].array.length;
    for (size_t c = 0; c < group.chunks.size(); ++c) {
      file::EncodedChunk& chunk = group.chunks[c];
      const DType type = forged.columns[c].type;
      const bool strings = is_string(type);
      const uint64_t nulls = forged.columns[c].nullable ? std::min(chunk.null_count, group.num_rows) : 0;
      chunk.zone = !strings && nulls < group.num_rows && file::is_sound(chunk.zone, type) ? chunk.zone
                                                                                          : file::ZoneMap{};
      chunk.strings = strings && file::is_sound(chunk.strings, group.num_rows) ? chunk.strings : StringZone{};
      chunk.null_count = nulls;
    }
  }
}

[[noreturn]] void fail(const char* what, const Status& status) {
  std::fprintf(stderr, "%s: %s\n", what, status.message().c_str());
  std::abort();
}

// The first rows, some in the middle, and string tests. What was verified must also be readable.
void read_column(const Reader& reader, size_t column, uint64_t begin, uint64_t rows, bool sound) {
  const DType type = reader.columns()[column].type;
  Status status;
  if (is_string(type)) {
    const auto read = reader.read_strings(column, begin, rows);
    status = read.has_value() ? Status() : read.error();
    const uint8_t wanted[] = {'1'};
    static_cast<void>(
        reader.count_strings(column, 0, {.test = StringTest::contains, .bytes = wanted}).has_value());
  } else {
    std::vector<std::byte> out(rows * size_bytes(type));
    status = reader.read(column, begin, rows, out);
    std::vector<uint8_t> bitmap((rows + 7) / 8);
    static_cast<void>(reader.read_validity(column, begin, rows, bitmap).ok());
  }
  if (sound && !status.ok()) {
    fail("verified, but not read", status);
  }
}

void read_all(const Reader& reader) {
  constexpr uint64_t kMostRows = 2000;  // if each may be the longest string of a dictionary
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    static_cast<void>(reader.row_group(group));
  }
  const bool sound = reader.verify().ok();
  const uint64_t rows = std::min(reader.num_rows(), kMostRows);
  for (size_t column = 0; column < reader.columns().size(); ++column) {
    read_column(reader, column, 0, rows, sound);
    read_column(reader, column, (reader.num_rows() - rows) / 2, rows, sound);
    if (reader.num_rows() > 0) {
      read_column(reader, column, reader.num_rows() - 1, 1, sound);
    }
  }
}

// All backends accept or refuse the same files. The emulator is slow: small tables only.
void compare_backends(const Reader& reader) {
  const bool on_cpu = reader.verify().ok();
  const Status emulated = reader.verify(Backend::emulator);
  if (on_cpu != emulated.ok()) {
    fail(on_cpu ? "the emulator alone refuses" : "the CPU alone refuses", emulated);
  }
}

// The actual zone maps and null counts of the values, if they can be read.
bool repair_zones(ForgedFile& forged, const Reader& reader) {
  uint64_t first_row = 0;
  for (ForgedGroup& group : forged.groups) {
    for (size_t c = 0; c < forged.columns.size(); ++c) {
      file::EncodedChunk& chunk = group.chunks[c];
      if (is_string(forged.columns[c].type)) {
        const auto strings = reader.read_strings(c, first_row, group.num_rows);
        if (!strings.has_value()) {
          return false;
        }
        chunk.strings = file::string_zone_of(strings->view());
        continue;
      }
      const DType type = forged.columns[c].type;
      std::vector<std::byte> values(group.num_rows * size_bytes(type));
      std::vector<uint8_t> bits((group.num_rows + 7) / 8);
      if (!reader.read(c, first_row, group.num_rows, values).ok() ||
          !reader.read_validity(c, first_row, group.num_rows, bits).ok()) {
        return false;
      }
      const file::ValidityBits validity{bits.data()};
      chunk.null_count = validity.count_nulls(group.num_rows);
      file::fill_nulls(type, values, validity);
      chunk.zone = file::zone_map_of({type, values.data(), group.num_rows});
    }
    first_row += group.num_rows;
  }
  return true;
}

// Whether strings are UTF-8, and decode alone to the same bytes as together.
bool only_verify_finds(const Status& status) {
  return status.message().find("UTF-8") != std::string::npos ||
         status.message().find("does not have the size that its codes give") != std::string::npos;
}

// A file in memory, which each run overwrites.
std::optional<Reader> open(const ForgedFile& forged) {
  const std::vector<std::byte> bytes = forged.bytes();
  static const int file = memfd_create("forged", 0);
  if (ftruncate(file, 0) != 0 ||
      pwrite(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return std::nullopt;
  }
  auto reader = Reader::from_descriptor(file, "input");
  return reader.has_value() ? std::optional(std::move(*reader)) : std::nullopt;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kFewRows = 5000;
  Draw draw(std::span(data, size));
  std::optional<ForgedFile> forged = draw_file(draw);
  if (!forged.has_value()) {
    return 0;
  }
  const bool emulate = draw.one_in(16);
  const bool consistent = !draw.one_in(8);
  for (uint64_t changes = 1 + draw.below(3); changes > 0; --changes) {
    change(*forged, draw);
  }
  if (consistent) {
    agree(*forged);
  }
  std::optional<Reader> reader = open(*forged);
  if (!reader.has_value()) {
    return 0;
  }
  read_all(*reader);
  if (reader->num_rows() <= kFewRows && repair_zones(*forged, *reader)) {
    reader = open(*forged);
    const Status status = reader.has_value() ? reader->verify() : Status(StatusCode::corrupt, "not opened");
    if (consistent && !status.ok() && !only_verify_finds(status)) {
      fail("read, but not verified", status);
    }
  }
  if (emulate && kHasEmulator && reader.has_value() && reader->num_rows() <= 100) {
    compare_backends(*reader);
  }
  return 0;
}
