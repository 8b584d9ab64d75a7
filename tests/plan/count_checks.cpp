// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "array/array.hpp"
#include "core/dispatch.hpp"
#include "core/scalar.hpp"
#include "plan/column_plan.hpp"
#include "plan/count_codes.hpp"
#include "plan/fold_codes.hpp"
#include "tests/codecs/cascades.hpp"
#include "tests/plan/checks.hpp"

namespace bobbin::testing {
namespace {

Array draw_codes(Random& random) {
  while (true) {
    const Array array = plan::values_of(draw_cascade(random));
    if (array.type == DType::u8 || array.type == DType::u16 || array.type == DType::u32) {
      const uint64_t begin = random.below(array.length + 1);
      return *array::slice(array, begin, random.below(array.length - begin + 1));
    }
  }
}

Result<std::vector<uint64_t>> count_on(Backend backend, const Array& codes, const std::vector<uint32_t>& rows,
                                       uint64_t entries) {
  if (backend == Backend::cpu) {
    return plan::count_codes(codes, rows.data(), entries);
  }
  BOBBIN_ASSIGN(const Stream stream, Stream::create(backend));
  BOBBIN_ASSIGN(const array::OnDevice there, array::to_device(codes, stream.view()));
  const size_t bytes = rows.size() * sizeof(uint32_t);
  BOBBIN_ASSIGN(const DeviceBuffer bitmap, DeviceBuffer::create(bytes, stream.view()));
  BOBBIN_TRY(copy_async(bitmap.data(), rows.data(), bytes, stream.view()));
  return plan::count_codes_on_device(there.array, bitmap.as<uint32_t>(), entries, stream.view());
}

// Integers of as many rows as the codes have, in an encoding of their own.
Array draw_summed(Random& random, uint64_t length) {
  const auto encode = [&]<class T>(DType type) {
    std::vector<T> values(length);
    const uint64_t shift = random.below(64);
    std::ranges::generate(values, [&] { return static_cast<T>(random.next() >> shift); });
    return *array::encode(CodecId::ffor, {type, values.data(), length}, Backend::cpu);
  };
  switch (random.below(4)) {
    case 0:
      return encode.operator()<uint8_t>(DType::u8);
    case 1:
      return encode.operator()<int16_t>(DType::i16);
    case 2:
      return encode.operator()<int64_t>(DType::i64);
    default:
      return encode.operator()<uint64_t>(DType::u64);
  }
}

Result<std::vector<plan::CodeTotal>> fold_on(Backend backend, const Array& codes, const Array& values,
                                             const std::vector<uint32_t>& rows, uint64_t entries) {
  if (backend == Backend::cpu) {
    return plan::fold_codes(codes, values, rows.data(), entries);
  }
  BOBBIN_ASSIGN(const Stream stream, Stream::create(backend));
  BOBBIN_ASSIGN(const array::OnDevice codes_there, array::to_device(codes, stream.view()));
  BOBBIN_ASSIGN(const array::OnDevice values_there, array::to_device(values, stream.view()));
  const size_t bytes = rows.size() * sizeof(uint32_t);
  BOBBIN_ASSIGN(const DeviceBuffer bitmap, DeviceBuffer::create(bytes, stream.view()));
  BOBBIN_TRY(copy_async(bitmap.data(), rows.data(), bytes, stream.view()));
  return plan::fold_codes_on_device(codes_there.array, values_there.array, bitmap.as<uint32_t>(), entries,
                                    stream.view());
}

// The totals of values that are given one by one.
std::string check_sums(Backend backend, const Array& codes, std::span<const uint64_t> code_of,
                       const std::vector<uint32_t>& rows, uint64_t entries, Random& random) {
  const Array values = draw_summed(random, codes.length);
  std::vector<plan::CodeTotal> wanted(entries);
  for (uint64_t i = 0; i < codes.length; ++i) {
    const uint64_t bit = codes.offset + i;
    if ((rows[bit / 32] >> (bit % 32) & 1) != 0) {
      plan::CodeTotal& total = wanted[std::min(code_of[i], entries - 1)];
      ++total.count;
      visit_integer(values.type, [&]<class T>(std::type_identity<T>) {
        total.sum += value_of<T>(*array::value_at(values, i));
      });
    }
  }
  const auto got = fold_on(backend, codes, values, rows, entries);
  if (!got.has_value()) {
    return std::string(got.error().message());
  }
  return *got == wanted ? "" : fmt::format("other sums of {} codes, {}", codes.length, name_of(codes));
}

}  // namespace

std::string check_counts(Backend backend, Random& random) {
  const Array codes = draw_codes(random);
  const uint64_t entries = 1 + random.below(random.below(2) == 0 ? 5000 : 20);
  std::vector<uint32_t> rows((codes.offset + codes.length + 1023) / 1024 * 32);
  std::ranges::generate(rows, [&] { return static_cast<uint32_t>(random.next()); });
  std::vector<std::byte> bytes(codes.length * size_bytes(codes.type));
  (void)array::decode(codes, bytes);
  std::vector<uint64_t> wanted(entries);
  std::vector<uint64_t> code_of(codes.length);
  for (uint64_t i = 0; i < codes.length; ++i) {
    uint64_t& code = code_of[i];
    std::copy_n(bytes.data() + i * size_bytes(codes.type), size_bytes(codes.type),
                reinterpret_cast<std::byte*>(&code));
    const uint64_t bit = codes.offset + i;
    wanted[std::min(code, entries - 1)] += rows[bit / 32] >> (bit % 32) & 1;
  }
  const auto got = count_on(backend, codes, rows, entries);
  if (!got.has_value()) {
    return std::string(got.error().message());
  }
  if (*got != wanted) {
    return fmt::format("other counts of {} codes, {}", codes.length, name_of(codes));
  }
  return check_sums(backend, codes, code_of, rows, entries, random);
}

}  // namespace bobbin::testing
