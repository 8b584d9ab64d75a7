// SPDX-License-Identifier: Apache-2.0
#include "query/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/registry.hpp"
#include "core/scalar.hpp"
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
  return is_string(column_.type) ? add_strings(*array, rows) : add_numbers(*array, std::move(rows));
}

Status Counter::add_numbers(const Array& array, Words rows) {
  if (const Codec& codec = *find_codec(array.codec); codec.has_nulls()) {
    const uint64_t before = num_rows(rows);
    codec.clear_nulls(array, rows.data());
    nulls_ += before - num_rows(rows);
  }
  std::vector<uint64_t> memory((array.length * size_bytes(array.type) + 7) / 8);
  const auto bytes = std::as_writable_bytes(std::span(memory)).first(array.length * size_bytes(array.type));
  BOBBIN_TRY(array::decode(array, bytes, backend_));
  return visit_type(array.type, [&]<class T>(std::type_identity<T>) {
    const auto* values = reinterpret_cast<const T*>(bytes.data());
    return for_each_row(rows, [&](uint64_t row) {
      ++numbers_[scalar_of(canonical(values[row])).bits];
      return check_number_of_groups();
    });
  });
}

Status Counter::add_strings(const Array& array, const Words& rows) {
  BOBBIN_ASSIGN(const Strings strings, array::decode_strings(array, backend_));
  const StringsView view = strings.view();
  return for_each_row(rows, [&](uint64_t row) {
    if (view.is_null(row)) {
      ++nulls_;
      return Status();
    }
    const auto bytes = view.string(row);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto found = strings_.lower_bound(text);
    if (found != strings_.end() && found->first == text) {
      ++found->second;
      return Status();
    }
    strings_.emplace_hint(found, text, 1);
    return check_number_of_groups();
  });
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
