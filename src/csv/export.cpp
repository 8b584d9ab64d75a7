// SPDX-License-Identifier: Apache-2.0
// From a .bob file to text.
#include <algorithm>
#include <numeric>

#include "bobbin/csv.hpp"
#include "csv/options.hpp"
#include "csv/writer.hpp"

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

}  // namespace

struct RowWriter::Impl {
  Impl(file::Output& output, const std::vector<Column>& written, const Options& options,
       std::vector<Spelling> spellings)
      : columns(written), writer(output, written, options, std::move(spellings)) {}

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

  std::vector<Column> columns;
  Writer writer;
};

RowWriter::RowWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RowWriter::RowWriter(RowWriter&&) noexcept = default;
RowWriter& RowWriter::operator=(RowWriter&&) noexcept = default;
RowWriter::~RowWriter() = default;

Result<RowWriter> RowWriter::create(file::Output& output, const bobbin::Reader& reader,
                                    std::span<const size_t> columns, const Options& options) {
  BOBBIN_TRY(check(options));
  const std::vector<Spelling> noted = noted_spellings(reader.metadata(), reader.columns());
  std::vector<Column> written;
  std::vector<Spelling> spellings;
  for (const size_t i : columns) {
    BOBBIN_RETURN_IF(i >= noted.size(), StatusCode::invalid_argument,
                     "column " + std::to_string(i) + " of " + std::to_string(noted.size()));
    written.push_back(reader.columns()[i]);
    spellings.push_back(noted[i]);
  }
  return RowWriter(std::make_unique<Impl>(output, written, options, std::move(spellings)));
}

Result<RowWriter> RowWriter::create(file::Output& output, const std::vector<Column>& columns,
                                    const Options& options) {
  BOBBIN_TRY(check(options));
  return RowWriter(std::make_unique<Impl>(output, columns, options, std::vector<Spelling>()));
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
  BOBBIN_ASSIGN(RowWriter writer, RowWriter::create(*output, reader, columns, format));
  BOBBIN_TRY(writer.begin().in(csv_path));
  const uint64_t begin = std::min(options.begin, reader.num_rows());
  const uint64_t rows = std::min(options.num_rows, reader.num_rows() - begin);
  BOBBIN_TRY(visit_slices(
      reader, columns, begin, rows,
      [&](std::span<const HostColumn> slice, uint64_t count) {
        return writer.append(slice, count).in(csv_path);
      },
      options.backend));
  BOBBIN_TRY(writer.finish().in(csv_path));
  return output->commit().in(csv_path);
}

}  // namespace bobbin::csv
