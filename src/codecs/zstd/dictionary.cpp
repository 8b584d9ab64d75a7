// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/frame.hpp"
#include "codecs/zstd/match.hpp"
#include "codecs/zstd/sequences.hpp"

namespace bobbin::zstd {
namespace {

constexpr size_t kDictionaryHeaderBytes = 8;  // magic number and id
constexpr size_t kMinContentBytes = 8;

Status damaged_dictionary(const char* what) {
  return {StatusCode::corrupt, std::string("zstd dictionary: ") + what};
}

// Reads one table, and moves `bytes` past it.
Status read_table(SequenceField field, SequenceTable& table, FseCounts& counts,
                  std::span<const uint8_t>& bytes) {
  size_t used = 0;
  const FieldLimits limits = limits_of(field);
  BOBBIN_ASSIGN(counts, read_fse_counts(bytes, limits.max_log, limits.num_symbols, used));
  BOBBIN_TRY(table.read(field, bytes, used));
  bytes = bytes.subspan(used);
  return {};
}

// Reads the tables and the three recent offsets; sets `rest` to the content after them.
Status read_tables(std::span<const uint8_t> bytes, DictionaryTables& tables, std::span<const uint8_t>& rest) {
  size_t used = 0;
  BOBBIN_TRY(read_huffman_table(bytes, tables.huffman, used));
  bytes = bytes.subspan(used);
  BOBBIN_TRY(read_table(SequenceField::offset, tables.offset, tables.offset_counts, bytes));
  BOBBIN_TRY(read_table(SequenceField::match_length, tables.match_length, tables.match_length_counts, bytes));
  BOBBIN_TRY(
      read_table(SequenceField::literal_length, tables.literal_length, tables.literal_length_counts, bytes));
  if (bytes.size() < 3 * sizeof(uint32_t)) {
    return damaged_dictionary("ends inside its tables");
  }
  rest = bytes.subspan(3 * sizeof(uint32_t));
  for (size_t i = 0; i < 3; ++i) {
    const auto offset = load<uint32_t>(bytes.data() + i * sizeof(uint32_t));
    if (offset == 0 || offset > rest.size()) {
      return damaged_dictionary("a recent offset lies outside the content");
    }
    tables.recent_offsets[i] = offset;
  }
  return {};
}

}  // namespace

Result<Dictionary> Dictionary::parse(std::span<const std::byte> in) {
  const std::span<const uint8_t> bytes = as_u8(in);
  Dictionary dictionary;
  dictionary.links_ = std::make_shared<DictionaryLinks>();
  if (bytes.size() < kDictionaryHeaderBytes || load<uint32_t>(bytes.data()) != kDictionaryMagic) {
    BOBBIN_RETURN_IF(in.size() < kMinContentBytes, StatusCode::invalid_argument,
                     "zstd dictionary: fewer than 8 bytes");
    dictionary.content_.assign(in.begin(), in.end());
    return dictionary;
  }
  dictionary.id_ = load<uint32_t>(bytes.data() + sizeof(uint32_t));
  if (dictionary.id_ == 0) {
    return damaged_dictionary("its id is 0");
  }
  auto tables = std::make_shared<DictionaryTables>();
  std::span<const uint8_t> content;
  BOBBIN_TRY(read_tables(bytes.subspan(kDictionaryHeaderBytes), *tables, content));
  const auto rest = in.last(content.size());
  dictionary.content_.assign(rest.begin(), rest.end());
  dictionary.tables_ = std::move(tables);
  return dictionary;
}

}  // namespace bobbin::zstd
