// SPDX-License-Identifier: Apache-2.0
// The main task from end to end: makes a table, writes it as one .bob file, compares it with memcpy, zstd -1
// and lz4 on the same bytes, reads every column back and checks every byte.
// usage: bobbin-demo [--dir DIR] [--rows N] [--runs N] [--file PATH:TYPE]...
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "bench/codecs.hpp"
#include "bobbin/bobbin.hpp"
#include "measure/peers.hpp"
#include "measure/report.hpp"
#include "measure/shapes.hpp"

namespace bobbin::demo {
namespace {

using bench::Bytes;
using bench::gigabytes_per_second;
using bench::human_bytes;
using bench::number;

struct RealFile {
  std::string path;
  DType type{};
};

struct Args {
  std::string dir = ".";
  uint64_t rows = 4'000'000;
  int runs = 3;
  std::vector<RealFile> files;
};

struct SampleColumn {
  std::string_view name;
  std::string_view shape;
  DType type;
};

constexpr SampleColumn kSampleColumns[] = {
    {"row", "counter", DType::u32},     {"time_ms", "timestamps", DType::i64},
    {"status", "small", DType::u8},     {"load_percent", "percent", DType::u16},
    {"user", "clustered", DType::u64},  {"temperature", "sensor", DType::i16},
    {"visits", "skewed", DType::u32},   {"price_cents", "uniform20", DType::i32},
    {"region", "constant", DType::u32}, {"hash", "random", DType::u32},
};

struct DemoColumn {
  Column column;
  Bytes raw;
};

// Writes all columns into one file.
Status write_file(const std::string& path, const std::vector<DemoColumn>& columns, uint64_t rows) {
  std::vector<Column> schema;
  std::vector<ColumnView> data;
  for (const DemoColumn& column : columns) {
    schema.push_back(column.column);
    data.emplace_back(column.column.type, column.raw.data(), rows);
  }
  WriteOptions options;
  options.overwrite = true;
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, schema, options));
  BOBBIN_TRY(writer.append(data));
  return writer.finish();
}

uint64_t tree_bytes(const NodeInfo& node) {
  uint64_t bytes = node.bytes;
  for (const NodeInfo& child : node.children) {
    bytes += tree_bytes(child);
  }
  return bytes;
}

// "ffor", or "outer(inner, inner)".
std::string tree_text(const NodeInfo& node) {
  std::string text = node.codec;
  for (size_t i = 0; i < node.children.size(); ++i) {
    text += (i == 0 ? "(" : ", ") + tree_text(node.children[i]);
  }
  return text + (node.children.empty() ? "" : ")");
}

struct Encoded {
  std::string trees;  // all distinct ones, in order of appearance
  uint64_t bytes = 0;
};

Encoded describe_column(const Reader& reader, size_t column) {
  Encoded encoded;
  std::vector<std::string> seen;
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const NodeInfo root = reader.row_group(group)->chunks[column].root;
    encoded.bytes += tree_bytes(root);
    const std::string text = tree_text(root);
    if (std::find(seen.begin(), seen.end(), text) == seen.end()) {
      seen.push_back(text);
      encoded.trees += (encoded.trees.empty() ? "" : " or ") + text;
    }
  }
  return encoded;
}

Status check_column(const Reader& reader, size_t index, const DemoColumn& column) {
  const Bytes back(column.raw.size());
  BOBBIN_TRY(reader.read(index, 0, reader.num_rows(), back.span()));
  BOBBIN_RETURN_IF(!std::equal(back.span().begin(), back.span().end(), column.raw.data()),
                   StatusCode::corrupt, column.column.name + ": decoded to different bytes");
  return {};
}

// "ratio, compress, decompress" in one cell.
std::string peer_cell(const bench::PeerResult& peer, uint64_t raw) {
  if (!peer.present) {
    return "-";
  }
  return fmt::format("{:6.2f} {:6.2f} {:6.2f}", static_cast<double>(raw) / static_cast<double>(peer.bytes),
                     peer.compress.bytes_per_second(raw) / 1e9, peer.decompress.bytes_per_second(raw) / 1e9);
}

class Demo {
 public:
  Demo(const Args& args, bool with_gpu)
      : plan_{.runs = args.runs, .seconds = 1, .cache = bench::Cache::cold},
        with_gpu_(with_gpu),
        table_(headers(with_gpu), 3) {}

  // Measures the columns, writes them, reads them back.
  Status run(const std::string& path, const std::vector<DemoColumn>& columns, uint64_t rows) {
    BOBBIN_TRY(write_file(path, columns, rows));
    BOBBIN_ASSIGN(const Reader reader, Reader::open(path));
    for (size_t i = 0; i < columns.size(); ++i) {
      BOBBIN_TRY(check_column(reader, i, columns[i]));
      BOBBIN_TRY(add_row(columns[i], describe_column(reader, i), rows));
      raw_bytes_ += columns[i].raw.size();
    }
    file_bytes_ += reader.file_bytes();
    num_columns_ += columns.size();
    paths_.push_back(path);
    return {};
  }

  void print(const bench::Machine& machine) const {
    std::string text = fmt::format(
        "\n{}\nSpeeds in GB/s of values, one core, cold cache, median of {}; the peers on the same bytes in "
        "the same "
        "run.\n\n{}\n",
        bench::report_head(machine), plan_.runs, table_.markdown());
    for (const std::string& path : paths_) {
      text += "file: " + path + "\n";
    }
    text += fmt::format("OK: {} columns, {} in {} (ratio {:.2f}); every byte was decoded correctly\n",
                        num_columns_, human_bytes(raw_bytes_), human_bytes(file_bytes_),
                        static_cast<double>(raw_bytes_) / static_cast<double>(file_bytes_));
    std::fputs(text.c_str(), stdout);
  }

 private:
  static std::vector<std::string> headers(bool with_gpu) {
    std::vector<std::string> names = {"column", "type",   "encoding", "raw",   "compressed",
                                      "ratio",  "encode", "decode",   "memcpy"};
    for (const char* peer : {"zstd -1: ratio, in, out", "lz4: ratio, in, out"}) {
      names.emplace_back(peer);
    }
    if (with_gpu) {
      names.emplace_back("GPU decode");
      names.emplace_back("GPU memcpy");
    }
    return names;
  }

  Status add_row(const DemoColumn& column, const Encoded& encoded, uint64_t rows) {
    const uint64_t raw = column.raw.size();
    const Values values{column.column.type, column.raw.data(), rows};
    BOBBIN_ASSIGN(const bench::CodecResult own, bench::measure_codec(nullptr, values, plan_));
    const std::vector<bench::PeerResult> peers = bench::measure_peers(column.raw.span(), plan_);
    std::vector<std::string> cells = {column.column.name,
                                      std::string(to_string(column.column.type)),
                                      encoded.trees,
                                      human_bytes(raw),
                                      human_bytes(encoded.bytes),
                                      number(static_cast<double>(raw) / static_cast<double>(encoded.bytes)),
                                      gigabytes_per_second(own.encode.bytes_per_second(raw)),
                                      gigabytes_per_second(own.decode.bytes_per_second(raw)),
                                      gigabytes_per_second(peers[0].decompress.bytes_per_second(raw)),
                                      peer_cell(peers[1], raw),
                                      peer_cell(peers[2], raw)};
    bool checked = own.checked;
    if (with_gpu_) {
      BOBBIN_ASSIGN(const bench::DeviceResult gpu,
                    bench::measure_on_device(Backend::cuda, nullptr, values, plan_));
      cells.push_back(gigabytes_per_second(gpu.decode.bytes_per_second(raw)));
      cells.push_back(gigabytes_per_second(gpu.copy.bytes_per_second(raw)));
      checked = checked && gpu.checked;
    }
    for (const bench::PeerResult& peer : peers) {
      checked = checked && (peer.checked || !peer.present);
    }
    BOBBIN_RETURN_IF(!checked, StatusCode::corrupt,
                     column.column.name + ": a method did not reproduce the same bytes");
    table_.add(std::move(cells));
    return {};
  }

  bench::Plan plan_;
  bool with_gpu_;
  bench::TextTable table_;
  uint64_t raw_bytes_ = 0;
  uint64_t file_bytes_ = 0;
  size_t num_columns_ = 0;
  std::vector<std::string> paths_;
};

Result<DemoColumn> load(const RealFile& file) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(file.path, error);
  BOBBIN_RETURN_IF(static_cast<bool>(error), StatusCode::io, file.path + ": " + error.message());
  BOBBIN_RETURN_IF(
      size == 0 || size % size_bytes(file.type) != 0, StatusCode::invalid_argument,
      fmt::format("{}: {} bytes is not a positive multiple of {}", file.path, size, size_bytes(file.type)));
  DemoColumn column{Column{std::filesystem::path(file.path).filename().string(), file.type}, Bytes(size)};
  std::ifstream in(file.path, std::ios::binary);
  in.read(reinterpret_cast<char*>(column.raw.data()), static_cast<std::streamsize>(size));
  BOBBIN_RETURN_IF(!in, StatusCode::io, file.path + ": cannot read");
  return column;
}

Status run(const Args& args) {
  std::error_code error;
  std::filesystem::create_directories(args.dir, error);
  BOBBIN_RETURN_IF(static_cast<bool>(error), StatusCode::io, args.dir + ": " + error.message());
  const bench::Machine machine = bench::describe_machine();
  std::fputs(fmt::format("making {} columns of {} rows, compressing, measuring ...\n",
                         std::size(kSampleColumns), args.rows)
                 .c_str(),
             stdout);
  std::fflush(stdout);
  Demo demo(args, !machine.gpu.empty());
  std::vector<DemoColumn> columns;
  for (const SampleColumn& sample : kSampleColumns) {
    const uint64_t seed = columns.size() + 1;
    columns.push_back({Column{std::string(sample.name), sample.type},
                       bench::make_values(*bench::find_shape(sample.shape), sample.type, args.rows, seed)});
  }
  BOBBIN_TRY(demo.run(args.dir + "/demo.bob", columns, args.rows));
  for (const RealFile& file : args.files) {
    BOBBIN_ASSIGN(DemoColumn column, load(file));
    const uint64_t rows = column.raw.size() / size_bytes(file.type);
    const std::string path = args.dir + "/" + column.column.name + ".bob";
    std::vector<DemoColumn> single;
    single.push_back(std::move(column));
    BOBBIN_TRY(demo.run(path, single, rows));
  }
  demo.print(machine);
  return {};
}

template <class Int>
bool parse(std::string_view text, Int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value > 0;
}

bool parse_file(std::string_view text, std::vector<RealFile>& files) {
  const size_t colon = text.rfind(':');
  const std::optional<DType> type =
      colon == std::string_view::npos ? std::nullopt : parse_dtype(text.substr(colon + 1));
  if (type) {
    files.push_back({std::string(text.substr(0, colon)), *type});
  }
  return type.has_value();
}

bool parse_args(int argc, char** argv, Args& args) {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) {
      return false;
    }
    const std::string_view value = argv[i + 1];
    if (name == "--dir") {
      args.dir = value;
    } else if (!(name == "--rows" && parse(value, args.rows)) &&
               !(name == "--runs" && parse(value, args.runs)) &&
               !(name == "--file" && parse_file(value, args.files))) {
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace bobbin::demo

int main(int argc, char** argv) {
  bobbin::demo::Args args;
  if (!bobbin::demo::parse_args(argc, argv, args)) {
    std::fputs("usage: bobbin-demo [--dir DIR] [--rows N] [--runs N] [--file PATH:TYPE]...\n", stderr);
    return 2;
  }
  try {
    const bobbin::Status status = bobbin::demo::run(args);
    if (!status.ok()) {
      std::fputs(("bobbin-demo: " + status.message() + "\n").c_str(), stderr);
      return 1;
    }
  } catch (const std::exception& error) {
    std::fputs(fmt::format("bobbin-demo: {}\n", error.what()).c_str(), stderr);
    return 1;
  }
  return 0;
}
