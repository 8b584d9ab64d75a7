// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bobbin/text.hpp"
#include "cli/summary.hpp"

namespace bobbin::cli {
namespace {

constexpr uint64_t kMaxColumnBytes = uint64_t{256} << 20;

// The first row groups of a column.
struct Part {
  size_t column = 0;
  uint64_t rows = 0;
  uint64_t raw_bytes = 0;
  uint64_t bytes = 0;
};

Result<Part> first_groups(const Reader& reader, size_t column, uint64_t max_rows) {
  Part part{.column = column};
  for (size_t g = 0; g < reader.num_row_groups(); ++g) {
    if (max_rows != 0 ? part.rows >= max_rows : part.raw_bytes >= kMaxColumnBytes) {
      break;
    }
    const RowGroupInfo group = *reader.row_group(g);
    BOBBIN_RETURN_IF(raw_bytes(group.chunks[column]) > kMaxRawBytes, StatusCode::unsupported,
                     fmt::format("column {}, row group {}: bench reads at most {} bytes per row group, "
                                 "found {}",
                                 printable(reader.columns()[column].name), g, kMaxRawBytes,
                                 raw_bytes(group.chunks[column])));
    part.rows += group.num_rows;
    part.raw_bytes += raw_bytes(group.chunks[column]);
    part.bytes += tree_bytes(group.chunks[column].root);
  }
  return part;
}

// The values of a part; of strings their bytes, without offsets.
Result<bench::Bytes> read_raw(const Reader& reader, const Part& part) {
  bench::Bytes raw(part.raw_bytes);
  if (!is_string(reader.columns()[part.column].type)) {
    BOBBIN_TRY(reader.read(part.column, 0, part.rows, raw.span()));
    return raw;
  }
  BOBBIN_ASSIGN(const Strings strings, reader.read_strings(part.column, 0, part.rows));
  const StringsView view = strings.view();
  std::copy_n(reinterpret_cast<const std::byte*>(view.bytes) + view.offset(0), raw.size(), raw.data());
  return raw;
}

Result<bench::Sample> measure_reads(const Reader& reader, const Part& part, Backend backend,
                                    const bench::Plan& plan) {
  const bool strings = is_string(reader.columns()[part.column].type);
  const bench::Bytes out(strings ? 0 : part.raw_bytes);
  Status failure;
  const bench::Sample sample = bench::measure(
      [&] {
        const Status status = strings ? reader.read_strings(part.column, 0, part.rows, backend).error()
                                      : reader.read(part.column, 0, part.rows, out.span(), backend);
        failure = failure.ok() ? status : failure;
      },
      plan);
  BOBBIN_TRY(failure);
  return sample;
}

Status measure_column(const Reader& reader, const Part& part, const TablePlan& plan,
                      std::vector<BenchRow>& rows) {
  const Column& column = reader.columns()[part.column];
  BOBBIN_ASSIGN(const bench::Bytes raw, read_raw(reader, part));
  const std::vector<bench::PeerResult> peers = bench::measure_peers(raw.span(), plan.plan);
  BenchRow row{.data = column.name,
               .type = column.type,
               .method = "bobbin",
               .raw_bytes = raw.size(),
               .bytes = part.bytes,
               .checked = true,
               .copy_speed = peers.front().decompress.bytes_per_second(raw.size())};
  BOBBIN_ASSIGN(row.decode, measure_reads(reader, part, Backend::cpu, plan.plan));
  rows.push_back(row);
  if (plan.backend != Backend::cpu) {
    row.backend = to_string(plan.backend);
    BOBBIN_ASSIGN(row.decode, measure_reads(reader, part, plan.backend, plan.plan));
    rows.push_back(row);
    row.backend = "cpu";
  }
  for (const bench::PeerResult& peer : peers) {
    row.method = peer.name;
    row.bytes = peer.bytes;
    row.checked = peer.checked || !peer.present;
    row.encode = peer.compress;
    row.decode = peer.decompress;
    rows.push_back(row);
  }
  return {};
}

}  // namespace

Status measure_table(const Reader& reader, const TablePlan& plan, std::vector<BenchRow>& rows) {
  for (size_t c = 0; c < reader.columns().size(); ++c) {
    BOBBIN_ASSIGN(const Part part, first_groups(reader, c, plan.max_rows));
    if (part.raw_bytes > 0) {  // a column of nulls or empty strings has nothing to read
      BOBBIN_TRY(measure_column(reader, part, plan, rows));
    }
  }
  BOBBIN_RETURN_IF(rows.empty(), StatusCode::invalid_argument, "there is nothing to measure");
  return {};
}

}  // namespace bobbin::cli
