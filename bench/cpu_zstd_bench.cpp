// SPDX-License-Identifier: Apache-2.0
// One CPU core: zstd frames by us and by libzstd, compressed and decompressed, on the same bytes in the same
// run. Times are CPU times of the thread, the best of several rounds in which all take turns.
// usage: bobbin-bench-cpu-zstd --data FILE,FILE... [--bytes N] [--frame N] [--rounds N] [--out FILE.json]
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "bench/program.hpp"
#include "bobbin/zstd.hpp"
#include "measure/report.hpp"

namespace bobbin::bench {
namespace {

using Content = std::vector<std::byte>;

struct Args {
  explicit Args(const Arguments& from)
      : bytes(from.number("--bytes", 8'000'000)),
        frame(from.number("--frame", 65536)),
        rounds(from.number("--rounds", 9)) {
    std::istringstream list(from.text("--data"));
    for (std::string path; std::getline(list, path, ',');) {
      files.push_back(path);
    }
  }

  std::vector<std::string> files;
  uint64_t bytes;
  uint64_t frame;
  uint64_t rounds;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Frames of the same content, and the times of making and reading them.
struct Row {
  std::string name;
  std::vector<Content> frames{};
  std::function<void(std::span<const std::byte>, Content&)> compress;
  std::vector<double> compress_s{};
  std::vector<double> decompress_s{};  // by us
  std::vector<double> libzstd_s{};     // by libzstd

  [[nodiscard]] uint64_t stored() const {
    uint64_t sum = 0;
    for (const Content& frame : frames) {
      sum += frame.size();
    }
    return sum;
  }
};

Row row_of_libzstd(int level) {
  const std::shared_ptr<ZSTD_CCtx> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  return {.name = "libzstd -" + std::to_string(level),
          .compress = [context, level](std::span<const std::byte> in, Content& out) {
            out.resize(ZSTD_compressBound(in.size()));
            out.resize(ZSTD_compressCCtx(context.get(), out.data(), out.size(), in.data(), in.size(), level));
          }};
}

Row row_of_ours(uint32_t level, uint32_t frame_bytes, uint32_t block_bytes) {
  const zstd::EncodeOptions options{.level = level, .frame_bytes = frame_bytes, .block_bytes = block_bytes};
  return {
      .name = "ours -" + std::to_string(level) + ", blocks of " + std::to_string(block_bytes >> 10) + " KiB",
      .compress = [options](std::span<const std::byte> in, Content& out) {
        out = *zstd::encode(in, options);
      }};
}

class Contents {
 public:
  Contents(Content bytes, uint64_t frame) : bytes_(std::move(bytes)), frame_(frame) {}

  [[nodiscard]] size_t count() const { return (bytes_.size() + frame_ - 1) / frame_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_.size(); }
  [[nodiscard]] std::span<const std::byte> at(size_t i) const {
    return std::span(bytes_).subspan(i * frame_, std::min<size_t>(frame_, bytes_.size() - i * frame_));
  }

 private:
  Content bytes_;
  uint64_t frame_;
};

void compress_round(const Contents& contents, Row& row) {
  row.frames.resize(contents.count());
  const double start = cpu_seconds();
  for (size_t i = 0; i < contents.count(); ++i) {
    row.compress(contents.at(i), row.frames[i]);
  }
  row.compress_s.push_back(cpu_seconds() - start);
}

// Both decoders give the content.
Status check(const Contents& contents, const Row& row, Content& out, ZSTD_DCtx* context) {
  for (size_t i = 0; i < contents.count(); ++i) {
    const auto bytes = zstd::decode_frame(row.frames[i], out);
    BOBBIN_RETURN_IF(!bytes.has_value() || !std::ranges::equal(contents.at(i), std::span(out).first(*bytes)),
                     StatusCode::device, row.name + ": decoded incorrectly");
    const size_t theirs =
        ZSTD_decompressDCtx(context, out.data(), out.size(), row.frames[i].data(), row.frames[i].size());
    BOBBIN_RETURN_IF(
        ZSTD_isError(theirs) != 0 || !std::ranges::equal(contents.at(i), std::span(out).first(theirs)),
        StatusCode::device, row.name + ": libzstd decoded something else");
  }
  return {};
}

// In turns over a few frames at a time: what else the machine does then slows both decoders alike.
Status decompress_round(Row& row, Content& out, ZSTD_DCtx* context) {
  double ours = 0;
  double theirs = 0;
  uint64_t failed = 0;
  for (size_t begin = 0; begin < row.frames.size(); begin += 16) {
    const auto some = std::span(row.frames).subspan(begin, std::min<size_t>(16, row.frames.size() - begin));
    const double start = cpu_seconds();
    for (const Content& frame : some) {
      failed += zstd::decode_frame(frame, out).has_value() ? 0 : 1;
    }
    const double between = cpu_seconds();
    for (const Content& frame : some) {
      failed +=
          ZSTD_isError(ZSTD_decompressDCtx(context, out.data(), out.size(), frame.data(), frame.size()));
    }
    ours += between - start;
    theirs += cpu_seconds() - between;
  }
  row.decompress_s.push_back(ours);
  row.libzstd_s.push_back(theirs);
  BOBBIN_RETURN_IF(failed != 0, StatusCode::device, row.name + ": frames failed");
  return {};
}

class Report {
 public:
  void add(const std::string& file, uint64_t bytes, const Row& row) {
    const auto speed = [&](const std::vector<double>& s) {
      return number(static_cast<double>(bytes) / *std::ranges::min_element(s) / 1e6, 0);
    };
    table_.add({file, row.name, number(static_cast<double>(bytes) / static_cast<double>(row.stored()), 3),
                speed(row.compress_s), speed(row.decompress_s), speed(row.libzstd_s)});
    rows_.push_back({{"file", file},
                     {"frames", row.name},
                     {"bytes", bytes},
                     {"compressed_bytes", row.stored()},
                     {"compress_cpu_seconds", *std::ranges::min_element(row.compress_s)},
                     {"decompress_cpu_seconds", *std::ranges::min_element(row.decompress_s)},
                     {"libzstd_decompress_cpu_seconds", *std::ranges::min_element(row.libzstd_s)}});
  }
  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  TextTable table_{{"file", "frames", "ratio", "compress MB/s", "decompress MB/s", "by libzstd MB/s"}, 2};
  Json rows_ = Json::array();
};

Result<Contents> load(const std::string& path, const Args& args) {
  std::ifstream file(path, std::ios::binary);
  BOBBIN_RETURN_IF(!file, StatusCode::io, path + ": cannot be read");
  std::string text(args.bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  const auto bytes = std::as_bytes(std::span(text));
  return Contents({bytes.begin(), bytes.end()}, args.frame);
}

Status run_file(const std::string& path, const Args& args, Report& report) {
  BOBBIN_ASSIGN(const Contents contents, load(path, args));
  std::vector<Row> rows;
  const auto frame = static_cast<uint32_t>(args.frame);
  for (const uint32_t level : {1U, 3U, 6U, 9U}) {
    rows.push_back(row_of_libzstd(static_cast<int>(level)));
    rows.push_back(row_of_ours(level, frame, 4096));
    rows.push_back(row_of_ours(level, frame, std::min(frame, 131072U)));
  }
  Content out(args.frame);
  const std::shared_ptr<ZSTD_DCtx> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  for (uint64_t round = 0; round < args.rounds; ++round) {
    for (Row& row : rows) {
      compress_round(contents, row);
      if (round == 0) {
        BOBBIN_TRY(check(contents, row, out, context.get()));
      }
      BOBBIN_TRY(decompress_round(row, out, context.get()));
    }
  }
  for (const Row& row : rows) {
    report.add(path.substr(path.rfind('/') + 1), contents.bytes(), row);
  }
  return {};
}

Status run(const Arguments& arguments) {
  const Args args(arguments);
  BOBBIN_RETURN_IF(args.files.empty(), StatusCode::invalid_argument, "--data: no files");
  stay_on_one_core();
  keep_freed_memory();
  Report report;
  for (const std::string& path : args.files) {
    BOBBIN_TRY(run_file(path, args, report));
  }
  return publish(report.markdown(), report.rows(), arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
