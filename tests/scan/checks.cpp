// SPDX-License-Identifier: Apache-2.0
#include "tests/scan/checks.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "bobbin/memory.hpp"
#include "core/dispatch.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {
namespace {

using Bytes = std::vector<std::byte>;

constexpr size_t kGuard = 64;  // values on both sides of the output
constexpr std::byte kGuardByte{0x5a};

template <class T>
T combine(scan::Op op, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    using U = std::make_unsigned_t<T>;
    switch (op) {
      case scan::Op::sum:
        return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
      case scan::Op::max:
        return a < b ? b : a;
      case scan::Op::min:
        return b < a ? b : a;
      case scan::Op::bit_xor:
        return static_cast<T>(a ^ b);
      case scan::Op::bit_and:
        return static_cast<T>(a & b);
      case scan::Op::bit_or:
        return static_cast<T>(a | b);
    }
    return a;
  }
}

template <class T>
T neutral(scan::Op op) {
  switch (op) {
    case scan::Op::max:
      return std::numeric_limits<T>::lowest();
    case scan::Op::min:
      return std::numeric_limits<T>::max();
    case scan::Op::bit_and:
      if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(~T{0});
      }
      break;
    case scan::Op::sum:
    case scan::Op::bit_xor:
    case scan::Op::bit_or:
      break;
  }
  return 0;
}

// Order k by scanning k times. Floats are summed with more precision, so that only the scan under test
// rounds.
template <class T>
using Exact = std::conditional_t<std::is_floating_point_v<T>, long double, T>;

template <class T>
std::vector<T> scan_obviously(std::vector<T> values, const ScanCase& c) {
  const uint32_t s = c.options.tuple;
  for (uint32_t round = 0; round < c.options.order; ++round) {
    for (size_t i = s; i < values.size(); ++i) {
      values[i] = combine<T>(c.options.op, values[i - s], values[i]);
    }
  }
  if (c.kind == scan::Kind::exclusive) {
    values.insert(values.begin(), s, neutral<T>(c.options.op));
    values.resize(c.length);
  }
  return values;
}

template <class T>
std::vector<T> draw_values(const ScanCase& c) {
  Random random(c.seed);
  std::vector<T> values(c.length);
  for (T& value : values) {
    const uint64_t bits = random.next();
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(static_cast<double>(bits % 2000) / 7 - 100);
    } else {
      value = static_cast<T>(bits);
    }
  }
  return values;
}

template <class T>
bool close(T found, T expected, double scale) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::abs(static_cast<double>(found) - static_cast<double>(expected)) <=
           scale * std::numeric_limits<T>::epsilon();
  } else {
    return found == expected;
  }
}

// The array on the device, and the position of the values in it.
struct Placed {
  DeviceBuffer memory;
  std::byte* values;
};

Result<Placed> place(const Bytes& guarded, uint32_t offset_bytes, StreamView stream) {
  BOBBIN_ASSIGN(DeviceBuffer memory, DeviceBuffer::create(guarded.size() + 256, stream));
  auto* at = memory.as<std::byte>() + offset_bytes;
  BOBBIN_TRY(copy_async(at, guarded.data(), guarded.size(), stream));
  return Placed{std::move(memory), at};
}

template <class T>
Result<Bytes> scan_on(const ScanCase& c, const std::vector<T>& values, StreamView stream) {
  const size_t guard = kGuard * sizeof(T);
  const size_t bytes = c.length * sizeof(T);
  Bytes guarded(bytes + 2 * guard, kGuardByte);
  BOBBIN_ASSIGN(const Placed out, place(guarded, c.out_offset * sizeof(T), stream));
  if (bytes != 0) {
    std::memcpy(guarded.data() + guard, values.data(), bytes);
  }
  BOBBIN_ASSIGN(const Placed in, place(guarded, c.in_offset * sizeof(T), stream));
  const Placed& target = c.in_place ? in : out;
  BOBBIN_TRY(
      scan::run(c.type, c.kind, in.values + guard, target.values + guard, c.length, c.options, stream));
  BOBBIN_TRY(copy_async(guarded.data(), target.values, guarded.size(), stream));
  BOBBIN_TRY(stream.synchronize());
  return guarded;
}

template <class T>
std::string check_values(const ScanCase& c, StreamView stream) {
  const std::vector<T> values = draw_values<T>(c);
  const Result<Bytes> guarded = scan_on<T>(c, values, stream);
  if (!guarded.has_value()) {
    return guarded.error().message();
  }
  const size_t guard = kGuard * sizeof(T);
  for (size_t i = 0; i < guard; ++i) {
    if ((*guarded)[i] != kGuardByte || (*guarded)[guarded->size() - 1 - i] != kGuardByte) {
      return "writes outside its output";
    }
  }
  const auto expected = scan_obviously(std::vector<Exact<T>>(values.begin(), values.end()), c);
  double scale = 0;  // of rounding errors, for floats
  for (size_t i = 0; i < expected.size(); ++i) {
    T found;
    std::memcpy(&found, guarded->data() + guard + i * sizeof(T), sizeof(T));
    scale += std::abs(static_cast<double>(values[i])) * 8 + 1;
    if (!close<T>(found, static_cast<T>(expected[i]), scale)) {
      return "value " + std::to_string(i) + " is " + std::to_string(found) + ", not " +
             std::to_string(expected[i]);
    }
  }
  return {};
}

}  // namespace

std::string describe(const ScanCase& c) {
  const char* schemes[] = {"automatic", "vector", "rounds"};
  return std::string(to_string(c.type)) + " " + std::string(scan::to_string(c.options.op)) + " order " +
         std::to_string(c.options.order) + " tuple " + std::to_string(c.options.tuple) +
         (c.kind == scan::Kind::exclusive ? " exclusive, " : " inclusive, ") +
         schemes[static_cast<int>(c.options.scheme)] + ", length " + std::to_string(c.length) + ", offsets " +
         std::to_string(c.in_offset) + " and " + std::to_string(c.out_offset) +
         (c.in_place ? ", in place" : "");
}

std::string check_scan(const ScanCase& c, StreamView stream) {
  return visit_type(c.type, [&]<class T>(std::type_identity<T>) { return check_values<T>(c, stream); });
}

}  // namespace bobbin::testing
