// SPDX-License-Identifier: Apache-2.0
// Arrow device arrays in the memory of a GPU.
#include "bobbin/arrow_device.hpp"

#include <cstring>

#include "bobbin/memory.hpp"
#include "tests/backends.hpp"
#include "tests/file/support.hpp"
#include "tests/interop/device_support.hpp"
#include "tests/interop/everything.hpp"

namespace bobbin::interop_tests {
namespace {

using file_tests::TempDir;

// An array's buffers in host memory.
class HostCopy {
 public:
  HostCopy(const ArrowArray& array, const std::string& format, StreamView stream)
      : array_(array), stream_(stream) {
    const auto end = static_cast<uint64_t>(array.offset + array.length);
    add(0, (end + 7) / 8);
    if (is_string(format)) {
      add(1, (end + 1) * (format == "u" || format == "z" ? 4 : 8));
      array_.buffers = buffers_;
      add(2, offset_of(array_, format, end));
    } else {
      add(1, format == "b" ? (end + 7) / 8 : end * value_bytes(format));
    }
    array_.buffers = buffers_;
  }
  HostCopy(const HostCopy&) = delete;
  HostCopy& operator=(const HostCopy&) = delete;

  [[nodiscard]] const ArrowArray& array() const { return array_; }

 private:
  void add(size_t i, uint64_t bytes) {
    const void* const there = source_[i];
    if (there != nullptr) {
      memory_[i].resize(bytes);
      EXPECT_TRUE(copy_async(memory_[i].data(), there, bytes, stream_).ok());
      EXPECT_TRUE(stream_.synchronize().ok());
      buffers_[i] = memory_[i].data();
    }
  }

  ArrowArray array_;
  const void** source_ = array_.buffers;
  StreamView stream_;
  std::vector<std::byte> memory_[3];
  const void* buffers_[3] = {};
};

TEST(GpuArrow, StreamsHaveTheRowsOfTheHost) {
  const TempDir dir;
  const auto reader = everything(dir);
  const auto own = Stream::create(Backend::cuda);
  ASSERT_TRUE(own.has_value()) << own.error().message();
  const std::vector<std::string> formats = device_formats(*reader);
  const auto want = on_the_host(reader, {.begin = 100, .num_rows = 3333, .formats = formats});
  DeviceStream stream;
  ASSERT_OK(arrow::export_device_table_scan(reader, {.begin = 100, .num_rows = 3333}, &stream.held));
  EXPECT_EQ(stream.held.device_type, ARROW_DEVICE_CUDA);
  std::vector<std::vector<std::string>> found(formats.size());
  for (;;) {
    ReceivedDevice array;
    next_of(stream.held, array);
    if (array.held.array.release == nullptr) {
      break;
    }
    EXPECT_EQ(array.held.device_type, ARROW_DEVICE_CUDA);
    EXPECT_EQ(array.held.device_id, 0);
    for (size_t c = 0; c < formats.size(); ++c) {
      const HostCopy copy(*array.held.array.children[c], formats[c], own->view());
      const auto texts = texts_of(copy.array(), formats[c]);
      found[c].insert(found[c].end(), texts.begin(), texts.end());
    }
  }
  for (size_t c = 0; c < formats.size(); ++c) {
    EXPECT_EQ(found[c], want[c]) << reader->columns()[c].name;
  }
}

TEST(GpuArrow, ArraysAreEncodedWhereTheyAre) {
  std::vector<uint32_t> values(5000);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<uint32_t>(1000 + i * 7 % 50);
  }
  const auto stream = Stream::create(Backend::cuda);
  ASSERT_TRUE(stream.has_value()) << stream.error().message();
  const auto there = DeviceBuffer::create(values.size() * sizeof(uint32_t), stream->view());
  ASSERT_TRUE(there.has_value()) << there.error().message();
  ASSERT_OK(copy_async(there->data(), values.data(), there->size(), stream->view()));
  ASSERT_OK(stream->view().synchronize());
  int released = 0;
  for (const int64_t offset : {0, 1, 7}) {
    Made made(5000 - offset, {nullptr, there->data()}, &released);
    made.array.offset = offset;
    const ArrowDeviceArray array{.array = made.array,
                                 .device_id = 0,
                                 .device_type = ARROW_DEVICE_CUDA,
                                 .sync_event = nullptr,
                                 .reserved = {}};
    const auto arrays =
        arrow::encode_device_array(MadeSchema::structure("I", "x"), array, "ffor", stream->view());
    ASSERT_TRUE(arrays.has_value()) << arrays.error().message();
    const auto here = arrays->front().to_host(stream->view());
    ASSERT_TRUE(here.has_value()) << here.error().message();
    std::vector<uint32_t> found(here->length());
    ASSERT_OK(here->decode(std::as_writable_bytes(std::span(found))));
    EXPECT_TRUE(std::equal(found.begin(), found.end(), values.begin() + offset, values.end()));
  }
}

}  // namespace
}  // namespace bobbin::interop_tests
