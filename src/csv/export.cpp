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

// A field of the header row.
struct HeaderField {
  std::string text;  // as it is between delimiters
  std::string name;
  bool is_empty = false;  // and not in quotes
};

// The header row's fields; nothing if it is not one row of that many.
std::optional<std::vector<HeaderField>> header_fields(const std::string& text, const Options& noted,
                                                      size_t columns) {
  Options options = noted;
  options.comment = '\0';
  Scanner scanner(Source::of_text(text), options);
  if (!scanner.fill().ok() || scanner.num_records() != 1 || scanner.num_fields(0) != columns) {
    return std::nullopt;
  }
  std::vector<HeaderField> fields;
  std::string scratch;
  for (size_t i = 0; i < columns; ++i) {
    const RawField field = scanner.field(0, i);
    fields.push_back({std::string(raw_text(field)), std::string(value_of(field, scanner.marks(), scratch)),
                      field.size == 0 && !field.quoted});
  }
  return fields;
}

// The columns and lines of a file's text, as they were if the options are the noted ones.
class Plan {
 public:
  Plan(const bobbin::Reader& reader, std::span<const size_t> columns, const Options& options)
      : reader_(reader), noted_(noted_options(reader.metadata())), options_(options) {
    as_it_was_ = noted_ && is_same_dialect(*noted_, options);
    std::vector<size_t> all(reader.columns().size());
    std::iota(all.begin(), all.end(), size_t{0});
    is_whole_ = std::ranges::equal(columns, all);
    numbers.assign(columns.begin(), columns.end());
    add_columns(columns);
    name_columns();
    add_kept(columns);
    add_lines();
  }

  std::vector<size_t> numbers;  // of the columns to be read
  std::vector<Column> taken;    // these columns
  std::vector<WrittenColumn> written;
  WrittenLines lines;

 private:
  void add_columns(std::span<const size_t> columns) {
    const size_t there = reader_.columns().size();
    const std::vector<Spelling> spellings = noted_spellings(reader_.metadata(), reader_.columns());
    const std::vector<FieldForm> forms =
        as_it_was_ ? noted_forms(reader_.metadata(), there) : std::vector<FieldForm>(there);
    for (const size_t i : columns) {
      taken.push_back(reader_.columns()[i]);
      written.push_back({.name = taken.back().name,
                         .spelling = spellings[i],
                         .form = forms[i],
                         .may_end_in_return = i + 1 == there || written.size() + 1 < columns.size()});
    }
  }

  // Names that were changed when the text was read.
  void name_columns() {
    const std::optional<std::string> header = noted_surroundings(reader_.metadata()).header;
    const auto fields =
        header && noted_ ? header_fields(*header, *noted_, reader_.columns().size()) : std::nullopt;
    for (size_t c = 0; fields && c < written.size(); ++c) {
      const HeaderField& field = (*fields)[numbers[c]];
      written[c].name = field.is_empty ? written[c].name : field.name;
      // An empty field alone would be an empty line.
      if (as_it_was_ ? !field.is_empty || written.size() > 1 : field.is_empty && written.size() > 1) {
        written[c].raw_name = field.text;
      }
    }
  }

  void add_kept(std::span<const size_t> columns) {
    const size_t there = reader_.columns().size();
    const std::vector<std::optional<size_t>> kept = kept_columns(reader_);
    for (size_t c = 0; c < columns.size() && as_it_was_; ++c) {
      if (const std::optional<size_t> number = kept[columns[c]]) {
        written[c].kept = taken.size();
        taken.push_back(reader_.hidden_columns()[*number - there]);
        numbers.push_back(*number);
      }
    }
  }

  void add_lines() {
    if (!as_it_was_ || noted_->header != options_.header || !is_whole_) {
      return;
    }
    lines.text = noted_surroundings(reader_.metadata());
    lines.row_end = line_end_text(*noted_, true);
    lines.num_rows = reader_.num_rows();
    const auto hidden = reader_.hidden_columns();
    const auto found = std::ranges::find(hidden, kLineEndsName, &Column::name);
    if (found != hidden.end() && is_string(found->type)) {
      lines.kept = taken.size();
      taken.push_back(*found);
      numbers.push_back(reader_.columns().size() + static_cast<size_t>(found - hidden.begin()));
    }
  }

  const bobbin::Reader& reader_;
  std::optional<Options> noted_;
  const Options& options_;
  bool as_it_was_ = false;
  bool is_whole_ = false;
};

}  // namespace

struct RowWriter::Impl {
  Impl(file::Output& output, Plan plan, const Options& options)
      : columns(std::move(plan.taken)),
        numbers(std::move(plan.numbers)),
        writer(output, std::move(plan.written), options, std::move(plan.lines)) {}
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
  for (const size_t i : columns) {
    BOBBIN_RETURN_IF(i >= reader.columns().size(), StatusCode::invalid_argument,
                     "column " + std::to_string(i) + " of " + std::to_string(reader.columns().size()));
  }
  Options used = options;
  // Only the first column of the text has no name there.
  used.row_names =
      used.row_names && columns.size() == reader.columns().size() && !columns.empty() && columns.front() == 0;
  return RowWriter(std::make_unique<Impl>(output, Plan(reader, columns, options), used));
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
