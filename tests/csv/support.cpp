// SPDX-License-Identifier: Apache-2.0
#include "tests/csv/support.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/scalar.hpp"
#include "core/value_text.hpp"
#include "csv/reader.hpp"
#include "csv/writer.hpp"

namespace bobbin::csv_tests {
namespace {

ColumnType type_of(const Column& column) {
  return {column.type, column.logical};
}

Cell cell_of(const csv::ColumnData& column, uint64_t row) {
  if (is_string(column.type.type)) {
    const auto bytes = column.strings.string(row);
    return column.strings.is_null(row) ? Cell() : Cell(std::string(bytes.begin(), bytes.end()));
  }
  const uint8_t* const validity = column.numbers.validity;
  if (validity != nullptr && (validity[row / 8] >> (row % 8) & 1) == 0) {
    return {};
  }
  const size_t size = size_bytes(column.type.type);
  Scalar value;
  std::memcpy(&value.bits, static_cast<const char*>(column.numbers.values) + row * size, size);
  return value_text(column.type, value);
}

// A column of a table in the form of batches.
struct Kept {
  std::vector<char> values;
  std::vector<uint8_t> validity;
  Strings strings;
};

Kept keep(const CellTable& table, size_t c) {
  Kept kept;
  const ColumnType type = type_of(table.columns[c]);
  kept.validity.resize(table.rows.size() / 8 + 1);
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const Cell& cell = table.rows[r][c];
    kept.validity[r / 8] = static_cast<uint8_t>(kept.validity[r / 8] | (cell ? 1U : 0U) << (r % 8));
    if (is_string(type.type)) {
      if (cell) {
        kept.strings.push_back({reinterpret_cast<const uint8_t*>(cell->data()), cell->size()});
      } else {
        kept.strings.push_null();
      }
      continue;
    }
    Scalar value;
    if (cell && parse_value(type, *cell, value) != TextError::none) {
      std::abort();
    }
    const char* const bytes = reinterpret_cast<const char*>(&value.bits);
    kept.values.insert(kept.values.end(), bytes, bytes + size_bytes(type.type));
  }
  return kept;
}

std::string read_all(int descriptor) {
  std::string text(static_cast<size_t>(::lseek(descriptor, 0, SEEK_END)), '\0');
  if (::pread(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    std::abort();
  }
  return text;
}

// Texts that a careless reader or writer mistakes for something else.
constexpr const char* kOdd[] = {"",
                                " ",
                                "a,b",
                                "\"",
                                "\"\"",
                                "a\"b",
                                "\n",
                                "\r",
                                "\r\n",
                                "a\r",
                                "null",
                                "NA",
                                "nan",
                                "-0",
                                "007",
                                "+5",
                                "true",
                                "2014-08-08",
                                "\xef\xbb\xbf",
                                "\xef\xbb\xbfx",
                                "a|b",
                                "\t",
                                "ä",
                                "12",
                                "-",
                                "long text that goes over sixteen bytes, \"quotes\" and all",
                                ";",
                                "'",
                                "c0"};

// Texts that are inferred to be numbers, and then printed differently.
constexpr const char* kNumbers[] = {"1e5", "1.50", "1.5",   "True",
                                    "NaN", "96.0", "18:00", "2014-08-08T18:00Z"};

std::string draw_string(Random& random, bool binary, bool numbers) {
  if (numbers && random.below(8) == 0) {
    return kNumbers[random.below(std::size(kNumbers))];
  }
  if (random.below(3) == 0) {
    return kOdd[random.below(std::size(kOdd))];
  }
  std::string text;
  for (uint64_t size = random.below(1 + random.below(40)); size > 0; --size) {
    text += binary ? static_cast<char>(random.next()) : static_cast<char>(' ' + random.below(95));
  }
  return text;
}

Cell draw_cell(Random& random, const ColumnType& type, bool numbers) {
  if (random.below(5) == 0) {
    return {};
  }
  if (is_string(type.type)) {
    return draw_string(random, type.type == DType::binary, numbers);
  }
  Scalar value{(random.next() >> random.below(64)) & (~uint64_t{0} >> (64 - size_bits(type.type)))};
  if (type.logical.kind == Logical::Kind::boolean) {
    value.bits &= 1;
  }
  return value_text(type, value);
}

constexpr const char* kTypes[] = {
    "u8",           "u16",           "u32",           "u64",           "i8",      "i16",      "i32",
    "i64",          "utf8",          "binary",        "bool",          "date",    "utf8",     "utf8",
    "timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]", "time[s]", "time[us]", "decimal(0)",
    "decimal(2)",   "decimal(18)",   "decimal(1) i8", "f64",           "f32"};

}  // namespace

Result<CellTable> read_text(const std::string& text, const csv::Options& options,
                            const std::optional<Schema>& schema) {
  BOBBIN_ASSIGN(csv::Reader reader,
                csv::Reader::open(csv::Source::from_memory(text, "t.csv"), options, schema));
  CellTable table;
  while (true) {
    BOBBIN_ASSIGN(const csv::Reader::Step step, reader.next());
    if (step == csv::Reader::Step::end) {
      break;
    }
    if (step == csv::Reader::Step::restart) {
      table.rows.clear();
      continue;
    }
    for (uint64_t r = 0; r < reader.batch().rows; ++r) {
      table.rows.emplace_back();
      for (size_t c = 0; c < reader.columns().size(); ++c) {
        table.rows.back().push_back(cell_of(reader.batch().columns[c], r));
      }
    }
  }
  table.columns = reader.columns();
  table.spellings = reader.spellings();
  return table;
}

std::string error_of(const std::string& text, const csv::Options& options,
                     const std::optional<Schema>& schema) {
  const Result<CellTable> table = read_text(text, options, schema);
  return table.has_value() ? "read" : table.error().message();
}

Result<std::string> try_write_text(const CellTable& table, const csv::Options& options) {
  const int descriptor = ::memfd_create("csv", 0);
  file::Output output = file::Output::borrow(descriptor);
  std::vector<csv::WrittenColumn> written;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const bool spelled = c < table.spellings.size();
    written.push_back(
        {.name = table.columns[c].name, .spelling = spelled ? table.spellings[c] : csv::Spelling{}});
  }
  csv::Writer writer(output, std::move(written), options);
  std::vector<Kept> kept;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    kept.push_back(keep(table, c));
  }
  csv::RecordBatch batch{.columns = {}, .rows = table.rows.size()};
  for (size_t c = 0; c < kept.size(); ++c) {
    batch.columns.push_back({.type = type_of(table.columns[c]),
                             .numbers = {kept[c].values.data(), kept[c].validity.data()},
                             .strings = kept[c].strings.view()});
  }
  Status status = writer.begin();
  status = status.ok() ? writer.append(batch) : status;
  status = status.ok() ? writer.finish() : status;
  status = status.ok() ? output.commit() : status;
  std::string text = status.ok() ? read_all(descriptor) : "";
  ::close(descriptor);
  return status.ok() ? Result<std::string>(std::move(text)) : status;
}

std::string write_text(const CellTable& table, const csv::Options& options) {
  Result<std::string> text = try_write_text(table, options);
  if (!text.has_value()) {
    std::abort();
  }
  return std::move(*text);
}

Schema schema_of(const CellTable& table) {
  Schema schema;
  for (const Column& column : table.columns) {
    schema.push_back({column.name, type_of(column)});
  }
  return schema;
}

std::string show(const CellTable& table) {
  std::string text = schema_text(table.columns);
  for (const auto& row : table.rows) {
    text += "\n";
    for (size_t c = 0; c < row.size(); ++c) {
      text += c == 0 ? "" : "|";
      text += row[c].value_or("~");
    }
  }
  return text;
}

std::string read_as(const std::string& text, csv::Options options, const std::optional<Schema>& schema) {
  const auto shown = [&] {
    const Result<CellTable> table = read_text(text, options, schema);
    return table.has_value() ? show(*table) : table.error().message();
  };
  const std::string expected = shown();
  for (const size_t bytes : {1U, 2U, 3U, 7U, 63U, 64U, 65U, 200U}) {
    for (const size_t rows : {1U, 2U, 1000U}) {
      options.buffer_bytes = bytes;
      options.batch_rows = rows;
      options.sample_bytes = bytes / 2;
      if (const std::string again = shown(); again != expected) {
        return fmt::format("{}\n(read by {} bytes and {} rows:)\n{}", expected, bytes, rows, again);
      }
    }
  }
  return expected;
}

CellTable draw_table(Random& random, bool all) {
  CellTable table;
  for (uint64_t c = 1 + random.below(6); c > 0; --c) {
    const char* name = kTypes[random.below(std::size(kTypes) - (all ? 0 : 2))];
    const ColumnType type = parse_column_type(name).value();
    table.columns.push_back(
        {.name = fmt::format("{}{}", random.below(4) == 0 ? draw_string(random, false, true) : "x", c),
         .type = type.type,
         .nullable = !is_string(type.type),
         .logical = type.logical});
  }
  for (uint64_t rows = random.below(30); rows > 0; --rows) {
    table.rows.emplace_back();
    for (const Column& column : table.columns) {
      table.rows.back().push_back(draw_cell(random, type_of(column), all));
    }
  }
  return table;
}

}  // namespace bobbin::csv_tests
