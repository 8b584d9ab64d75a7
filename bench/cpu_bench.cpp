// SPDX-License-Identifier: Apache-2.0
// One CPU core: bit-packing at every type and a set of widths, compared with memcpy, zstd and lz4 on the same
// bytes.
// usage: bobbin-bench-cpu [--out FILE.json] [--mib N] [--runs N]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench/codecs.hpp"
#include "bench/program.hpp"
#include "codecs/registry.hpp"
#include "codecs/smallest.hpp"
#include "measure/peers.hpp"
#include "measure/report.hpp"
#include "measure/shapes.hpp"

namespace bobbin::bench {
namespace {

struct Args {
  explicit Args(const Arguments& from)
      : mib(std::max<uint64_t>(1, from.number("--mib", 256))),
        runs(static_cast<int>(std::max<uint64_t>(1, from.number("--runs", 5)))) {}

  uint64_t mib;
  int runs;
};

std::vector<uint32_t> widths_of(DType type) {
  std::vector<uint32_t> widths;
  for (const uint32_t width : {1U, 4U, 7U, 8U, 12U, 16U, 20U, 32U, 48U, 64U}) {
    if (width <= size_bits(type)) {
      widths.push_back(width);
    }
  }
  return widths;
}

struct Row {
  DType type;
  uint32_t width;
  std::string method;
  uint64_t raw_bytes;
  uint64_t bytes;
  bool checked;
  Sample encode;
  Sample decode;
  Sample compare;
  double copy_speed;  // memcpy of the same bytes in the same run
};

// A rate relative to memcpy's.
double share(const Sample& sample, const Row& row) {
  return row.copy_speed > 0 ? sample.bytes_per_second(row.raw_bytes) / row.copy_speed : 0;
}

Json to_json(const Row& row) {
  return {{"type", to_string(row.type)},
          {"width", row.width},
          {"method", row.method},
          {"raw_bytes", row.raw_bytes},
          {"bytes", row.bytes},
          {"checked", row.checked},
          {"encode", bench::to_json(row.encode)},
          {"decode", bench::to_json(row.decode)},
          {"compare", bench::to_json(row.compare)},
          {"encode_of_memcpy", share(row.encode, row)},
          {"decode_of_memcpy", share(row.decode, row)}};
}

std::vector<std::string> to_cells(const Row& row) {
  return {std::string(to_string(row.type)),
          std::to_string(row.width),
          row.method,
          number(static_cast<double>(row.raw_bytes) / static_cast<double>(row.bytes)),
          gigabytes_per_second(row.encode.bytes_per_second(row.raw_bytes)),
          number(share(row.encode, row)),
          gigabytes_per_second(row.decode.bytes_per_second(row.raw_bytes)),
          number(share(row.decode, row)),
          number(100 * row.decode.spread, 1),
          gigabytes_per_second(row.compare.bytes_per_second(row.raw_bytes)),
          row.checked ? "yes" : "NO"};
}

Status measure_width(DType type, uint32_t width, const Args& args, std::vector<Row>& rows) {
  const Plan plan{.runs = args.runs, .seconds = 10, .cache = Cache::cold};
  const uint64_t length = (args.mib << 20) / size_bytes(type);
  const Bytes raw = make_uniform(type, width, length, width);
  const Values values{type, raw.data(), length};
  const double copy_speed = measure_memcpy(raw.span(), plan).decompress.bytes_per_second(raw.size());
  for (const Codec* codec : value_codecs()) {
    if (!can_encode(*codec, values)) {
      continue;
    }
    BOBBIN_ASSIGN(const CodecResult result, measure_codec(codec, values, plan, true));
    rows.push_back({type, width, std::string(codec->name), raw.size(), result.bytes, result.checked,
                    result.encode, result.decode, result.compare, copy_speed});
  }
  // The other libraries are slow, and their speed does not depend on the width: one width per type.
  const bool with_peers = width == 7;
  for (const PeerResult& peer : with_peers ? measure_peers(raw.span(), plan) : std::vector<PeerResult>{}) {
    if (peer.present) {
      rows.push_back({type,
                      width,
                      peer.name,
                      raw.size(),
                      peer.bytes,
                      peer.checked,
                      peer.compress,
                      peer.decompress,
                      {},
                      copy_speed});
    }
  }
  return {};
}

Status run(const Arguments& arguments) {
  const Args args(arguments);
  std::vector<Row> rows;
  for (const DType type : {DType::u8, DType::u16, DType::u32, DType::u64}) {
    for (const uint32_t width : widths_of(type)) {
      std::fputs(fmt::format("{} {}\n", to_string(type), width).c_str(), stderr);
      BOBBIN_TRY(measure_width(type, width, args, rows));
    }
  }
  TextTable table({"type", "width", "method", "ratio", "encode GB/s", "of memcpy", "decode GB/s", "of memcpy",
                   "spread %", "compare GB/s", "checked"},
                  3);
  Json json = Json::array();
  bool checked = true;
  for (const Row& row : rows) {
    table.add(to_cells(row));
    json.push_back(to_json(row));
    checked = checked && row.checked;
  }
  BOBBIN_TRY(
      publish(fmt::format("{} MiB of values per row, one core, cold cache, speeds in bytes of values\n\n{}",
                          args.mib, table.markdown()),
              json, arguments));
  BOBBIN_RETURN_IF(!checked, StatusCode::corrupt, "a result did not decode to the original bytes");
  return {};
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
