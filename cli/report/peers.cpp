// SPDX-License-Identifier: Apache-2.0
// The same columns compressed with zstd and lz4.
#include "measure/peers.hpp"
#include "cli/progress.hpp"
#include "cli/report/model.hpp"
#include "cli/summary.hpp"

namespace bobbin::cli::page {
namespace {

constexpr int kZstdLevel = 3;

// For strings their bytes, concatenated: offsets and lengths are specific to Bobbin, and would be unfair to
// the other libraries.
Result<std::vector<std::byte>> read_raw(const Reader& reader, size_t column, const RowGroupInfo& group) {
  const DType type = reader.columns()[column].type;
  if (is_string(type)) {
    BOBBIN_ASSIGN(const Strings strings, reader.read_strings(column, group.first_row, group.num_rows));
    const StringsView view = strings.view();
    const std::span<const uint8_t> bytes(view.bytes + view.offset(0), view.num_bytes());
    const auto raw = std::as_bytes(bytes);
    return std::vector<std::byte>(raw.begin(), raw.end());
  }
  std::vector<std::byte> raw(group.num_rows * size_bytes(type));
  BOBBIN_TRY(reader.read(column, group.first_row, group.num_rows, raw));
  return raw;
}

// A library that fails once has no size; neither has one if a chunk is too large.
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
    const RowGroupInfo info = *reader.row_group(group);
    for (ColumnFacts& facts : model.columns) {
      if (raw_bytes(info.chunks[facts.index]) > kMaxRawBytes) {
        facts.peers = {};
        continue;
      }
      BOBBIN_ASSIGN(const std::vector<std::byte> raw, read_raw(reader, facts.index, info));
      add_size(facts.peers.zstd, bench::zstd_size(raw, kZstdLevel));
      add_size(facts.peers.lz4, bench::lz4_size(raw));
    }
    progress.show(group + 1, reader.num_row_groups());
  }
  return {};
}

}  // namespace bobbin::cli::page
