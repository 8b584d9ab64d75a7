// SPDX-License-Identifier: Apache-2.0
// Loads a table of several GB from a file in the page cache to decoded columns on the GPU, compared with
// copying its compressed bytes alone, and with decoding alone.
// usage: bobbin-bench-gpu-table [--rows N] [--threads N] [--streams N] [--group N] [--goal fastest]
//        [--out FILE.json]
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <numeric>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "bench/program.hpp"
#include "bobbin/table.hpp"
#include "core/parallel.hpp"
#include "file/access.hpp"
#include "file/append.hpp"

namespace bobbin::bench {
namespace {

constexpr uint64_t kBatch = uint64_t{1} << 18;
constexpr size_t kCopyBytes = size_t{1} << 30;
constexpr int kRuns = 5;

uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

const std::vector<Column> kColumns{
    {"id", DType::i64},
    {"customer", DType::i32},
    {"quantity", DType::i32},
    {"price", DType::i64, false, {.kind = Logical::Kind::decimal, .scale = 2}},
    {"discount", DType::i64, false, {.kind = Logical::Kind::decimal, .scale = 2}},
    {"day", DType::i32, false, {.kind = Logical::Kind::date}},
    {"time", DType::i64, false, {.kind = Logical::Kind::timestamp, .unit = Logical::Unit::microseconds}},
    {"weight", DType::f64},
    {"city", DType::utf8},
    {"url", DType::utf8}};

void add_text(Strings& strings, const std::string& text) {
  strings.push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// Rows of an order table: numbers that ascend, repeat, or are in a range; one of a few hundred cities; a URL
// with a common prefix and recurring words.
struct Rows {
  std::vector<int64_t> id, price, discount, time;
  std::vector<int32_t> customer, quantity, day;
  std::vector<double> weight;
  Strings city, url;
  StringsView city_view, url_view;

  Rows(uint64_t first, uint64_t count) {
    static const char* const kWords[] = {"search", "items", "red", "winter", "shoes", "page", "view", "blue"};
    for (uint64_t i = first; i < first + count; ++i) {
      const uint64_t r = mixed(i);
      id.push_back(static_cast<int64_t>(i * 3 + r % 3));
      customer.push_back(static_cast<int32_t>(r % 100'000));
      quantity.push_back(static_cast<int32_t>(1 + r / 7 % 50));
      price.push_back(static_cast<int64_t>(r / 11 % 1'000'000));
      discount.push_back(static_cast<int64_t>(r / 13 % 11));
      day.push_back(static_cast<int32_t>(16'000 + i / 20'000));
      time.push_back(static_cast<int64_t>(1'400'000'000'000'000 + i * 4'000 + r / 17 % 4'000));
      weight.push_back(static_cast<double>(r / 19 % 100'000) / 100);
      add_text(city, "City number " + std::to_string(r / 23 % 300));
      add_text(url, "https://www.example.com/" + std::string(kWords[r % 8]) + "/" + kWords[r / 8 % 8] +
                        "?id=" + std::to_string(r / 64 % 10'000'000) + "&sort=" + kWords[r / 512 % 8]);
    }
    city_view = city.view();
    url_view = url.view();
  }

  [[nodiscard]] std::vector<const void*> pointers() const {
    return {id.data(),  customer.data(), quantity.data(), price.data(), discount.data(),
            day.data(), time.data(),     weight.data(),   &city_view,   &url_view};
  }
};

Status write_table(const std::string& path, uint64_t rows, const Arguments& arguments) {
  WriteOptions options{.rows_per_group = arguments.number("--group", uint64_t{1} << 20), .threads = 0};
  options.bytes_per_group = uint64_t{4} << 30;
  options.goal.kind = arguments.text("--goal") == "fastest" ? Goal::Kind::fastest : Goal::Kind::smallest;
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, kColumns, options));
  const uint64_t at_a_time = 16 * kBatch;
  for (uint64_t first = 0; first < rows; first += at_a_time) {
    const uint64_t batches = std::min(at_a_time, rows - first) / kBatch;
    std::vector<std::unique_ptr<Rows>> made(batches);
    parallel_tasks(batches, 0,
                   [&](uint64_t b) { made[b] = std::make_unique<Rows>(first + b * kBatch, kBatch); });
    for (const auto& batch : made) {
      BOBBIN_TRY(file::append_untyped(writer, batch->pointers(), kBatch));
    }
  }
  return writer.finish();
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Several runs of work that waits for the GPU itself.
template <class Work>
Result<Sample> measure_all(Work&& work) {
  std::vector<double> seconds;
  for (int run = 0; run <= kRuns; ++run) {  // the first one is a warm-up
    const auto begin = std::chrono::steady_clock::now();
    BOBBIN_TRY(work());
    if (run != 0) {
      seconds.push_back(seconds_since(begin));
    }
  }
  return summarize(std::move(seconds));
}

Result<Sample> measure_copy() {
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(const PinnedBuffer from, PinnedBuffer::create(kCopyBytes, Backend::cuda));
  BOBBIN_ASSIGN(const DeviceBuffer to, DeviceBuffer::create(kCopyBytes, stream.view()));
  return measure_all([&]() -> Status {
    BOBBIN_TRY(copy_async(to.data(), from.bytes().data(), kCopyBytes, stream.view()));
    return stream.view().synchronize();
  });
}

uint64_t bytes_of(const std::vector<DeviceColumn>& columns) {
  uint64_t bytes = 0;
  for (const DeviceColumn& column : columns) {
    bytes += column.values != nullptr ? column.values->size() : 0;
    for (const DeviceStrings& strings : column.strings) {
      bytes += strings.offsets->size() + strings.num_bytes;
    }
  }
  return bytes;
}

// A chunk whose encoded bytes are on the GPU.
struct Resident {
  array::OnDevice encoded;
  size_t column = 0;
  uint64_t first_row = 0;
  uint64_t num_bytes = 0;  // of strings
};

Result<std::vector<Resident>> upload_all(const Reader& reader, std::span<const size_t> columns,
                                         StreamView stream) {
  std::vector<Resident> chunks;
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    for (const size_t column : columns) {
      BOBBIN_ASSIGN(const Array array, file::ReaderAccess::load_chunk(reader, group, column));
      BOBBIN_ASSIGN(array::OnDevice there, array::to_device(array, stream));
      BOBBIN_TRY(stream.synchronize());
      const file::RowGroup& rows = file::ReaderAccess::footer(reader).row_groups[group];
      chunks.push_back({std::move(there), column, rows.first_row, rows.chunks[column].strings.num_bytes});
    }
  }
  return chunks;
}

// Decodes all chunks, on a few streams in parallel.
Status decode_all(const std::vector<Resident>& chunks, const std::vector<DeviceColumn>& outputs,
                  const std::vector<Stream>& streams, uint32_t* fault) {
  std::atomic<uint64_t> next{0};
  std::atomic<bool> failed{false};
  parallel_for(streams.size(), [&](uint64_t s) {
    const StreamView stream = streams[s].view();
    for (uint64_t i = next++; i < chunks.size(); i = next++) {
      const Resident& chunk = chunks[i];
      const Array& array = chunk.encoded.array;
      const DeviceColumn& column = outputs[chunk.column];
      const Status status =
          is_string(column.column.type)
              ? array::start_decoding_strings(array, chunk.num_bytes, fault, stream,
                                              default_memory(Backend::cuda))
                    .error()
              : array::decode_on_device(
                    array, column.values->as<std::byte>() + chunk.first_row * size_bytes(column.column.type),
                    stream);
      failed = failed || !status.ok();
    }
    failed = failed || !stream.synchronize().ok();
  });
  uint32_t damaged = 0;
  BOBBIN_TRY(copy_async(&damaged, fault, sizeof damaged, streams[0].view()));
  BOBBIN_TRY(streams[0].view().synchronize());
  BOBBIN_RETURN_IF(failed || damaged != 0, StatusCode::device, "decoding failed");
  return {};
}

struct Measured {
  uint64_t compressed = 0;
  uint64_t raw = 0;
  Sample load;
  Sample decode;
};

Result<Measured> measure_columns(const Reader& reader, Loader& loader, const std::vector<size_t>& columns,
                                 const std::vector<Stream>& streams) {
  Measured made;
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    for (const size_t column : columns) {
      made.compressed += file::ReaderAccess::chunk_bytes(reader, group, column);
    }
  }
  BOBBIN_ASSIGN(made.load, measure_all([&]() -> Status {
                  BOBBIN_ASSIGN(const auto loaded, loader.load(reader, columns, 0, reader.num_rows()));
                  made.raw = bytes_of(loaded);
                  return {};
                }));
  std::vector<size_t> all(reader.columns().size());
  std::iota(all.begin(), all.end(), size_t{0});
  BOBBIN_ASSIGN(const auto outputs, loader.load(reader, all, 0, reader.num_rows()));
  BOBBIN_ASSIGN(const std::vector<Resident> chunks, upload_all(reader, columns, streams[0].view()));
  BOBBIN_ASSIGN(const DeviceBuffer fault, DeviceBuffer::create(sizeof(uint32_t), streams[0].view()));
  BOBBIN_TRY(fill_async(fault.data(), 0, sizeof(uint32_t), streams[0].view()));
  BOBBIN_TRY(streams[0].view().synchronize());
  BOBBIN_ASSIGN(made.decode,
                measure_all([&] { return decode_all(chunks, outputs, streams, fault.as<uint32_t>()); }));
  return made;
}

Status run(const Arguments& arguments) {
  const uint64_t rows = arguments.number("--rows", uint64_t{1} << 25) / kBatch * kBatch;
  const std::string path =
      (std::filesystem::temp_directory_path() / ("bobbin-bench-" + std::to_string(::getpid()))).string();
  BOBBIN_TRY(write_table(path, rows, arguments));
  BOBBIN_ASSIGN(const Reader reader, Reader::open(path));
  BOBBIN_ASSIGN(
      Loader loader,
      Loader::create(Backend::cuda, {.threads = static_cast<unsigned>(arguments.number("--threads", 0))}));
  BOBBIN_ASSIGN(const Sample copy, measure_copy());
  std::vector<Stream> streams;
  for (uint64_t i = 0; i < arguments.number("--streams", 8); ++i) {
    BOBBIN_ASSIGN(Stream stream, Stream::create(Backend::cuda));
    streams.push_back(std::move(stream));
  }
  std::vector<size_t> all(kColumns.size());
  std::iota(all.begin(), all.end(), size_t{0});
  std::vector<std::pair<std::string, std::vector<size_t>>> choices{{"all columns", all},
                                                                   {"numbers", {0, 1, 2, 3, 4, 5, 6, 7}}};
  for (const size_t column : all) {
    choices.push_back({kColumns[column].name, {column}});
  }
  const double copied = copy.bytes_per_second(kCopyBytes);
  TextTable table{{"columns", "raw MB", "compressed MB", "load ms", "compressed GB/s", "of the copy",
                   "raw GB/s", "decode alone GB/s"}};
  Json json = Json::array();
  json.push_back({{"what", "copy to the GPU"}, {"bytes", kCopyBytes}, {"seconds", to_json(copy)}});
  for (const auto& [what, columns] : choices) {
    BOBBIN_ASSIGN(const Measured made, measure_columns(reader, loader, columns, streams));
    const double speed = made.load.bytes_per_second(made.compressed);
    table.add({what, number(static_cast<double>(made.raw) / 1e6, 0),
               number(static_cast<double>(made.compressed) / 1e6, 0), number(made.load.median_s * 1e3, 1),
               number(speed / 1e9, 1), number(speed / copied, 2),
               number(made.load.bytes_per_second(made.raw) / 1e9, 1),
               number(made.decode.bytes_per_second(made.raw) / 1e9, 0)});
    json.push_back({{"what", what},
                    {"raw_bytes", made.raw},
                    {"compressed_bytes", made.compressed},
                    {"load_seconds", to_json(made.load)},
                    {"decode_seconds", to_json(made.decode)}});
  }
  std::printf("copy to the GPU: %s GB/s\n", number(copied / 1e9, 1).c_str());
  std::filesystem::remove(path);
  return publish(table.markdown(), json, arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
