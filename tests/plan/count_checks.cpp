// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "array/array.hpp"
#include "plan/column_plan.hpp"
#include "plan/count_codes.hpp"
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

}  // namespace

std::string check_counts(Backend backend, Random& random) {
  const Array codes = draw_codes(random);
  const uint64_t entries = 1 + random.below(random.below(2) == 0 ? 5000 : 20);
  std::vector<uint32_t> rows((codes.offset + codes.length + 1023) / 1024 * 32);
  std::ranges::generate(rows, [&] { return static_cast<uint32_t>(random.next()); });
  std::vector<std::byte> bytes(codes.length * size_bytes(codes.type));
  (void)array::decode(codes, bytes);
  std::vector<uint64_t> wanted(entries);
  for (uint64_t i = 0; i < codes.length; ++i) {
    uint64_t code = 0;
    std::copy_n(bytes.data() + i * size_bytes(codes.type), size_bytes(codes.type),
                reinterpret_cast<std::byte*>(&code));
    const uint64_t bit = codes.offset + i;
    wanted[std::min(code, entries - 1)] += rows[bit / 32] >> (bit % 32) & 1;
  }
  const auto got = count_on(backend, codes, rows, entries);
  if (!got.has_value()) {
    return std::string(got.error().message());
  }
  return *got == wanted ? "" : fmt::format("other counts of {} codes, {}", codes.length, name_of(codes));
}

}  // namespace bobbin::testing
