// SPDX-License-Identifier: Apache-2.0
#include "file/gather.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cstring>
#include <string_view>

#include "core/text.hpp"
#include "file/nulls.hpp"

namespace bobbin::file {
namespace {

// The bytes of nulls would have to be removed.
bool nulls_have_bytes(const StringsView& strings, uint64_t begin, uint64_t count) {
  uint64_t bytes = 0;
  for_each_null({strings.validity, begin}, count, [&](uint64_t i) { bytes += strings.size(begin + i); });
  return bytes != 0;
}

template <class Offset>
void append_offsets(UnsetVector<uint64_t>& to, const Offset* from, uint64_t count) {
  const size_t before = to.size();
  const uint64_t shift = to.back() - from[0];  // wraps around if necessary
  to.resize(before + count);
  for (uint64_t i = 0; i < count; ++i) {
    to[before + i] = from[i + 1] + shift;
  }
}

// All bytes at once.
void append_whole(Strings& to, const StringsView& from, uint64_t begin, uint64_t count) {
  const uint64_t rows = to.length();
  const size_t before = to.bytes.size();
  const uint64_t bytes = from.offset(begin + count) - from.offset(begin);
  to.bytes.resize(before + bytes);
  if (bytes != 0) {
    std::memcpy(to.bytes.data() + before, from.bytes + from.offset(begin), bytes);
  }
  if (from.wide) {
    append_offsets(to.offsets, static_cast<const uint64_t*>(from.offsets) + begin, count);
  } else {
    append_offsets(to.offsets, static_cast<const uint32_t*>(from.offsets) + begin, count);
  }
  append_validity(to.validity, rows, {from.validity, begin}, count);
}

std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Parts of valid UTF-8 are valid if they do not begin inside a character.
bool are_utf8_together(const StringsView& strings) {
  if (strings.length == 0 || !is_utf8(text_of({strings.bytes + strings.offset(0), strings.num_bytes()}))) {
    return strings.length == 0;
  }
  const uint64_t end = strings.offset(strings.length);
  for (uint64_t i = 0; i < strings.length; ++i) {
    if (const uint64_t begin = strings.offset(i); begin < end && (strings.bytes[begin] & 0xc0) == 0x80) {
      return false;
    }
  }
  return true;
}

}  // namespace

void append_strings(Strings& to, const StringsView& from, uint64_t begin, uint64_t count) {
  if (count == 0) {
    return;
  }
  if (!nulls_have_bytes(from, begin, count)) {
    append_whole(to, from, begin, count);
    return;
  }
  for (uint64_t i = begin; i < begin + count; ++i) {
    if (from.is_null(i)) {
      to.push_null();
    } else {
      to.push_back(from.string(i));
    }
  }
}

StringsView sub_view(const StringsView& view, uint64_t begin, uint64_t count, DType type) {
  assert(view.validity == nullptr || begin == 0);
  StringsView part = view;
  part.type = type;
  part.length = count;
  part.offsets = static_cast<const uint8_t*>(view.offsets) + begin * (view.wide ? 8 : 4);
  return part;
}

Status check_utf8(const StringsView& strings, uint64_t first_row) {
  if (are_utf8_together(strings)) {
    return {};
  }
  for (uint64_t i = 0; i < strings.length; ++i) {
    const std::string_view text = text_of(strings.string(i));
    BOBBIN_RETURN_IF(!strings.is_null(i) && !is_utf8(text), StatusCode::corrupt,
                     fmt::format("row {}: {} is not UTF-8", first_row + i, quoted_text(text)));
  }
  return {};
}

}  // namespace bobbin::file
