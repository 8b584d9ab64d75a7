// SPDX-License-Identifier: Apache-2.0
#include "codecs/fsst/fsst.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/delta/delta.hpp"
#include "codecs/fsst/stream.hpp"
#include "codecs/fsst/tile.hpp"
#include "tests/backends.hpp"
#include "tests/codecs/fsst/strings.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

namespace fsst = codec::fsst;

Array encoded_fsst(const Strings& strings) {
  auto array = array::encode_strings(CodecId::fsst, strings.view(), nullptr, Backend::cpu);
  EXPECT_TRUE(array.has_value());
  return *array;
}

// An array of one string from given codes.
Array array_of_codes(const fsst::SymbolTable& table, const std::vector<uint8_t>& codes, uint64_t out_bytes,
                     std::vector<uint64_t> tiles) {
  const auto buffer = [](const void* data, size_t bytes) {
    const NewBuffer fresh = make_buffer(bytes);
    if (bytes != 0) {
      std::memcpy(fresh.data, data, bytes);
    }
    return fresh.buffer;
  };
  const auto symbols = table.serialize();
  const auto offsets = [](uint32_t end) {
    const uint32_t values[] = {0, end};
    return *codec::delta::encode_with({DType::u32, values, 2}, {1, 1});
  };
  return fsst::join_parts(
      DType::binary, 1, table, out_bytes,
      {buffer(symbols.data(), symbols.size()), buffer(codes.data(), codes.size()),
       buffer(tiles.data(), tiles.size() * 8), buffer(nullptr, 0)},
      {offsets(static_cast<uint32_t>(codes.size())), offsets(static_cast<uint32_t>(out_bytes))});
}

fsst::SymbolTable small_table() {
  fsst::SymbolTable table;
  table.counts = {1, 1, 0, 0, 0, 0, 0, 1};
  table.symbols[0] = 'c';
  table.symbols[1] = 'a' | 'b' << 8;
  table.symbols[2] = 0x3837363534333231;
  table.lengths[0] = 1;
  table.lengths[1] = 2;
  table.lengths[2] = 8;
  return table;
}

TEST(Fsst, SlicesAreValidToo) {
  Strings strings;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = "string " + std::to_string(i);
    if (i % 3 == 0) {
      strings.push_null();
    } else {
      strings.push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    }
  }
  const Array array = encoded_fsst(strings);
  for (const auto& [begin, length] : {std::pair{0, 1}, {0, 9}, {0, 2999}, {1, 5}, {1024, 5}, {2048, 10}}) {
    const auto slice = array::slice(array, static_cast<uint64_t>(begin), static_cast<uint64_t>(length));
    ASSERT_TRUE(slice.has_value());
    const Status status = array::validate(*slice);
    EXPECT_TRUE(status.ok()) << begin << ", " << length << ": " << status.message();
  }
}

// An output with 2^36 bytes before the first string: kernels count such quads in 32 bits.
TEST(Fsst, TilesFarBeforeTheFirstStringAreRefused) {
  Strings strings;
  for (int i = 0; i < 500; ++i) {
    const std::string text = "string " + std::to_string(i);
    strings.push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  Array array = encoded_fsst(strings);
  const uint64_t out_begin = uint64_t{1} << 36;
  std::memcpy(array.metadata.data() + 8, &out_begin, sizeof out_begin);
  EXPECT_EQ(array::validate(array).code(), StatusCode::corrupt);
}

TEST(Fsst, RoundTrip) {
  for (const StringsInput& input : string_edges()) {
    EXPECT_EQ(check_strings(input.strings), "") << input.name;
  }
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    EXPECT_EQ(check_strings(draw_strings(random)), "") << seed;
  }
}

TEST(Fsst, OperationsEqualThoseOnPlainStrings) {
  Random random(5);
  for (const StringsInput& input : string_edges()) {
    EXPECT_EQ(check_strings_on(input.strings, Backend::cpu, random), "") << input.name;
  }
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Random drawn(seed);
    EXPECT_EQ(check_strings_on(draw_strings(drawn), Backend::cpu, random), "") << seed;
  }
}

TEST(Fsst, AMillionEmptyStringsTakeNearlyNothing) {
  Strings strings;
  strings.offsets.resize(1'000'001, 0);
  const Array array = encoded_fsst(strings);
  EXPECT_LT(array::encoded_bytes(array), 50'000U);
  EXPECT_EQ(check_strings(strings), "");
}

TEST(Fsst, TextTakesLessThanHalf) {
  Random random(3);
  const Strings strings = make_sentences(20'000, random);
  const Array array = encoded_fsst(strings);
  EXPECT_LT(2 * array.buffers[1].bytes.size(), strings.bytes.size());
  // What makes tiles independently decodable.
  EXPECT_LT(200 * array.buffers[2].bytes.size(), array.buffers[1].bytes.size());
}

TEST(Fsst, NoiseGrowsByLittle) {
  Random random(4);
  Strings strings;
  std::vector<uint8_t> bytes(1'000'000);
  std::ranges::generate(bytes, [&] { return static_cast<uint8_t>(random.next()); });
  strings.push_back(bytes);
  EXPECT_LT(100 * encoded_fsst(strings).buffers[1].bytes.size(), 101 * bytes.size());
}

TEST(Fsst, ChunksShareATableThatDoes) {
  Random random(6);
  const Strings first = make_sentences(3000, random);
  const Strings second = make_sentences(3000, random);
  const Array previous = encoded_fsst(first);
  const auto shared = fsst::encode(second.view(), &previous);
  EXPECT_TRUE(std::ranges::equal(shared->buffers[0].bytes, previous.buffers[0].bytes));
  Strings other;
  for (int i = 0; i < 3000; ++i) {
    other.push_back(bytes_of("0123456789" + std::to_string(i * 7919)));
  }
  const auto fresh = fsst::encode(other.view(), &previous);
  EXPECT_FALSE(std::ranges::equal(fresh->buffers[0].bytes, previous.buffers[0].bytes));
}

TEST(Fsst, ANullMustBeEmpty) {
  Strings strings;
  strings.push_back(bytes_of("abc"));
  strings.validity = {0};
  const auto array = array::encode_strings(CodecId::fsst, strings.view(), nullptr, Backend::cpu);
  ASSERT_FALSE(array.has_value());
  EXPECT_EQ(array.error().code(), StatusCode::invalid_argument);
}

TEST(Fsst, LiteralsByBits) {
  for (uint32_t escapes = 0; escapes < 65536; ++escapes) {
    for (const bool first : {false, true}) {
      uint32_t expected = 0;
      bool literal = first;
      for (uint32_t i = 0; i < 16; ++i) {
        expected |= (literal ? 1U : 0U) << i;
        literal = !literal && (escapes >> i & 1) != 0;
      }
      ASSERT_EQ(fsst::literals_of(escapes, first), expected) << escapes;
    }
  }
}

TEST(Fsst, SpecialBytes) {
  Random random(8);
  for (uint32_t first = 0; first <= 255; ++first) {
    const auto special = fsst::SpecialBytes::from(first);
    for (int i = 0; i < 200; ++i) {
      const uint64_t word = random.next() & (i % 3 == 0 ? 0x7f7f7f7f7f7f7f7f : ~uint64_t{0});
      bool expected = false;
      for (int b = 0; b < 8; ++b) {
        expected = expected || (word >> (8 * b) & 0xff) >= first;
      }
      ASSERT_EQ(special.any(word), expected) << first << " " << std::hex << word;
    }
  }
}

// Escapes of 255 and of other bytes, so that tile boundaries fall on every position within them.
TEST(Fsst, TilesBeginAnywhere) {
  for (size_t phase = 0; phase < 6; ++phase) {
    for (const uint8_t literal : {uint8_t{255}, uint8_t{'z'}}) {
      std::vector<uint8_t> codes(phase, 0);
      uint64_t bytes = phase;
      while (codes.size() < 3 * fsst::kTileBytes + 700) {
        codes.insert(codes.end(), {255, literal, 255, literal, 2, 255, literal});
        bytes += 11;
      }
      const auto tiles = fsst::index_tiles(small_table(), codes);
      ASSERT_TRUE(tiles.has_value());
      const Array array = array_of_codes(small_table(), codes, bytes, *tiles);
      EXPECT_TRUE(array::validate(array).ok());
      EXPECT_EQ(check_any_strings(array, true), "");
      for (const Backend backend : bobbin::testing::backends_here()) {
        const auto decoded = array::decode_strings(array, backend);
        EXPECT_TRUE(decoded.has_value()) << phase << ": " << decoded.error().message();
      }
    }
  }
}

// Each of these is refused by validate(), or detected while decoding, by every decoder.
TEST(Fsst, DamageIsFound) {
  Random random(9);
  const Array good = encoded_fsst(make_sentences(900, random));
  const auto refused = [&](const char* what, const std::function<void(Array&)>& damage) {
    Array bad = good;
    for (Buffer& buffer : bad.buffers) {
      const NewBuffer fresh = make_buffer(buffer.bytes.size());
      std::ranges::copy(buffer.bytes, fresh.data);
      buffer = fresh.buffer;
    }
    damage(bad);
    if (array::validate(bad).ok()) {
      for (const Backend backend : backends_here()) {
        EXPECT_FALSE(array::decode_strings(bad, backend).has_value()) << what;
      }
      EXPECT_EQ(check_any_strings(bad, true), "") << what;
    }
  };
  const auto byte = [](Array& array, size_t buffer, size_t at) -> uint8_t& {
    return const_cast<uint8_t&>(reinterpret_cast<const uint8_t&>(array.buffers[buffer].bytes[at]));
  };
  refused("a symbol of 9 bytes", [](Array& a) { a.metadata[7] += 1; });
  refused("symbols of 0 bytes", [](Array& a) { a.metadata[1] -= 1; });
  refused("an escape at the end", [&](Array& a) { byte(a, 1, a.buffers[1].bytes.size() - 1) = 255; });
  refused("a code past the table", [&](Array& a) { byte(a, 1, 100) = 254; });
  refused("tiles that decrease", [&](Array& a) { byte(a, 2, 8) = 0, byte(a, 2, 9) = 0, byte(a, 2, 10) = 0; });
  refused("a tile that lies by one", [&](Array& a) { byte(a, 2, 8) ^= 1; });
  refused("a tile said to begin with a literal", [&](Array& a) { byte(a, 2, 15) |= 0x80; });
  refused("more output than there is", [](Array& a) { a.metadata[16] += 1; });
  refused("code_end past the codes", [](Array& a) { a.metadata[32] += 1; });
  refused("unknown flags", [](Array& a) { a.metadata[40] = 2; });
  refused("a null with bytes", [](Array& a) { a.buffers[3] = make_buffer((a.length + 7) / 8).buffer; });
  refused("offsets of other strings", [](Array& a) { std::swap(a.children[0], a.children[1]); });
  refused("no offsets", [](Array& a) { a.children.pop_back(); });
  refused("offsets of another kind", [](Array& a) { a.children[1] = a.children[1].children[0]; });
}

// Eight strings that are not null are passed over at once: the null is found wherever it is, and in slices.
TEST(Fsst, ASingleNullWithBytesIsFound) {
  Strings strings;
  for (int i = 0; i < 2100; ++i) {
    const std::string text = "string " + std::to_string(i);
    strings.push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  const Array good = encoded_fsst(strings);
  for (const uint64_t null : {0U, 7U, 8U, 13U, 1022U, 1023U, 1024U, 1031U, 2090U, 2099U}) {
    const NewBuffer validity = make_buffer((good.length + 7) / 8);
    std::fill_n(validity.data, validity.buffer.bytes.size(), std::byte{0xff});
    validity.data[null / 8] ^= static_cast<std::byte>(1U << (null % 8));
    Array bad = good;
    bad.buffers[3] = validity.buffer;
    for (const uint64_t begin : {uint64_t{0}, null - std::min<uint64_t>(null, 3), uint64_t{null}}) {
      const Status status = array::validate(*array::slice(bad, begin, good.length - begin));
      EXPECT_NE(status.message().find("string " + std::to_string(null - begin) + " is null"),
                std::string::npos)
          << null << " from " << begin << ": " << status.message();
    }
  }
}

TEST(Fsst, FlippedBitsAreRefusedOrHarmless) {
  Random random(10);
  const Array good = encoded_fsst(make_sentences(300, random));
  for (int i = 0; i < 600; ++i) {
    Array bad = good;
    const size_t which = random.below(4);
    if (which == 3) {
      bad.metadata[random.below(bad.metadata.size())] ^= static_cast<uint8_t>(1U << random.below(8));
    } else {
      const NewBuffer fresh = make_buffer(bad.buffers[which].bytes.size());
      std::ranges::copy(bad.buffers[which].bytes, fresh.data);
      fresh.data[random.below(bad.buffers[which].bytes.size())] ^=
          static_cast<std::byte>(1U << random.below(8));
      bad.buffers[which] = fresh.buffer;
    }
    ASSERT_EQ(check_any_strings(bad, i % 10 == 0), "") << i;
  }
}

// The host leaves these to the device. A device that trusted them would read or write outside of its memory.
TEST(Fsst, DamagedOffsetsAreFoundByTheDevice) {
  SKIP_WITHOUT_EMULATOR();
  Random random(11);
  Strings strings = make_sentences(200, random);
  for (int i = 0; i < 100; ++i) {
    strings.push_null();
  }
  const Array good = encoded_fsst(strings);
  const auto whole = array::slice(good, 0, 300);
  const auto part = array::slice(good, 130, 100);
  size_t refused = 0;
  for (const uint64_t i : drawn(200)) {
    Array bad = i % 2 == 0 ? *whole : *part;
    Array& offsets = bad.children[i / 2 % 2];
    Buffer& buffer = i / 4 % 2 == 0 ? offsets.buffers[0] : offsets.children[0].buffers[0];
    const NewBuffer fresh = make_buffer(buffer.bytes.size());
    std::ranges::copy(buffer.bytes, fresh.data);
    fresh.data[random.below(buffer.bytes.size())] ^= static_cast<std::byte>(1 + random.below(255));
    buffer = fresh.buffer;
    refused += array::validate_for(bad, Backend::emulator).ok() && !array::validate(bad).ok() ? 1 : 0;
    ASSERT_EQ(check_any_strings(bad, true), "") << i;
  }
  if (kAllCasesRun) {
    EXPECT_GE(refused, 50U);
  }
}

// Where a slice begins depends on offsets that ascend but may be wrong, and its first tile on codes of
// strings that are not in it. All backends decode from its first code on.
TEST(Fsst, SlicesBetweenWrongOffsetsHaveOneVerdict) {
  SKIP_WITHOUT_EMULATOR();
  Random random(12);
  const Array good = encoded_fsst(make_sentences(1500, random));
  std::vector<uint32_t> offsets(good.length + 1);
  codec::delta::decode(good.children[0], offsets.data());
  for (size_t i = 1; i + 1 < offsets.size(); i += 2) {
    offsets[i] = offsets[i - 1] + static_cast<uint32_t>(random.below(offsets[i + 1] - offsets[i - 1] + 1));
  }
  Array moved = good;
  moved.children[0] = *codec::delta::encode_with({DType::u32, offsets.data(), offsets.size()}, {1, 1});
  Array invalid = good;
  const NewBuffer codes = make_buffer(good.buffers[1].bytes.size());
  std::ranges::copy(good.buffers[1].bytes, codes.data);
  for (uint64_t at = 100; at < codes.buffer.bytes.size(); at += 1000) {
    codes.data[at] = std::byte{254};
  }
  invalid.buffers[1] = codes.buffer;
  size_t refused = 0;
  for (const uint64_t i : drawn(300)) {
    const uint64_t begin = random.below(good.length);
    const Array slice =
        *array::slice(i % 2 == 0 ? moved : invalid, begin, 1 + random.below(good.length - begin));
    const bool is_valid = array::validate(slice).ok();
    refused += is_valid && !array::decode_strings(slice, Backend::cpu).has_value() ? 1 : 0;
    ASSERT_EQ(check_any_strings(slice, true), "") << begin << ", " << slice.length;
  }
  if (kAllCasesRun) {
    EXPECT_GE(refused, 50U);
  }
}

// Codes that a greedy writer would not produce: comparisons must not trust them.
TEST(Fsst, CodesThatAreNotCanonicalCompareByBytes) {
  // "abc" with "ab" encoded as literals.
  const std::vector<uint8_t> codes{255, 'a', 255, 'b', 0};
  Array array = array_of_codes(small_table(), codes, 3, {0});
  array.metadata[40] = 0;
  ASSERT_TRUE(array::validate(array).ok());
  for (const Backend backend : bobbin::testing::backends_here()) {
    EXPECT_TRUE(array::match_strings(array, {StringTest::equals, bytes_of("abc")}, backend)->at(0));
    EXPECT_FALSE(array::match_strings(array, {StringTest::equals, bytes_of("ab")}, backend)->at(0));
    EXPECT_TRUE(array::match_strings(array, {StringTest::starts_with, bytes_of("ab")}, backend)->at(0));
    EXPECT_TRUE(array::match_strings(array, {StringTest::contains, bytes_of("bc")}, backend)->at(0));
  }
}

}  // namespace
}  // namespace bobbin::testing
