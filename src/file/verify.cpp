// SPDX-License-Identifier: Apache-2.0
#include "file/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "core/scalar.hpp"
#include "file/gather.hpp"
#include "file/nulls.hpp"
#include "file/segments.hpp"
#include "file/zone_map.hpp"

namespace bobbin::file {
namespace {

constexpr uint64_t kMostBytes = uint64_t{16} << 20;  // of strings that are decoded together

constexpr uint64_t kMostRows = uint64_t{1} << 20;

// Calls f(strings, first) for some strings at a time; then checks that each one decodes alone to the same
// bytes.
template <class F>
Status for_each_part(const Array& array, Backend backend, F&& f) {
  const bool fits = array::string_bytes(array) <= kMostBytes;
  if (!fits && array::checks_content_on_device(array, backend)) {
    BOBBIN_TRY(array::validate_content(array));  // slicing relies on it
  }
  for (uint64_t first = 0; first < array.length;) {
    BOBBIN_ASSIGN(const uint64_t count,
                  fits ? Result<uint64_t>(array.length) : array::strings_within(array, first, kMostBytes));
    BOBBIN_ASSIGN(const Array part, fits ? Result<Array>(array) : array::slice(array, first, count));
    BOBBIN_ASSIGN(const Strings strings, array::decode_strings(part, backend));
    BOBBIN_TRY(f(strings, first));
    first += count;
  }
  const auto check_each = find_codec(array.codec)->strings->check_each;
  return check_each == nullptr ? Status() : check_each(array);
}

// Calls f(values, part, first) for some numbers at a time.
template <class F>
Status for_each_part_of_numbers(const Array& array, Backend backend, F&& f) {
  const uint64_t most = std::min(kMostRows, array.length);
  BOBBIN_ASSIGN(const NewBuffer values, try_buffer(most * size_bytes(array.type)));
  for (uint64_t first = 0; first < array.length; first += kMostRows) {
    const uint64_t count = std::min(kMostRows, array.length - first);
    BOBBIN_ASSIGN(const Array part,
                  count == array.length ? Result<Array>(array) : array::slice(array, first, count));
    const std::span<std::byte> bytes(values.data, count * size_bytes(array.type));
    BOBBIN_TRY(array::decode(part, bytes, backend));
    BOBBIN_TRY(f(bytes, part, first));
  }
  return {};
}

// The zone of strings that are looked at some at a time. Bounds of parts would not do: they are truncated.
class ZoneOfParts {
 public:
  explicit ZoneOfParts(DType type) { extremes_.type = type; }

  void add_rows(uint64_t nulls, uint64_t bytes) {
    nulls_ += nulls;
    bytes_ += bytes;
  }
  // The bounds depend on fewer bytes than are kept here.
  void add_string(std::string_view text) {
    constexpr size_t kKept = 128;
    extremes_.push_back({reinterpret_cast<const uint8_t*>(text.data()), std::min(text.size(), kKept)});
  }
  void add_extremes(const StringExtremes& extremes) {
    add_string(extremes.least);
    add_string(extremes.greatest);
  }
  [[nodiscard]] StringZone zone() const {
    StringZone zone = string_zone_of(extremes_.view());
    zone.null_count = nulls_;
    zone.num_bytes = bytes_;
    return zone;
  }

 private:
  Strings extremes_;  // of each part
  uint64_t nulls_ = 0;
  uint64_t bytes_ = 0;
};

// How the rows use a dictionary entry.
struct Use {
  uint64_t rows = 0;
  uint64_t first_row = 0;  // the first of them, if any
};

Result<std::vector<Use>> uses_of(const Array& array, uint64_t first_row, Backend backend) {
  std::vector<Use> uses(codec::dict::dictionary_of(array).length);
  const auto count = [&](std::span<const std::byte> values, const Array& codes, uint64_t first) -> Status {
    codec::dict::visit_codes(codes.type, [&]<class Code>(std::type_identity<Code>) {
      const auto* const decoded = reinterpret_cast<const Code*>(values.data());
      const Code last = codec::dict::last_code<Code>(uses.size());
      for (uint64_t i = 0; i < codes.length; ++i) {
        Use& use = uses[std::min(decoded[i], last)];
        use.first_row = use.rows++ == 0 ? first_row + first + i : use.first_row;
      }
    });
    return {};
  };
  BOBBIN_TRY(for_each_part_of_numbers(codec::dict::codes_of(array), backend, count));
  return uses;
}

ZoneMap join(DType type, const ZoneMap& a, const ZoneMap& b) {
  return {less(type, b.min, a.min) ? b.min : a.min, less(type, a.max, b.max) ? b.max : a.max};
}

// An error about the strings of a row.
struct RowError {
  uint64_t row = UINT64_MAX;
  Status status{};
};

// Notes the error of the first row that is not UTF-8.
void check_used_utf8(const Strings& entries, std::span<const Use> uses, RowError& first) {
  for (size_t e = 0; e < uses.size(); ++e) {
    if (uses[e].rows == 0 || entries.view().is_null(e) || uses[e].first_row >= first.row) {
      continue;
    }
    StringsView one = entries.view();
    one.validity = nullptr;
    one = sub_view(one, e, 1, entries.type);
    if (Status status = check_utf8(one, uses[e].first_row); !status.ok()) {
      first = {uses[e].first_row, std::move(status)};
    }
  }
}

// Adds what the rows have of some entries.
void add_used(const Strings& entries, std::span<const Use> uses, ZoneOfParts& sum) {
  std::optional<StringExtremes> extremes;
  for (size_t e = 0; e < uses.size(); ++e) {
    const auto bytes = entries.view().string(e);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const bool is_null = entries.view().is_null(e);
    sum.add_rows(is_null ? uses[e].rows : 0, uses[e].rows * text.size());
    if (uses[e].rows != 0 && !is_null) {
      extremes = extremes.has_value()
                     ? StringExtremes{std::min(extremes->least, text), std::max(extremes->greatest, text)}
                     : StringExtremes{text, text};
    }
  }
  if (extremes.has_value()) {
    sum.add_extremes(*extremes);
  }
}

Result<StringZone> zone_of_dictionary(const Array& array, uint64_t first_row, Backend backend) {
  BOBBIN_ASSIGN(const std::vector<Use> uses, uses_of(array, first_row, backend));
  RowError error;
  ZoneOfParts sum(array.type);
  BOBBIN_TRY(for_each_part(codec::dict::dictionary_of(array), backend,
                           [&](const Strings& entries, uint64_t first) -> Status {
                             const auto used = std::span(uses).subspan(first, entries.length());
                             if (array.type == DType::utf8) {
                               check_used_utf8(entries, used, error);
                             }
                             add_used(entries, used, sum);
                             return {};
                           }));
  BOBBIN_TRY(error.status);
  return sum.zone();
}

Result<StringZone> zone_of_strings(const Array& array, uint64_t first_row, Backend backend) {
  ZoneOfParts sum(array.type);
  BOBBIN_TRY(for_each_part(array, backend, [&](const Strings& strings, uint64_t first) -> Status {
    if (array.type == DType::utf8) {
      BOBBIN_TRY(check_utf8(strings.view(), first_row + first));
    }
    uint64_t nulls = 0;
    uint64_t bytes = strings.view().num_bytes();
    for_each_null({strings.view().validity}, strings.length(), [&](uint64_t i) {
      ++nulls;
      bytes -= strings.view().size(i);
    });
    sum.add_rows(nulls, bytes);
    if (nulls < strings.length()) {
      sum.add_extremes(extremes_of(strings.view()));
    }
    return {};
  }));
  return sum.zone();
}

}  // namespace

Status verify_strings(const Array& array, const StringZone& zone, uint64_t first_row, Backend backend) {
  BOBBIN_ASSIGN(const StringZone found, array.codec == CodecId::dict
                                            ? zone_of_dictionary(array, first_row, backend)
                                            : zone_of_strings(array, first_row, backend));
  BOBBIN_RETURN_IF(found != zone, StatusCode::corrupt,
                   "the strings disagree with the zone map's bounds, nulls and bytes");
  return {};
}

Status verify_numbers(const Array& array, const Chunk& chunk, Backend backend) {
  uint64_t nulls = 0;
  std::optional<ZoneMap> zone;
  const auto look = [&](std::span<std::byte> values, const Array& part, uint64_t /*first*/) -> Status {
    uint64_t own = 0;
    if (array::has_nulls(part)) {
      BOBBIN_ASSIGN(const array::Bitmap validity, array::validity(part));
      own = bits_of(validity).count_nulls(part.length);
      fill_nulls(part.type, values, bits_of(validity));
    }
    nulls += own;
    if (own < part.length) {
      const ZoneMap more = zone_map_of({.type = part.type, .data = values.data(), .length = part.length});
      zone = zone.has_value() ? join(part.type, *zone, more) : more;
    }
    return {};
  };
  BOBBIN_TRY(for_each_part_of_numbers(array, backend, look));
  BOBBIN_RETURN_IF(nulls != chunk.null_count, StatusCode::corrupt,
                   fmt::format("{} values are null, but the footer says {}", nulls, chunk.null_count));
  BOBBIN_RETURN_IF(zone.value_or(ZoneMap{}) != chunk.zone, StatusCode::corrupt,
                   "the values disagree with the zone map's minimum and maximum");
  return {};
}

}  // namespace bobbin::file
