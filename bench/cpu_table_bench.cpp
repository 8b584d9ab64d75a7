// SPDX-License-Identifier: Apache-2.0
// One CPU core: tables from CSV to .bob files and back into memory, their sizes and speeds, compared with
// memcpy, zstd and, if bench/parquet_tables.py has measured them, Parquet files of the same tables.
// usage: bobbin-bench-cpu-table --data FOLDER [--bytes N] [--parquet FILE.json] [--out FILE.json]
// Sizes are those of the original tables; speeds are for their text repeated to `bytes`.
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <numeric>
#include <span>

#include "bench/program.hpp"
#include "bench/tables.hpp"
#include "bobbin/table.hpp"
#include "csv/reader.hpp"
#include "file/append.hpp"
#include "measure/peers.hpp"

namespace bobbin::bench {
namespace {

constexpr int kZstdLevel = 3;

// Converts text to a file. Returns its size.
Result<uint64_t> write_file(const TableText& table, const std::string& text, const std::string& path) {
  BOBBIN_ASSIGN(csv::Reader reader,
                csv::Reader::open(csv::Source::from_memory(text, table.name), table.options, std::nullopt));
  while (true) {
    BOBBIN_ASSIGN(Writer writer, Writer::create(path, reader.columns(), {.overwrite = true}));
    csv::Reader::Step step = csv::Reader::Step::rows;
    while (step == csv::Reader::Step::rows) {
      BOBBIN_ASSIGN(step, reader.next());
      if (step == csv::Reader::Step::rows) {
        BOBBIN_TRY(file::append_untyped(writer, reader.batch().pointers(), reader.batch().rows));
      }
    }
    if (step == csv::Reader::Step::end) {
      BOBBIN_TRY(writer.finish());
      return writer.bytes_written();
    }
  }
}

uint64_t bytes_of(const HostColumn& column) {
  return is_string(column.column.type)
             ? column.strings.bytes.size() + column.strings.offsets.size() * sizeof(uint32_t)
             : column.length * size_bytes(column.column.type) + column.validity.size();
}

// Reads all columns into memory. Returns their size there.
Result<uint64_t> read_file(const Reader& reader) {
  std::vector<size_t> columns(reader.columns().size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  BOBBIN_ASSIGN(const std::vector<HostColumn> made, read_columns(reader, columns, 0, reader.num_rows(), 1));
  uint64_t bytes = 0;
  for (const HostColumn& column : made) {
    bytes += bytes_of(column);
  }
  return bytes;
}

struct Measured {
  uint64_t text_bytes = 0;
  uint64_t bytes = 0;
  uint64_t zstd = 0;
  uint64_t raw_bytes = 0;  // of the repeated table, in memory
  uint64_t repeated_text = 0;
  Sample write;
  Sample read;
  Sample copy;
};

Result<Measured> measure_table(const TableText& table, const std::string& path, const Plan& plan) {
  Measured made;
  made.text_bytes = table.once.size();
  made.zstd = zstd_size(std::as_bytes(std::span(table.once)), kZstdLevel).value_or(0);
  BOBBIN_ASSIGN(made.bytes, write_file(table, table.once, path));
  made.repeated_text = table.text.size();
  Result<uint64_t> size = write_file(table, table.text, path);
  BOBBIN_RETURN_IF(!size.has_value(), StatusCode::device, size.error().message());
  made.write = measure([&] { size = write_file(table, table.text, path); }, plan);
  BOBBIN_ASSIGN(const Reader reader, Reader::open(path));
  Result<uint64_t> raw = read_file(reader);
  BOBBIN_RETURN_IF(!raw.has_value(), StatusCode::device, raw.error().message());
  made.raw_bytes = *raw;
  made.read = measure([&] { raw = read_file(reader); }, plan);
  const Bytes from(made.raw_bytes);
  const Bytes to(made.raw_bytes);
  made.copy = measure([&] { std::memcpy(to.data(), from.data(), made.raw_bytes); }, plan);
  return made;
}

Json to_json(const TableText& table, const Measured& made) {
  return {{"table", table.name},
          {"csv_bytes", made.text_bytes},
          {"bob_bytes", made.bytes},
          {"zstd3_bytes", made.zstd},
          {"repeated_csv_bytes", made.repeated_text},
          {"repeated_raw_bytes", made.raw_bytes},
          {"write_seconds", bench::to_json(made.write)},
          {"read_seconds", bench::to_json(made.read)},
          {"memcpy_seconds", bench::to_json(made.copy)}};
}

Json load_json(const std::string& path) {
  std::ifstream file(path);
  return path.empty() ? Json::object() : Json::parse(file, nullptr, false);
}

// A figure for Parquet: the text of a number, or "-".
std::string parquet_text(const Json& parquet, const std::string& name, const char* what, double scale) {
  return parquet.contains(name) ? number(parquet[name][what].get<double>() * scale, 1) : "-";
}

Status run(const Arguments& arguments) {
  const std::string folder = arguments.text("--data");
  BOBBIN_RETURN_IF(folder.empty(), StatusCode::invalid_argument, "name a folder of tables with --data");
  stay_on_one_core();
  keep_freed_memory();
  const Json parquet = load_json(arguments.text("--parquet"));
  const Plan plan{.runs = 5, .seconds = 5, .cache = Cache::cold};
  TextTable table{{"table", "CSV kB", "zstd -3", "Parquet snappy", "Parquet zstd", ".bob", "CSV to .bob MB/s",
                   "decode GB/s", "of memcpy", "Parquet zstd decode GB/s"}};
  Json json = Json::array();
  const std::string path =
      (std::filesystem::temp_directory_path() / ("bobbin-bench-" + std::to_string(::getpid()))).string();
  for (const std::filesystem::path& file : tables_in(folder)) {
    const TableText text = load_table(file, arguments.number("--bytes", 100'000'000));
    BOBBIN_ASSIGN(const Measured made, measure_table(text, path, plan));
    const double speed = made.read.bytes_per_second(made.raw_bytes);
    table.add({text.name, number(static_cast<double>(made.text_bytes) / 1e3, 1),
               number(static_cast<double>(made.zstd) / 1e3, 1),
               parquet_text(parquet, text.name, "snappy_bytes", 1e-3),
               parquet_text(parquet, text.name, "zstd_bytes", 1e-3),
               number(static_cast<double>(made.bytes) / 1e3, 1),
               number(made.write.bytes_per_second(made.repeated_text) / 1e6, 0), number(speed / 1e9, 2),
               number(speed / made.copy.bytes_per_second(made.raw_bytes), 2),
               parquet_text(parquet, text.name, "zstd_decode_bytes_per_second", 1e-9)});
    json.push_back(to_json(text, made));
    if (parquet.contains(text.name)) {
      json.back()["parquet"] = parquet[text.name];
    }
  }
  std::filesystem::remove(path);
  return publish(table.markdown(), json, arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
