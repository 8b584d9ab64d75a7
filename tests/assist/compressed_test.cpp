// SPDX-License-Identifier: Apache-2.0
// Compressed arrays that the library owns, in the emulator.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "assist/kernels.hpp"
#include "assist/parts.hpp"
#include "bobbin/assist.hpp"
#include "bobbin/encoded_array.hpp"
#include "tests/assist/arrays.hpp"
#include "tests/assist/owned.hpp"

namespace bobbin::testing {
namespace {

using TestDevice = TestDeviceOn<simt::EmulatorExecutor>;

Stream make_stream() {
  return *Stream::create(Backend::emulator);
}

// Counts what is allocated and released.
class CountingMemory : public MemoryResource {
 public:
  Result<void*> allocate(size_t bytes, StreamView stream) override {
    in_use += bytes;
    return default_memory(stream.backend()).allocate(bytes, stream);
  }
  void deallocate(void* data, size_t bytes, StreamView stream) noexcept override {
    in_use -= bytes;
    default_memory(stream.backend()).deallocate(data, bytes, stream);
  }
  size_t in_use = 0;
};

std::vector<uint64_t> random_values(uint64_t count) {
  Random random(5);
  std::vector<uint64_t> values(count);
  for (uint64_t& value : values) {
    value = random.next();
  }
  return values;
}

template <class T>
void check_lengths() {
  for (const uint64_t count : {0, 1, 1000, 3001}) {
    check_layouts<T>(TestDevice(), near_values<T>(count));
  }
}

TEST(AssistCompressed, HoldsItsValuesInEveryLayout) {
  check_lengths<uint8_t>();
  check_lengths<int16_t>();
  check_lengths<float>();
  check_lengths<uint32_t>();
  check_lengths<double>();
  check_lengths<int64_t>();
}

TEST(AssistCompressed, KernelsReadAndWriteIt) {
  check_layouts(TestDevice(), many_kinds<uint32_t>(40'001));
  check_reading(TestDevice(), many_kinds<uint32_t>(40'001));
  check_writing(TestDevice(), many_kinds<uint16_t>(9'001));
  check_writing(TestDevice(), many_kinds<uint64_t>(5'000));
}

TEST(AssistCompressed, TheSampleDecidesAndSaysWhy) {
  const Stream stream = make_stream();
  const std::vector<uint64_t> random = random_values(8192);
  const std::vector<uint32_t> near = near_values<uint32_t>(8192);
  const auto kept = *CompressedArray<uint64_t>::from_host(random, {}, stream.view());
  EXPECT_EQ(kept.layout(), LineLayout::raw);
  EXPECT_EQ(kept.reason(), "raw: the sample's ratio is 0.99, at least 1.50 is needed");
  const auto packed = *CompressedArray<uint32_t>::from_host(near, {}, stream.view());
  EXPECT_EQ(packed.layout(), LineLayout::tiles);
  EXPECT_NE(packed.reason().find("tiles: the sample's ratio is"), std::string::npos);
  // The caller may know better.
  const auto forced = *CompressedArray<uint64_t>::from_host(
      random, {.layout = LineLayout::slots, .decision = LineDecision::compressed}, stream.view());
  EXPECT_EQ(forced.layout(), LineLayout::slots);
  expect_holds(forced, random, stream.view());
  // Lines of several classes in every group: small, but slow to read.
  std::vector<uint64_t> mixed = random;
  for (size_t i = 0; i < mixed.size(); ++i) {
    mixed[i] = i / 16 % 4 == 0 ? mixed[i] : i / 16 % 4 == 1 ? 7 : mixed[i] % 100;
  }
  const auto avoided = *CompressedArray<uint64_t>::from_host(mixed, {}, stream.view());
  EXPECT_EQ(avoided.layout(), LineLayout::raw);
  EXPECT_NE(avoided.reason().find("100 % of the sample's groups"), std::string::npos) << avoided.reason();
  // Unless the kernel itself is timed on them.
  const auto timed = *CompressedArray<uint64_t>::from_host(
      mixed, {.kernel = [](const LineParts& /*parts*/) { return Status{}; }}, stream.view());
  EXPECT_NE(timed.reason().find("the kernel's speed"), std::string::npos) << timed.reason();
}

TEST(AssistCompressed, MemoryIsTheCallersAndCounted) {
  const Stream stream = make_stream();
  CountingMemory memory;
  {
    const std::vector<uint32_t> values = near_values<uint32_t>(4096);
    const auto array = *CompressedArray<uint32_t>::from_host(values, {.memory = &memory}, stream.view());
    const LineUse use = *array.use(stream.view());
    EXPECT_EQ(memory.in_use, use.memory_bytes);
    EXPECT_LT(use.memory_bytes, values.size() * 2);
    ASSERT_EQ(use.classes.size(), 1U);
    EXPECT_EQ(use.classes[0].lines, 128U);
    EXPECT_EQ(use.classes[0].name, "base of 4 bytes, deltas of 8 bits");
    EXPECT_GT(use.ratio, 3);
  }
  EXPECT_EQ(memory.in_use, 0U);
}

TEST(AssistCompressed, KernelsReadAndWriteItsParts) {
  const Stream stream = make_stream();
  const std::vector<uint32_t> values = near_values<uint32_t>(5000);
  for (const LineDecision decision : {LineDecision::compressed, LineDecision::raw}) {
    const auto from = *CompressedArray<uint32_t>::from_host(values, {.decision = decision}, stream.view());
    const auto to = *CompressedArray<uint32_t>::zeros(5000, {.decision = decision}, stream.view());
    std::vector<simt::Quad> raw(5000 / 4);
    assist::with_view<uint32_t>(from.parts(), [&]<class View>(const View& view) {
      run_in_emulator(assist::ReadKernel<View>{view, {reinterpret_cast<uint32_t*>(raw.data()), 5000}});
    });
    const assist::RawView<uint32_t> read{{reinterpret_cast<const uint32_t*>(raw.data()), 5000}};
    assist::with_writer<uint32_t>(to.parts(), [&]<class Writer>(const Writer& writer) {
      run_in_emulator(assist::WriteKernel<Writer>{read, writer});
    });
    expect_holds(to, values, stream.view());
  }
}

TEST(AssistCompressed, BytesOfAColumnAreCheckedBeforeKernelsReadThem) {
  const Stream stream = make_stream();
  const std::vector<uint32_t> values = near_values<uint32_t>(1500);
  const EncodedArray encoded =
      *EncodedArray::encode(DType::u32, values.data(), values.size(), Cascade{.codec = "line"});
  std::vector<std::byte> bytes = *encoded.to_bytes();
  const auto array = *CompressedArray<uint32_t>::from_bytes(bytes, {}, stream.view());
  expect_holds(array, values, stream.view());
  EXPECT_EQ(*array.memory().to_bytes(stream.view()), bytes);
  EXPECT_EQ(CompressedArray<float>::from_bytes(bytes, {}, stream.view()).error().code(),
            StatusCode::invalid_argument);
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (uint32_t bit = 0; bit < 8; ++bit) {
      bytes[i] ^= std::byte{1} << bit;
      EXPECT_FALSE(CompressedMemory::from_bytes(bytes, {}, stream.view()).has_value()) << i;
      bytes[i] ^= std::byte{1} << bit;
    }
    const std::span<const std::byte> part(bytes.data(), i);
    EXPECT_FALSE(CompressedMemory::from_bytes(part, {}, stream.view()).has_value()) << i;
  }
  const std::vector<std::byte> other =
      *EncodedArray::encode(DType::u32, values.data(), values.size(), Cascade{.codec = "bitpack"})
           ->to_bytes();
  EXPECT_FALSE(CompressedMemory::from_bytes(other, {}, stream.view()).has_value());
}

// Any bits are accepted or refused, and what is accepted can be read.
TEST(AssistCompressed, SlotsAreCheckedBeforeKernelsReadThem) {
  const Stream stream = make_stream();
  Random random(9);
  Slots<uint32_t> slots(96);
  Arrays<uint32_t> arrays(random, 3, 0);
  run_in_emulator(assist::WriteKernel<assist::SlotWriter<uint32_t>>{arrays.raw(), slots.writer()});
  const assist::SlotView<uint32_t> view = slots.view();
  std::vector<uint8_t> codes(view.codes.data, view.codes.data + view.codes.size);
  std::vector<std::byte> bytes(codes.size() * 128);
  std::memcpy(bytes.data(), view.slots.images.data, bytes.size());
  const auto make = [&] {
    return CompressedMemory::from_slots(DType::u32, 96, codes, bytes, {}, stream.view());
  };
  std::vector<uint32_t> out(96);
  ASSERT_TRUE(make()->to_host(std::as_writable_bytes(std::span(out)), stream.view()).ok());
  EXPECT_EQ(out, arrays.values());
  uint32_t accepted = 0;
  for (uint32_t code = 0; code < 256; ++code) {
    codes[1] = static_cast<uint8_t>(code);
    for (uint32_t draw = 0; draw < 4; ++draw) {
      std::memset(bytes.data() + 128, static_cast<int>(random.below(256)), 128);
      const auto made = make();
      if (made.has_value()) {
        ++accepted;
        EXPECT_TRUE(made->to_host(std::as_writable_bytes(std::span(out)), stream.view()).ok());
      }
    }
  }
  EXPECT_GT(accepted, 100U);
  codes.pop_back();
  EXPECT_FALSE(make().has_value());
}

TEST(AssistCompressed, RefusesWhatItCannotDo) {
  const Stream stream = make_stream();
  const StreamView cpu(Backend::cpu, nullptr);
  const std::vector<uint32_t> values(64);
  EXPECT_FALSE(CompressedArray<uint32_t>::from_host(values, {}, cpu).has_value());
  EXPECT_FALSE(CompressedMemory::from_host(DType::u32, nullptr, 4, {}, stream.view()).has_value());
  EXPECT_FALSE(
      CompressedMemory::from_device(DType::u32, values.data() + 1, 4, {}, stream.view()).has_value());
  const auto array = *CompressedArray<uint32_t>::from_host(values, {}, stream.view());
  std::vector<uint32_t> small(3);
  EXPECT_FALSE(array.to_host(small, stream.view()).ok());
}

// What the kernel says decides too; how long it takes is not tested.
TEST(AssistCompressed, TheKernelIsTriedOnASample) {
  const Stream stream = make_stream();
  const std::vector<uint32_t> near = near_values<uint32_t>(8192);
  const std::vector<uint64_t> random = random_values(8192);
  std::vector<LineParts> tried;
  LineOptions options{.kernel_bytes = 3 * 4096 + 100};
  options.kernel = [&](const LineParts& parts) { return tried.push_back(parts), Status{}; };
  const DeviceValues<uint32_t> on_device(TestDevice(), near);
  for (const bool from_host : {true, false}) {
    tried.clear();
    const auto array = from_host ? *CompressedArray<uint32_t>::from_host(near, options, stream.view())
                                 : *CompressedArray<uint32_t>::from_device(on_device.global().data, 8192,
                                                                           options, stream.view());
    ASSERT_EQ(tried.size(), 12U);
    for (size_t i = 0; i < tried.size(); ++i) {
      EXPECT_EQ(tried[i].layout, i % 2 == 0 ? LineLayout::raw : LineLayout::tiles);
      EXPECT_EQ(tried[i].length, 3 * 1024U);  // whole groups
    }
    EXPECT_EQ(array.length(), 8192U);
    EXPECT_NE(array.reason().find("the kernel's speed on a sample is"), std::string::npos) << array.reason();
    EXPECT_EQ(array.layout() == LineLayout::raw, array.reason().starts_with("raw: ")) << array.reason();
    expect_holds(array, near, stream.view());
  }
  // Values that do not pay need no kernel, nor does a decision of the caller.
  tried.clear();
  EXPECT_EQ(CompressedArray<uint64_t>::from_host(random, options, stream.view())->layout(), LineLayout::raw);
  options.decision = LineDecision::compressed;
  EXPECT_EQ(CompressedArray<uint32_t>::from_host(near, options, stream.view())->layout(), LineLayout::tiles);
  EXPECT_TRUE(tried.empty());
  options = {.kernel = [](const LineParts&) { return Status(StatusCode::device, "fails"); }};
  EXPECT_FALSE(CompressedArray<uint32_t>::from_host(near, options, stream.view()).has_value());
}

// The same for any two versions: both run.
TEST(AssistCompressed, BothVersionsOfAKernelAreTried) {
  const Stream stream = make_stream();
  int runs[2] = {0, 0};
  const Result<double> speedup = compressed_speedup([&] { return ++runs[0], Status{}; },
                                                    [&] { return ++runs[1], Status{}; }, stream.view());
  ASSERT_TRUE(speedup.has_value());
  EXPECT_EQ(runs[0], 6);
  EXPECT_EQ(runs[1], 6);
  EXPECT_FALSE(compressed_speedup([] { return Status{}; }, [] { return Status(StatusCode::device, "fails"); },
                                  stream.view())
                   .has_value());
}

}  // namespace
}  // namespace bobbin::testing
