// SPDX-License-Identifier: Apache-2.0
// Small files that decode to very much: memory use depends on what is requested and on the limits of
// docs/format.md, and all backends accept and refuse the same files.
#include <sys/resource.h>

#include <cstring>
#include <fstream>
#include <functional>

#include "bobbin/encoding.hpp"
#include "codecs/constant/constant.hpp"
#include "codecs/delta/delta.hpp"
#include "file/zone_map.hpp"
#include "forged_file.hpp"
#include "select/cascade.hpp"
#include "support.hpp"
#include "tests/backends.hpp"

namespace bobbin::file_tests {
namespace {

constexpr uint64_t kManyRows = uint64_t{1} << 24;

Array constant_of(DType type, uint64_t value, uint64_t length) {
  Array array = *codec::constant::encode({type, &value, 1});
  array.length = length;
  return array;
}

Array dictionary_of(DType type, uint64_t rows, Array codes, Array entries) {
  return {.codec = CodecId::dict,
          .type = type,
          .length = rows,
          .offset = 0,
          .metadata = {},
          .buffers = {},
          .children = {std::move(codes), std::move(entries)}};
}

ForgedFile file_of(Column column, uint64_t rows, file::EncodedChunk chunk) {
  return {.columns = {std::move(column)}, .groups = {{.num_rows = rows, .chunks = {std::move(chunk)}}}};
}

// All rows are one string of a dictionary.
ForgedFile one_string(const Texts& entries, uint64_t code, uint64_t rows) {
  Strings strings = strings_of(entries);
  strings.type = DType::utf8;
  const Array fsst = *select::encode_strings({CodecId::fsst, {}}, strings.view(), nullptr, Backend::cpu);
  Strings used = strings_of({entries[code]});
  used.type = DType::utf8;
  StringZone zone = file::string_zone_of(used.view());
  zone.num_bytes *= rows;
  zone.null_count *= rows;
  return file_of(
      {.name = "text", .type = DType::utf8}, rows,
      {.array = dictionary_of(DType::utf8, rows, constant_of(DType::u8, code, rows), fsst), .strings = zone});
}

// The error of each backend, which must be the same.
Status verdict(const ForgedFile& forged) {
  const MemoryFile file(forged.bytes());
  const auto reader = file.open();
  if (!reader.has_value()) {
    return reader.error();
  }
  const Status cpu = reader->verify(Backend::cpu);
  for (const Backend backend : testing::backends_here()) {
    EXPECT_EQ(reader->verify(backend).message(), cpu.message());
  }
  return cpu;
}

uint64_t address_space() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Exits with 0 if f succeeds with this much memory. In a separate process, because the limit stays.
void run_within(uint64_t bytes, const std::function<bool()>& f) {
  const rlimit limit{address_space() + bytes, RLIM_INFINITY};
  const bool ok = ::setrlimit(RLIMIT_AS, &limit) == 0 && f();
  std::_Exit(ok ? 0 : 1);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsMemory = false;  // sanitizers need additional address space
#else
constexpr bool kCountsMemory = true;
#endif

TEST(FileLimits, GigabytesOfOneStringAreVerifiedInLittleMemory) {
  const ForgedFile forged = one_string({std::string(256, 'a')}, 0, kManyRows);
  ASSERT_LT(forged.bytes().size(), 3000U);
  ASSERT_OK(verdict(forged));
  if (!kCountsMemory) {
    GTEST_SKIP() << "sanitizers take memory of their own";
  }
  for (const Backend backend : testing::backends_here()) {
    EXPECT_EXIT(run_within(uint64_t{1} << 30,
                           [&] {
                             const MemoryFile file(forged.bytes());
                             const auto reader = file.open();
                             return reader.has_value() && reader->verify(backend).ok() &&
                                    reader->read_strings(0, kManyRows - 10, 10, backend).has_value();
                           }),
                ::testing::ExitedWithCode(0), "");
  }
}

// Every candidate encodes the values: of a chunk of few bytes, only as many rows as 16 MiB hold.
TEST(FileLimits, TheChoiceOfAnEncodingIsExplainedInLittleMemory) {
  const ForgedFile forged = one_string({std::string(256, 'a')}, 0, kManyRows);
  const auto explained = [&] {
    const MemoryFile file(forged.bytes());
    const auto reader = file.open();
    const auto choice = explain_encoding(*reader, 0, 0);
    return choice.has_value() && choice->num_rows == 1 << 16 && !choice->candidates.empty();
  };
  if (!kCountsMemory) {
    GTEST_SKIP() << "sanitizers take memory of their own";
  }
  EXPECT_EXIT(run_within(uint64_t{1} << 29, explained), ::testing::ExitedWithCode(0), "");
}

// A file made to take 4 GB.
TEST(FileLimits, TheGoldenFileOfLongStringsVerifies) {
  const auto reader = Reader::open(BOBBIN_SOURCE_DIR "/tests/golden/verify/v1/many_long_strings.bob");
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  EXPECT_EQ(reader->num_rows(), kManyRows);
  for (const Backend backend : testing::backends_here()) {
    ASSERT_OK(reader->verify(backend));
  }
}

TEST(FileLimits, StringsOfADictionaryAreHeldAgainstTheZoneMap) {
  const Texts entries{std::nullopt, "b", "cc", std::string("\xff")};
  ASSERT_OK(verdict(one_string(entries, 2, 70)));
  ASSERT_OK(verdict(one_string(entries, 0, 70)));
  for (const auto& lie : std::vector<std::function<void(StringZone&)>>{
           [](StringZone& zone) { ++zone.num_bytes; }, [](StringZone& zone) { --zone.num_bytes; },
           [](StringZone& zone) { ++zone.null_count; }, [](StringZone& zone) { zone.min = "b"; },
           [](StringZone& zone) { zone.max = "cd"; }}) {
    ForgedFile forged = one_string(entries, 2, 70);
    lie(forged.groups[0].chunks[0].strings);
    const Status status = verdict(forged);
    EXPECT_EQ(status.code(), StatusCode::corrupt);
    EXPECT_NE(status.message().find("zone map"), std::string::npos) << status.message();
  }
}

// Entries that no row uses are not checked; for the others the first row is named.
TEST(FileLimits, StringsOfADictionaryAreUtf8) {
  const Texts entries{"a", std::string("\xff")};
  ASSERT_OK(verdict(one_string(entries, 0, 70)));
  ForgedFile forged = one_string(entries, 1, 70);
  std::vector<uint8_t> codes(70, 0);
  codes[40] = codes[50] = 1;
  forged.groups[0].chunks[0].array.children[0] =
      *select::encode({CodecId::bitpack, {}}, {DType::u8, codes.data(), codes.size()}, Backend::cpu);
  const Status status = verdict(forged);
  EXPECT_NE(status.message().find("row 40: \"\\xff\" is not UTF-8"), std::string::npos) << status.message();
}

// Together the strings decode; individually they would not.
TEST(FileLimits, StringsComeOutOneByOneAsTheyDoTogether) {
  const Strings strings = strings_of({"abab", "xy", std::nullopt, "ab"});
  Array fsst = *select::encode_strings({CodecId::fsst, {}}, strings.view(), nullptr, Backend::cpu);
  const StringZone zone = file::string_zone_of(strings.view());
  const Column column{.name = "text", .type = DType::binary};
  fsst.type = DType::binary;
  ASSERT_OK(verdict(file_of(column, 4, {.array = fsst, .strings = zone})));
  const std::vector<uint64_t> moved{0, 5, 6, 6, 8};
  const std::vector<uint32_t> narrow(moved.begin(), moved.end());
  const bool wide = fsst.children[1].type == DType::u64;
  fsst.children[1] = *codec::delta::encode_with(
      {fsst.children[1].type, wide ? static_cast<const void*>(moved.data()) : narrow.data(), 5}, {1, 1});
  const Status status = verdict(file_of(column, 4, {.array = fsst, .strings = zone}));
  EXPECT_EQ(status.code(), StatusCode::corrupt);
  EXPECT_NE(status.message().find("string 0 does not have the size that its codes give"), std::string::npos)
      << status.message();
}

TEST(FileLimits, DictionariesAreNoLongerThanTheRows) {
  const auto with_entries = [](uint64_t entries) {
    return file_of({.name = "value", .type = DType::i64}, 1000,
                   {.array = dictionary_of(DType::i64, 1000, constant_of(DType::u32, 7, 1000),
                                           constant_of(DType::i64, 5, entries)),
                    .zone = {{5}, {5}}});
  };
  ASSERT_OK(verdict(with_entries(1000)));
  const Status status = verdict(with_entries(uint64_t{1} << 32));
  EXPECT_EQ(status.code(), StatusCode::corrupt);
  EXPECT_EQ(
      status.message(),
      "test.bob: footer: row group 0, column \"value\": child 1: 4294967296 values in a row group of 1000 "
      "rows");
}

TEST(FileLimits, StringsOfAChunkHaveALimit) {
  ForgedFile forged = one_string({"a"}, 0, 10);
  forged.groups[0].chunks[0].strings.num_bytes = file::kMaxStringBytes + 1;
  const Status status = verdict(forged);
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_NE(status.message().find("8589934593 bytes of strings are above the limit of 8589934592"),
            std::string::npos)
      << status.message();
}

TEST(FileLimits, LookupsInsideEachOtherHaveALimit) {
  std::vector<uint32_t> values(100);
  for (uint32_t i = 0; i < 100; ++i) {
    values[i] = i / 10;
  }
  const auto encoded = [&](const std::vector<uint32_t>& numbers, const char* cascade) {
    return *select::encode(*select::parse_cascade(cascade), {DType::u32, numbers.data(), numbers.size()},
                           Backend::cpu);
  };
  std::vector<uint32_t> ends;
  for (uint32_t i = 1; i <= 10; ++i) {
    ends.push_back(10 * i);
  }
  ForgedFile forged = file_of({.name = "value", .type = DType::u32}, values.size(),
                              {.array = encoded(values, "rle(rle, ffor)"), .zone = {{0}, {9}}});
  ASSERT_OK(verdict(forged));
  forged.groups[0].chunks[0].array.children[0] = encoded(ends, "sparse(rle, ffor)");
  const Status status = verdict(forged);
  EXPECT_EQ(status.code(), StatusCode::corrupt);
  EXPECT_NE(status.message().find("3 nested lookups"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace bobbin::file_tests
