// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/fsst/strings.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "array/strings.hpp"
#include "codecs/registry.hpp"
#include "device/backends.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

using namespace std::string_view_literals;

Strings of(std::initializer_list<std::string_view> texts) {
  Strings strings;
  for (const std::string_view text : texts) {
    strings.push_back(bytes_of(text));
  }
  return strings;
}

Strings one(size_t size, const std::function<uint8_t(size_t)>& byte) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = byte(i);
  }
  Strings strings;
  strings.push_back(bytes);
  return strings;
}

// So that buffers end where their allocation does, and AddressSanitizer detects out-of-bounds access.
Array exact_copy(const Array& array) {
  Array copy = array;
  for (Buffer& buffer : copy.buffers) {
    const NewBuffer fresh = make_buffer(buffer.bytes.size());
    std::ranges::copy(buffer.bytes, fresh.data);
    buffer = fresh.buffer;
  }
  for (Array& child : copy.children) {
    child = exact_copy(child);
  }
  return copy;
}

// The reference decoder's strings.
Result<Strings> decode_by_reference(const Array& array) {
  const StringOps& ops = *find_codec(array.codec)->strings;
  const StringSizes sizes = ops.sizes(array);
  Strings strings;
  strings.bytes.resize(sizes.bytes);
  strings.offsets.resize(array.length + 1);
  BOBBIN_TRY(ops.reference(array, {strings.offsets.data() + 1, 0, strings.bytes}));
  return strings;
}

Strings part_of(const Strings& strings, uint64_t begin, uint64_t length) {
  Strings part;
  for (uint64_t i = begin; i < begin + length; ++i) {
    if (strings.view().is_null(i)) {
      part.push_null();
    } else {
      part.push_back(strings.view().string(i));
    }
  }
  return part;
}

bool same(const Strings& a, const Strings& b) {
  const auto nulls = [](const Strings& s) {
    std::vector<bool> bits;
    for (uint64_t i = 0; i < s.length(); ++i) {
      bits.push_back(s.view().is_null(i));
    }
    return bits;
  };
  return a.bytes == b.bytes && a.offsets == b.offsets && nulls(a) == nulls(b);
}

std::string check_decoded(const Result<Strings>& decoded, const Strings& expected, const std::string& by) {
  if (!decoded.has_value()) {
    return by + ": " + decoded.error().message();
  }
  return same(*decoded, expected) ? "" : by + ": other strings";
}

std::string check_slices(const Array& array, const Strings& strings, Backend backend) {
  const uint64_t n = strings.length();
  const std::array<std::pair<uint64_t, uint64_t>, 6> parts{{{0, n},
                                                            {n / 3, n / 3},
                                                            {n / 2, n - n / 2},
                                                            {n, 0},
                                                            {n / 5, std::min<uint64_t>(1, n - n / 5)},
                                                            {0, 0}}};
  for (const uint64_t part : drawn(parts.size())) {
    const auto [begin, length] = parts[part];
    const auto slice = array::slice(array, begin, length);
    if (!slice.has_value()) {
      return "slice: " + slice.error().message();
    }
    if (const Status status = array::validate(*slice); !status.ok()) {
      return "slice: " + status.message();
    }
    const Strings expected = part_of(strings, begin, length);
    const std::string name = "slice " + std::to_string(begin) + ", " + std::to_string(length);
    std::string wrong = check_decoded(array::decode_strings(*slice, backend), expected, name);
    if (wrong.empty() && backend == Backend::cpu) {
      auto by_reference = decode_by_reference(*slice);
      if (by_reference.has_value()) {
        by_reference->validity = expected.validity;
      }
      wrong = check_decoded(by_reference, expected, name + " by reference");
    }
    // A slice of a slice.
    if (wrong.empty() && length > 2) {
      const auto inner = array::slice(*slice, 1, length - 2);
      wrong = check_decoded(array::decode_strings(*inner, backend), part_of(strings, begin + 1, length - 2),
                            "inner " + name);
    }
    if (!wrong.empty()) {
      return wrong;
    }
  }
  return "";
}

bool passes(const StringQuery& query, std::span<const uint8_t> string) {
  switch (query.test) {
    case StringTest::equals:
      return std::ranges::equal(string, query.bytes);
    case StringTest::starts_with:
      return string.size() >= query.bytes.size() &&
             std::ranges::equal(string.first(query.bytes.size()), query.bytes);
    case StringTest::contains:
      return std::ranges::search(string, query.bytes).begin() != string.end() || query.bytes.empty();
  }
  return false;
}

std::string check_query(const Array& array, const Strings& strings, const StringQuery& query,
                        Backend backend) {
  const auto bitmap = array::match_strings(array, query, backend);
  if (!bitmap.has_value()) {
    return "match: " + bitmap.error().message();
  }
  for (uint64_t i = 0; i < strings.length(); ++i) {
    const bool expected = !strings.view().is_null(i) && passes(query, strings.view().string(i));
    if (bitmap->at(i) != expected) {
      return "test " + std::to_string(static_cast<int>(query.test)) + " of string " + std::to_string(i);
    }
  }
  return "";
}

std::string check_queries(const Array& array, const Strings& strings, Backend backend, Random& random) {
  std::vector<std::vector<uint8_t>> constants{{}, {0}, {255}, {255, 255}, {'a', 'b'}};
  for (int i = 0; i < 4 && strings.length() != 0; ++i) {
    const auto string = strings.view().string(random.below(strings.length()));
    constants.emplace_back(string.begin(), string.end());
    if (string.size() > 2 && string.size() < 4000) {
      const uint64_t from = random.below(string.size() - 1);
      constants.emplace_back(string.begin() + static_cast<ptrdiff_t>(from), string.end());
      constants.emplace_back(string.begin(), string.end() - 1);
    }
  }
  constexpr std::array kTests{StringTest::equals, StringTest::starts_with, StringTest::contains};
  for (const uint64_t number : drawn(constants.size() * kTests.size())) {
    const StringQuery query{kTests[number % kTests.size()], constants[number / kTests.size()]};
    if (query.test == StringTest::contains && query.bytes.size() > 4000) {
      continue;
    }
    if (std::string wrong = check_query(array, strings, query, backend); !wrong.empty()) {
      return wrong;
    }
  }
  return "";
}

std::string check_take(const Array& array, const Strings& strings, Backend backend, Random& random) {
  std::vector<uint64_t> indices;
  Strings expected;
  for (int i = 0; i < 40 && strings.length() != 0; ++i) {
    indices.push_back(random.below(strings.length()));
    const Strings single = part_of(strings, indices.back(), 1);
    if (single.view().is_null(0)) {
      expected.push_null();
    } else {
      expected.push_back(single.bytes);
    }
  }
  return check_decoded(array::take_strings(array, indices, backend), expected, "take");
}

std::string check_lengths(const Array& array, const Strings& strings, Backend backend) {
  const auto lengths = array::string_lengths(array, backend);
  if (!lengths.has_value()) {
    return "lengths: " + lengths.error().message();
  }
  for (uint64_t i = 0; i < strings.length(); ++i) {
    if ((*lengths)[i] != strings.view().size(i)) {
      return "length of string " + std::to_string(i);
    }
  }
  return lengths->size() == strings.length() ? "" : "another number of lengths";
}

template <class T>
Status status_of(const Result<T>& result) {
  return result.has_value() ? Status() : result.error();
}

// Checks that a device finds the content that the host refuses, whatever it is asked to do.
std::string check_refused_content(const Array& array, const Status& refused) {
  const uint64_t last[] = {array.length - 1};
  const uint8_t letter[] = {'e'};
  const std::pair<const char*, Status> verdicts[] = {
      {"decode", status_of(array::decode_strings(array, Backend::emulator))},
      {"take", status_of(array::take_strings(array, last, Backend::emulator))},
      {"lengths", status_of(array::string_lengths(array, Backend::emulator))},
      {"match", status_of(array::match_strings(array, {StringTest::contains, letter}, Backend::emulator))}};
  for (const auto& [name, verdict] : verdicts) {
    if (verdict.code() != refused.code() || verdict.message() != refused.message()) {
      return std::string(name) + " in the emulator: '" + verdict.message() + "', not '" + refused.message() +
             "'";
    }
  }
  return "";
}

}  // namespace

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Strings make_sentences(uint64_t rows, Random& random) {
  constexpr std::array kWords{"the "sv,    "quick "sv, "brown "sv,   "fox "sv,  "jumps "sv,  "over "sv,
                              "lazy "sv,   "dogs "sv,  "and "sv,     "then "sv, "sleeps "sv, "furiously "sv,
                              "orders "sv, "12"sv,     "\xc3\xa9"sv, "!\xff"sv};
  Strings strings;
  for (uint64_t i = 0; i < rows; ++i) {
    std::string text;
    for (uint64_t words = random.below(9); words > 0; --words) {
      text += kWords[random.below(kWords.size())];
    }
    strings.push_back(bytes_of(text));
  }
  return strings;
}

std::vector<StringsInput> string_edges() {
  std::vector<StringsInput> inputs;
  const auto add = [&](std::string name, Strings strings) {
    inputs.push_back({std::move(name), std::move(strings)});
  };
  Random random(11);
  add("none", {});
  add("one empty", of({""}));
  add("empty ones", [] {
    Strings strings;
    for (int i = 0; i < 3000; ++i) {
      strings.push_back({});
    }
    return strings;
  }());
  add("short", of({"a", "", "ab", "abc", "a\0b"sv, "\r", "\n"}));
  add("one symbol", one(20000, [](size_t) { return 'x'; }));
  add("escapes of 255", one(9001, [](size_t) { return uint8_t{255}; }));
  add("all bytes", one(70000, [&](size_t) { return static_cast<uint8_t>(random.next()); }));
  add("counting", one(5000, [](size_t i) { return static_cast<uint8_t>(i * 7); }));
  // For a sample that does not contain them, these bytes are all escapes.
  add("unseen bytes",
      one(60000, [](size_t i) { return static_cast<uint8_t>(i % 937 < 512 ? 'a' : 128 + i % 101); }));
  add("sentences", make_sentences(2000, random));
  add("nulls", [&] {
    Strings strings;
    for (int i = 0; i < 2500; ++i) {
      if (i % 3 == 0) {
        strings.push_null();
      } else {
        strings.push_back(
            bytes_of(std::string(static_cast<size_t>(i % 23), static_cast<char>('a' + i % 26))));
      }
    }
    return strings;
  }());
  add("all null", [] {
    Strings strings;
    for (int i = 0; i < 1025; ++i) {
      strings.push_null();
    }
    return strings;
  }());
  for (const size_t size : {511U, 512U, 513U, 2047U, 2048U, 2049U, 4095U, 4096U, 4097U, 8193U}) {
    add("size " + std::to_string(size), one(size, [](size_t i) { return static_cast<uint8_t>(i * i >> 3); }));
  }
  return inputs;
}

Strings draw_strings(Random& random) {
  Strings strings;
  const uint64_t rows = random.below(400);
  const uint64_t alphabet = 1 + random.below(256);
  const uint64_t longest = 1 + random.below(random.below(8) == 0 ? 3000 : 60);
  const bool nulls = random.below(3) == 0;
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < rows; ++i) {
    if (nulls && random.below(5) == 0) {
      strings.push_null();
      continue;
    }
    bytes.resize(random.below(longest));
    for (uint8_t& byte : bytes) {
      byte = static_cast<uint8_t>(255 - random.below(alphabet));
    }
    strings.push_back(bytes);
  }
  return strings;
}

Strings draw_from(const Strings& strings, uint64_t rows, Random& random) {
  Strings drawn;
  for (uint64_t i = 0; i < rows && strings.length() != 0; ++i) {
    const uint64_t row = random.below(strings.length());
    if (strings.view().is_null(row)) {
      drawn.push_null();
    } else {
      drawn.push_back(strings.view().string(row));
    }
  }
  return drawn;
}

bool same_array(const Array& a, const Array& b) {
  const auto same_buffers = [](const Buffer& x, const Buffer& y) {
    return std::ranges::equal(x.bytes, y.bytes);
  };
  return a.codec == b.codec && a.type == b.type && a.length == b.length && a.metadata == b.metadata &&
         std::ranges::equal(a.buffers, b.buffers, same_buffers) &&
         std::ranges::equal(a.children, b.children, same_array);
}

std::string check_strings(const Strings& strings, CodecId codec) {
  const auto array = array::encode_strings(codec, strings.view(), nullptr, Backend::cpu);
  if (!array.has_value()) {
    return "encode: " + array.error().message();
  }
  const auto again = array::encode_strings(codec, strings.view(), nullptr, Backend::cpu);
  if (!same_array(*array, *again)) {
    return "two encodings differ";
  }
  if (const Status status = array::validate(*array); !status.ok()) {
    return "validate: " + status.message();
  }
  return check_slices(*array, strings, Backend::cpu);
}

std::string check_strings_on(const Strings& strings, Backend wanted, Random& random, CodecId codec) {
  const Backend backend = has_backend(wanted) ? wanted : Backend::cpu;
  const auto array = array::encode_strings(codec, strings.view(), nullptr, Backend::cpu);
  std::string wrong = check_slices(*array, strings, backend);
  if (wrong.empty()) {
    wrong = check_take(*array, strings, backend, random);
  }
  if (wrong.empty()) {
    wrong = check_lengths(*array, strings, backend);
  }
  if (wrong.empty()) {
    wrong = check_queries(*array, strings, backend, random);
  }
  if (!wrong.empty() || backend == Backend::cpu) {
    return wrong;
  }
  const auto there = array::encode_strings(codec, strings.view(), nullptr, backend);
  if (!there.has_value()) {
    return "encode: " + there.error().message();
  }
  return same_array(*array, *there) ? "" : "encodes to different bytes";
}

std::string check_any_strings(const Array& given, bool with_emulator) {
  const Array array = exact_copy(given);
  if (const Status status = array::validate(array); !status.ok()) {
    const bool only_content = array::validate_for(array, Backend::emulator).ok();
    return with_emulator && kHasEmulator && only_content && array.length > 0
               ? check_refused_content(array, status)
               : "";
  }
  const auto expected = decode_by_reference(array);
  std::vector<Backend> backends{Backend::cpu};
  if (with_emulator && kHasEmulator) {
    backends.push_back(Backend::emulator);
  }
  const bool accepted = array::decode_strings(array, Backend::cpu).has_value();
  for (const Backend backend : backends) {
    auto decoded = array::decode_strings(array, backend);
    if (decoded.has_value() != accepted) {
      return std::string(to_string(backend)) + (accepted ? " refuses" : " accepts") + ", unlike the CPU";
    }
    // The reference checks single strings too: it may refuse more, but never less.
    if (expected.has_value() && !decoded.has_value()) {
      return std::string(to_string(backend)) + " refuses what the reference takes";
    }
    if (expected.has_value() &&
        (decoded->bytes != expected->bytes || decoded->offsets != expected->offsets)) {
      return std::string(to_string(backend)) + " decodes other strings";
    }
    std::vector<uint64_t> all(array.length);
    for (uint64_t i = 0; i < array.length; ++i) {
      all[i] = i;
    }
    const auto taken = array::take_strings(array, all, backend);
    // For an entry of a damaged dictionary they may differ, because not all others are taken too.
    const bool comparable = expected.has_value() || array.codec != CodecId::dict;
    if (comparable && taken.has_value() && decoded.has_value() && taken->bytes != decoded->bytes) {
      return std::string(to_string(backend)) + " takes other strings";
    }
  }
  return "";
}

}  // namespace bobbin::testing
