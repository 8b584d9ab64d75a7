// SPDX-License-Identifier: Apache-2.0
// One CPU core: tables as CSV, read with given types, with types inferred, and written, compared with memcpy
// of the same bytes in the same run. usage: bobbin-bench-cpu-csv --data FOLDER [--bytes N] [--out FILE.json]
// The folder's tables have '|' between fields and no header.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <limits>

#include "bench/program.hpp"
#include "bench/tables.hpp"
#include "csv/reader.hpp"
#include "csv/writer.hpp"

namespace bobbin::bench {
namespace {

const csv::Options kOptions{.delimiter = '|', .header = false};

Schema schema_of(const std::vector<Column>& columns) {
  Schema schema;
  for (const Column& column : columns) {
    schema.push_back({std::nullopt, {column.type, column.logical}});
  }
  return schema;
}

// The types inferred from the whole text.
Result<std::vector<Column>> guess(const std::string& text) {
  csv::Options options = kOptions;
  options.sample_bytes = std::numeric_limits<uint64_t>::max();
  BOBBIN_ASSIGN(const csv::Reader reader,
                csv::Reader::open(csv::Source::from_memory(text, "text"), options, std::nullopt));
  return reader.columns();
}

Result<uint64_t> parse(const std::string& text, const Schema& schema) {
  BOBBIN_ASSIGN(csv::Reader reader,
                csv::Reader::open(csv::Source::from_memory(text, "text"), kOptions, schema));
  uint64_t rows = 0;
  while (true) {
    BOBBIN_ASSIGN(const csv::Reader::Step step, reader.next());
    if (step == csv::Reader::Step::end) {
      return rows;
    }
    rows += reader.batch().rows;
  }
}

// Writes one batch of the text's first rows repeatedly. Returns the bytes.
Result<uint64_t> write(const csv::Reader& reader, uint64_t rows, int descriptor) {
  file::Output output = file::Output::borrow(descriptor);
  std::vector<csv::WrittenColumn> columns;
  std::ranges::transform(reader.columns(), std::back_inserter(columns),
                         [](const Column& column) { return csv::WrittenColumn{.name = column.name}; });
  csv::Writer writer(output, std::move(columns), kOptions);
  for (uint64_t done = 0; done < rows; done += reader.batch().rows) {
    BOBBIN_TRY(writer.append(reader.batch()));
  }
  BOBBIN_TRY(writer.finish());
  return output.position();
}

struct Row {
  std::string what;
  uint64_t bytes = 0;
  Sample sample;
};

Result<std::vector<Row>> measure_table(const std::string& text, int null_device, const Plan& plan) {
  std::vector<Row> rows;
  Bytes copy(text.size());
  rows.push_back(
      {"memcpy", text.size(), measure([&] { std::memcpy(copy.data(), text.data(), text.size()); }, plan)});
  Result<std::vector<Column>> columns = guess(text);
  BOBBIN_RETURN_IF(!columns.has_value(), StatusCode::device, columns.error().message());
  rows.push_back({"find types", text.size(), measure([&] { columns = guess(text); }, plan)});
  const Schema schema = schema_of(*columns);
  Result<uint64_t> parsed = parse(text, schema);
  BOBBIN_RETURN_IF(!parsed.has_value(), StatusCode::device, parsed.error().message());
  rows.push_back({"read", text.size(), measure([&] { parsed = parse(text, schema); }, plan)});
  BOBBIN_ASSIGN(csv::Reader reader,
                csv::Reader::open(csv::Source::from_memory(text, "text"), kOptions, schema));
  BOBBIN_ASSIGN(const csv::Reader::Step step, reader.next());
  BOBBIN_RETURN_IF(step != csv::Reader::Step::rows, StatusCode::device, "no rows");
  Result<uint64_t> written = write(reader, *parsed, null_device);
  BOBBIN_RETURN_IF(!written.has_value(), StatusCode::device, written.error().message());
  const Sample sample = measure([&] { written = write(reader, *parsed, null_device); }, plan);
  rows.push_back({"write", *written, sample});
  return rows;
}

Status run(const Arguments& arguments) {
  const std::string folder = arguments.text("--data");
  std::FILE* const null_device = std::fopen("/dev/null", "wb");
  BOBBIN_RETURN_IF(null_device == nullptr || folder.empty(), StatusCode::invalid_argument,
                   "name a folder of tables with --data");
  stay_on_one_core();
  const Plan plan{.runs = 5, .seconds = 5, .cache = Cache::cold};
  TextTable table{{"table", "what", "MB/s", "of memcpy"}, 2};
  Json json = Json::array();
  for (const std::filesystem::path& path : tables_in(folder)) {
    const TableText text = load_table(path, arguments.number("--bytes", 200'000'000));
    BOBBIN_ASSIGN(const std::vector<Row> rows, measure_table(text.text, fileno(null_device), plan));
    const double copied = rows.front().sample.bytes_per_second(rows.front().bytes);
    for (const Row& row : rows) {
      const double speed = row.sample.bytes_per_second(row.bytes);
      table.add({text.name, row.what, number(speed / 1e6, 0), number(speed / copied, 3)});
      json.push_back(
          {{"table", text.name}, {"what", row.what}, {"bytes", row.bytes}, {"seconds", to_json(row.sample)}});
    }
  }
  std::fclose(null_device);
  return publish(table.markdown(), json, arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
