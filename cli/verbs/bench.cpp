// SPDX-License-Identifier: Apache-2.0
// bobbin bench: sizes and speeds on the user's own data, compared with memcpy, zstd -1 and lz4 on the same
// bytes.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "bobbin/encoded_array.hpp"
#include "bobbin/memory.hpp"
#include "bobbin/text.hpp"
#include "cli/bench_table.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/summary.hpp"
#include "cli/table_input.hpp"
#include "measure/peers.hpp"
#include "measure/report.hpp"
#include "measure/shapes.hpp"

namespace bobbin::cli {
namespace {

using bench::Bytes;
using bench::Sample;

constexpr uint64_t kMaxFileBytes = uint64_t{256} << 20;  // of a file, unless --rows is given
constexpr uint64_t kSampleRows = uint64_t{1} << 22;
constexpr uint64_t kEmulatorRows = uint64_t{1} << 16;  // the emulator runs thread by thread
constexpr uint64_t kSeed = 1;

struct BenchArgs {
  std::string input;
  ImportArgs reading;
  std::string type;
  std::string backend = "auto";
  std::string cache = "cold";
  uint64_t rows = 0;  // 0: the default
  int runs = 5;
  bool sample = false;
  bool json = false;
};

using Row = BenchRow;

// Columns are split into chunks as a writer does by default.
const uint64_t kRowsPerChunk = WriteOptions{}.rows_per_group;

// Numbers that somebody else owns.
struct Values {
  DType type{};
  const std::byte* data = nullptr;
  uint64_t length = 0;

  [[nodiscard]] uint64_t bytes() const { return length * size_bytes(type); }
  [[nodiscard]] std::vector<Values> chunks() const {
    std::vector<Values> all;
    for (uint64_t begin = 0; begin < length; begin += kRowsPerChunk) {
      all.push_back({type, data + begin * size_bytes(type), std::min(kRowsPerChunk, length - begin)});
    }
    return all;
  }
  [[nodiscard]] Result<EncodedArray> encode(const std::string& codec) const {
    return EncodedArray::encode(type, data, length, Cascade{codec});
  }
};

class Bench {
 public:
  Bench(const BenchArgs& args, Backend backend)
      : backend_(backend),
        plan_{.runs = args.runs,
              .seconds = 3,
              .cache = args.cache == "cold" ? bench::Cache::cold : bench::Cache::warm} {}

  Status measure(const std::string& name, DType type, const Bytes& raw) {
    const Values values{type, raw.data(), raw.size() / size_bytes(type)};
    const std::vector<bench::PeerResult> peers = bench::measure_peers(raw.span(), plan_);
    const double copy_speed = peers.front().decompress.bytes_per_second(raw.size());
    for (const std::string& codec : codec_names()) {
      if (check_cascade({codec}, type).ok()) {
        measure_codec({.data = name, .type = type, .method = codec, .copy_speed = copy_speed}, values);
      }
    }
    for (const bench::PeerResult& peer : peers) {
      rows_.push_back({name, type, peer.name, "cpu", raw.size(), peer.bytes, peer.checked || !peer.present,
                       peer.compress, peer.decompress, copy_speed});
    }
    return backend_ == Backend::cpu ? Status{} : measure_device(name, values);
  }

  // For text, also measures once how fast it is compressed.
  Status measure_table(const std::string& path, uint64_t rows, const ImportArgs& reading) {
    const auto start = std::chrono::steady_clock::now();
    BOBBIN_ASSIGN(const OpenTable file, open_table(path, reading));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (file.origin == OpenTable::Origin::text) {
      rows_.push_back({.data = file.name,
                       .type = DType::utf8,
                       .method = "compress",
                       .raw_bytes = raw_bytes(summarize(file.reader)),
                       .bytes = file.reader.file_bytes(),
                       .checked = true,
                       .encode = bench::summarize({seconds.count()}),
                       .text_bytes = file.source_bytes});
    }
    return cli::measure_table(file.reader, {rows, backend_, plan_}, rows_).in(file.name);
  }

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  // One core, chunk by chunk. A codec that cannot encode these values has no row.
  void measure_codec(Row row, const Values& values) {
    const std::vector<Values> chunks = values.chunks();
    std::vector<EncodedArray> arrays;
    for (const Values& chunk : chunks) {
      const Result<EncodedArray> array = chunk.encode(row.method);
      if (!array.has_value()) {
        return;
      }
      row.bytes += array->encoded_bytes();
      arrays.push_back(*array);
    }
    row.raw_bytes = values.bytes();
    row.checked = true;
    row.encode = bench::measure(
        [&] {
          for (const Values& chunk : chunks) {
            row.checked = chunk.encode(row.method).has_value() && row.checked;
          }
        },
        plan_);
    const Bytes out(row.raw_bytes);
    row.decode = bench::measure(
        [&] {
          size_t at = 0;
          for (const EncodedArray& array : arrays) {
            const size_t size = array.length() * size_bytes(array.type());
            row.checked = array.decode(out.span().subspan(at, size)).ok() && row.checked;
            at += size;
          }
        },
        plan_);
    row.checked = row.checked && std::equal(out.span().begin(), out.span().end(), values.data);
    rows_.push_back(std::move(row));
  }

  Status measure_device(const std::string& name, Values values) {
    if (backend_ == Backend::emulator) {
      values.length = std::min(values.length, kEmulatorRows);
    }
    BOBBIN_ASSIGN(const Stream owner, Stream::create(backend_));
    const StreamView stream = owner.view();
    BOBBIN_ASSIGN(const DeviceBuffer raw, DeviceBuffer::create(values.bytes(), stream));
    BOBBIN_ASSIGN(const DeviceBuffer decoded, DeviceBuffer::create(values.bytes(), stream));
    BOBBIN_TRY(copy_async(raw.data(), values.data, values.bytes(), stream));
    Row row{.data = name,
            .type = values.type,
            .method = "memcpy",
            .backend = std::string(to_string(backend_)),
            .raw_bytes = values.bytes(),
            .checked = true};
    BOBBIN_ASSIGN(row.decode, bench::measure_in_stream(
                                  [&] { return copy_async(decoded.data(), raw.data(), raw.size(), stream); },
                                  stream, plan_));
    row.copy_speed = row.decode.bytes_per_second(row.raw_bytes);
    const Row copy = row;
    for (const std::string& codec : codec_names()) {
      const Result<EncodedArray> host = values.encode(codec);
      if (host.has_value()) {
        row.method = codec;
        BOBBIN_TRY(measure_codec_on_device(row, *host, values, raw, decoded, stream));
      }
    }
    rows_.push_back(copy);
    return {};
  }

  // The column as one array in the device's memory.
  Status measure_codec_on_device(Row row, const EncodedArray& host, const Values& values,
                                 const DeviceBuffer& raw, const DeviceBuffer& decoded, StreamView stream) {
    BOBBIN_ASSIGN(const EncodedArray array, host.to_device(stream));
    BOBBIN_TRY(fill_async(decoded.data(), 0, decoded.size(), stream));
    BOBBIN_ASSIGN(row.decode,
                  bench::measure_in_stream([&] { return array.decode_on_device(decoded.data(), stream); },
                                           stream, plan_));
    BOBBIN_ASSIGN(row.encode, bench::measure_in_stream(
                                  [&] {
                                    return EncodedArray::encode_on_device(row.method, values.type, raw.data(),
                                                                          values.length, stream)
                                        .error();
                                  },
                                  stream, plan_));
    const Bytes back(values.bytes());
    BOBBIN_TRY(copy_async(back.data(), decoded.data(), back.size(), stream));
    BOBBIN_TRY(stream.synchronize());
    row.checked = std::equal(back.span().begin(), back.span().end(), values.data);
    rows_.push_back(std::move(row));
    return {};
  }

  Backend backend_;
  bench::Plan plan_;
  std::vector<Row> rows_;
};

double of_memcpy(const Row& row) {
  return row.copy_speed > 0 ? row.decode.bytes_per_second(row.raw_bytes) / row.copy_speed : 0;
}

double encoded_per_second(const Row& row) {
  return row.encode.bytes_per_second(row.text_bytes != 0 ? row.text_bytes : row.raw_bytes);
}

// The values of all columns, or of all samples: each has its rows next to each other.
uint64_t bytes_of_values(const std::vector<Row>& rows) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool is_new = i == 0 || rows[i].data != rows[i - 1].data;
    bytes += is_new && rows[i].text_bytes == 0 ? rows[i].raw_bytes : 0;
  }
  return bytes;
}

std::vector<std::string> to_cells(const Row& row) {
  return {printable(row.data),
          std::string(to_string(row.type)),
          row.method,
          row.backend,
          row.bytes == 0 ? "-" : std::to_string(row.bytes),
          ratio_text(row.raw_bytes, row.bytes),
          bench::megabytes_per_second(encoded_per_second(row)),
          bench::gigabytes_per_second(row.decode.bytes_per_second(row.raw_bytes)),
          bench::number(of_memcpy(row))};
}

Json to_json(const Row& row) {
  return {{"data", row.data},
          {"type", to_string(row.type)},
          {"method", row.method},
          {"backend", row.backend},
          {"raw_bytes", row.raw_bytes},
          {"bytes", row.bytes},
          {"ratio", ratio(row.raw_bytes, row.bytes)},
          {"encode_mb_s", encoded_per_second(row) / 1e6},
          {"decode_gb_s", row.decode.bytes_per_second(row.raw_bytes) / 1e9},
          {"decode_of_memcpy", of_memcpy(row)},
          {"checked", row.checked},
          {"encode", bench::to_json(row.encode)},
          {"decode", bench::to_json(row.decode)}};
}

// The file's first bytes, as whole values of the type.
Result<Bytes> load(const Input& input, DType type, uint64_t rows) {
  const uint64_t limit = rows == 0 ? kMaxFileBytes : rows * size_bytes(type);
  const uint64_t length = input.length.value_or(limit);
  BOBBIN_TRY(check_whole_values(input.name, length, type));
  Bytes bytes(static_cast<size_t>(std::min(length, limit)));
  BOBBIN_ASSIGN(const size_t size, read_full(input, bytes.span()));
  BOBBIN_RETURN_IF(size == 0, StatusCode::invalid_argument, input.name + ": the input is empty");
  BOBBIN_RETURN_IF(size != bytes.size() && input.length, StatusCode::io,
                   input.name + ": read: the file was truncated while it was being read");
  if (size < bytes.size()) {
    BOBBIN_TRY(check_whole_values(input.name, size, type));
    Bytes shorter(size);
    std::copy_n(bytes.data(), shorter.size(), shorter.data());
    return shorter;
  }
  return bytes;
}

Status measure_samples(const BenchArgs& args, Bench& bench) {
  for (const bench::ColumnShape& shape : bench::all_shapes()) {
    const DType type = args.type.empty() ? shape.type : *parse_dtype(args.type);
    const Bytes raw = bench::make_values(shape, type, args.rows == 0 ? kSampleRows : args.rows, kSeed);
    BOBBIN_TRY(bench.measure(std::string(shape.name), type, raw));
  }
  return {};
}

Status measure_file(const BenchArgs& args, Bench& bench) {
  if (args.type.empty()) {
    return bench.measure_table(args.input, args.rows, args.reading);
  }
  const DType type = *parse_dtype(args.type);
  BOBBIN_ASSIGN(const Input input, open_input(args.input));
  BOBBIN_ASSIGN(const Bytes raw, load(input, type, args.rows));
  return bench.measure(input.name, type, raw);
}

void print_rows(const BenchArgs& args, const std::vector<Row>& rows) {
  const bench::Machine machine = bench::describe_machine();
  bench::TextTable table(
      {"data", "type", "method", "backend", "bytes", "ratio", "encode MB/s", "decode GB/s", "of memcpy"}, 4);
  Json json = Json::array();
  for (const Row& row : rows) {
    table.add(to_cells(row));
    json.push_back(to_json(row));
  }
  if (args.json) {
    print(bench::dump(bench::make_report(machine, std::move(json))) + "\n");
    return;
  }
  print(fmt::format(
      "{}\n{}; speeds count bytes of values, of CSV files those of the text; every method reproduced the "
      "same bytes\n\n{}",
      bench::report_head(machine),
      rows.empty()
          ? ""
          : bench::human_bytes(bytes_of_values(rows)) + " of values, one core, " + args.cache + " cache",
      table.markdown()));
}

Status run_bench(const BenchArgs& args) {
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  Bench bench(args, backend);
  BOBBIN_TRY(args.sample ? measure_samples(args, bench) : measure_file(args, bench));
  for (const Row& row : bench.rows()) {
    BOBBIN_RETURN_IF(
        !row.checked, StatusCode::corrupt,
        row.data + ": " + row.method + " on " + row.backend + " did not reproduce the same bytes");
  }
  print_rows(args, bench.rows());
  return {};
}

}  // namespace

void add_bench(const Parser& parser, Action& action) {
  const Verb verb =
      parser.add_verb("bench", "Measure sizes and speeds on your data, compared with memcpy, zstd and lz4");
  auto args = std::make_shared<BenchArgs>();
  Option input = add_input(
      verb, args->input, "Table (.bob, CSV, Parquet or Arrow) or, with --type, raw array; its first 256 MiB");
  add_type_option(verb, args->type);
  Option sample = verb.add_flag("--sample", args->sample, "Measure synthetic columns instead of a file");
  input.excludes(sample);
  verb.add_option("--rows", args->rows, "Rows to measure (default: all of a file; 4194304 of each sample)")
      .between(1, uint64_t{1} << 32)
      .type_name("N");
  verb.add_option("--runs", args->runs, "Runs of each measurement; the median is reported")
      .between(1, 1000)
      .type_name("N")
      .show_default();
  const auto check_cache = [](const std::string& state) -> std::string {
    return state == "cold" || state == "warm" ? ""
                                              : "unknown cache state '" + state + "'; expected cold or warm";
  };
  verb.add_option("--cache", args->cache, "cold: caches are flushed before each run; warm: they are not")
      .check("cache", check_cache)
      .type_name("STATE")
      .show_default();
  add_backend_option(verb, args->backend);
  verb.add_flag("--json", args->json, "Print JSON");
  add_import_options(verb, args->reading);
  verb.footer(
      "The CPU is always measured; --backend cuda or emulator adds that device, with data in its own "
      "memory.\n"
      "Examples:\n"
      "  bobbin bench prices.bin --type i32\n"
      "  bobbin bench table.bob\n"
      "  bobbin bench table.csv\n"
      "  bobbin bench --sample --json > bench.json");
  verb.callback([args, &action] {
    if (args->input.empty() && !args->sample) {
      refuse_without("IN or --sample");
    }
    if (!args->type.empty() && args->reading.given()) {
      refuse("CSV options are not for raw arrays");
    }
    action = [args] { return report(run_bench(*args)); };
  });
}

}  // namespace bobbin::cli
