// SPDX-License-Identifier: Apache-2.0
// Forged footers with valid checksums: each forgery has its own message.
#include <flatbuffers/flatbuffers.h>

#include <functional>

#include "array/array.hpp"
#include "bobbin/zstd.hpp"
#include "codecs/registry.hpp"
#include "core/text.hpp"
#include "file/array_bytes.hpp"
#include "file/checksum.hpp"
#include "file/lz4_block.hpp"
#include "forge.hpp"
#include "support.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::file_tests {
namespace {

struct Lie {
  std::string name;
  std::function<void(Forgery&)> tell;
  std::string message;     // a part of the error from open or verify
  bool flat_only = false;  // a footer of version 2 has no such field
};

Status open_and_verify(const Bytes& bytes) {
  const MemoryFile file(bytes);
  return file_tests::open_and_verify(file);
}

void expect_message(const Status& status, const std::string& part) {
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find(part), std::string::npos)
      << "got: " << status.message() << "\nnot: " << part;
  EXPECT_EQ(status.message().find('\n'), std::string::npos);
}

void expect_refused(const std::vector<Lie>& lies) {
  for (const Lie& lie : lies) {
    SCOPED_TRACE(lie.name);
    Forgery forgery;
    lie.tell(forgery);
    expect_message(open_and_verify(forgery.bytes()), lie.message);
    if (!lie.flat_only) {
      expect_message(open_and_verify(forgery.bytes(2)), lie.message);
    }
  }
}

void expect_refused_flat(std::vector<Lie> lies) {
  std::ranges::for_each(lies, [](Lie& lie) { lie.flat_only = true; });
  expect_refused(lies);
}

TEST(FileForged, TheForgeryItselfIsSound) {
  for (const uint32_t version : {1, 2}) {
    ASSERT_OK(open_and_verify(Forgery().bytes(version)));
    const MemoryFile file(Forgery().bytes(version));
    const auto reader = file.open();
    EXPECT_EQ(reader->format_version(), version);
    std::vector<uint32_t> values(3);
    ASSERT_OK(reader->read(0, 0, 3, std::as_writable_bytes(std::span(values))));
    EXPECT_EQ(values, (std::vector<uint32_t>{1, 2, 3}));
  }
}

TEST(FileForged, Segments) {
  const uint64_t huge = UINT64_MAX;
  expect_refused_flat({
      {"offset beyond the file", [&](Forgery& f) { f.footer.segments[0].offset = uint64_t{1} << 40; },
       "expected at 128"},
      {"offset at the end of 64 bits", [&](Forgery& f) { f.footer.segments[0].offset = huge; },
       "expected at 128"},
      {"offset in the header", [](Forgery& f) { f.footer.segments[0].offset = 0; }, "expected at 128"},
      {"offset not aligned", [](Forgery& f) { f.footer.segments[0].offset = 129; }, "expected at 128"},
      {"size of 64 bits", [&](Forgery& f) { f.footer.segments[0].size = huge; },
       "reach beyond the footer's start"},
      {"size that pads to 0", [&](Forgery& f) { f.footer.segments[0].size = huge - 100; }, "reach beyond"},
      {"one byte too many", [](Forgery& f) { f.footer.segments[0].size = 129; }, "reach beyond"},
      {"smaller: other rules", [](Forgery& f) { f.footer.segments[0].size = 100; }, "bitpack"},
      {"empty", [](Forgery& f) { f.footer.segments[0].size = 0; },
       "128 bytes before it belong to no segment"},
      {"two that overlap", [](Forgery& f) { f.footer.segments.push_back(f.footer.segments[0]); },
       "segment 1: at byte 128, expected at 256"},
      {"one after the last",
       [](Forgery& f) {
         f.footer.segments.push_back({256, 1, 0});
       },
       "reach beyond"},
      {"a gap",
       [](Forgery& f) {
         f.footer.segments[0].offset = 256;
         f.body.resize(256);
       },
       "expected at 128"},
      {"bytes of nobody", [](Forgery& f) { f.body.resize(256); }, "128 bytes before it belong to no segment"},
      {"a body that is not padded",
       [](Forgery& f) {
         f.body.resize(100);
         f.footer.segments[0].size = 100;
       },
       "padding reaches beyond"},
      {"no segments", [](Forgery& f) { f.footer.segments.clear(); }, "belong to no segment"},
      {"wrong checksum", [](Forgery& f) { f.footer.segments[0].checksum ^= 1; },
       "test.bob: row group 0, column \"value\": segment 0 (128 bytes at 128): the checksum does not match"},
      {"used by nobody", [](Forgery& f) { f.root().segments.clear(); }, "segment 0 belongs to no column"},
      {"used twice",
       [](Forgery& f) {
         f.root().segments = {0, 0};
       },
       "segment 0 is used twice"},
      {"index out of range", [](Forgery& f) { f.root().segments = {1}; }, "segment 1 of 1 does not exist"},
      {"index of 32 bits", [](Forgery& f) { f.root().segments = {UINT32_MAX}; }, "does not exist"},
      {"too many buffers", [](Forgery& f) { f.root().segments.assign(257, 0); },
       "257 buffers are above the limit of 256"},
  });
}

// In version 2 a segment's position is determined by the sizes of those before it.
TEST(FileForged, SegmentsOfVersion2) {
  const auto refused = [](const std::function<void(Forgery&)>& tell, const std::string& message) {
    SCOPED_TRACE(message);
    Forgery forgery;
    tell(forgery);
    expect_message(open_and_verify(forgery.bytes(2)), message);
  };
  const auto with_size = [](uint64_t size) {
    return [size](Forgery& f) { f.footer.segments[0].size = size; };
  };
  refused(with_size(UINT64_MAX / 2 - 1), "reach beyond the footer's start");
  refused(with_size(129), "reach beyond the footer's start");
  refused(with_size(112), "16 bytes before it belong to no segment");
  refused(with_size(0), "128 bytes before it belong to no segment");
  refused([](Forgery& f) { f.body.resize(100), f.footer.segments[0].size = 100; }, "padding reaches beyond");
  refused([](Forgery& f) { f.footer.segments[0].checksum ^= 1; }, "segment 0 (128 bytes at 16)");
  refused([](Forgery& f) { f.root().segments.clear(); }, "128 bytes before it belong to no segment");
  refused([](Forgery& f) { f.root().first_is_shared = true; }, "refers to that of the previous chunk");
  refused([](Forgery& f) { f.footer.row_groups.push_back(f.footer.row_groups[0]); }, "reach beyond");
  refused([](Forgery& f) { f.footer.segments[0].in_footer = true; }, "128 bytes do not fit the footer");
  refused([](Forgery& f) { f.footer.inline_bytes.resize(1); }, "do not fill its end");
  const auto inlined = [](Forgery& f) {
    f.footer.inline_bytes = std::exchange(f.body, {});
    f.footer.segments[0].in_footer = true;
  };
  Forgery sound;
  inlined(sound);
  EXPECT_TRUE(open_and_verify(sound.bytes(2)).ok());
  refused([&](Forgery& f) { inlined(f), f.body.resize(16); }, "16 bytes before it belong to no segment");
  refused([&](Forgery& f) { inlined(f), f.footer.inline_bytes.resize(127); }, "128 bytes do not fit");
  refused([&](Forgery& f) { inlined(f), f.footer.inline_bytes.resize(129); }, "do not fill its end");
}

TEST(FileForged, NumbersOfVersion2) {
  const auto refused = [](std::vector<uint8_t> bytes, const std::string& message) {
    expect_message(open_and_verify(assemble({}, std::as_bytes(std::span(bytes)), 2)), message);
  };
  refused({}, "footer: its structure is damaged: it ends too early");
  refused({0, 0}, "it ends too early");
  refused({0, 0, 0, 0}, "do not fill its end");
  refused({128, 0, 0, 0}, "a number has too many bytes");
  refused({0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2}, "a number has too many bytes");
  refused({0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, "row groups are above the limit");
  refused({0, 0, 100, 1}, "it ends too early");
  refused({129, 128, 64, 0, 0}, "1048577 columns are above the limit of 1048576");
  refused({1, 1, 'a', 3, 0, 1, 3, 1, 2}, "row group 0, column \"a\": its structure is damaged");
  refused({1, 1, 'a', 11, 0, 1, 3, 0, 1, 'x', 3, 0, 0}, "shares more bytes than the minimum has");
  EXPECT_TRUE(open_and_verify(assemble({}, Bytes(3), 2)).ok());  // everything is empty
}

TEST(FileForged, Nodes) {
  expect_refused({
      {"codec", [](Forgery& f) { f.root().codec = static_cast<CodecId>(77); },
       "test.bob: footer: row group 0, column \"value\": unknown codec 77 (newer file?)"},
      {"codec 0", [](Forgery& f) { f.root().codec = static_cast<CodecId>(0); }, "unknown codec 0"},
      {"type", [](Forgery& f) { f.root().type = static_cast<DType>(99); }, "unknown type 99 (newer file?)",
       true},
      {"type 0", [](Forgery& f) { f.root().type = static_cast<DType>(0); }, "unknown type 0"},
      {"another type", [](Forgery& f) { f.root().type = DType::i32; },
       "values of type i32 in a column of type u32"},
      {"too short", [](Forgery& f) { f.root().length = 2; }, "2 values in a row group of 3 rows"},
      {"too long", [](Forgery& f) { f.root().length = 4; }, "4 values in a row group of 3 rows"},
      {"length of 64 bits", [](Forgery& f) { f.root().length = UINT64_MAX; },
       "18446744073709551615 values in a row group of 3 rows"},
      {"no metadata", [](Forgery& f) { f.root().metadata.clear(); }, "bitpack"},
      {"more metadata",
       [](Forgery& f) {
         f.root().metadata = {2, 2};
       },
       "bitpack"},
      {"too much metadata", [](Forgery& f) { f.root().metadata.resize(65537); }, "65537 bytes of metadata"},
      {"width", [](Forgery& f) { f.root().metadata = {33}; }, "bitpack"},
      {"width that needs other data", [](Forgery& f) { f.root().metadata = {0}; }, "bitpack"},
      {"a child",
       [](Forgery& f) { f.root().children.push_back({.codec = CodecId::bitpack, .type = DType::u8}); },
       "bitpack"},
      {"a child of unknown codec",
       [](Forgery& f) {
         f.root().children.push_back({.codec = static_cast<CodecId>(99), .type = DType::u8});
       },
       "child 0: unknown codec 99"},
      {"too many children",
       [](Forgery& f) { f.root().children.assign(257, {.codec = CodecId::bitpack, .type = DType::u8}); },
       "257 children are above the limit of 256"},
      {"another codec", [](Forgery& f) { f.root().codec = CodecId::ffor; }, "ffor"},
  });
}

Forgery with_depth(size_t depth) {
  Forgery forgery;
  file::Node tree = forgery.root();
  for (size_t level = 1; level < depth; ++level) {
    file::Node parent{.codec = CodecId::bitpack, .type = DType::u32, .length = 3};
    parent.children.push_back(std::move(tree));
    tree = std::move(parent);
  }
  forgery.root() = std::move(tree);
  return forgery;
}

// A slice in memory has its first value at a place that its metadata gives: in a file, arrays are whole.
TEST(FileForged, Slices) {
  constexpr uint64_t kRows = 200'000;
  std::vector<uint8_t> numbers(kRows);
  std::vector<std::optional<std::string>> texts(kRows);
  for (size_t i = 0; i < kRows; ++i) {
    numbers[i] = static_cast<uint8_t>(i * i % 11 * (i % 5));
    texts[i] = "text " + std::to_string(i * i % 1013);
  }
  const Strings strings = strings_of(texts);
  const auto encoded = [&](const std::string& codec, bool as_text) {
    const file::Recipe recipe{.cascade = *select::parse_cascade(codec)};
    return as_text ? *file::encode_strings(strings.view(), nullptr, 0, recipe)
                   : *file::encode_numbers({DType::u8, numbers.data(), kRows}, nullptr, recipe);
  };
  for (const auto& [codec, as_text] :
       {std::pair("ans", false), {"zstd", false}, {"zstd", true}, {"fsst", true}}) {
    const file::EncodedChunk whole = encoded(codec, as_text);
    // The first begins in the middle of a segment or frame, the other at the start of one: of its own, only
    // the place of its first bytes differs from that of a whole array.
    for (const uint64_t begin : {uint64_t{1024}, uint64_t{1} << 16}) {
      SCOPED_TRACE(std::string(codec) + (as_text ? " of strings" : "") + " from " + std::to_string(begin));
      file::EncodedChunk part = whole;
      part.array = *array::slice(whole.array, begin, kRows - begin);
      ASSERT_EQ(part.array.offset, 0U);
      if (part.array.codec == CodecId::zstd &&
          as_text) {  // parts of its offsets may begin inside of a vector
        Array& offsets = part.array.children[0];
        Bytes values(offsets.length * size_bytes(offsets.type));
        ASSERT_OK(array::decode(offsets, values));
        offsets = *find_codec(CodecId::bitpack)->encode({offsets.type, values.data(), offsets.length});
      }
      const std::string message = std::string(codec) + ": a slice in a file";
      if (!as_text) {
        expect_message(file::unpack_array(file::pack_array(part.array), kRows).error(), message);
      }
      const DType type = as_text ? DType::binary : DType::u8;
      const ForgedFile forged{.columns = {{"value", type}}, .groups = {{kRows - begin, {part}}}};
      const MemoryFile file(forged.bytes());
      expect_message(file_tests::open_and_verify(file), message);
      const auto reader = file.open();
      std::vector<std::byte> some(10);
      expect_message(as_text ? reader->read_strings(0, 100, 10).error() : reader->read(0, 100, 10, some),
                     message);
    }
  }
}

TEST(FileForged, DeepTrees) {
  expect_message(open_and_verify(with_depth(16).bytes()),
                 "bitpack");  // as deep as allowed: the error comes from the codec
  expect_message(open_and_verify(with_depth(17).bytes()), "the encoding tree is deeper than 16");
  expect_message(open_and_verify(with_depth(50).bytes()), "the encoding tree is deeper than 16");
  expect_message(open_and_verify(with_depth(16).bytes(2)), "bitpack");
  expect_message(open_and_verify(with_depth(17).bytes(2)), "the encoding tree is deeper than 16");
  expect_message(open_and_verify(with_depth(2000).bytes(2)), "the encoding tree is deeper than 16");
  expect_message(open_and_verify(with_depth(2000).bytes()), "footer: its structure is damaged");
}

TEST(FileForged, RowGroupsAndColumns) {
  const auto rename = [](std::string name) {
    return [name = std::move(name)](Forgery& f) { f.footer.columns[0].name = name; };
  };
  expect_refused({
      {"rows 0", [](Forgery& f) { f.footer.row_groups[0].num_rows = 0; }, "row group 0: no rows"},
      {"rows", [](Forgery& f) { f.footer.row_groups[0].num_rows = 4; }, "3 values in a row group of 4 rows"},
      {"too many rows", [](Forgery& f) { f.footer.row_groups[0].num_rows = (1 << 24) + 1; },
       "above the limit of 16777216"},
      {"rows of 64 bits", [](Forgery& f) { f.footer.row_groups[0].num_rows = UINT64_MAX; },
       "above the limit"},
      {"no chunk", [](Forgery& f) { f.footer.row_groups[0].chunks.clear(); }, "0 chunks for 1 columns", true},
      {"chunk too many", [](Forgery& f) { f.footer.row_groups[0].chunks.push_back(f.chunk()); },
       "2 chunks for 1 columns", true},
      {"no row group", [](Forgery& f) { f.footer.row_groups.clear(); }, "segment 0 belongs to no column",
       true},
      {"row group twice", [](Forgery& f) { f.footer.row_groups.push_back(f.footer.row_groups[0]); },
       "row group 1, column \"value\": segment 0 is used twice", true},
      {"no column", [](Forgery& f) { f.footer.columns.clear(); }, "1 chunks for 0 columns", true},
      {"column type", [](Forgery& f) { f.footer.columns[0].type = DType::u8; },
       "values of type u32 in a column of type u8"},
      {"unknown column type", [](Forgery& f) { f.footer.columns[0].type = static_cast<DType>(13); },
       "unknown type 13"},
      {"twins",
       [](Forgery& f) {
         f = {};
         f.footer.columns.push_back(f.footer.columns[0]);
         f.footer.row_groups.clear();
         f.footer.segments.clear();
         f.body.clear();
       },
       "duplicate column name \"value\""},
      {"name too long", rename(std::string(65537, 'a')), "a name of 65537 bytes"},
      {"lone continuation", rename("a\x80"), "column 0: the name \"a\\x80\" is not UTF-8"},
      {"surrogate", rename("\xed\xa0\x80"), "is not UTF-8"},
      {"overlong", rename("\xc0\xaf"), "is not UTF-8"},
      {"above U+10FFFF", rename("\xf4\x90\x80\x80"), "is not UTF-8"},
      {"cut short", rename("\xe2\x82"), "is not UTF-8"},
      {"zero byte", rename(std::string("a\0b", 3)), "is not UTF-8"},
  });
}

TEST(FileForged, ZoneMaps) {
  expect_refused({
      {"minimum too low", [](Forgery& f) { f.chunk().zone.min.bits = 0; }, "minimum and maximum"},
      {"minimum too high", [](Forgery& f) { f.chunk().zone.min.bits = 2; }, "minimum and maximum"},
      {"maximum too low", [](Forgery& f) { f.chunk().zone.max.bits = 2; }, "minimum and maximum"},
      {"maximum too high", [](Forgery& f) { f.chunk().zone.max.bits = 4; }, "minimum and maximum"},
      {"the wrong way round",
       [](Forgery& f) {
         f.chunk().zone = {{3}, {1}};
       },
       "not a range"},
      {"no value of the type", [](Forgery& f) { f.chunk().zone.max.bits = uint64_t{1} << 32; },
       "not a range"},
  });
}

// The forgery's values, as floats, are denormals: their order is that of the integers.
TEST(FileForged, ZoneMapsOfFloats) {
  const auto with_zone = [](uint32_t min, uint32_t max) {
    Forgery forgery;
    forgery.footer.columns[0].type = forgery.root().type = DType::f32;
    forgery.chunk().zone = {{min}, {max}};
    return open_and_verify(forgery.bytes());
  };
  constexpr uint32_t kInfinity = 0x7f80'0000;
  constexpr uint32_t kSign = 0x8000'0000;
  ASSERT_OK(with_zone(1, 3));
  expect_message(with_zone(kSign | 1, 3), "disagree with the zone map's");
  expect_message(with_zone(kSign | kInfinity, kInfinity), "disagree with the zone map's");
  expect_message(with_zone(3, 1), "not a range");
  expect_message(with_zone(0, kSign), "not a range");
  expect_message(with_zone(1, kInfinity + 1), "not a range");
  expect_message(with_zone((kSign | kInfinity) + 1, 3), "not a range");
}

// 2^24 rows of a constant need no bytes: valid, and decoding can be refused cheaply.
TEST(FileForged, ManyRowsWithoutData) {
  Forgery forgery;
  forgery.body.clear();
  forgery.footer.segments[0] = {.offset = 128, .size = 0, .checksum = file::checksum({})};
  forgery.footer.row_groups[0].num_rows = forgery.root().length = 1 << 24;
  forgery.root().metadata = {0};
  forgery.chunk().zone = {};
  const MemoryFile file(forgery.bytes());
  const auto reader = file.open();
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  EXPECT_EQ(reader->num_rows(), uint64_t{1} << 24);
  std::vector<uint32_t> values(5, 9);
  ASSERT_OK(reader->read(0, 12'345'678, 5, std::as_writable_bytes(std::span(values))));
  EXPECT_EQ(values, std::vector<uint32_t>(5, 0));
}

// A sparse file: a large size, but almost no bytes on disk. Its size must not determine an allocation.
TEST(FileForged, SparseFilesDoNotDecideHowMuchMemoryIsTaken) {
  constexpr uint64_t kHole = uint64_t{1} << 31;
  Forgery forgery;
  forgery.footer.segments[0].size = kHole;
  const Bytes bytes = forgery.bytes();
  const MemoryFile file(bytes);
  file.put(128 + kHole, std::span(bytes).subspan(128 + 128));
  expect_message(file_tests::open_and_verify(file), "2147483648 bytes are above the limit of 1073741824");
}

TEST(FileForged, NewerVersionsAreNamed) {
  Bytes bytes = Forgery().bytes();
  bytes[8] = std::byte{3};
  expect_message(open_and_verify(bytes),
                 "test.bob: header: format version 3 is newer than this build reads (1 to 2)");
  EXPECT_EQ(open_and_verify(bytes).code(), StatusCode::unsupported);
  bytes[8] = std::byte{0};
  expect_message(open_and_verify(bytes), "format version 0 does not exist");
  bytes[8] = std::byte{1};
  bytes[bytes.size() - 16] = std::byte{2};
  expect_message(open_and_verify(bytes), "trailer: format version 2, but the header says 1");
}

TEST(FileForged, CompressedFooters) {
  const Bytes sound = Forgery().bytes(2);
  const Frame frame(sound);
  const Bytes block = file::compress_block(frame.footer);
  const auto with_size = [&](uint32_t plain_bytes) {
    return open_and_verify(assemble(frame.body, block, 2, plain_bytes));
  };
  const auto size = static_cast<uint32_t>(frame.footer.size());
  ASSERT_OK(with_size(size));
  for (const uint32_t wrong : {size - 1, size + 1, 1U, 2'000'000U}) {
    expect_message(with_size(wrong), "footer: its compressed form is damaged");
  }
  expect_message(with_size((1U << 21) + 1),
                 "trailer: a compressed footer of 2097153 bytes is above the limit");
  expect_message(with_size(0), "footer: ");
  expect_message(open_and_verify(assemble({}, {}, 2, 5)), "footer: its compressed form is damaged");
  expect_message(open_and_verify(assemble(frame.body, flat::build_footer(Forgery().footer), 1, 5)),
                 "trailer: reserved bytes are not zero");
}

TEST(FileForged, FootersInFrames) {
  const Bytes sound = Forgery().bytes(2);
  const Frame frame(sound);
  const auto size = static_cast<uint32_t>(frame.footer.size());
  const Bytes with_magic = *zstd::encode(frame.footer);
  const Bytes packed(with_magic.begin() + 4, with_magic.end());
  const auto with = [&](const Bytes& bytes, uint32_t plain_bytes) {
    return open_and_verify(assemble(frame.body, bytes, 2, plain_bytes | file::kFooterIsFrame));
  };
  ASSERT_OK(with(packed, size));
  for (const uint32_t wrong : {0U, 1U, size - 1, size + 1, 2'000'000U}) {
    expect_message(with(packed, wrong), "footer: its compressed form is damaged");
  }
  expect_message(with(packed, (1U << 21) + 1), "a compressed footer of 2097153 bytes is above the limit");
  expect_message(with(with_magic, size), "footer: its compressed form is damaged");
  expect_message(with({}, size), "footer: its compressed form is damaged");
  for (size_t end = 1; end < packed.size(); ++end) {
    expect_message(with({packed.begin(), packed.begin() + static_cast<ptrdiff_t>(end)}, size), "footer: ");
  }
  Bytes longer = packed;
  longer.push_back(std::byte{0});
  expect_message(with(longer, size), "footer: its compressed form is damaged");
  for (size_t at = 0; at < packed.size(); ++at) {  // any byte changed: refused, or read as another footer
    Bytes changed = packed;
    changed[at] ^= std::byte{0x21};
    (void)with(changed, size);
  }
}

TEST(FileForged, SmallFootersAreFrames) {
  testing::Random random(5);  // few different bytes in no order
  std::vector<std::byte> plain;
  for (int i = 0; i < 600; ++i) {
    plain.push_back(static_cast<std::byte>("etaoinshrdlu"[random.below(12)]));
  }
  const file::PackedFooter packed = file::pack_footer(plain);
  EXPECT_EQ(packed.plain_bytes, 600U | file::kFooterIsFrame);
  EXPECT_LT(packed.bytes.size(), file::compress_block(plain).size());
  const auto back = file::unpack_footer(packed.bytes, packed.plain_bytes);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, plain);
  std::vector<std::byte> noise(64);
  for (size_t i = 0; i < noise.size(); ++i) {
    noise[i] = static_cast<std::byte>(i * 37 % 251);
  }
  EXPECT_EQ(file::pack_footer(noise).plain_bytes, 0U);
}

TEST(FileForged, Trailers) {
  const Bytes sound = Forgery().bytes();
  const auto with_footer_bytes = [&](uint64_t size) {
    Bytes bytes = sound;
    std::memcpy(bytes.data() + bytes.size() - 32, &size, sizeof size);
    return open_and_verify(bytes);
  };
  expect_message(with_footer_bytes(UINT64_MAX), "does not fit a file of");
  expect_message(with_footer_bytes(sound.size() - 159), "does not fit a file of");
  expect_message(with_footer_bytes(sound.size() - 160), "the checksum does not match");
  expect_message(with_footer_bytes(0), "the checksum does not match");
  expect_message(open_and_verify(assemble({}, {})), "footer: its structure is damaged");
}

// Below: FlatBuffers that its own builder would not make, or that share parts. Field numbers as in
// docs/format.md.
constexpr flatbuffers::voffset_t field(int index) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * index);
}

using flatbuffers::Offset;
using TableOffset = Offset<flatbuffers::Table>;
using flatbuffers::FlatBufferBuilder;

TableOffset raw_node(FlatBufferBuilder& builder, const std::vector<TableOffset>& children) {
  const auto child_vector = builder.CreateVector(children);
  const auto start = builder.StartTable();
  builder.AddElement<uint16_t>(field(0), 1, 0);
  builder.AddElement<uint8_t>(field(1), 3, 0);
  builder.AddElement<uint64_t>(field(2), 3, 0);
  builder.AddOffset(field(5), child_vector);
  return TableOffset(builder.EndTable(start));
}

Bytes raw_file(FlatBufferBuilder& builder, const std::vector<TableOffset>& columns,
               const std::vector<TableOffset>& groups) {
  const auto column_vector = builder.CreateVector(columns);
  const auto group_vector = builder.CreateVector(groups);
  const auto segments = builder.CreateVector(std::vector<uint64_t>{});
  const auto start = builder.StartTable();
  builder.AddOffset(field(0), column_vector);
  builder.AddOffset(field(1), group_vector);
  builder.AddOffset(field(2), segments);
  builder.Finish(TableOffset(builder.EndTable(start)), "BOBF");
  return assemble({}, std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
}

TableOffset raw_column(FlatBufferBuilder& builder, Offset<flatbuffers::String> name) {
  const auto start = builder.StartTable();
  builder.AddOffset(field(0), name);
  builder.AddElement<uint8_t>(field(1), 3, 0);
  return TableOffset(builder.EndTable(start));
}

TableOffset raw_group(FlatBufferBuilder& builder, TableOffset root) {
  const auto chunk_start = builder.StartTable();
  builder.AddOffset(field(0), root);
  const TableOffset chunk(builder.EndTable(chunk_start));
  const auto chunks = builder.CreateVector(std::vector<TableOffset>{chunk});
  const auto start = builder.StartTable();
  builder.AddElement<uint64_t>(field(0), 3, 0);
  builder.AddOffset(field(1), chunks);
  return TableOffset(builder.EndTable(start));
}

// 15 levels of 256 children each, all the same one: 256^15 nodes in a few kilobytes.
TEST(FileForged, SharedChildrenDoNotMultiply) {
  FlatBufferBuilder builder;
  TableOffset node = raw_node(builder, {});
  for (int level = 0; level < 15; ++level) {
    node = raw_node(builder, std::vector<TableOffset>(256, node));
  }
  const TableOffset column = raw_column(builder, builder.CreateString("a"));
  expect_message(open_and_verify(raw_file(builder, {column}, {raw_group(builder, node)})),
                 "structure is damaged");
}

TEST(FileForged, SharedRowGroupsDoNotMultiply) {
  FlatBufferBuilder builder;
  const TableOffset group = raw_group(builder, raw_node(builder, {}));
  const TableOffset column = raw_column(builder, builder.CreateString("a"));
  expect_message(open_and_verify(raw_file(builder, {column}, std::vector<TableOffset>(100'000, group))),
                 "structure is damaged");
}

TEST(FileForged, SharedNamesDoNotMultiply) {
  FlatBufferBuilder builder;
  const auto name = builder.CreateString(std::string(60'000, 'x'));
  std::vector<TableOffset> columns;
  for (int i = 0; i < 1000; ++i) {
    columns.push_back(raw_column(builder, name));
  }
  expect_message(open_and_verify(raw_file(builder, columns, {})), "its parts overlap");
}

TEST(FileForged, MissingPartsAreNoticed) {
  FlatBufferBuilder builder;
  const TableOffset nameless(builder.EndTable(builder.StartTable()));
  expect_message(open_and_verify(raw_file(builder, {nameless}, {})), "structure is damaged");
  FlatBufferBuilder empty;
  empty.Finish(TableOffset(empty.EndTable(empty.StartTable())), "BOBF");
  expect_message(
      open_and_verify(assemble({}, std::as_bytes(std::span(empty.GetBufferPointer(), empty.GetSize())))),
      "structure is damaged");
  FlatBufferBuilder other;
  other.Finish(TableOffset(other.EndTable(other.StartTable())), "NOPE");
  expect_message(
      open_and_verify(assemble({}, std::as_bytes(std::span(other.GetBufferPointer(), other.GetSize())))),
      "structure is damaged");
}

TEST(FileForged, NamesInMessagesStayOnOneLine) {
  EXPECT_EQ(bobbin::quoted_text("plain Größe"), "\"plain Größe\"");
  EXPECT_EQ(bobbin::quoted_text("a\nb\x1b[31m\x7f"), "\"a\\x0ab\\x1b[31m\\x7f\"");
  EXPECT_EQ(bobbin::quoted_text("\xc2\x9b"), "\"\\xc2\\x9b\"");
  EXPECT_EQ(bobbin::quoted_text(std::string(65, 'a')), '"' + std::string(64, 'a') + "...\"");
  EXPECT_EQ(bobbin::quoted_text(std::string(63, 'a') + "€"), '"' + std::string(63, 'a') + "...\"");
  EXPECT_TRUE(is_valid_name("\xf0\x9d\x84\x9e\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80"));
}

}  // namespace
}  // namespace bobbin::file_tests
