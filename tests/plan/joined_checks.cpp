// SPDX-License-Identifier: Apache-2.0
// A test and a sum of one column: every width, and ranges that begin
// and end anywhere.
#include <fmt/format.h>

#include <bit>
#include <limits>
#include <vector>

#include "array/array.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"
#include "plan/host.hpp"
#include "plan/plan.hpp"
#include "tests/plan/checks.hpp"

namespace bobbin::testing {
namespace {

// Integers of up to this many bits above some base, or that many hundredths. Vectors may differ in width.
template <class T>
std::vector<T> draw_values(Random& random, uint64_t length, uint32_t width) {
  const uint64_t widths = 1 + random.below(3);
  const uint64_t base = random.below(3) == 0 ? random.next() : random.below(1000);
  const uint64_t rare = random.below(2) == 0 ? UINT64_MAX : 50;  // exceptions
  std::vector<T> values(length);
  for (uint64_t i = 0; i < length; ++i) {
    const uint64_t mask = low_mask<uint64_t>(width) >> i / 1024 % widths;
    T& value = values[i];
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(static_cast<int64_t>(base % 1000 + (random.next() & mask))) / 100;
      value = random.below(rare) == 0 ? value + static_cast<T>(1) / 3 : value;
    } else {
      value = static_cast<T>(base + (random.next() & mask));
    }
  }
  return values;
}

// Between two values, one of which may be slightly off, or all.
template <class T>
ValueRange draw_range(Random& random, DType type, const std::vector<T>& values) {
  const auto draw = [&] {
    Scalar scalar{std::bit_cast<BitsOf<T>>(values[random.below(values.size())])};
    scalar.bits ^= random.below(4) == 0 ? 1 : 0;
    return scalar;
  };
  if (random.below(4) == 0) {
    return ValueRange::of(type, Compare::ge, {std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::lowest())});
  }
  return ValueRange::between(type, draw(), draw());
}

Result<plan::Total> run_on(const Array& array, const ValueRange& range, Backend backend,
                           plan::QueryPath path) {
  const plan::Filter filter{{.kind = plan::Condition::Kind::test, .column = 0, .range = range, .passes = {}}};
  const std::vector<plan::Aggregate> sum{{plan::Fold::sum, 0}};
  if (backend == Backend::cpu) {
    const std::vector<plan::Source> sources{{.array = &array, .bitmap = nullptr}};
    BOBBIN_ASSIGN(const auto totals, plan::run_on_host(sources, filter, sum));
    return totals[0];
  }
  BOBBIN_ASSIGN(const Stream stream, Stream::create(backend));
  BOBBIN_ASSIGN(const array::OnDevice there, array::to_device(array, stream.view()));
  const std::vector<plan::Source> sources{{.array = &there.array, .bitmap = nullptr}};
  BOBBIN_ASSIGN(const auto prepared, plan::Prepared::create(sources, filter, sum, stream.view(), path));
  BOBBIN_TRY(prepared.run(nullptr, stream.view()));
  BOBBIN_ASSIGN(const auto totals, prepared.totals(stream.view()));
  return totals[0];
}

template <class T>
Result<std::string> check_joined_as(Backend backend, DType type, uint32_t width, uint64_t most_rows,
                                    Random& random) {
  const uint64_t length = 1 + random.below(most_rows);
  const std::vector<T> values = draw_values<T>(random, length, width);
  const CodecId codec = std::is_floating_point_v<T> ? random.below(2) == 0 ? CodecId::alp : CodecId::alprd
                        : random.below(2) == 0      ? CodecId::ffor
                                                    : CodecId::delta;
  BOBBIN_ASSIGN(const Array whole, find_codec(codec)->encode({type, values.data(), length}));
  const uint64_t begin = random.below(2) == 0 ? 0 : random.below(length);
  BOBBIN_ASSIGN(const Array array, array::slice(whole, begin, length - begin));
  const ValueRange range = draw_range(random, type, values);
  BOBBIN_ASSIGN(const plan::Total want, run_on(array, range, backend, plan::QueryPath::decoded));
  BOBBIN_ASSIGN(const plan::Total on_host, run_on(array, range, Backend::cpu, plan::QueryPath::automatic));
  BOBBIN_ASSIGN(const plan::Total got, run_on(array, range, backend, plan::QueryPath::automatic));
  for (const plan::Total& other : {want, on_host}) {
    if (got.count != other.count || got.sum != other.sum ||
        std::bit_cast<uint64_t>(got.real_sum) != std::bit_cast<uint64_t>(other.real_sum)) {
      return fmt::format("{} of {} bits, rows from {} to {}: {} rows instead of {}, or a different sum",
                         to_string(type), width, begin, length, got.count, other.count);
    }
  }
  return std::string();
}

}  // namespace

std::string check_joined(Backend backend, uint32_t width, uint64_t most_rows, Random& random) {
  for (const DType type :
       {DType::u8, DType::i16, DType::u32, DType::i32, DType::u64, DType::i64, DType::f32, DType::f64}) {
    const auto problem = visit_type(type, [&]<class T>(std::type_identity<T>) {
      return check_joined_as<T>(backend, type, std::min<uint32_t>(width, size_bits(type)), most_rows, random);
    });
    if (!problem.has_value() || !problem->empty()) {
      return problem.has_value() ? *problem : std::string(problem.error().message());
    }
  }
  return {};
}

}  // namespace bobbin::testing
