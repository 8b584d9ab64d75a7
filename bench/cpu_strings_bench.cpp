// SPDX-License-Identifier: Apache-2.0
// One CPU core: encoding and decoding of strings, compared with memcpy, zstd -1 and lz4 on the same bytes in
// the same run.
// usage: bobbin-bench-cpu-strings [--data FOLDER] [--bytes N] [--out FILE.json]
#include <sched.h>

#include <cstdio>
#include <cstring>

#include "bench/program.hpp"
#include "bench/texts.hpp"
#include "codecs/registry.hpp"
#include "measure/peers.hpp"
#include "measure/report.hpp"

namespace bobbin::bench {
namespace {

struct Args {
  explicit Args(const Arguments& from)
      : data(from.text("--data")), bytes(from.number("--bytes", 64'000'000)) {}

  std::string data;
  uint64_t bytes;
};

// All threads of the process share one core from now on.
void stay_on_one_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof(one), &one);
}

struct Row {
  std::string name;
  uint64_t bytes = 0;
  Sample encode;
  Sample decode;
};

Result<Row> measure_fsst(const Strings& strings, const Plan& plan) {
  const StringOps& ops = *find_codec(CodecId::fsst)->strings;
  Result<Array> encoded = ops.encode(strings.view(), nullptr);
  BOBBIN_RETURN_IF(!encoded.has_value(), StatusCode::device, encoded.error().message());
  const Sample encode = measure([&] { encoded = ops.encode(strings.view(), nullptr); }, plan);
  const Bytes bytes(strings.bytes.size());
  std::vector<uint64_t> offsets(strings.offsets.size());
  Status status;
  const HostStringsOut out{offsets.data(), 0, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()}};
  const Sample decode = measure([&] { status = ops.decode(*encoded, out); }, plan);
  BOBBIN_TRY(status);
  BOBBIN_RETURN_IF(std::memcmp(bytes.data(), strings.bytes.data(), bytes.size()) != 0, StatusCode::device,
                   "decoded incorrectly");
  return Row{"fsst", encoded->buffers[1].bytes.size(), encode, decode};
}

class Report {
 public:
  void add(const std::string& text, const Row& row, uint64_t bytes) {
    const auto speed = [&](const Sample& s) { return number(s.bytes_per_second(bytes) / 1e6, 0); };
    table_.add({text, row.name, number(static_cast<double>(bytes) / static_cast<double>(row.bytes)),
                speed(row.encode), speed(row.decode)});
    rows_.push_back({{"text", text},
                     {"what", row.name},
                     {"bytes", bytes},
                     {"encoded_bytes", row.bytes},
                     {"encode_seconds", to_json(row.encode)},
                     {"decode_seconds", to_json(row.decode)}});
  }
  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  TextTable table_{{"text", "what", "factor", "encode MB/s", "decode MB/s"}, 2};
  Json rows_ = Json::array();
};

Status run(const Arguments& arguments) {
  const Args args(arguments);
  stay_on_one_core();
  const Plan plan{.runs = 7, .seconds = 5, .cache = Cache::cold};
  Report report;
  for (const Text& text : all_texts(args.data)) {
    BOBBIN_ASSIGN(const Strings strings, load(text, args.bytes));
    BOBBIN_ASSIGN(const Row fsst, measure_fsst(strings, plan));
    report.add(text.name, fsst, strings.bytes.size());
    for (const PeerResult& peer : measure_peers(std::as_bytes(std::span(strings.bytes)), plan)) {
      if (peer.present) {
        report.add(text.name, {peer.name, peer.bytes, peer.compress, peer.decompress}, strings.bytes.size());
      }
    }
  }
  return publish(report.markdown(), report.rows(), arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
