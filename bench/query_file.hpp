// SPDX-License-Identifier: Apache-2.0
// TPC-H's Q6 from a file in the page cache: the file, the question, and what the host has to do with each
// byte before it is copied to a device.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "bench/lineitem.hpp"
#include "bobbin/file.hpp"
#include "bobbin/query.hpp"
#include "file/access.hpp"

namespace bobbin::bench {

inline constexpr const char* kQ6Where =
    "shipdate between '1994-01-01' and '1994-12-31' and discount between 0.05 and 0.07 and quantity < 24";
inline constexpr const char* kQ6Sum = "sum(price * discount)";

// A file with the columns of Q6.
inline Status write_lines(const std::string& path, const LineItems& lines, uint64_t rows,
                          uint64_t rows_per_group) {
  const Logical cents{.kind = Logical::Kind::decimal, .scale = 2};
  const std::vector<Column> columns{{"shipdate", DType::i32, false, {.kind = Logical::Kind::date}},
                                    {"discount", DType::i64, false, cents},
                                    {"quantity", DType::i64, false, cents},
                                    {"price", DType::i64, false, cents}};
  WriteOptions options{.rows_per_group = rows_per_group, .threads = 0};
  options.codec = "ffor";
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, columns, options));
  for (uint64_t row = 0; row < rows; row += lines.rows()) {
    BOBBIN_TRY(writer.append({lines.day, lines.discount, lines.quantity, lines.price}));
  }
  return writer.finish();
}

// Removed at the end.
class LinesFile {
 public:
  LinesFile()
      : path_((std::filesystem::temp_directory_path() / ("bobbin-bench-" + std::to_string(::getpid())))
                  .string()) {}
  LinesFile(const LinesFile&) = delete;
  LinesFile& operator=(const LinesFile&) = delete;
  ~LinesFile() { std::filesystem::remove(path_); }

  Result<Reader> write(const LineItems& lines, uint64_t rows, uint64_t rows_per_group) const {
    BOBBIN_TRY(write_lines(path_, lines, rows, rows_per_group));
    return Reader::open(path_);
  }

 private:
  std::string path_;
};

// Calls f(row group, column, bytes) for each chunk.
template <class F>
Status for_each_chunk(const Reader& reader, F&& f) {
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    for (size_t column = 0; column < reader.columns().size(); ++column) {
      BOBBIN_TRY(f(group, column, file::ReaderAccess::chunk_bytes(reader, group, column)));
    }
  }
  return {};
}

inline Status check_array(const Reader& reader, size_t group, size_t column,
                          std::span<const std::byte> memory) {
  BOBBIN_ASSIGN(const Array array, file::ReaderAccess::chunk_in(reader, group, column, memory));
  return array::validate_content(array);
}

// Seconds of one thread for all bytes of a file: the least of several runs. `clock` gives seconds.
struct HostStages {
  uint64_t bytes = 0;
  double read_s = 1e9;
  double check_s = 1e9;    // checksums, and all that array::validate_for() checks
  double at_once_s = 1e9;  // the same, and checksums while a chunk is read

  [[nodiscard]] double bytes_per_second() const { return static_cast<double>(bytes) / at_once_s; }
};
template <class Clock>
Result<HostStages> measure_host_stages(const Reader& reader, std::span<std::byte> memory, Clock&& clock) {
  constexpr int kRuns = 5;
  constexpr uint64_t kPiece = uint64_t{1} << 20;  // as threads do that read ahead
  HostStages least;
  for (int run = 0; run < kRuns; ++run) {
    HostStages now{.bytes = 0, .read_s = 0, .check_s = 0, .at_once_s = 0};
    uint64_t at = 0;
    const auto take = [&](size_t group, size_t column, uint64_t bytes) -> Status {
      BOBBIN_RETURN_IF(bytes > memory.size(), StatusCode::invalid_argument, "a chunk is too large");
      at = at + bytes > memory.size() ? 0 : at;
      const auto to = memory.subspan(at, bytes);
      at += bytes;
      const double begin = clock();
      for (uint64_t done = 0; done < bytes; done += kPiece) {
        BOBBIN_TRY(file::ReaderAccess::read_chunk(reader, group, column, done,
                                                  to.subspan(done, std::min(kPiece, bytes - done))));
      }
      const double read = clock();
      BOBBIN_TRY(file::ReaderAccess::check_chunk(reader, group, column, to));
      BOBBIN_TRY(check_array(reader, group, column, to));
      const double checked = clock();
      now.bytes += bytes;
      now.read_s += read - begin;
      now.check_s += checked - read;
      return {};
    };
    const auto take_at_once = [&](size_t group, size_t column, uint64_t bytes) -> Status {
      at = at + bytes > memory.size() ? 0 : at;
      const auto to = memory.subspan(at, bytes);
      at += bytes;
      const double begin = clock();
      BOBBIN_TRY(file::ReaderAccess::read_checked_chunk(reader, group, column, to));
      BOBBIN_TRY(check_array(reader, group, column, to));
      now.at_once_s += clock() - begin;
      return {};
    };
    BOBBIN_TRY(for_each_chunk(reader, take));
    BOBBIN_TRY(for_each_chunk(reader, take_at_once));
    least = {now.bytes, std::min(least.read_s, now.read_s), std::min(least.check_s, now.check_s),
             std::min(least.at_once_s, now.at_once_s)};
  }
  return least;
}

}  // namespace bobbin::bench
