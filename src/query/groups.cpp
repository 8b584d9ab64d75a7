// SPDX-License-Identifier: Apache-2.0
#include "query/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "core/scalar.hpp"
#include "plan/column.hpp"
#include "query/text.hpp"
#include "query/value.hpp"

namespace bobbin::query {
namespace {

// One value for all that count as the same.
template <class T>
T canonical(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value + T{0};  // -0.0 + 0.0 is 0.0
  } else {
    return value;
  }
}

uint64_t num_rows(const Words& rows) {
  uint64_t count = 0;
  for (const uint32_t word : rows) {
    count += static_cast<uint64_t>(std::popcount(word));
  }
  return count;
}

// Calls f(row) for each row that is set.
template <class F>
Status for_each_row(const Words& rows, F&& f) {
  for (size_t w = 0; w < rows.size(); ++w) {
    for (uint32_t bits = rows[w]; bits != 0; bits &= bits - 1) {
      BOBBIN_TRY(f(w * 32 + static_cast<uint32_t>(std::countr_zero(bits))));
    }
  }
  return {};
}

// All values of an array of numbers.
class Decoded {
 public:
  static Result<Decoded> of(const Array& array, Backend backend) {
    Decoded decoded;
    decoded.size_ = size_bytes(array.type);
    decoded.bytes_.resize(array.length * decoded.size_);
    BOBBIN_TRY(array::decode(array, decoded.bytes_, backend));
    return decoded;
  }
  [[nodiscard]] Scalar at(uint64_t i) const {
    Scalar scalar;
    std::memcpy(&scalar.bits, bytes_.data() + i * size_, size_);
    return scalar;
  }

 private:
  size_t size_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace

Status Counter::check_number_of_groups() const {
  BOBBIN_RETURN_IF(std::max(numbers_.size(), strings_.size()) > kMaxGroups, StatusCode::unsupported,
                   fmt::format("column {} holds {}: more than {} different values make too many groups",
                               quoted(column_.name), type_text(column_), kMaxGroups));
  return {};
}

Status Counter::add(Group& group, const Bound& bound) {
  BOBBIN_ASSIGN(Words rows, group.rows(bound));
  BOBBIN_ASSIGN(const Array* array, group.load(index_));
  if (const Codec& codec = *find_codec(array->codec); codec.has_nulls()) {
    const uint64_t before = num_rows(rows);
    codec.clear_nulls(*array, rows.data());
    nulls_ += before - num_rows(rows);
  }
  const Array& values = plan::values_of(*array);
  if (values.codec == CodecId::dict && values.length != 0) {
    const Array& dictionary = codec::dict::dictionary_of(values);
    if (!codec::dict::is_few(values.length, dictionary.length)) {
      return add_codes(group, dictionary, rows);
    }
  }
  return is_string(column_.type) ? add_strings(values, rows) : add_numbers(values, rows);
}

Status Counter::add_number(Scalar value, uint64_t rows) {
  visit_type(column_.type, [&]<class T>(std::type_identity<T>) {
    numbers_[scalar_of(canonical(value_of<T>(value))).bits] += rows;
  });
  return check_number_of_groups();
}

Status Counter::add_string(const StringsView& strings, uint64_t index, uint64_t rows) {
  if (strings.is_null(index)) {
    nulls_ += rows;
    return {};
  }
  const auto bytes = strings.string(index);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto found = strings_.lower_bound(text);
  if (found != strings_.end() && found->first == text) {
    found->second += rows;
    return {};
  }
  strings_.emplace_hint(found, text, rows);
  return check_number_of_groups();
}

Status Counter::add_codes(Group& group, const Array& dictionary, const Words& rows) {
  BOBBIN_ASSIGN(const std::vector<uint64_t> counts, group.count_codes(index_, rows));
  const auto for_each_entry = [&](auto&& f) -> Status {
    for (uint64_t entry = 0; entry < counts.size(); ++entry) {
      if (counts[entry] != 0) {
        BOBBIN_TRY(f(entry));
      }
    }
    return {};
  };
  if (is_string(column_.type)) {
    BOBBIN_ASSIGN(const Strings strings, array::decode_strings(dictionary, Backend::cpu));
    const StringsView view = strings.view();
    return for_each_entry([&](uint64_t entry) { return add_string(view, entry, counts[entry]); });
  }
  BOBBIN_ASSIGN(const Decoded entries, Decoded::of(dictionary, Backend::cpu));
  return for_each_entry([&](uint64_t entry) { return add_number(entries.at(entry), counts[entry]); });
}

Status Counter::add_numbers(const Array& array, const Words& rows) {
  BOBBIN_ASSIGN(const Decoded values, Decoded::of(array, backend_));
  return for_each_row(rows, [&](uint64_t row) { return add_number(values.at(row), 1); });
}

Status Counter::add_strings(const Array& array, const Words& rows) {
  BOBBIN_ASSIGN(const Strings strings, array::decode_strings(array, backend_));
  const StringsView view = strings.view();
  return for_each_row(rows, [&](uint64_t row) { return add_string(view, row, 1); });
}

GroupCounts Counter::counts() const {
  GroupCounts counts;
  if (nulls_ != 0) {
    counts.emplace_back(Value(), nulls_);
  }
  for (const auto& [text, rows] : strings_) {
    counts.emplace_back(Value::of_text(text), rows);
  }
  std::vector<std::pair<uint64_t, uint64_t>> numbers(numbers_.begin(), numbers_.end());
  std::ranges::sort(numbers, [&](const auto& a, const auto& b) {
    return less(column_.type, Scalar{a.first}, Scalar{b.first});
  });
  for (const auto& [bits, rows] : numbers) {
    counts.emplace_back(to_value(column_, Scalar{bits}), rows);
  }
  return counts;
}

}  // namespace bobbin::query
