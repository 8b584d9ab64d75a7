// SPDX-License-Identifier: Apache-2.0
// Tables in device memory as Arrow device arrays, and back. The emulator's device memory is host memory.
#include <cerrno>
#include <numeric>

#include "bobbin/arrow_device.hpp"
#include "tests/backends.hpp"
#include "tests/file/support.hpp"
#include "tests/interop/device_support.hpp"
#include "tests/interop/everything.hpp"

namespace bobbin::interop_tests {
namespace {

using file_tests::TempDir;

std::vector<DeviceColumn> load(const Reader& reader, const std::vector<size_t>& columns, uint64_t begin,
                               uint64_t count) {
  auto loader = Loader::create(Backend::emulator);
  EXPECT_TRUE(loader.has_value()) << loader.error().message();
  auto made = loader->load(reader, columns, begin, count);
  EXPECT_TRUE(made.has_value()) << made.error().message();
  return *std::move(made);
}

TEST(ArrowDevice, StreamsHaveTheRowsOfTheHost) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto reader = everything(dir);
  const std::vector<std::string> formats = device_formats(*reader);
  const auto want = on_the_host(reader, {.begin = 100, .num_rows = 3333, .formats = formats});
  DeviceStream stream;
  ASSERT_OK(arrow::export_device_table_scan(
      reader, {.begin = 100, .num_rows = 3333, .backend = Backend::emulator}, &stream.held));
  EXPECT_EQ(stream.held.device_type, ARROW_DEVICE_CPU);
  Received<ArrowSchema> schema;
  ASSERT_EQ(stream.held.get_schema(&stream.held, &schema.held), 0);
  ASSERT_EQ(static_cast<size_t>(schema.held.n_children), formats.size());
  std::vector<std::vector<std::string>> found(formats.size());
  std::vector<int64_t> lengths;
  for (;;) {
    ReceivedDevice array;
    next_of(stream.held, array);
    if (array.held.array.release == nullptr) {
      break;
    }
    EXPECT_EQ(array.held.device_type, ARROW_DEVICE_CPU);
    EXPECT_EQ(array.held.device_id, -1);
    EXPECT_EQ(array.held.sync_event, nullptr);
    lengths.push_back(array.held.array.length);
    for (size_t c = 0; c < formats.size(); ++c) {
      EXPECT_EQ(schema.held.children[c]->format, formats[c]);
      const auto texts = texts_of(*array.held.array.children[c], formats[c]);
      found[c].insert(found[c].end(), texts.begin(), texts.end());
    }
  }
  EXPECT_EQ(lengths, (std::vector<int64_t>{924, 1024, 1024, 361}));
  for (size_t c = 0; c < formats.size(); ++c) {
    EXPECT_EQ(found[c], want[c]) << reader->columns()[c].name;
  }
}

TEST(ArrowDevice, StringOffsetsAreWidenedOnRequest) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto reader = everything(dir, 8192);
  const size_t column = reader->columns().size() - 3;
  ASSERT_EQ(reader->columns()[column].name, "utf8");
  for (const std::string format : {"u", "U"}) {
    ReceivedDevice array;
    ASSERT_OK(arrow::export_device_columns(load(*reader, {column}, 0, kRows), std::vector{format},
                                           {.backend = Backend::emulator}, &array.held));
    const auto want =
        on_the_host(reader, {.columns = std::vector{column}, .formats = std::vector<std::string>{format}});
    EXPECT_EQ(texts_of(*array.held.array.children[0], format), want[0]);
  }
}

TEST(ArrowDevice, ColumnsOfAnyLength) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto reader = everything(dir, 8192);
  const std::vector<std::string> formats = device_formats(*reader);
  std::vector<size_t> all(formats.size());
  std::iota(all.begin(), all.end(), size_t{0});
  constexpr uint64_t kLengths[] = {0, 1, 31, 32, 33, 255, 257};
  for (const uint64_t length : testing::drawn_of(kLengths)) {
    ReceivedDevice array;
    ASSERT_OK(arrow::export_device_columns(load(*reader, all, 3, length), formats,
                                           {.backend = Backend::emulator}, &array.held));
    const auto want = on_the_host(reader, {.begin = 3, .num_rows = length, .formats = formats});
    for (size_t c = 0; c < formats.size(); ++c) {
      EXPECT_EQ(texts_of(*array.held.array.children[c], formats[c]), want[c]) << c << " of " << length;
    }
  }
}

TEST(ArrowDevice, NumbersAreNotCopied) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto reader = everything(dir);
  std::vector<DeviceColumn> columns = load(*reader, {2}, 0, kRows);
  const void* const values = columns[0].values->data();
  const void* const validity = columns[0].validity->data();
  const std::weak_ptr<DeviceBuffer> alive = columns[0].values;
  ArrowArray child{};
  {
    ReceivedDevice array;
    ASSERT_OK(arrow::export_device_columns(std::move(columns), std::vector<std::string>{"I"},
                                           {.backend = Backend::emulator}, &array.held));
    EXPECT_EQ(array.held.array.children[0]->buffers[1], values);
    EXPECT_EQ(array.held.array.children[0]->buffers[0], validity);
    EXPECT_EQ(array.held.array.children[0]->null_count, -1);
    child = *array.held.array.children[0];  // moved out, as a receiver may
    array.held.array.children[0]->release = nullptr;
  }
  EXPECT_FALSE(alive.expired());
  child.release(&child);
  EXPECT_TRUE(alive.expired());
}

TEST(ArrowDevice, WhatCannotBeExportedIsSaid) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto reader = everything(dir);
  const size_t strings = reader->columns().size() - 3;
  const arrow::DeviceExportOptions options{.backend = Backend::emulator};
  ReceivedDevice array;
  const std::vector<std::string> text = {"u"};
  Status status =
      arrow::export_device_columns(load(*reader, {strings}, 0, kRows), text, options, &array.held);
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_NE(status.message().find("row groups"), std::string::npos) << status.message();
  status = arrow::export_device_columns(load(*reader, {2}, 0, 10), text, options, &array.held);
  EXPECT_NE(status.message().find("\"u32\": cannot be exported as \"u\""), std::string::npos)
      << status.message();
  EXPECT_FALSE(arrow::export_device_columns(load(*reader, {2}, 0, 10), {}, options, &array.held).ok());
  EXPECT_FALSE(arrow::export_device_columns({}, {}, {.backend = Backend::cpu}, &array.held).ok());
  std::vector<DeviceColumn> unequal = load(*reader, {2, 3}, 0, 10);
  unequal[1].length = 9;
  const std::vector<std::string> two = {"I", "L"};
  EXPECT_FALSE(arrow::export_device_columns(std::move(unequal), two, options, &array.held).ok());
  DeviceStream stream;
  EXPECT_FALSE(
      arrow::export_device_table_scan(reader, {.columns = {{99}}, .backend = Backend::emulator}, &stream.held)
          .ok());
  EXPECT_FALSE(
      arrow::export_device_table_scan(reader, {.formats = text, .backend = Backend::emulator}, &stream.held)
          .ok());
  EXPECT_EQ(array.held.array.release, nullptr);
}

TEST(ArrowDevice, TimesThatDoNotFitAreRefused) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const Logical seconds{.kind = Logical::Kind::time, .unit = Logical::Unit::seconds};
  const std::vector<int64_t> values = {1, int64_t{1} << 40, 3};
  for (const bool is_null : {false, true}) {
    const std::vector<uint8_t> validity = {static_cast<uint8_t>(is_null ? 0b101 : 0b111)};
    auto writer = Writer::create(dir / "t.bob", {{"t", DType::i64, true, seconds}}, {.overwrite = true});
    ASSERT_TRUE(writer.has_value());
    ASSERT_OK(writer->append(std::vector<ColumnView>{{DType::i64, values.data(), 3, validity.data()}}));
    ASSERT_OK(writer->finish());
    const auto reader = open(dir / "t.bob");
    ReceivedDevice array;
    const Status status =
        arrow::export_device_columns(load(*reader, {0}, 0, 3), std::vector<std::string>{"tts"},
                                     {.backend = Backend::emulator}, &array.held);
    EXPECT_EQ(status.ok(), is_null) << status.message();
    if (!is_null) {
      EXPECT_NE(status.message().find("\"t\": a time does not fit"), std::string::npos) << status.message();
    }
  }
}

// ---- Importing ----

struct Imports {
  std::vector<uint32_t> values;
  int released = 0;

  explicit Imports(size_t length) : values(length) {
    for (size_t i = 0; i < length; ++i) {
      values[i] = static_cast<uint32_t>(1000 + i * 7 % 50);
    }
  }
};

ArrowDeviceArray on_cpu(const ArrowArray& array) {
  return {.array = array,
          .device_id = -1,
          .device_type = ARROW_DEVICE_CPU,
          .sync_event = nullptr,
          .reserved = {}};
}

std::vector<uint32_t> decoded(const EncodedArray& array, StreamView stream) {
  const auto here = array.to_host(stream);
  EXPECT_TRUE(here.has_value()) << here.error().message();
  std::vector<uint32_t> values(here->length());
  const Status status = here->decode(std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(status.ok()) << status.message();
  return values;
}

TEST(ArrowDevice, ArraysAreEncodedWhereTheyAre) {
  SKIP_WITHOUT_EMULATOR();
  Imports given(5000);
  const auto stream = Stream::create(Backend::emulator);
  ASSERT_TRUE(stream.has_value());
  const ArrowSchema schema = MadeSchema::structure("I", "x");
  for (const std::string codec : {"ffor", "patched", "delta", ""}) {
    for (const int64_t offset : {0, 1, 7}) {
      Made made(5000 - offset, {nullptr, given.values.data()}, &given.released);
      made.array.offset = offset;
      const auto arrays = arrow::encode_device_array(schema, on_cpu(made.array), codec, stream->view());
      ASSERT_TRUE(arrays.has_value()) << arrays.error().message();
      ASSERT_EQ(arrays->size(), 1U);
      EXPECT_LT(arrays->front().encoded_bytes(), given.values.size() * 2);
      const auto found = decoded(arrays->front(), stream->view());
      EXPECT_TRUE(std::equal(found.begin(), found.end(), given.values.begin() + offset, given.values.end()));
    }
  }
  EXPECT_EQ(given.released, 0);  // the array stays the caller's
}

TEST(ArrowDevice, ColumnsOfAStructAreEncoded) {
  SKIP_WITHOUT_EMULATOR();
  Imports given(3000);
  const auto stream = Stream::create(Backend::emulator);
  ASSERT_TRUE(stream.has_value());
  const std::vector<uint8_t> ones((3000 + 7) / 8, 0xff);
  std::vector<uint8_t> some = ones;
  some[100] = 0xfe;  // row 800 is null
  Made first(3000, {nullptr, given.values.data()}, &given.released);
  Made second(3000, {ones.data(), given.values.data()}, &given.released);
  Made top(2000, {nullptr}, &given.released, {&first.array, &second.array});
  top.array.offset = 900;
  MadeSchema schema;
  schema.add("a", "I");
  schema.add("when", "tdD");
  const auto arrays = arrow::encode_device_array(schema.top(), on_cpu(top.array), "ffor", stream->view());
  ASSERT_TRUE(arrays.has_value()) << arrays.error().message();
  ASSERT_EQ(arrays->size(), 2U);
  EXPECT_EQ(arrays->at(1).type(), DType::i32);
  for (const EncodedArray& array : *arrays) {
    const auto found = decoded(array, stream->view());
    EXPECT_EQ(found, std::vector(given.values.begin() + 900, given.values.begin() + 2900));
  }
  second.buffers[0] = some.data();
  EXPECT_TRUE(
      arrow::encode_device_array(schema.top(), on_cpu(top.array), "ffor", stream->view()).has_value());
  top.array.offset = 800;
  const auto nulls = arrow::encode_device_array(schema.top(), on_cpu(top.array), "ffor", stream->view());
  EXPECT_EQ(nulls.error().code(), StatusCode::unsupported);
  EXPECT_NE(nulls.error().message().find("\"when\": encoded arrays have no nulls"), std::string::npos)
      << nulls.error().message();
}

TEST(ArrowDevice, BadArraysAreRefused) {
  SKIP_WITHOUT_EMULATOR();
  Imports given(100);
  const auto stream = Stream::create(Backend::emulator);
  ASSERT_TRUE(stream.has_value());
  const auto code = [&](const ArrowSchema& schema, const ArrowDeviceArray& array) {
    return arrow::encode_device_array(schema, array, "ffor", stream->view()).error().code();
  };
  const ArrowSchema numbers = MadeSchema::structure("I", "x");
  Made made(100, {nullptr, given.values.data()}, &given.released);
  ArrowDeviceArray array = on_cpu(made.array);
  EXPECT_EQ(code(numbers, array), StatusCode::ok);
  array.device_type = ARROW_DEVICE_CUDA;
  EXPECT_EQ(code(numbers, array), StatusCode::invalid_argument);
  array = on_cpu(made.array);
  array.array.length = -1;
  EXPECT_EQ(code(numbers, array), StatusCode::invalid_argument);
  array = on_cpu(made.array);
  array.array.n_buffers = 1;
  EXPECT_EQ(code(numbers, array), StatusCode::invalid_argument);
  array = on_cpu(made.array);
  array.array.release = nullptr;
  EXPECT_EQ(code(numbers, array), StatusCode::invalid_argument);
  array = on_cpu(made.array);
  for (const char* format : {"u", "b", "d:10,2", "+l"}) {
    EXPECT_EQ(code(MadeSchema::structure(format, "x"), array), StatusCode::unsupported) << format;
  }
  EXPECT_EQ(code(MadeSchema::structure("?", "x"), array), StatusCode::invalid_argument);
  MadeSchema two;
  two.add("a", "I");
  two.add("b", "I");
  Made top(100, {nullptr}, &given.released, {&made.array});
  EXPECT_EQ(code(two.top(), on_cpu(top.array)), StatusCode::invalid_argument);
  MadeSchema one;
  one.add("a", "I");
  EXPECT_EQ(code(one.top(), on_cpu(top.array)), StatusCode::ok);
  top.array.length = 101;  // more than the child has
  EXPECT_EQ(code(one.top(), on_cpu(top.array)), StatusCode::invalid_argument);
}

}  // namespace
}  // namespace bobbin::interop_tests
