// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "codecs/zstd/strings.hpp"

namespace bobbin::codec::zstd {
namespace {

bool passes(const StringQuery& query, std::span<const uint8_t> string) {
  const auto text = [](std::span<const uint8_t> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  switch (query.test) {
    case StringTest::equals:
      return text(string) == text(query.bytes);
    case StringTest::starts_with:
      return text(string).starts_with(text(query.bytes));
    case StringTest::contains:
      break;
  }
  return text(string).find(text(query.bytes)) != std::string_view::npos;
}

// Whether a string of that size can pass at all.
bool may_pass(const StringQuery& query, uint64_t size) {
  return query.test == StringTest::equals ? size == query.bytes.size() : size >= query.bytes.size();
}

}  // namespace

Status match(const Array& array, const StringQuery& query, uint32_t* bitmap) {
  const Header header = Header::parse(array.metadata);
  const std::vector<uint64_t> offsets = decode_offsets(array);
  Content content(array);
  std::fill_n(bitmap, ceil_div<uint64_t>(array.length, 32), 0U);
  for (uint64_t i = 0; i < array.length; ++i) {
    if (is_null(array, i) || !may_pass(query, offsets[i + 1] - offsets[i])) {
      continue;
    }
    const uint64_t begin = offsets[i] - header.base + header.skip;
    BOBBIN_ASSIGN(const std::span<const uint8_t> bytes,
                  content.bytes(begin, begin + (offsets[i + 1] - offsets[i])));
    if (passes(query, bytes)) {
      bitmap[i / 32] |= uint32_t{1} << (i % 32);
    }
  }
  return {};
}

}  // namespace bobbin::codec::zstd
