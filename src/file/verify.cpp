// SPDX-License-Identifier: Apache-2.0
#include "file/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "file/gather.hpp"
#include "file/nulls.hpp"
#include "file/segments.hpp"
#include "file/zone_map.hpp"

namespace bobbin::file {
namespace {

// All strings, after checking that each one decodes alone to the same bytes.
Result<Strings> decode_all(const Array& array, Backend backend) {
  BOBBIN_ASSIGN(Strings strings, array::decode_strings(array, backend));
  if (const auto check_each = find_codec(array.codec)->strings->check_each; check_each != nullptr) {
    BOBBIN_TRY(check_each(array));
  }
  return strings;
}

// How the rows use a dictionary entry.
struct Use {
  uint64_t rows = 0;
  uint64_t first_row = 0;  // the first of them, if any
};

Result<std::vector<Use>> uses_of(const Array& array, uint64_t first_row, Backend backend) {
  const Array& codes = codec::dict::codes_of(array);
  const uint64_t entries = codec::dict::dictionary_of(array).length;
  const NewBuffer memory = make_buffer(codes.length * size_bytes(codes.type));
  BOBBIN_TRY(array::decode(codes, {memory.data, memory.buffer.bytes.size()}, backend));
  std::vector<Use> uses(entries);
  codec::dict::visit_codes(codes.type, [&]<class Code>(std::type_identity<Code>) {
    const auto* const decoded = reinterpret_cast<const Code*>(memory.data);
    const Code last = codec::dict::last_code<Code>(entries);
    for (uint64_t i = 0; i < codes.length; ++i) {
      Use& use = uses[std::min(decoded[i], last)];
      use.first_row = use.rows++ == 0 ? first_row + i : use.first_row;
    }
  });
  return uses;
}

// The error of the first row that is not UTF-8.
Status check_used_utf8(const Strings& entries, const std::vector<Use>& uses) {
  Status first;
  uint64_t row = UINT64_MAX;
  for (size_t e = 0; e < uses.size(); ++e) {
    if (uses[e].rows == 0 || entries.view().is_null(e) || uses[e].first_row >= row) {
      continue;
    }
    StringsView one = entries.view();
    one.validity = nullptr;
    one = sub_view(one, e, 1, entries.type);
    if (Status status = check_utf8(one, uses[e].first_row); !status.ok()) {
      first = std::move(status);
      row = uses[e].first_row;
    }
  }
  return first;
}

// The zone of all rows' strings.
StringZone zone_of(const Strings& entries, const std::vector<Use>& uses) {
  Strings used;
  used.type = entries.type;
  uint64_t nulls = 0;
  uint64_t bytes = 0;
  for (size_t e = 0; e < uses.size(); ++e) {
    if (uses[e].rows == 0) {
      continue;
    }
    const bool is_null = entries.view().is_null(e);
    nulls += is_null ? uses[e].rows : 0;
    bytes += uses[e].rows * entries.view().string(e).size();
    append_strings(used, entries.view(), e, 1);
  }
  StringZone zone = string_zone_of(used.view());
  zone.null_count = nulls;
  zone.num_bytes = bytes;
  return zone;
}

Result<StringZone> zone_of_dictionary(const Array& array, uint64_t first_row, Backend backend) {
  BOBBIN_ASSIGN(const Strings entries, decode_all(codec::dict::dictionary_of(array), backend));
  BOBBIN_ASSIGN(const std::vector<Use> uses, uses_of(array, first_row, backend));
  if (array.type == DType::utf8) {
    BOBBIN_TRY(check_used_utf8(entries, uses));
  }
  return zone_of(entries, uses);
}

Result<StringZone> zone_of_strings(const Array& array, uint64_t first_row, Backend backend) {
  BOBBIN_ASSIGN(const Strings strings, decode_all(array, backend));
  if (array.type == DType::utf8) {
    BOBBIN_TRY(check_utf8(strings.view(), first_row));
  }
  return string_zone_of(strings.view());
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
  BOBBIN_ASSIGN(const NewBuffer values, try_buffer(array.length * size_bytes(array.type)));
  const std::span<std::byte> bytes(values.data, values.buffer.bytes.size());
  BOBBIN_TRY(array::decode(array, bytes, backend));
  uint64_t nulls = 0;
  if (array::has_nulls(array)) {
    BOBBIN_ASSIGN(const array::Bitmap validity, array::validity(array));
    nulls = bits_of(validity).count_nulls(array.length);
    fill_nulls(array.type, bytes, bits_of(validity));
  }
  BOBBIN_RETURN_IF(nulls != chunk.null_count, StatusCode::corrupt,
                   fmt::format("{} values are null, but the footer says {}", nulls, chunk.null_count));
  const ZoneMap zone = zone_map_of({.type = array.type, .data = values.data, .length = array.length});
  BOBBIN_RETURN_IF(zone != chunk.zone, StatusCode::corrupt,
                   "the values disagree with the zone map's minimum and maximum");
  return {};
}

}  // namespace bobbin::file
