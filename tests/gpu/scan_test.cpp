// SPDX-License-Identifier: Apache-2.0
// Scans on the GPU.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "bobbin/memory.hpp"
#include "tests/codecs/component.hpp"
#include "tests/codecs/delta/series.hpp"
#include "tests/scan/checks.hpp"

namespace bobbin::testing {
namespace {

using scan::Op;
using scan::Scheme;

template <class T>
T take(Result<T> result) {
  EXPECT_TRUE(result.has_value());
  return std::move(*result);
}

class GpuScan : public ::testing::Test {
 protected:
  void check(const ScanCase& c) { ASSERT_EQ(check_scan(c, stream_.view()), "") << describe(c); }

  Stream stream_ = take(Stream::create(Backend::cuda));
};

TEST_F(GpuScan, EveryOrderAndTuple) {
  for (const DType type : {DType::u8, DType::i16, DType::u32, DType::i64}) {
    for (uint32_t order = 1; order <= scan::kMaxOrder; ++order) {
      for (uint32_t tuple = 1; tuple <= scan::kMaxTuple; ++tuple) {
        check({.type = type,
               .kind = (order + tuple) % 2 == 0 ? scan::Kind::inclusive : scan::Kind::exclusive,
               .options = {.order = order, .tuple = tuple},
               .length = 800'017 + 1000 * tuple});
      }
    }
  }
}

TEST_F(GpuScan, EveryOperationAndType) {
  for (const DType type : kAllTypes) {
    for (const Op op : {Op::sum, Op::max, Op::min, Op::bit_xor, Op::bit_and, Op::bit_or}) {
      for (const uint32_t tuple : {1U, 2U, 5U}) {
        for (const auto kind : {scan::Kind::inclusive, scan::Kind::exclusive}) {
          if (!is_float(type) || op == Op::sum) {
            check({.type = type,
                   .kind = kind,
                   .options = {.order = is_float(type) ? 1U : 3U, .tuple = tuple, .op = op},
                   .length = 900'003});
          }
        }
      }
    }
  }
}

TEST_F(GpuScan, Rounds) {
  for (const DType type : {DType::u8, DType::i16, DType::u32, DType::i64}) {
    for (const Op op : {Op::sum, Op::bit_xor}) {
      for (const uint32_t tuple : {1U, 3U, 32U}) {
        for (uint32_t order = 1; order <= scan::kMaxOrder; ++order) {
          check({.type = type,
                 .options = {.order = order, .tuple = tuple, .op = op, .scheme = Scheme::rounds},
                 .length = 900'003});
        }
      }
    }
  }
}

TEST_F(GpuScan, AnyLengthAndAlignment) {
  for (const DType type : {DType::u8, DType::u16, DType::u32, DType::u64}) {
    for (uint32_t in = 0; in <= 16; ++in) {
      for (const uint64_t length : {uint64_t{0}, uint64_t{1}, uint64_t{1000 + in}, uint64_t{300'000} + in}) {
        check({.type = type,
               .options = {.order = 2},
               .length = length,
               .in_offset = in,
               .out_offset = in * 5 % 17});
        check({.type = type, .options = {.tuple = 3}, .length = length, .in_offset = in, .in_place = true});
      }
    }
  }
}

TEST_F(GpuScan, ManyInARowOnOneWorkspace) {
  scan::Workspace workspace(stream_.view());
  for (uint64_t i = 0; i < 200; ++i) {
    check({.type = i % 3 == 0 ? DType::u64 : DType::u32,
           .options = {.order = 1 + static_cast<uint32_t>(i * 5 % 8),
                       .tuple = 1 + static_cast<uint32_t>(i * 3 % 7),
                       .scheme = i % 4 == 0 ? Scheme::rounds : Scheme::automatic,
                       .workspace = &workspace},
           .length = 30'000 + i * 7001,
           .seed = i});
  }
}

// All bytes are one: a closed form, without a second scan to compare with.
class ManyOnes {
 public:
  static Result<ManyOnes> create(uint64_t bytes, StreamView stream) {
    BOBBIN_ASSIGN(DeviceBuffer memory, DeviceBuffer::create(bytes, stream));
    BOBBIN_TRY(fill_async(memory.data(), 1, bytes, stream));
    return ManyOnes(std::move(memory), stream);
  }

  // Value i of an inclusive scan of order k is its first value times C(i+k, k).
  template <class T>
  std::string check(uint32_t order, uint64_t length) {
    if (const Status status = scan::inclusive<T>({memory_.as<T>(), length}, {memory_.as<T>(), length},
                                                 {.order = order}, stream_);
        !status.ok()) {
      return status.message();
    }
    const auto unit = static_cast<T>(0x0101010101010101);
    for (uint64_t at = 0; at < length; at += length / 1001 + 1) {
      T found = 0;
      if (!copy_async(&found, memory_.as<T>() + at, sizeof found, stream_).ok() ||
          !stream_.synchronize().ok()) {
        return "cannot be read";
      }
      if (found != static_cast<T>(unit * binomial(at + order, order))) {
        return "wrong at " + std::to_string(at);
      }
    }
    return {};
  }

 private:
  ManyOnes(DeviceBuffer memory, StreamView stream) : memory_(std::move(memory)), stream_(stream) {}

  // Modulo 2^64: each factor is divided before it is multiplied.
  static uint64_t binomial(uint64_t n, uint32_t k) {
    uint64_t result = 1;
    std::vector<uint64_t> factors;
    for (uint32_t i = 0; i < k; ++i) {
      factors.push_back(n - i);
    }
    for (uint64_t d = 2; d <= k; ++d) {
      uint64_t rest = d;
      for (uint64_t& factor : factors) {
        const uint64_t common = std::gcd(factor, rest);
        factor /= common;
        rest /= common;
      }
    }
    for (const uint64_t factor : factors) {
      result *= factor;
    }
    return result;
  }

  DeviceBuffer memory_;
  StreamView stream_;
};

TEST_F(GpuScan, ClosedFormOfManyValues) {
  constexpr uint64_t kLength = uint64_t{1} << 33;
  {
    auto ones = ManyOnes::create(kLength, stream_.view());
    ASSERT_TRUE(ones.has_value()) << ones.error().message();
    EXPECT_EQ(ones->check<uint8_t>(3, kLength), "");
  }
  auto ones = ManyOnes::create(kLength * sizeof(uint32_t), stream_.view());
  ASSERT_TRUE(ones.has_value()) << ones.error().message();
  EXPECT_EQ(ones->check<uint32_t>(2, kLength), "");
}

TEST_F(GpuScan, OrderIsThatManyScans) {
  constexpr uint64_t kLength = 10'000'019;
  for (uint32_t order = 1; order <= scan::kMaxOrder; ++order) {
    auto fresh = ManyOnes::create(kLength * 8, stream_.view());
    EXPECT_EQ(fresh->check<uint64_t>(order, kLength), "") << order;
  }
}

// Blocks of both scans wait only for their own kind: the driver starts a scan when all of its blocks fit.
TEST_F(GpuScan, TwoStreamsAtOnce) {
  const Stream other = take(Stream::create(Backend::cuda));
  constexpr uint64_t kLength = uint64_t{1} << 26;
  std::vector<DeviceBuffer> buffers;
  for (const StreamView stream : {stream_.view(), other.view()}) {
    buffers.push_back(take(DeviceBuffer::create(kLength * 4, stream)));
  }
  const uint32_t one = 1;
  for (int round = 0; round < 20; ++round) {
    for (size_t i = 0; i < 2; ++i) {
      const StreamView stream = i == 0 ? stream_.view() : other.view();
      const std::span<uint32_t> values{buffers[i].as<uint32_t>(), kLength};
      ASSERT_TRUE(fill_async(values.data(), 0, kLength * 4, stream).ok());
      ASSERT_TRUE(copy_async(values.data(), &one, sizeof one, stream).ok());
      ASSERT_TRUE(
          scan::inclusive<uint32_t>(values, values, {.tuple = 1 + static_cast<uint32_t>(i)}, stream).ok());
    }
  }
  for (size_t i = 0; i < 2; ++i) {
    const StreamView stream = i == 0 ? stream_.view() : other.view();
    uint32_t last[2] = {};
    ASSERT_TRUE(copy_async(last, buffers[i].as<uint32_t>() + kLength - 2, sizeof last, stream).ok());
    ASSERT_TRUE(stream.synchronize().ok());
    EXPECT_EQ(last[0], 1U);
    EXPECT_EQ(last[1], i == 0 ? 1U : 0U);
  }
}

TEST_F(GpuScan, FloatsAreTheSameEveryTime) {
  constexpr uint64_t kLength = 20'000'003;
  Random random(1);
  std::vector<float> values(kLength);
  for (float& value : values) {
    value = static_cast<float>(random.next() % 1000) / 7;
  }
  auto in = take(DeviceBuffer::create(kLength * 4, stream_.view()));
  auto out = take(DeviceBuffer::create(kLength * 4, stream_.view()));
  ASSERT_TRUE(copy_async(in.data(), values.data(), kLength * 4, stream_.view()).ok());
  std::vector<float> first;
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(
        scan::inclusive<float>({in.as<float>(), kLength}, {out.as<float>(), kLength}, {}, stream_.view())
            .ok());
    std::vector<float> found(kLength);
    ASSERT_TRUE(copy_async(found.data(), out.data(), kLength * 4, stream_.view()).ok());
    ASSERT_TRUE(stream_.view().synchronize().ok());
    first = round == 0 ? found : first;
    ASSERT_EQ(std::memcmp(found.data(), first.data(), kLength * 4), 0) << round;
  }
}

TEST(GpuDelta, EveryParameterDecodes) {
  for (const uint64_t length : {1, 1000, 5001, 100'003}) {
    EXPECT_EQ(check_every_parameter(Backend::cuda, length), "") << length;
  }
}

}  // namespace
}  // namespace bobbin::testing
