// SPDX-License-Identifier: Apache-2.0
// From a .bob file to text.
#include <algorithm>
#include <iterator>
#include <numeric>

#include "bobbin/csv.hpp"
#include "csv/options.hpp"
#include "csv/writer.hpp"
#include "file/access.hpp"

namespace bobbin::csv {
namespace {

// The columns' rows as the text is made of them; they must outlive it.
RecordBatch to_batch(std::span<const HostColumn> columns, uint64_t rows) {
  RecordBatch batch{.columns = {}, .rows = rows};
  for (const HostColumn& column : columns) {
    const uint8_t* const validity = column.validity.empty() ? nullptr : column.validity.data();
    batch.columns.push_back({.type = column.type(),
                             .numbers = {column.values.get(), validity},
                             .strings = column.strings.view()});
  }
  return batch;
}

// For each column the number of the hidden one with texts that are kept of it. A file may say anything.
std::vector<std::optional<size_t>> kept_columns(const bobbin::Reader& reader) {
  const size_t there = reader.columns().size();
  std::vector<std::optional<size_t>> kept(there);
  for (size_t i = 0; i < reader.hidden_columns().size(); ++i) {
    const Column& hidden = reader.hidden_columns()[i];
    const std::optional<size_t> column = column_of_kept(hidden.name);
    if (column && *column < there && is_string(hidden.type)) {
      kept[*column] = there + i;
    }
  }
  return kept;
}

}  // namespace

struct RowWriter::Impl {
  Impl(file::Output& output, std::vector<Column> taken, std::vector<WrittenColumn> written,
       const Options& options)
      : columns(std::move(taken)), writer(output, std::move(written), options) {}

  Status append(std::span<const HostColumn> rows_of, uint64_t rows) {
    BOBBIN_RETURN_IF(rows_of.size() != columns.size(), StatusCode::invalid_argument,
                     "append: the number of columns differs from the writer's");
    for (size_t c = 0; c < columns.size(); ++c) {
      const uint64_t length = is_string(columns[c].type) ? rows_of[c].strings.length() : rows_of[c].length;
      BOBBIN_RETURN_IF(rows_of[c].column.type != columns[c].type || length < rows,
                       StatusCode::invalid_argument,
                       "append: column " + std::to_string(c) + " has another type or too few rows");
    }
    return writer.append(to_batch(rows_of, rows));
  }

  std::vector<Column> columns;  // that append() takes
  std::vector<size_t> numbers;  // of these in the reader
  Writer writer;
};

RowWriter::RowWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RowWriter::RowWriter(RowWriter&&) noexcept = default;
RowWriter& RowWriter::operator=(RowWriter&&) noexcept = default;
RowWriter::~RowWriter() = default;

Result<RowWriter> RowWriter::create(file::Output& output, const bobbin::Reader& reader,
                                    std::span<const size_t> columns, const Options& options) {
  BOBBIN_TRY(check(options));
  const size_t there = reader.columns().size();
  const std::vector<Spelling> spellings = noted_spellings(reader.metadata(), reader.columns());
  const std::optional<Options> noted = noted_options(reader.metadata());
  const bool as_it_was = noted && is_same_dialect(*noted, options);
  const std::vector<FieldForm> forms =
      as_it_was ? noted_forms(reader.metadata(), there) : std::vector<FieldForm>(there);
  const std::vector<std::optional<size_t>> kept =
      as_it_was ? kept_columns(reader) : std::vector<std::optional<size_t>>(there);
  std::vector<size_t> numbers(columns.begin(), columns.end());
  std::vector<Column> taken;
  std::vector<WrittenColumn> written;
  for (const size_t i : columns) {
    BOBBIN_RETURN_IF(i >= there, StatusCode::invalid_argument,
                     "column " + std::to_string(i) + " of " + std::to_string(there));
    taken.push_back(reader.columns()[i]);
    written.push_back({.name = taken.back().name,
                       .spelling = spellings[i],
                       .form = forms[i],
                       .ended_records = i + 1 == there});
  }
  for (size_t c = 0; c < columns.size(); ++c) {
    if (const std::optional<size_t> number = kept[columns[c]]) {
      written[c].kept = taken.size();
      taken.push_back(reader.hidden_columns()[*number - there]);
      numbers.push_back(*number);
    }
  }
  Options used = options;
  // Only the first column of the text has no name there.
  used.row_names = used.row_names && !columns.empty() && columns.size() == there && columns.front() == 0;
  auto impl = std::make_unique<Impl>(output, std::move(taken), std::move(written), used);
  impl->numbers = std::move(numbers);
  return RowWriter(std::move(impl));
}

Result<RowWriter> RowWriter::create(file::Output& output, const std::vector<Column>& columns,
                                    const Options& options) {
  BOBBIN_TRY(check(options));
  std::vector<WrittenColumn> written;
  std::ranges::transform(columns, std::back_inserter(written),
                         [](const Column& column) { return WrittenColumn{.name = column.name}; });
  return RowWriter(std::make_unique<Impl>(output, columns, std::move(written), options));
}

const std::vector<size_t>& RowWriter::columns() const {
  return impl_->numbers;
}

Status RowWriter::begin() {
  return impl_->writer.begin();
}

Status RowWriter::append(std::span<const HostColumn> columns, uint64_t rows) {
  return impl_->append(columns, rows);
}

Status RowWriter::finish() {
  return impl_->writer.finish();
}

Status export_file(const bobbin::Reader& reader, const std::string& csv_path, const ExportOptions& options) {
  const Options format = options.format.value_or(noted_options(reader.metadata()).value_or(Options{}));
  std::vector<size_t> columns = options.columns;
  if (columns.empty()) {
    columns.resize(reader.columns().size());
    std::iota(columns.begin(), columns.end(), size_t{0});
  }
  auto output = file::Output::create(csv_path, options.overwrite);
  if (!output.has_value()) {
    return output.error().in(csv_path);
  }
  if (const auto source = file::ReaderAccess::access(reader)) {
    output->restrict_to(*source);
  }
  BOBBIN_ASSIGN(RowWriter writer, RowWriter::create(*output, reader, columns, format));
  BOBBIN_TRY(writer.begin().in(csv_path));
  const uint64_t begin = std::min(options.begin, reader.num_rows());
  const uint64_t rows = std::min(options.num_rows, reader.num_rows() - begin);
  BOBBIN_TRY(visit_slices(
      reader, writer.columns(), begin, rows,
      [&](std::span<const HostColumn> slice, uint64_t count) {
        return writer.append(slice, count).in(csv_path);
      },
      options.backend));
  BOBBIN_TRY(writer.finish().in(csv_path));
  return output->commit().in(csv_path);
}

}  // namespace bobbin::csv
