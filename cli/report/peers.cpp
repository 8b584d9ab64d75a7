// SPDX-License-Identifier: Apache-2.0
// What zstd and lz4 make of the same columns.
#include <cstring>

#include "bench/peers.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/report/model.hpp"

namespace bobbin::cli::page {
namespace {

constexpr int kZstdLevel = 3;

// Offsets of 32 bits, then the bytes.
std::vector<std::byte> raw_strings(const StringsView& strings) {
  std::vector<std::byte> raw(strings.length * sizeof(uint32_t) + strings.num_bytes());
  std::byte* place = raw.data();
  for (uint64_t i = 0; i < strings.length; ++i, place += sizeof(uint32_t)) {
    const auto offset = static_cast<uint32_t>(strings.offset(i + 1) - strings.offset(0));
    std::memcpy(place, &offset, sizeof(offset));
  }
  if (strings.num_bytes() > 0) {
    std::memcpy(place, strings.bytes + strings.offset(0), strings.num_bytes());
  }
  return raw;
}

Result<std::vector<std::byte>> read_raw(const Reader& reader, size_t column, const RowGroupInfo& group) {
  const DType type = reader.columns()[column].type;
  if (is_string(type)) {
    BOBBIN_ASSIGN(const Strings strings, reader.read_strings(column, group.first_row, group.num_rows));
    return raw_strings(strings.view());
  }
  std::vector<std::byte> raw(group.num_rows * size_bytes(type));
  BOBBIN_TRY(reader.read(column, group.first_row, group.num_rows, raw));
  return raw;
}

// A peer that fails once is out.
void add_size(std::optional<uint64_t>& sum, std::optional<uint64_t> size) {
  sum = sum && size ? std::optional(*sum + *size) : std::nullopt;
}

}  // namespace

Status measure_peers(const OpenReader& file, bool quiet, Model& model) {
  const Reader& reader = file.reader;
  Progress progress(file.name, quiet);
  for (ColumnFacts& facts : model.columns) {
    facts.peers = {.zstd = 0, .lz4 = 0};
  }
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const RowGroupInfo info = reader.row_group(group);
    for (ColumnFacts& facts : model.columns) {
      BOBBIN_ASSIGN(const std::vector<std::byte> raw, read_raw(reader, facts.index, info));
      add_size(facts.peers.zstd, bench::zstd_size(raw, kZstdLevel));
      add_size(facts.peers.lz4, bench::lz4_size(raw));
      BOBBIN_TRY(check_interrupt().in(file.name));
    }
    progress.show(group + 1, reader.num_row_groups());
  }
  return {};
}

}  // namespace bobbin::cli::page
