// SPDX-License-Identifier: Apache-2.0
// What a scan refuses, and what memory it requests.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bobbin/scan.hpp"
#include "tests/backends.hpp"

namespace bobbin::scan {
namespace {

const StreamView kCpu(Backend::cpu, nullptr);
const StreamView kEmulated(Backend::emulator, nullptr);

StatusCode code_of(DType type, const void* in, void* out, uint64_t length, const Options& options,
                   StreamView stream = kCpu) {
  return run(type, Kind::inclusive, in, out, length, options, stream).code();
}

TEST(ScanArguments, OrdersTuplesAndLengthsOutOfRange) {
  std::array<uint32_t, 8> values{};
  for (const Options& options :
       {Options{.order = 0}, Options{.order = 9}, Options{.tuple = 0}, Options{.tuple = 33},
        Options{.op = static_cast<Op>(6)}, Options{.scheme = static_cast<Scheme>(3)}}) {
    for (const StreamView stream : {kCpu, kEmulated}) {
      EXPECT_EQ(code_of(DType::u32, values.data(), values.data(), 8, options, stream),
                StatusCode::invalid_argument);
    }
  }
  EXPECT_EQ(code_of(DType::u8, values.data(), values.data(), kMaxLength + 1, {}),
            StatusCode::invalid_argument);
  EXPECT_EQ(code_of(DType::u32, values.data(), values.data(), 8, {.order = 8, .tuple = 32}), StatusCode::ok);
}

TEST(ScanArguments, FloatsAreOnlySummed) {
  std::array<float, 4> values{1, 2, 3, 4};
  EXPECT_EQ(code_of(DType::f32, values.data(), values.data(), 4, {.order = 2}), StatusCode::invalid_argument);
  EXPECT_EQ(code_of(DType::f32, values.data(), values.data(), 4, {.op = Op::max}),
            StatusCode::invalid_argument);
  EXPECT_EQ(code_of(DType::f32, values.data(), values.data(), 4, {.tuple = 2}), StatusCode::ok);
  EXPECT_EQ(values, (std::array<float, 4>{1, 2, 4, 6}));
}

TEST(ScanArguments, SchemesThatCannotBe) {
  std::array<uint32_t, 4> values{};
  EXPECT_EQ(code_of(DType::u32, values.data(), values.data(), 4,
                    {.order = 2, .op = Op::bit_xor, .scheme = Scheme::vector}),
            StatusCode::invalid_argument);
  EXPECT_EQ(code_of(DType::u32, values.data(), values.data(), 4, {.op = Op::max, .scheme = Scheme::rounds}),
            StatusCode::invalid_argument);
}

TEST(ScanArguments, PlacesThatCannotBe) {
  std::array<uint32_t, 16> values{};
  auto* bytes = reinterpret_cast<std::byte*>(values.data());
  EXPECT_EQ(code_of(DType::u32, bytes + 1, bytes + 1, 4, {}), StatusCode::invalid_argument);
  EXPECT_EQ(code_of(DType::u32, values.data(), values.data() + 1, 4, {}), StatusCode::invalid_argument);
  EXPECT_EQ(code_of(DType::u32, values.data() + 1, values.data(), 4, {}), StatusCode::invalid_argument);
  EXPECT_EQ(code_of(DType::u32, nullptr, values.data(), 4, {}), StatusCode::invalid_argument);
  EXPECT_EQ(code_of(DType::u32, values.data(), nullptr, 4, {}), StatusCode::invalid_argument);
  EXPECT_EQ(code_of(DType::u32, nullptr, nullptr, 0, {}), StatusCode::ok);
  EXPECT_EQ(code_of(DType::u32, values.data(), values.data() + 4, 4, {}), StatusCode::ok);
}

TEST(ScanArguments, SpansOfDifferentLengths) {
  std::array<uint32_t, 4> in{};
  std::array<uint32_t, 3> out{};
  EXPECT_EQ(inclusive<uint32_t>(in, std::span(out), {}, kCpu).code(), StatusCode::invalid_argument);
}

// Counts requests, and can refuse them.
class CountingMemory final : public MemoryResource {
 public:
  Result<void*> allocate(size_t bytes, StreamView stream) override {
    if (refuses) {
      return Status(StatusCode::out_of_memory, "no more");
    }
    asked += bytes;
    return default_memory(Backend::emulator).allocate(bytes, stream);
  }
  void deallocate(void* data, size_t bytes, StreamView stream) noexcept override {
    returned += bytes;
    default_memory(Backend::emulator).deallocate(data, bytes, stream);
  }

  size_t asked = 0;
  size_t returned = 0;
  bool refuses = false;
};

size_t memory_for(uint64_t length, const Options& how) {
  std::vector<uint32_t> values(length, 1);
  CountingMemory memory;
  Options options = how;
  options.memory = &memory;
  EXPECT_TRUE(inclusive<uint32_t>(values, std::span(values), options, kEmulated).ok());
  EXPECT_EQ(memory.asked, memory.returned);
  return memory.asked;
}

TEST(ScanMemory, DoesNotGrowWithTheLength) {
  SKIP_WITHOUT_EMULATOR();
  for (const Options& options :
       {Options{.order = 2, .tuple = 3}, Options{.order = 3, .scheme = Scheme::rounds}}) {
    EXPECT_EQ(memory_for(100'000, options), memory_for(400'000, options));
    EXPECT_GT(memory_for(100'000, options), 0U);
  }
}

TEST(ScanMemory, SmallScansNeedNone) {
  SKIP_WITHOUT_EMULATOR();
  EXPECT_EQ(memory_for(10'000, {}), 0U);
}

TEST(ScanMemory, RefusalIsAStatusAndNothingIsWritten) {
  SKIP_WITHOUT_EMULATOR();
  std::vector<uint32_t> values(100'000, 1);
  CountingMemory memory;
  memory.refuses = true;
  EXPECT_EQ(inclusive<uint32_t>(values, std::span(values), {.memory = &memory}, kEmulated).code(),
            StatusCode::out_of_memory);
  EXPECT_EQ(values, std::vector<uint32_t>(100'000, 1));
}

TEST(ScanNames, OfOperations) {
  for (const Op op : {Op::sum, Op::max, Op::min, Op::bit_xor, Op::bit_and, Op::bit_or}) {
    EXPECT_EQ(parse_op(to_string(op)), op);
  }
  EXPECT_FALSE(parse_op("plus").has_value());
}

}  // namespace
}  // namespace bobbin::scan
