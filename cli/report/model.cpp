// SPDX-License-Identifier: Apache-2.0
#include "cli/report/model.hpp"

#include <algorithm>
#include <numeric>

#include "bobbin/csv.hpp"

namespace bobbin::cli::page {
namespace {

// The indices of the columns with the most bytes, ascending.
std::vector<size_t> largest(const std::vector<ColumnSummary>& summaries) {
  std::vector<size_t> order(summaries.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t i) { return summaries[i].bytes; });
  order.resize(std::min(order.size(), kMaxColumns));
  std::ranges::sort(order);
  return order;
}

size_t groups_per_span(size_t groups, size_t columns) {
  const size_t most = std::clamp<size_t>(kMaxCells / std::max<size_t>(columns, 1), 1, kMaxSpans);
  return std::max<size_t>(1, (groups + most - 1) / most);
}

void add_cells(const Reader& reader, size_t together, Model& model) {
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const RowGroupInfo info = *reader.row_group(group);
    if (group % together == 0) {
      model.spans.push_back({group, 0, info.first_row, 0});
    }
    ++model.spans.back().num_groups;
    model.spans.back().num_rows += info.num_rows;
    for (ColumnFacts& facts : model.columns) {
      facts.cells.resize(model.spans.size());
      facts.cells.back().add(facts.column.type, info.chunks[facts.index], info.num_rows);
    }
  }
}

}  // namespace

bool Model::has_peers() const {
  return std::ranges::any_of(columns,
                             [](const ColumnFacts& facts) { return facts.peers.zstd || facts.peers.lz4; });
}

Model make_model(const OpenReader& file) {
  const Reader& reader = file.reader;
  std::vector<ColumnSummary> summaries = summarize(reader);
  Model model{.name = file.name,
              .num_rows = reader.num_rows(),
              .num_columns = reader.columns().size(),
              .num_row_groups = reader.num_row_groups(),
              .raw = 0,
              .file_bytes = reader.file_bytes(),
              .footer_bytes = reader.file_bytes(),
              .source_bytes = csv::noted_source_bytes(reader.metadata()),
              .spans = {},
              .columns = {},
              .bytes_of_others = 0};
  for (size_t i = 0; i < summaries.size(); ++i) {
    model.raw += summaries[i].raw;
    model.bytes_of_others += summaries[i].bytes;
    model.footer_bytes -= std::min(model.footer_bytes, summaries[i].bytes);
  }
  for (const size_t i : largest(summaries)) {
    const Column& column = reader.columns()[i];
    model.bytes_of_others -= summaries[i].bytes;
    model.columns.push_back(
        {.index = i, .column = column, .total = std::move(summaries[i]), .cells = {}, .peers = {}});
  }
  add_cells(reader, groups_per_span(reader.num_row_groups(), model.columns.size()), model);
  return model;
}

}  // namespace bobbin::cli::page
