// SPDX-License-Identifier: Apache-2.0
// The GPU's figures: decoding, encoding and comparing packed columns, relative to cudaMemcpy, and for reading
// relative to CUB's reduction, all in one run; results are checked against the CPU in the same run.
#include <cub/device/device_reduce.cuh>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "bench/gpu_kernels.cuh"
#include "bench/gpu_timer.hpp"
#include "bench/program.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/delta/delta.hpp"
#include "codecs/ffor/kernels.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"
#include "measure/report.hpp"
#include "simt/cuda_launch.cuh"

namespace bobbin::bench {
namespace {

constexpr uint32_t kWidths[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 17, 20};

struct Args {
  explicit Args(const Arguments& from)
      : values(from.number("--values", uint64_t{1} << 29)),
        type(from.text("--type")),
        width(static_cast<uint32_t>(from.number("--width", 0))) {}

  uint64_t values;
  std::string type;  // only this one
  uint32_t width;    // only this one
};

// Rows of the result: the operation, the bytes that had to be moved, the time, and the same for memcpy.
class Figures {
 public:
  Figures() : table_({"what", "type", "width", "ms", "GB/s in+out", "% of memcpy", "spread %", "bar %"}, 2) {}

  void add(const std::string& what, DType type, uint32_t width, uint64_t bytes, const Sample& sample,
           double yardstick, double bar, const char* beside = "memcpy") {
    const double rate = sample.bytes_per_second(bytes);
    table_.add({what, std::string(to_string(type)), std::to_string(width), number(sample.median_s * 1e3, 3),
                number(rate / 1e9, 0), number(100 * rate / yardstick, 1), number(100 * sample.spread, 1),
                bar > 0 ? number(bar, 0) : "-"});
    rows_.push_back({{"what", what},
                     {"type", to_string(type)},
                     {"width", width},
                     {"bytes", bytes},
                     {"seconds", to_json(sample)},
                     {"gb_per_s", rate / 1e9},
                     {"beside", beside},
                     {"beside_gb_per_s", yardstick / 1e9},
                     {"share", rate / yardstick},
                     {"bar", bar / 100}});
  }
  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  TextTable table_;
  Json rows_ = Json::array();
};

struct Bench {
  StreamView stream;
  GpuTimer timer;
  Figures figures;
  uint64_t values;
  simt::CudaExecutor gpu;
  uint32_t only_width;

  Bench(StreamView on, GpuTimer with, const Args& args)
      : stream(on), timer(std::move(with)), values(args.values), gpu(on), only_width(args.width) {}

  [[nodiscard]] bool wants(uint32_t width) const { return only_width == 0 || only_width == width; }

  // cudaMemcpy of `bytes` on the device, in bytes read plus written per second.
  Result<double> memcpy_rate(uint64_t bytes) {
    BOBBIN_ASSIGN(const DeviceBuffer from, DeviceBuffer::create(bytes, stream));
    BOBBIN_ASSIGN(const DeviceBuffer to, DeviceBuffer::create(bytes, stream));
    BOBBIN_ASSIGN(const Sample sample,
                  timer.measure([&] { return copy_async(to.data(), from.data(), bytes, stream); }));
    return sample.bytes_per_second(2 * bytes);
  }

  // cudaMemset of `bytes`: the limit for writing alone.
  Status measure_memset(DType type, uint64_t bytes, double memcpy_rate) {
    BOBBIN_ASSIGN(const DeviceBuffer to, DeviceBuffer::create(bytes, stream));
    BOBBIN_ASSIGN(const Sample sample,
                  timer.measure([&] { return fill_async(to.data(), 7, bytes, stream); }));
    figures.add("cudaMemset", type, 0, bytes, sample, memcpy_rate, 0);
    return {};
  }

  Status fill(const DeviceBuffer& buffer) {
    const uint64_t quads = buffer.size() / sizeof(Quad);
    return gpu.run(FillRandom{{buffer.as<Quad>(), quads}}, ceil_div<uint64_t>(quads, FillRandom::kThreads));
  }
};

Result<std::vector<std::byte>> fetch(const void* from, size_t bytes, StreamView stream) {
  std::vector<std::byte> host(bytes);
  BOBBIN_TRY(copy_async(host.data(), from, bytes, stream));
  BOBBIN_TRY(stream.synchronize());
  return host;
}

// Decodes a few vectors of a device array on the CPU and compares them with the GPU's output in `out`.
Status check_decoded(const Array& array, const DeviceBuffer& out, StreamView stream) {
  const uint64_t piece = std::min<uint64_t>(array.length, 5000);
  for (const uint64_t begin : {uint64_t{0}, array.length / 3, array.length - piece}) {
    BOBBIN_ASSIGN(const Array part, array::slice(array, begin, piece));
    BOBBIN_ASSIGN(const Array host, array::to_host(part, stream));
    std::vector<std::byte> expected(piece * size_bytes(array.type));
    BOBBIN_TRY(array::validate(host));
    BOBBIN_TRY(array::decode(host, expected));
    BOBBIN_ASSIGN(const auto found,
                  fetch(out.as<std::byte>() + begin * size_bytes(array.type), expected.size(), stream));
    BOBBIN_RETURN_IF(found != expected, StatusCode::device,
                     "the GPU decodes to different values than the CPU");
  }
  return {};
}

Status check_same(const void* a, const void* b, size_t bytes, StreamView stream) {
  constexpr size_t kPiece = size_t{1} << 20;
  for (size_t at = 0; at < bytes; at += std::max<size_t>(bytes / 7, 1)) {
    const size_t n = std::min(kPiece, bytes - at);
    BOBBIN_ASSIGN(const auto x, fetch(static_cast<const std::byte*>(a) + at, n, stream));
    BOBBIN_ASSIGN(const auto y, fetch(static_cast<const std::byte*>(b) + at, n, stream));
    BOBBIN_RETURN_IF(x != y, StatusCode::device, "the GPU encodes to different bytes");
  }
  return {};
}

// bitpack with one width: decodes, then encodes what was decoded.
template <class T>
Status measure_bitpack(Bench& bench, DType type, uint32_t width, const DeviceBuffer& values,
                       double memcpy_rate) {
  using namespace codec::bitpack;
  const StreamView stream = bench.stream;
  BOBBIN_ASSIGN(DeviceBuffer fresh,
                DeviceBuffer::create(packed_bytes(bench.values, width, kBits<T>), stream));
  const auto packed = std::make_shared<DeviceBuffer>(std::move(fresh));
  BOBBIN_TRY(bench.fill(*packed));
  const Array array{.codec = CodecId::bitpack,
                    .type = type,
                    .length = bench.values,
                    .offset = 0,
                    .metadata = {static_cast<uint8_t>(width)},
                    .buffers = {{packed, {packed->as<std::byte>(), packed->size()}}},
                    .children = {}};
  const uint64_t bytes = packed->size() + values.size();
  BOBBIN_ASSIGN(const Sample decode,
                bench.timer.measure([&] { return array::decode_on_device(array, values.data(), stream); }));
  BOBBIN_TRY(check_decoded(array, values, stream));
  bench.figures.add("bitpack decode", type, width, bytes, decode, memcpy_rate, 95);

  BOBBIN_ASSIGN(const DeviceBuffer again, DeviceBuffer::create(packed->size(), stream));
  const Global<const T> input{values.as<T>(), bench.values};
  const Global<Quad> output{again.as<Quad>(), again.size() / sizeof(Quad)};
  BOBBIN_ASSIGN(const Sample encode,
                bench.timer.measure([&] { return run_pack<T>(bench.gpu, input, width, output); }));
  BOBBIN_TRY(check_same(again.data(), packed->data(), packed->size(), stream));
  bench.figures.add("bitpack encode, width known", type, width, bytes, encode, memcpy_rate, 85);
  BOBBIN_ASSIGN(const Sample whole, bench.timer.measure([&]() -> Status {
    BOBBIN_ASSIGN(const uint32_t needed, run_needed_width<T>(bench.gpu, input));
    return run_pack<T>(bench.gpu, input, needed, output);
  }));
  bench.figures.add("bitpack encode, width found first", type, width, bytes, whole, memcpy_rate, 0);
  return {};
}

// ffor: encodes `values`, then decodes.
template <class T>
Status measure_ffor(Bench& bench, DType type, uint32_t width, const DeviceBuffer& values,
                    double memcpy_rate) {
  using namespace codec::ffor;
  const StreamView stream = bench.stream;
  BOBBIN_ASSIGN(const EncodeBuffers<T> buffers, EncodeBuffers<T>::create(bench.values, stream));
  const Global<const T> input{values.as<T>(), bench.values};
  BOBBIN_ASSIGN(const Sample encode,
                bench.timer.measure([&] { return run_encode<T>(bench.gpu, type, input, buffers); }));
  BOBBIN_ASSIGN(const Array array,
                array::encode_on_device(CodecId::ffor, type, values.data(), bench.values, stream));
  const uint64_t bytes = array::encoded_bytes(array) + values.size();
  bench.figures.add("ffor encode", type, width, bytes, encode, memcpy_rate, 85);
  BOBBIN_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(values.size(), stream));
  BOBBIN_ASSIGN(const Sample decode,
                bench.timer.measure([&] { return array::decode_on_device(array, out.data(), stream); }));
  BOBBIN_TRY(check_decoded(array, out, stream));
  BOBBIN_TRY(check_same(out.data(), values.data(), values.size(), stream));
  bench.figures.add("ffor decode", type, width, bytes, decode, memcpy_rate, 95);
  return {};
}

// Residuals of one width for delta: any bits are valid.
struct DeltaArray {
  Array array;
  uint64_t bytes;

  template <class T>
  static Result<DeltaArray> create(Bench& bench, DType type, codec::delta::Parameters p, uint32_t width) {
    const uint64_t vectors = num_vectors(bench.values);
    const auto fresh = [&](uint64_t bytes) -> Result<std::shared_ptr<DeviceBuffer>> {
      BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(bytes, bench.stream));
      BOBBIN_TRY(bench.fill(buffer));
      return std::make_shared<DeviceBuffer>(std::move(buffer));
    };
    BOBBIN_ASSIGN(const auto restarts, fresh(vectors * p.words() * sizeof(T)));
    BOBBIN_ASSIGN(const auto references, fresh(vectors * sizeof(T)));
    BOBBIN_ASSIGN(const auto packed, fresh(vectors * width * kRegisterBytes));
    std::vector<uint32_t> entries(vectors);
    for (uint64_t v = 0; v < vectors; ++v) {
      entries[v] = codec::ffor::Entry::of(static_cast<uint32_t>(v * width), width).bits;
    }
    BOBBIN_ASSIGN(const auto places, fresh(vectors * sizeof(uint32_t)));
    BOBBIN_TRY(copy_async(places->data(), entries.data(), places->size(), bench.stream));
    BOBBIN_TRY(bench.stream.synchronize());
    const auto part = [](const std::shared_ptr<DeviceBuffer>& buffer) {
      return Buffer{buffer, {buffer->as<std::byte>(), buffer->size()}};
    };
    Array residuals{.codec = CodecId::ffor,
                    .type = codec::delta::signed_type(type),
                    .length = bench.values,
                    .offset = 0,
                    .metadata = {},
                    .buffers = {part(references), part(places), part(packed)},
                    .children = {}};
    Array array = codec::delta::assemble(type, p, part(restarts), std::move(residuals));
    return DeltaArray{array, array::encoded_bytes(array)};
  }
};

template <class T>
Status measure_delta(Bench& bench, DType type, const DeviceBuffer& values, double memcpy_rate) {
  constexpr uint32_t kWidth = 8;
  for (const codec::delta::Parameters p :
       {codec::delta::Parameters{1, 1}, {2, 1}, {5, 1}, {8, 1}, {1, 3}, {2, 3}}) {
    BOBBIN_ASSIGN(const DeltaArray made, DeltaArray::create<T>(bench, type, p, kWidth));
    BOBBIN_ASSIGN(const Sample decode, bench.timer.measure([&] {
      return array::decode_on_device(made.array, values.data(), bench.stream);
    }));
    BOBBIN_TRY(check_decoded(made.array, values, bench.stream));
    bench.figures.add(
        "delta decode, order " + std::to_string(p.order) + ", stride " + std::to_string(p.tuple), type,
        kWidth, made.bytes + values.size(), decode, memcpy_rate,
        sizeof(T) == 4 && p == codec::delta::Parameters{1, 1} ? 85 : 0);
  }
  return {};
}

// The GPU's read bandwidth: CUB sums 32-bit words.
Result<double> read_rate(Bench& bench, uint64_t bytes) {
  BOBBIN_ASSIGN(const DeviceBuffer words, DeviceBuffer::create(bytes, bench.stream));
  BOBBIN_ASSIGN(const DeviceBuffer sum, DeviceBuffer::create(sizeof(uint32_t), bench.stream));
  auto* stream = static_cast<cudaStream_t>(bench.stream.handle());
  size_t temporary = 0;
  const auto reduce = [&](void* memory) {
    return BOBBIN_CUDA(cub::DeviceReduce::Sum(memory, temporary, words.as<uint32_t>(), sum.as<uint32_t>(),
                                              bytes / sizeof(uint32_t), stream));
  };
  BOBBIN_TRY(reduce(nullptr));
  BOBBIN_ASSIGN(const DeviceBuffer memory, DeviceBuffer::create(temporary, bench.stream));
  BOBBIN_ASSIGN(const Sample sample, bench.timer.measure([&] { return reduce(memory.data()); }));
  return sample.bytes_per_second(bytes);
}

Status check_bitmap(const Array& array, const DeviceBuffer& bitmap, Compare op, Scalar constant,
                    StreamView stream) {
  const uint64_t piece = std::min<uint64_t>(array.length, 8192);
  BOBBIN_ASSIGN(const Array part, array::slice(array, 0, piece));
  BOBBIN_ASSIGN(const Array host, array::to_host(part, stream));
  BOBBIN_ASSIGN(const array::Bitmap expected, array::compare(host, op, constant));
  BOBBIN_ASSIGN(const auto found, fetch(bitmap.data(), piece / 8, stream));
  BOBBIN_RETURN_IF(std::memcmp(found.data(), expected.words.data(), piece / 8) != 0, StatusCode::device,
                   "the GPU and the CPU compare differently");
  return {};
}

Status measure_compare(Bench& bench, DType type, uint32_t width) {
  const StreamView stream = bench.stream;
  const uint64_t size = codec::bitpack::packed_bytes(bench.values, width, size_bits(type));
  BOBBIN_ASSIGN(const double reading, read_rate(bench, size));
  BOBBIN_ASSIGN(DeviceBuffer fresh, DeviceBuffer::create(size, stream));
  const auto packed = std::make_shared<DeviceBuffer>(std::move(fresh));
  BOBBIN_TRY(bench.fill(*packed));
  const Array array{.codec = CodecId::bitpack,
                    .type = type,
                    .length = bench.values,
                    .offset = 0,
                    .metadata = {static_cast<uint8_t>(width)},
                    .buffers = {{packed, {packed->as<std::byte>(), size}}},
                    .children = {}};
  BOBBIN_ASSIGN(const DeviceBuffer bitmap, DeviceBuffer::create(num_vectors(bench.values) * 128, stream));
  const Scalar constant{low_mask<uint64_t>(width) / 3};
  BOBBIN_ASSIGN(const Sample sample, bench.timer.measure([&] {
    return array::compare_on_device(array, ValueRange::of(array.type, Compare::lt, constant),
                                    bitmap.as<uint32_t>(), stream);
  }));
  BOBBIN_TRY(check_bitmap(array, bitmap, Compare::lt, constant, stream));
  bench.figures.add("compare (% of CUB's read)", type, width, size, sample, reading, width == 8 ? 85 : 0,
                    "cub reduce");
  return {};
}

// Compares the two orders of FastLanes, u32.
Status measure_orders(Bench& bench, const DeviceBuffer& values, double memcpy_rate) {
  for (const uint32_t width : {4U, 12U}) {
    if (!bench.wants(width)) {
      continue;
    }
    BOBBIN_ASSIGN(const DeviceBuffer packed,
                  DeviceBuffer::create(codec::bitpack::packed_bytes(bench.values, width, 32), bench.stream));
    BOBBIN_TRY(bench.fill(packed));
    const TransposedDecode kernel{{{packed.as<Quad>(), packed.size() / sizeof(Quad)}, width},
                                  {values.as<uint32_t>(), bench.values}};
    const uint64_t blocks = bench.values / kVectorLength / TransposedDecode::kVectors;
    BOBBIN_ASSIGN(const Sample sample, bench.timer.measure([&] { return bench.gpu.run(kernel, blocks); }));
    bench.figures.add("decode, transposed order", DType::u32, width, packed.size() + values.size(), sample,
                      memcpy_rate, 0);
  }
  return {};
}

Status measure_type(Bench& bench, DType type) {
  return visit_bits(type, [&]<class T>(std::type_identity<T>) -> Status {
    BOBBIN_ASSIGN(const DeviceBuffer values, DeviceBuffer::create(bench.values * sizeof(T), bench.stream));
    BOBBIN_ASSIGN(const double memcpy_rate, bench.memcpy_rate(values.size()));
    BOBBIN_TRY(bench.measure_memset(type, values.size(), memcpy_rate));
    for (const uint32_t width : kWidths) {
      if (width <= kBits<T> && bench.wants(width)) {
        BOBBIN_TRY(measure_bitpack<T>(bench, type, width, values, memcpy_rate));
        BOBBIN_TRY(measure_ffor<T>(bench, type, width, values, memcpy_rate));
      }
    }
    if (bench.wants(8)) {
      BOBBIN_TRY(measure_delta<T>(bench, type, values, memcpy_rate));
    }
    if constexpr (sizeof(T) == 4) {
      BOBBIN_TRY(measure_orders(bench, values, memcpy_rate));
    }
    for (const uint32_t width : {4U, 8U}) {
      if (bench.wants(width)) {
        BOBBIN_TRY(measure_compare(bench, type, width));
      }
    }
    return {};
  });
}

Status run(const Arguments& arguments) {
  const Args args(arguments);
  BOBBIN_ASSIGN(const Stream stream, Stream::create(Backend::cuda));
  BOBBIN_ASSIGN(GpuTimer timer, make_timer(stream.view()));
  Bench bench(stream.view(), std::move(timer), args);
  for (const DType type : {DType::u8, DType::u16, DType::u32, DType::u64}) {
    if (args.type.empty() || args.type == to_string(type)) {
      BOBBIN_TRY(measure_type(bench, type));
    }
  }
  return publish(bench.figures.markdown(), bench.figures.rows(), arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
