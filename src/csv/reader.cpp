// SPDX-License-Identifier: Apache-2.0
#include "csv/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "file/text.hpp"

namespace bobbin::csv {
namespace {

using Names = std::vector<std::optional<std::string>>;

std::string number_name(size_t index) {
  return fmt::format("c{}", index);
}

ColumnType type_of(const Column& column) {
  return {column.type, column.logical};
}

std::string place_of(const std::vector<Column>& columns, size_t column) {
  return fmt::format("column {} {}", column + 1, file::quoted(columns[column].name));
}

}  // namespace

Reader::Reader(Source source, const Options& options)
    : scanner_(std::move(source), options), options_(options), is_null_(options.nulls) {}

Result<Reader> Reader::open(Source source, const Options& options, const std::optional<Schema>& schema) {
  BOBBIN_TRY(check(options));
  BOBBIN_RETURN_IF(!schema && !source.can_rewind(), StatusCode::invalid_argument,
                   source.name() + ": cannot be read a second time: without a schema that may be necessary");
  Reader reader(std::move(source), options);
  BOBBIN_TRY(reader.take_names(schema));
  reader.guessed_ = !schema;
  if (reader.guessed_) {
    BOBBIN_TRY(reader.guess(options.sample_bytes));
    BOBBIN_TRY(reader.begin());
  }
  return reader;
}

// The header's fields, where there is one; a name that is empty and unquoted is none.
Result<Names> Reader::read_header() {
  Names names;
  BOBBIN_TRY(scanner_.fill());
  while (scanner_.num_records() > 0 && scanner_.is_blank(0)) {
    scanner_.consume(1);
    BOBBIN_TRY(scanner_.fill());
  }
  if (scanner_.num_records() == 0) {
    return names;
  }
  std::string scratch;
  for (size_t i = 0; i < scanner_.num_fields(0); ++i) {
    const RawField field = scanner_.field(0, i);
    const std::string_view name = value_of(field, scratch);
    if (!file::is_valid_name(name)) {
      return scanner_.error_in(0, i,
                               fmt::format("column {}: the name {} is not UTF-8", i + 1, file::quoted(name)));
    }
    names.push_back(name.empty() && !field.quoted ? std::nullopt : std::optional<std::string>(name));
  }
  std::unordered_set<std::string> known;
  for (size_t i = 0; i < names.size(); ++i) {
    if (const std::string name = names[i].value_or(number_name(i)); !known.insert(name).second) {
      return scanner_.error_in(
          0, i, fmt::format("column {}: a second one of the name {}", i + 1, file::quoted(name)));
    }
  }
  scanner_.consume(1);
  return names;
}

// Without a header: as many as the first line that is not empty has fields. If none is, the empty ones are
// values of one column.
Result<size_t> Reader::count_columns() {
  bool any = false;
  while (true) {
    BOBBIN_TRY(scanner_.fill());
    if (scanner_.num_records() == 0) {
      return size_t{any ? 1U : 0U};
    }
    if (!scanner_.is_blank(0)) {
      return scanner_.num_fields(0);
    }
    any = true;
    scanner_.consume(1);
  }
}

Status Reader::take_names(const std::optional<Schema>& schema) {
  Names names;
  bool empty = false;
  if (options_.header) {
    BOBBIN_ASSIGN(names, read_header());
    empty = names.empty();
  } else if (!schema) {
    BOBBIN_ASSIGN(const size_t columns, count_columns());
    names.resize(columns);
  }
  if (schema && (!options_.header || empty)) {
    names.resize(schema->size());
  }
  BOBBIN_RETURN_IF(schema && schema->size() != names.size(), StatusCode::invalid_argument,
                   fmt::format("{}: the schema has {} columns, the header {}", scanner_.name(),
                               schema->size(), names.size()));
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string own = names[i].value_or(number_name(i));
    const std::string name = schema ? (*schema)[i].name.value_or(own) : own;
    BOBBIN_RETURN_IF(options_.header && !empty && name != own, StatusCode::invalid_argument,
                     fmt::format("{}: column {} is {} in the header and {} in the schema", scanner_.name(),
                                 i + 1, file::quoted(own), file::quoted(name)));
    columns_.push_back({.name = name});
  }
  for (size_t i = 0; schema && i < schema->size(); ++i) {
    set_type(i, (*schema)[i].type, ColumnBuilder::Accept::given);
  }
  return {};
}

// For each column in turn.
void Reader::set_type(size_t column, const ColumnType& type, ColumnBuilder::Accept accept) {
  columns_[column].type = type.type;
  columns_[column].nullable = !is_string(type.type);
  columns_[column].logical = type.logical;
  builders_.emplace_back(type, accept);
}

// To the first row.
Status Reader::begin() {
  scanner_.rewind();
  return options_.header ? read_header().error() : Status{};
}

Status Reader::guess(uint64_t bytes) {
  BOBBIN_TRY(begin());
  std::vector<Guess> guesses(columns_.size());
  std::string scratch;
  while (true) {
    BOBBIN_ASSIGN(const size_t records, regular_records());
    if (records == 0) {
      knows_all_ = true;
      break;
    }
    const bool is_utf8 = file::is_utf8(scanner_.text_of(records));
    for (size_t c = 0; c < guesses.size(); ++c) {
      const Scanner::Column fields = scanner_.column(c, guesses.size());
      for (size_t r = 0; r < records && !(is_utf8 && guesses[c].is_text()); ++r) {
        if (const RawField field = fields[r]; !is_null_(field)) {
          guesses[c].add(value_of(field, scratch));
        }
      }
    }
    scanner_.consume(records);
    if (scanner_.bytes_read() >= bytes) {
      break;
    }
  }
  builders_.clear();
  for (size_t c = 0; c < guesses.size(); ++c) {
    set_type(c, guesses[c].type(),
             guesses[c].known() ? ColumnBuilder::Accept::guessed : ColumnBuilder::Accept::nulls);
  }
  return {};
}

// All values have a say in the types now. Those that fitted before still do: a type is only given up.
Result<Reader::Step> Reader::guess_again() {
  BOBBIN_RETURN_IF(knows_all_, StatusCode::io, scanner_.name() + ": has changed while it was read");
  BOBBIN_TRY(guess(std::numeric_limits<uint64_t>::max()));
  BOBBIN_TRY(begin());
  return Step::restart;
}

// Records that have a field for each column. Empty lines are passed over, unless there is one column: then
// they are its values. None: the text has ended.
Result<size_t> Reader::regular_records() {
  while (true) {
    BOBBIN_TRY(scanner_.fill());
    const size_t there = scanner_.num_records();
    if (there == 0) {
      return there;
    }
    const size_t regular = columns_.empty() ? 0 : scanner_.num_regular(columns_.size());
    if (regular < there && scanner_.is_blank(regular)) {
      scanner_.drop_blanks();
      continue;
    }
    if (regular == 0) {
      return ragged();
    }
    return regular;
  }
}

Status Reader::ragged() const {
  const size_t fields = scanner_.num_fields(0);
  return scanner_.error_in(
      0, std::min(fields - 1, columns_.size()),
      fmt::format("a record of {} field{}, in a table of {} column{}", fields, fields == 1 ? "" : "s",
                  columns_.size(), columns_.size() == 1 ? "" : "s"));
}

Status Reader::misfit(size_t row, size_t column) const {
  std::string scratch;
  const std::string_view text = value_of(scanner_.field(row, column), scratch);
  const ColumnType type = type_of(columns_[column]);
  Scalar value;
  const std::string reason =
      is_string(type.type) ? "is not UTF-8" : explain(parse_value(type, text, value), type);
  return scanner_.error_in(row, column,
                           fmt::format("{}: {} {}", place_of(columns_, column), file::quoted(text), reason));
}

Result<Reader::Step> Reader::next() {
  batch_.columns.clear();
  scanner_.consume(batch_.rows);
  batch_.rows = 0;
  BOBBIN_ASSIGN(const size_t records, regular_records());
  if (records == 0) {
    return Step::end;
  }
  Rows rows{.scanner = scanner_, .fields = columns_.size(), .count = std::min(records, options_.batch_rows)};
  rows.is_utf8 = file::is_utf8(scanner_.text_of(rows.count));
  // Of several values that do not fit, the first one of the text is told.
  std::optional<size_t> wrong;
  for (size_t c = 0; c < builders_.size(); ++c) {
    const size_t fine = builders_[c].convert(rows, c, is_null_);
    if (fine < rows.count) {
      wrong = c;
      rows.count = fine;
    }
  }
  if (wrong) {
    return guessed_ ? guess_again() : Result<Step>(misfit(rows.count, *wrong));
  }
  for (const ColumnBuilder& builder : builders_) {
    batch_.columns.push_back(builder.data());
  }
  batch_.rows = rows.count;
  return Step::rows;
}

}  // namespace bobbin::csv
