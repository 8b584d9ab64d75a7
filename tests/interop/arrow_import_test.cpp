// SPDX-License-Identifier: Apache-2.0
// Arrow arrays made by hand: every layout, slices, and structures that break the rules.
#include "tests/interop/support.hpp"

namespace bobbin::interop_tests {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(ArrowImport, NumbersAreSharedNotCopied) {
  const std::vector<int32_t> values{1, -2, 3, 4};
  int released = 0;
  Made column(4, {nullptr, values.data()}, &released);
  const Imported made = import_column("i", column, 1);
  ASSERT_TRUE(made.status.ok()) << made.status.message();
  EXPECT_EQ(made.column().values(), values.data() + 1);
  EXPECT_EQ(made.values<int32_t>(), (std::vector<int32_t>{-2, 3, 4}));
}

TEST(ArrowImport, OffsetsOfStructAndChildAdd) {
  const std::vector<uint16_t> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Bytes bits{0b10110101, 0b00011010};
  int released = 0;
  Made column(10, {bits.data(), values.data()}, &released);
  column.array.offset = 2;
  const Imported made = import_column("S", column, 3);
  ASSERT_TRUE(made.status.ok()) << made.status.message();
  EXPECT_EQ(made.values<uint16_t>(), (std::vector<uint16_t>{5, 6, 7, 8, 9, 10, 11}));
  const std::vector<bool> nulls{false, true, false, true, false, true, false};
  for (uint64_t i = 0; i < 7; ++i) {
    EXPECT_EQ(made.is_null(i), nulls[i]) << i;
  }
}

TEST(ArrowImport, BooleansTimesAndNothing) {
  const Bytes bits{0b01101001, 0b1};
  int released = 0;
  Made booleans(9, {nullptr, bits.data()}, &released);
  EXPECT_EQ(import_column("b", booleans, 2).values<uint8_t>(), (Bytes{0, 1, 0, 1, 1, 0, 1}));
  const std::vector<int32_t> seconds{-1, 86399};
  Made times(2, {nullptr, seconds.data()}, &released);
  EXPECT_EQ(import_column("tts", times).values<int64_t>(), (std::vector<int64_t>{-1, 86399}));
  // Some producers have a buffer where Arrow wants none.
  for (const std::vector<const void*>& buffers : {std::vector<const void*>{}, {nullptr}}) {
    Made nothing(3, buffers, &released);
    const Imported made = import_column("n", nothing);
    ASSERT_TRUE(made.status.ok()) << made.status.message();
    EXPECT_TRUE(made.is_null(0) && made.is_null(1) && made.is_null(2));
  }
}

TEST(ArrowImport, DecimalsOfEveryWidth) {
  int released = 0;
  const std::vector<int32_t> narrow{-5, 7};
  Made small(2, {nullptr, narrow.data()}, &released);
  EXPECT_EQ(import_column("d:9,2,32", small).values<int64_t>(), (std::vector<int64_t>{-5, 7}));
  const std::vector<int64_t> wide{-5, -1, -1, -1, 7, 0, 0, 0};
  Made large(2, {nullptr, wide.data()}, &released);
  EXPECT_EQ(import_column("d:76,2,256", large).values<int64_t>(), (std::vector<int64_t>{-5, 7}));
  Made middle(4, {nullptr, wide.data()}, &released);
  const Imported made = import_column("d:38,2", middle);
  EXPECT_EQ(made.values<int64_t>(), (std::vector<int64_t>{-5, -1, 7, 0}));
  EXPECT_EQ(made.importer->fields()[0].format, "d:38,2");
}

TEST(ArrowImport, DecimalsThatDoNotFitAreRefusedUnlessNull) {
  const std::vector<int64_t> words{0, 1, 5, 0};
  const Bytes first_is_null{0b10};
  int released = 0;
  Made column(2, {nullptr, words.data()}, &released);
  EXPECT_EQ(import_column("d:38,2", column).status.code(), StatusCode::unsupported);
  Made with_null(2, {first_is_null.data(), words.data()}, &released);
  EXPECT_EQ(import_column("d:38,2", with_null).values<int64_t>(), (std::vector<int64_t>{0, 5}));
}

TEST(ArrowImport, StringsOfEveryLayout) {
  const std::string bytes = "abcdefgh";
  const std::vector<int32_t> narrow{1, 2, 2, 5};
  const std::vector<int64_t> wide{1, 2, 2, 5};
  const Bytes bits{0b101};
  int released = 0;
  Made strings(3, {bits.data(), narrow.data(), bytes.data()}, &released);
  EXPECT_EQ(import_column("u", strings).texts(), (std::vector<std::string>{"b", "-", "cde"}));
  Made large(3, {nullptr, wide.data(), bytes.data()}, &released);
  EXPECT_EQ(import_column("Z", large, 1).texts(), (std::vector<std::string>{"", "cde"}));
  Made fixed(3, {bits.data(), bytes.data()}, &released);
  EXPECT_EQ(import_column("w:2", fixed, 1).texts(), (std::vector<std::string>{"-", "ef"}));
  Made empty(0, {nullptr, nullptr, nullptr}, &released);
  EXPECT_TRUE(import_column("U", empty).texts().empty());
}

TEST(ArrowImport, OffsetsMayLieAtAnyAddress) {
  const std::vector<int64_t> offsets{0, 1, 3};
  std::vector<std::byte> moved(offsets.size() * 8 + 1);
  std::memcpy(moved.data() + 1, offsets.data(), offsets.size() * 8);
  int released = 0;
  Made strings(2, {nullptr, moved.data() + 1, "xyz"}, &released);
  EXPECT_EQ(import_column("U", strings).texts(), (std::vector<std::string>{"x", "yz"}));
}

struct View {
  int32_t size;
  union {
    char text[12];
    int32_t place[3];  // first bytes, buffer, offset
  };
};

View far_view(int32_t size, int32_t buffer, int32_t offset) {
  View view{size, {}};
  view.place[1] = buffer;
  view.place[2] = offset;
  return view;
}

TEST(ArrowImport, StringViews) {
  const std::string far = "0123456789abcdefghij";
  View near{3, {}};
  std::memcpy(near.text, "abc", 3);
  const std::vector<View> views{near, far_view(15, 0, 5), far_view(-7, 9, 9)};
  const std::vector<int64_t> sizes{20};
  const Bytes bits{0b011};
  int released = 0;
  Made column(3, {bits.data(), views.data(), far.data(), sizes.data()}, &released);
  EXPECT_EQ(import_column("vu", column).texts(), (std::vector<std::string>{"abc", "56789abcdefghij", "-"}));
  for (const View& bad : {far_view(16, 0, 5), far_view(-1, 0, 0), far_view(13, 1, 0), far_view(13, -1, 0),
                          far_view(13, 0, -1), far_view(INT32_MAX, 0, INT32_MAX)}) {
    Made broken(1, {nullptr, &bad, far.data(), sizes.data()}, &released);
    EXPECT_EQ(import_column("vz", broken).status.code(), StatusCode::invalid_argument);
  }
}

TEST(ArrowImport, DictionariesAreDecoded) {
  const std::vector<int32_t> offsets{0, 1, 3, 3};
  const Bytes has{0b011};
  const std::vector<int8_t> indices{1, 0, 2, 1};
  int released = 0;
  Made values(3, {has.data(), offsets.data(), "abb"}, &released);
  Made column(4, {nullptr, indices.data()}, &released);
  column.array.dictionary = &values.array;
  ArrowSchema texts = MadeSchema::structure("u", "");
  const Imported made = import_column("c", column, 0, &texts);
  ASSERT_TRUE(made.status.ok()) << made.status.message();
  EXPECT_EQ(made.texts(), (std::vector<std::string>{"bb", "a", "-", "bb"}));
  EXPECT_EQ(made.importer->fields()[0].format, "u");

  const std::vector<double> numbers{0.5, 1.5, 2.5};
  Made floats(3, {has.data(), numbers.data()}, &released);
  column.array.dictionary = &floats.array;
  ArrowSchema reals = MadeSchema::structure("g", "");
  const Imported taken = import_column("c", column, 1, &reals);
  EXPECT_EQ(taken.values<double>(), (std::vector<double>{0.5, 0, 1.5}));
  EXPECT_TRUE(taken.is_null(1));

  const std::vector<int8_t> outside{3, -1};
  for (const int8_t& index : outside) {
    Made wrong(1, {nullptr, &index}, &released);
    wrong.array.dictionary = &values.array;
    EXPECT_EQ(import_column("c", wrong, 0, &texts).status.code(), StatusCode::invalid_argument);
  }
  column.array.dictionary = nullptr;
  EXPECT_EQ(import_column("c", column, 0, &texts).status.code(), StatusCode::invalid_argument);
}

// 255 as an unsigned byte, 65535 as two: the dictionaries have values at these places.
TEST(ArrowImport, NegativeIndicesAreOutsideDictionariesOfAnySize) {
  const std::vector<int64_t> numbers(70'000, 5);
  int released = 0;
  Made values(70'000, {nullptr, numbers.data()}, &released);
  ArrowSchema integers = MadeSchema::structure("l", "");
  const int64_t index = -1;
  for (const char* format : {"c", "s", "i", "l"}) {
    Made wrong(1, {nullptr, &index}, &released);
    wrong.array.dictionary = &values.array;
    EXPECT_EQ(import_column(format, wrong, 0, &integers).status.code(), StatusCode::invalid_argument)
        << format;
  }
  for (const char* format : {"C", "S"}) {
    Made right(1, {nullptr, &index}, &released);
    right.array.dictionary = &values.array;
    EXPECT_TRUE(import_column(format, right, 0, &integers).status.ok()) << format;
  }
}

TEST(ArrowImport, TypesThatNoColumnHas) {
  int released = 0;
  Made column(0, {nullptr, nullptr}, &released);
  for (const char* format :
       {"+l", "+s", "+m", "+us:0", "e", "tiM", "tiD", "tin", "d:5,-2", "d:30,19", "+r", "+vl"}) {
    const Imported made = import_column(format, column);
    EXPECT_EQ(made.status.code(), StatusCode::unsupported) << format;
    EXPECT_NE(made.status.message().find("\"x\""), std::string::npos) << made.status.message();
  }
  for (const char* format : {"", "?", "t", "ts", "tsx:", "w:", "w:-1", "w:9999999999", "d:", "d:5", "d:0,0",
                             "d:5,2,7", "d:99,2", "d:5,2,128,9", "ttx", "tDD", "vx", "ll"}) {
    EXPECT_EQ(import_column(format, column).status.code(), StatusCode::invalid_argument) << format;
  }
}

TEST(ArrowImport, WrongBuffersAreRefused) {
  const std::vector<int64_t> values{1, 2, 3};
  const std::vector<int32_t> falling{0, 2, 1};
  const std::vector<int32_t> negative{-1, 0, 1};
  const std::vector<int32_t> rising{0, 1, 2};
  int released = 0;
  const auto refused = [&](const char* format, std::vector<const void*> buffers, auto change) {
    Made column(2, std::move(buffers), &released);
    change(column.array);
    const Status status = import_column(format, column).status;
    EXPECT_EQ(status.code(), StatusCode::invalid_argument) << format << ": " << status.message();
  };
  const auto nothing = [](ArrowArray&) {};
  refused("l", {nullptr}, nothing);
  refused("l", {nullptr, values.data(), values.data()}, nothing);
  refused("l", {nullptr, nullptr}, nothing);
  refused("u", {nullptr, rising.data()}, nothing);
  refused("u", {nullptr, falling.data(), "abc"}, nothing);
  refused("u", {nullptr, negative.data(), "abc"}, nothing);
  refused("u", {nullptr, rising.data(), nullptr}, nothing);
  refused("vu", {nullptr, values.data()}, nothing);
  refused("l", {nullptr, values.data()}, [](ArrowArray& array) { array.buffers = nullptr; });
  refused("l", {nullptr, values.data()}, [](ArrowArray& array) { array.n_buffers = -2; });
  refused("l", {nullptr, values.data()}, [](ArrowArray& array) { array.offset = -1; });
  refused("l", {nullptr, values.data()}, [](ArrowArray& array) { array.offset = INT64_MAX; });
  refused("l", {nullptr, values.data()}, [](ArrowArray& array) { array.null_count = 3; });
  refused("l", {nullptr, values.data()}, [](ArrowArray& array) { array.null_count = -2; });
  refused("l", {nullptr, values.data()}, [](ArrowArray& array) { array.null_count = 1; });
  refused("l", {nullptr, values.data()}, [](ArrowArray& array) { array.release = nullptr; });
}

TEST(ArrowImport, WrongStructsAreRefused) {
  const std::vector<int64_t> values{1, 2, 3};
  int released = 0;
  Made column(3, {nullptr, values.data()}, &released);
  const auto refused = [&](StatusCode code, auto change) {
    MadeSchema schema;
    schema.add("x", "l");
    Made top(3, {nullptr}, &released, {&column.array});
    change(schema.top(), top.array);
    EXPECT_EQ(import_all(schema.top(), top.array).status.code(), code);
  };
  const auto invalid = StatusCode::invalid_argument;
  refused(invalid, [](ArrowSchema&, ArrowArray& array) { array.length = 4; });
  refused(invalid, [](ArrowSchema&, ArrowArray& array) { array.length = -1; });
  refused(invalid, [](ArrowSchema&, ArrowArray& array) { array.offset = 1; });
  refused(invalid, [](ArrowSchema&, ArrowArray& array) { array.offset = INT64_MAX; });
  refused(invalid, [](ArrowSchema&, ArrowArray& array) { array.n_children = 0; });
  refused(invalid, [](ArrowSchema&, ArrowArray& array) { array.n_children = 2; });
  refused(invalid, [](ArrowSchema&, ArrowArray& array) { array.children = nullptr; });
  refused(invalid, [](ArrowSchema&, ArrowArray& array) { array.children[0] = nullptr; });
  refused(invalid, [](ArrowSchema&, ArrowArray& array) { array.n_buffers = 2; });
  refused(invalid, [](ArrowSchema&, ArrowArray& array) { array.release = nullptr; });
  refused(invalid, [](ArrowSchema& schema, ArrowArray&) { schema.release = nullptr; });
  refused(invalid, [](ArrowSchema& schema, ArrowArray&) { schema.format = nullptr; });
  refused(invalid, [](ArrowSchema& schema, ArrowArray&) { schema.format = "l"; });
  refused(invalid, [](ArrowSchema& schema, ArrowArray&) { schema.children = nullptr; });
  refused(invalid, [](ArrowSchema& schema, ArrowArray&) { schema.children[0] = nullptr; });
  refused(invalid, [](ArrowSchema& schema, ArrowArray&) { schema.n_children = -1; });
  const uint8_t bits = 0b101;
  refused(StatusCode::unsupported, [&](ArrowSchema&, ArrowArray& array) { array.buffers[0] = &bits; });
}

}  // namespace
}  // namespace bobbin::interop_tests
