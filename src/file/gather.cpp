// SPDX-License-Identifier: Apache-2.0
#include "file/gather.hpp"

#include <fmt/format.h>

#include <cassert>
#include <string_view>

#include "file/text.hpp"

namespace bobbin::file {

void append_strings(Strings& to, const StringsView& from, uint64_t begin, uint64_t count) {
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
  for (uint64_t i = 0; i < strings.length; ++i) {
    const auto string = strings.string(i);
    const std::string_view text(reinterpret_cast<const char*>(string.data()), string.size());
    BOBBIN_RETURN_IF(!strings.is_null(i) && !is_utf8(text), StatusCode::corrupt,
                     fmt::format("row {}: {} is not UTF-8", first_row + i, quoted(text)));
  }
  return {};
}

}  // namespace bobbin::file
