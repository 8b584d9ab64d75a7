// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/delta/series.hpp"

#include <cmath>
#include <cstring>

#include "array/array.hpp"

namespace bobbin::testing {
namespace {

int64_t noise(uint64_t i, int64_t range) {
  return static_cast<int64_t>(Random(i).next() % static_cast<uint64_t>(range));
}

int64_t counter(uint64_t i) {
  return static_cast<int64_t>(1'000'000 + 3 * i);
}
// Every second, a few milliseconds late.
int64_t timestamps(uint64_t i) {
  return 1'700'000'000 + static_cast<int64_t>(i) * 1000 + noise(i, 8);
}
int64_t xyz(uint64_t i) {
  const auto t = static_cast<int64_t>(i / 3);
  const int64_t start[] = {500'000, 9'000'000, -20'000'000};
  const int64_t speed[] = {17, -40, 3};
  return start[i % 3] + speed[i % 3] * t + noise(i, 4);
}
int64_t parabola(uint64_t i) {
  const auto t = static_cast<int64_t>(i);
  return t * t - 700 * t;
}
int64_t sensor(uint64_t i) {
  return std::llround(1e6 * std::sin(static_cast<double>(i) / 200));
}
// Two channels, 16 bits.
int64_t stereo(uint64_t i) {
  const double t = static_cast<double>(i / 2);
  return i % 2 == 0 ? std::llround(9000 * std::sin(t / 30)) : std::llround(7000 * std::cos(t / 47)) + 12000;
}

}  // namespace

std::vector<Series> all_series() {
  return {{"counter", &counter, {1, 1}},   {"timestamps", &timestamps, {1, 1}}, {"xyz", &xyz, {2, 3}},
          {"parabola", &parabola, {2, 1}}, {"sensor", &sensor, {3, 1}},         {"stereo", &stereo, {3, 2}}};
}

Input make_series(const Series& series, DType type, uint64_t length) {
  Input input{std::string(to_string(type)) + " " + series.name + " " + std::to_string(length), type, {}};
  input.bytes.resize(length * size_bytes(type));
  for (uint64_t i = 0; i < length; ++i) {
    const int64_t value = series.value(i);
    std::memcpy(input.bytes.data() + i * size_bytes(type), &value, size_bytes(type));
  }
  return input;
}

std::string check_every_parameter(Backend backend, uint64_t length) {
  for (const DType type : {DType::u8, DType::i16, DType::f32, DType::u64}) {
    const Input input = make_series(all_series()[length % 2 == 0 ? 2 : 4], type, length);
    for (uint32_t order = 1; order <= scan::kMaxOrder; ++order) {
      for (const uint32_t tuple : {1U, 2U, 3U, 8U, 17U, 31U, 32U}) {
        const auto array = codec::delta::encode_with(input.values(), {order, tuple});
        std::vector<std::byte> out(input.bytes.size());
        if (!array.has_value() || !array::validate(*array).ok() ||
            !array::decode(*array, out, backend).ok() || out != input.bytes) {
          return input.name + ", order " + std::to_string(order) + ", stride " + std::to_string(tuple);
        }
      }
    }
  }
  return {};
}

}  // namespace bobbin::testing
