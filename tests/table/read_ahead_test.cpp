// SPDX-License-Identifier: Apache-2.0
// Chunks that are read ahead of their use, and queries on a device that use them.
#include "table/read_ahead.hpp"

#include <span>
#include <string>

#include "array/array.hpp"
#include "bobbin/cancel.hpp"
#include "bobbin/query.hpp"
#include "file/access.hpp"
#include "file/append.hpp"
#include "tests/backends.hpp"
#include "tests/table/support.hpp"

namespace bobbin::table_tests {
namespace {

using file::ReaderAccess;
using table::Part;
using table::ReadAhead;
using table::ReadAheadOptions;

std::vector<Part> all_chunks(const Reader& reader) {
  std::vector<Part> chunks;
  for (size_t g = 0; g < reader.num_row_groups(); ++g) {
    for (size_t c = 0; c < reader.columns().size(); ++c) {
      chunks.push_back(table::whole_chunk(reader, g, c));
    }
  }
  return chunks;
}

// The emulator's device memory can be read here.
void expect_equal(const Array& a, const Array& b) {
  EXPECT_EQ(a.codec, b.codec);
  ASSERT_EQ(a.buffers.size(), b.buffers.size());
  for (size_t i = 0; i < a.buffers.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(a.buffers[i].bytes, b.buffers[i].bytes));
  }
  ASSERT_EQ(a.children.size(), b.children.size());
  for (size_t i = 0; i < a.children.size(); ++i) {
    expect_equal(a.children[i], b.children[i]);
  }
}

void expect_chunk(const Reader& reader, const ReadAhead::ReadChunk& chunk, size_t group, size_t column) {
  const auto expected = ReaderAccess::load_chunk(reader, group, column, Backend::emulator);
  ASSERT_TRUE(expected.has_value()) << expected.error().message();
  expect_equal(*chunk.array, *expected);
  EXPECT_EQ(array::memory_bytes(*chunk.array), array::encoded_bytes(*chunk.array));
  expect_equal(chunk.there(*chunk.array), *expected);
}

const StreamView kStream(Backend::emulator, nullptr);

// The same file with one bit changed in the first segment of a chunk.
Result<Reader> damaged(const TempDir& dir, const Reader& sound, size_t group, size_t column) {
  const file::Footer& footer = ReaderAccess::footer(sound);
  const file::Node* node = &footer.row_groups[group].chunks[column].root;
  while (node->segments.empty()) {
    node = &node->children.front();
  }
  file_tests::Bytes bytes = file_tests::load(dir / "t.bob");
  bytes[footer.segments[node->segments.front()].offset] ^= std::byte{1};
  file_tests::store(dir / "bad.bob", bytes);
  return Reader::open(dir / "bad.bob");
}

// Two columns of random integers, which take as many bytes as they have; "group" is the number of the row
// group.
constexpr uint64_t kRowsOfGroup = 8192;
Result<Reader> write_numbers(const TempDir& dir, uint64_t groups) {
  Random random(groups);
  const uint64_t rows = groups * kRowsOfGroup;
  std::vector<uint64_t> a(rows);
  std::vector<uint64_t> b(rows);
  std::vector<uint16_t> group(rows);
  for (uint64_t i = 0; i < rows; ++i) {
    a[i] = random.below(UINT64_MAX) >> 1;
    b[i] = random.below(UINT64_MAX);
    group[i] = static_cast<uint16_t>(i / kRowsOfGroup);
  }
  WriteOptions options{.rows_per_group = kRowsOfGroup};
  options.codec = "bitpack";
  BOBBIN_ASSIGN(
      Writer writer,
      Writer::create(dir / "t.bob", {{"a", DType::u64}, {"b", DType::u64}, {"group", DType::u16}}, options));
  if (rows != 0) {
    const std::vector<const void*> values{a.data(), b.data(), group.data()};
    BOBBIN_TRY(file::append_untyped(writer, values, rows));
  }
  BOBBIN_TRY(writer.finish());
  return Reader::open(dir / "t.bob");
}

TEST(ReadAhead, ChunksAreThoseOfTheFile) {
  SKIP_WITHOUT_EMULATOR();
  constexpr uint64_t kBatchBytes[] = {1, 3000, uint64_t{8} << 20};
  constexpr uint64_t kMemory[] = {1, 20'000, uint64_t{1} << 20};
  for (const uint64_t number : testing::drawn(std::size(kBatchBytes) * std::size(kMemory) * 3)) {
    const TempDir dir;
    const auto reader = drawn(dir, number, 6000, 1000);
    ASSERT_TRUE(reader.has_value());
    ReadAheadOptions options{.threads = static_cast<unsigned>(1 + number % 3)};
    options.batch_bytes = kBatchBytes[number / 3 % std::size(kBatchBytes)];
    options.memory_bytes = kMemory[number / 3 / std::size(kBatchBytes)];
    const auto ahead = ReadAhead::start(*reader, all_chunks(*reader), kStream, options);
    ASSERT_TRUE(ahead.has_value()) << ahead.error().message();
    EXPECT_LE((*ahead)->num_threads(), options.threads);
    for (size_t g = 0; g < reader->num_row_groups(); ++g) {
      for (size_t c = reader->columns().size(); c-- > 0;) {
        const auto chunk = (*ahead)->find(g, c);
        ASSERT_TRUE(chunk.has_value());
        expect_chunk(*reader, *chunk, g, c);
      }
      if (number % 2 == 0) {
        (*ahead)->release(g);
      }
    }
  }
}

TEST(ReadAhead, MemoryIsBounded) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto reader = write_numbers(dir, 20);
  ASSERT_TRUE(reader.has_value());
  const uint64_t chunk = ReaderAccess::chunk_bytes(*reader, 0, 1);
  const auto stagings = [&](uint64_t batch_bytes, uint64_t memory_bytes) {
    ReadAheadOptions options{.threads = 1};
    options.batch_bytes = batch_bytes;
    options.memory_bytes = memory_bytes;
    return (*ReadAhead::start(*reader, all_chunks(*reader), kStream, options))->num_stagings();
  };
  EXPECT_EQ(stagings(1, 5 * chunk), 5);
  EXPECT_EQ(stagings(1, uint64_t{1} << 40), 16);
  // A row group of three batches, and one batch more.
  EXPECT_EQ(stagings(1, 1), 4);
  // All in one batch.
  EXPECT_EQ(stagings(uint64_t{1} << 40, 1), 1);
}

TEST(ReadAhead, WhatIsNotAskedForIsNotFound) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto reader = write_numbers(dir, 12);
  ASSERT_TRUE(reader.has_value());
  std::vector<Part> chunks;
  for (const size_t group : {1, 4, 5, 9}) {
    chunks.push_back(table::whole_chunk(*reader, group, 0));
    chunks.push_back(table::whole_chunk(*reader, group, 2));
  }
  for (const unsigned threads : {1U, 4U}) {
    ReadAheadOptions options{.threads = threads};
    options.batch_bytes = 1;
    options.memory_bytes = 1;
    const auto ahead = ReadAhead::start(*reader, chunks, kStream, options);
    ASSERT_TRUE(ahead.has_value());
    EXPECT_FALSE((*ahead)->find(0, 0).has_value());
    EXPECT_TRUE((*ahead)->find(1, 2).has_value());
    EXPECT_FALSE((*ahead)->find(1, 1).has_value());
    // Row groups 4 and 5 are skipped.
    const auto chunk = (*ahead)->find(9, 0);
    ASSERT_TRUE(chunk.has_value());
    expect_chunk(*reader, *chunk, 9, 0);
    EXPECT_FALSE((*ahead)->find(11, 0).has_value());
  }
}

TEST(ReadAhead, EndsWhenItIsNotUsedAnyMore) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto reader = write_numbers(dir, 20);
  ASSERT_TRUE(reader.has_value());
  for (size_t used = 0; used < 4; ++used) {
    ReadAheadOptions options{.threads = 3};  // more threads than there is memory for
    options.batch_bytes = 1;
    options.memory_bytes = 1;
    const auto ahead = ReadAhead::start(*reader, all_chunks(*reader), kStream, options);
    ASSERT_TRUE(ahead.has_value());
    for (size_t g = 0; g < used; ++g) {
      EXPECT_TRUE((*ahead)->find(g, 0).has_value());
    }
  }
}

TEST(ReadAhead, DamagedChunksAreNotFound) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto sound = write_numbers(dir, 8);
  ASSERT_TRUE(sound.has_value());
  for (const uint64_t group : testing::drawn(8, testing::kListShare)) {
    const auto reader = damaged(dir, *sound, group, 1);
    ASSERT_TRUE(reader.has_value());
    ReadAheadOptions options{.threads = 2};
    options.batch_bytes = 1;
    const auto ahead = ReadAhead::start(*reader, all_chunks(*reader), kStream, options);
    ASSERT_TRUE(ahead.has_value());
    // Others are found or not, before it and after it, depending on when the damage was noticed.
    for (size_t g = 0; g < 8; ++g) {
      for (size_t c = 0; c < 3; ++c) {
        const auto chunk = (*ahead)->find(g, c);
        if (g == group && c == 1) {
          EXPECT_FALSE(chunk.has_value()) << group;
        } else if (chunk.has_value()) {
          expect_chunk(*reader, *chunk, g, c);
        }
      }
    }
  }
}

using query::from;

std::string text_of(const Result<std::vector<query::Value>>& values) {
  if (!values.has_value()) {
    return values.error().message();
  }
  std::string text;
  for (const query::Value& value : *values) {
    text += to_string(value) + "\n";
  }
  return text;
}

// The answer or the error of a question.
std::string ask(const Reader& reader, Backend backend, const std::string& where,
                query::QueryStats* stats = nullptr) {
  return text_of(from(reader)
                     .on(backend)
                     .where(*query::parse_predicate(where))
                     .run(*query::parse_aggregates("count(), sum(a), max(b), count(distinct group)"), stats));
}
constexpr const char* kHalf = "b >= 9223372036854775808";

TEST(QueryAhead, AnswersAreThoseOfTheCpu) {
  SKIP_WITHOUT_EMULATOR();
  for (const uint64_t groups : {0, 1, 7}) {
    const TempDir dir;
    const auto reader = write_numbers(dir, groups);
    ASSERT_TRUE(reader.has_value()) << reader.error().message();
    for (const char* where :
         {kHalf, "group between 2 and 4 and a < b", "group = 3 or group = 6", "group > 100"}) {
      query::QueryStats here;
      query::QueryStats there;
      EXPECT_EQ(ask(*reader, Backend::emulator, where, &there), ask(*reader, Backend::cpu, where, &here));
      EXPECT_EQ(there.read, here.read);
    }
    const auto groups_of = [&](Backend backend) {
      std::string text;
      const auto table = from(*reader)
                             .on(backend)
                             .where(*query::parse_predicate(kHalf))
                             .group_by({"group"}, *query::parse_aggregates("count(), min(a)"));
      for (const auto& row : table->rows) {
        text += text_of(row);
      }
      return text;
    };
    EXPECT_EQ(groups_of(Backend::emulator), groups_of(Backend::cpu));
    const auto rows_of = [&](Backend backend) {
      return *from(*reader).on(backend).where(*query::parse_predicate(kHalf)).rows();
    };
    EXPECT_EQ(rows_of(Backend::emulator), rows_of(Backend::cpu));
  }
}

TEST(QueryAhead, DamageIsReportedAsOnTheCpu) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto sound = write_numbers(dir, 6);
  ASSERT_TRUE(sound.has_value());
  for (const uint64_t group : testing::drawn(6, testing::kListShare)) {
    for (const size_t column : {0, 1}) {
      const auto reader = damaged(dir, *sound, group, column);
      ASSERT_TRUE(reader.has_value());
      const std::string message = ask(*reader, Backend::emulator, kHalf);
      EXPECT_NE(message.find("row group " + std::to_string(group) + ", column"), std::string::npos)
          << message;
      EXPECT_EQ(message, ask(*reader, Backend::cpu, kHalf));
    }
  }
}

TEST(QueryAhead, WhatAQuestionDoesNotNeedIsNotChecked) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto sound = write_numbers(dir, 6);
  ASSERT_TRUE(sound.has_value());
  const auto reader = damaged(dir, *sound, 4, 0);
  ASSERT_TRUE(reader.has_value());
  // Zone maps rule the row group out.
  const std::string where = std::string("group != 4 and ") + kHalf;
  EXPECT_EQ(ask(*reader, Backend::emulator, where), ask(*sound, Backend::cpu, where));
  // The column is not used.
  const auto count = [&](const Reader& of) {
    return from(of).on(Backend::emulator).where(*query::parse_predicate(kHalf)).count();
  };
  EXPECT_EQ(*count(*reader), *count(*sound));
  // There are enough rows before.
  const auto some = from(*reader).on(Backend::emulator).select({"a"}, {.limit = 3});
  ASSERT_TRUE(some.has_value()) << some.error().message();
  EXPECT_EQ(some->rows.size(), 3U);
  // A visitor that has seen enough.
  uint64_t seen = 0;
  EXPECT_TRUE(from(*reader)
                  .on(Backend::emulator)
                  .where(*query::parse_predicate("a >= 0 and b >= 9223372036854775808"))
                  .visit_rows(
                      [&](size_t /*group*/, std::span<const uint64_t> rows) -> Result<bool> {
                        seen += rows.size();
                        return false;
                      },
                      0, UINT64_MAX)
                  .ok());
  EXPECT_GT(seen, 0U);
}

TEST(QueryAhead, ACancelledQuestionEnds) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto reader = write_numbers(dir, 6);
  ASSERT_TRUE(reader.has_value());
  CancelToken token;
  const CancelScope scope(token);
  token.cancel();
  const auto count = from(*reader).on(Backend::emulator).where(*query::parse_predicate(kHalf)).count();
  ASSERT_FALSE(count.has_value());
  EXPECT_EQ(count.error().code(), StatusCode::cancelled);
}

}  // namespace
}  // namespace bobbin::table_tests
