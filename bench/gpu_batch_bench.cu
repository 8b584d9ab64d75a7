// SPDX-License-Identifier: Apache-2.0
// Batches of small arrays on the GPU: decoded by one call, compared with one array of the same values, with
// the arrays decoded one by one, and with cudaMemcpy. Everything is checked in the same run.
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/program.hpp"
#include "bobbin/encoded_batch.hpp"
#include "bobbin/encoding.hpp"
#include "measure/report.hpp"

namespace bobbin::bench {
namespace {

struct Case {
  std::string name;
  DType type;
  std::string codec;
  uint64_t array_bytes;
  std::vector<std::byte> values;
};

template <class T, class Draw>
Case make_case(std::string name, DType type, std::string codec, uint64_t array_bytes, uint64_t arrays,
               Draw&& draw) {
  std::vector<std::byte> bytes(arrays * array_bytes);
  auto* const values = reinterpret_cast<T*>(bytes.data());
  for (uint64_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    values[i] = draw(i);
  }
  return {std::move(name), type, std::move(codec), array_bytes, std::move(bytes)};
}

std::vector<Case> make_cases(uint64_t arrays) {
  std::mt19937_64 random(1);
  const auto narrow = [&](uint64_t) { return static_cast<uint32_t>(random() % 256); };
  const auto rises = [&](uint64_t i) { return static_cast<uint32_t>(i * 16 + random() % 16); };
  const auto price = [&](uint64_t) { return static_cast<double>(random() % 60'000) / 100; };
  const auto outliers = [&](uint64_t) {
    return static_cast<uint32_t>(random() % (random() % 100 == 0 ? 1U << 30 : 256));
  };
  std::vector<Case> cases;
  cases.push_back(make_case<uint32_t>("u32, 8 bits", DType::u32, "ffor", 65536, arrays, narrow));
  cases.push_back(
      make_case<uint32_t>("u32, 8 bits, 1 % exceptions", DType::u32, "patched", 65536, arrays, outliers));
  cases.push_back(make_case<uint32_t>("u32, delta of 5 bits", DType::u32, "delta", 65536, arrays, rises));
  cases.push_back(make_case<double>("f64, ALP of 16 bits", DType::f64, "alp", 65536, arrays, price));
  cases.push_back(
      make_case<uint32_t>("u32, 8 bits, arrays of 60,000 bytes", DType::u32, "ffor", 60'000, arrays, narrow));
  cases.push_back(
      make_case<uint32_t>("u32, 8 bits, arrays of 4 KB", DType::u32, "ffor", 4096, arrays * 16, narrow));
  return cases;
}

class BatchBench {
 public:
  BatchBench(StreamView stream, GpuTimer timer) : stream_(stream), timer_(std::move(timer)) {}

  Status measure(const Case& a_case) {
    const uint64_t length = a_case.values.size() / size_bytes(a_case.type);
    const uint64_t each = a_case.array_bytes / size_bytes(a_case.type);
    std::vector<uint64_t> offsets;
    for (uint64_t at = 0; at <= length; at += each) {
      offsets.push_back(at);
    }
    BOBBIN_ASSIGN(const Cascade cascade, parse_cascade(a_case.codec));
    BOBBIN_ASSIGN(const EncodedBatch batch,
                  EncodedBatch::encode(a_case.type, a_case.values.data(), offsets, cascade));
    BOBBIN_ASSIGN(const EncodedBatch there, batch.to_device(stream_));
    BOBBIN_ASSIGN(const EncodedArray whole,
                  EncodedArray::encode(a_case.type, a_case.values.data(), length, cascade));
    BOBBIN_ASSIGN(const EncodedArray whole_there, whole.to_device(stream_));
    BOBBIN_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(a_case.values.size(), stream_));
    BOBBIN_ASSIGN(const DeviceBuffer copy, DeviceBuffer::create(a_case.values.size(), stream_));
    BOBBIN_ASSIGN(const Sample memory, timer_.measure([&] {
      return copy_async(copy.data(), out.data(), a_case.values.size(), stream_);
    }));
    BOBBIN_ASSIGN(const Sample one,
                  timer_.measure([&] { return whole_there.decode_on_device(out.data(), stream_); }));
    BOBBIN_TRY(check(a_case, out));
    BOBBIN_ASSIGN(const Sample together,
                  timer_.measure([&] { return there.decode_on_device(out.data(), stream_); }));
    BOBBIN_TRY(check(a_case, out));
    BOBBIN_ASSIGN(const Sample alone, timer_.measure([&]() -> Status {
      for (size_t i = 0; i < there.size(); ++i) {
        BOBBIN_TRY(there.array(i).decode_on_device(out.as<std::byte>() + i * a_case.array_bytes, stream_));
      }
      return {};
    }));
    add(a_case, batch, memory, one, together, alone);
    return {};
  }

  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  // And clears the output for the next.
  Status check(const Case& a_case, const DeviceBuffer& out) {
    std::vector<std::byte> decoded(a_case.values.size());
    BOBBIN_TRY(copy_async(decoded.data(), out.data(), decoded.size(), stream_));
    BOBBIN_TRY(stream_.synchronize());
    BOBBIN_RETURN_IF(decoded != a_case.values, StatusCode::device, a_case.name + ": decoded incorrectly");
    return fill_async(out.data(), 0, out.size(), stream_);
  }

  void add(const Case& a_case, const EncodedBatch& batch, const Sample& memory, const Sample& one,
           const Sample& together, const Sample& alone) {
    const double share = one.median_s / together.median_s;
    table_.add({a_case.name, std::to_string(batch.size()), number(memory.median_s * 1e3, 4),
                number(one.median_s * 1e3, 4), number(together.median_s * 1e3, 4),
                number(alone.median_s * 1e3, 4), number(100 * share, 1)});
    rows_.push_back({{"case", a_case.name},
                     {"arrays", batch.size()},
                     {"bytes", a_case.values.size()},
                     {"encoded_bytes", batch.encoded_bytes()},
                     {"memcpy", to_json(memory)},
                     {"one_array", to_json(one)},
                     {"batch", to_json(together)},
                     {"one_by_one", to_json(alone)},
                     {"share_of_one_array", share},
                     {"goal", 0.8}});
  }

  StreamView stream_;
  GpuTimer timer_;
  TextTable table_{
      {"values", "arrays", "memcpy ms", "one array ms", "batch ms", "one by one ms", "% of one array"}, 1};
  Json rows_ = Json::array();
};

Status run(const Arguments& arguments) {
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  BatchBench bench(stream.view(), std::move(timer));
  for (const Case& a_case : make_cases(arguments.number("--arrays", 1000))) {
    BOBBIN_TRY(bench.measure(a_case));
  }
  return publish(bench.markdown(), bench.rows(), arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
