// SPDX-License-Identifier: Apache-2.0
// zstd frames in the C interface.
#include "bobbin/zstd.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "capi/support.hpp"

// Name and namespace are given by the C header.
struct bobbin_zstd_dictionary {  // NOLINT(readability-identifier-naming)
  bobbin::zstd::Dictionary dictionary;
};

namespace bobbin::capi {
namespace {

constexpr uint32_t kFirstEncodeSize = sizeof(bobbin_zstd_encode_options);  // of the first version that had it
constexpr uint32_t kFirstDecodeSize = sizeof(bobbin_zstd_decode_options);

// A device reads and writes the C++ structs.
static_assert(sizeof(bobbin_zstd_batch_frame) == sizeof(zstd::BatchFrame));
static_assert(offsetof(bobbin_zstd_batch_frame, in_bytes) == offsetof(zstd::BatchFrame, in_bytes));
static_assert(offsetof(bobbin_zstd_batch_frame, out) == offsetof(zstd::BatchFrame, out));
static_assert(offsetof(bobbin_zstd_batch_frame, capacity) == offsetof(zstd::BatchFrame, out_bytes));
static_assert(sizeof(bobbin_zstd_batch_result) == sizeof(zstd::FrameResult));
static_assert(offsetof(bobbin_zstd_batch_result, verdict) == offsetof(zstd::FrameResult, verdict));
static_assert(BOBBIN_ZSTD_OK == static_cast<uint32_t>(zstd::Verdict::ok));
static_assert(BOBBIN_ZSTD_CORRUPT == static_cast<uint32_t>(zstd::Verdict::corrupt));
static_assert(BOBBIN_ZSTD_TOO_SMALL == static_cast<uint32_t>(zstd::Verdict::too_small));
static_assert(BOBBIN_ZSTD_UNSUPPORTED == static_cast<uint32_t>(zstd::Verdict::unsupported));
static_assert(BOBBIN_ZSTD_NEEDS_CPU == static_cast<uint32_t>(zstd::Verdict::needs_cpu));

Result<bool> to_flag(uint32_t number, const char* name) {
  BOBBIN_RETURN_IF(number > 1, StatusCode::invalid_argument,
                   std::string("zstd options: ") + name + " is " + std::to_string(number) + ", not 0 or 1");
  return number == 1;
}

const zstd::Dictionary* to_dictionary(const bobbin_zstd_dictionary* given) {
  return given == nullptr ? nullptr : &given->dictionary;
}

Result<zstd::EncodeOptions> to_options(const bobbin_zstd_encode_options* given) {
  BOBBIN_ASSIGN(const bobbin_zstd_encode_options read,
                copy_options<bobbin_zstd_encode_options>(given, BOBBIN_ZSTD_ENCODE_INIT, kFirstEncodeSize,
                                                         "zstd options", "BOBBIN_ZSTD_ENCODE_INIT"));
  zstd::EncodeOptions options{.level = read.level,
                              .frame_bytes = read.frame_bytes,
                              .block_bytes = read.block_bytes,
                              .threads = read.threads,
                              .dictionary = to_dictionary(read.dictionary)};
  BOBBIN_ASSIGN(options.checksum, to_flag(read.checksum, "checksum"));
  BOBBIN_ASSIGN(options.seek_table, to_flag(read.seek_table, "seek_table"));
  return options;
}

Result<zstd::DecodeOptions> to_options(const bobbin_zstd_decode_options* given) {
  BOBBIN_ASSIGN(const bobbin_zstd_decode_options read,
                copy_options<bobbin_zstd_decode_options>(given, BOBBIN_ZSTD_DECODE_INIT, kFirstDecodeSize,
                                                         "zstd options", "BOBBIN_ZSTD_DECODE_INIT"));
  zstd::DecodeOptions options{.max_window = read.max_window, .dictionary = to_dictionary(read.dictionary)};
  BOBBIN_ASSIGN(options.magicless, to_flag(read.magicless, "magicless"));
  BOBBIN_ASSIGN(const bool ignore, to_flag(read.ignore_checksums, "ignore_checksums"));
  options.verify_checksums = !ignore;
  return options;
}

Result<std::span<const std::byte>> to_input(const void* in, size_t bytes) {
  BOBBIN_RETURN_IF(in == nullptr && bytes > 0, StatusCode::invalid_argument, "zstd: the input is null");
  return std::span(static_cast<const std::byte*>(in), bytes);
}

Status copy_out(std::span<const std::byte> made, void* out, size_t capacity, size_t* size) {
  *size = made.size();
  BOBBIN_RETURN_IF(
      made.size() > capacity || (out == nullptr && !made.empty()), StatusCode::invalid_argument,
      "zstd: the output has " + std::to_string(capacity) + " bytes and needs " + std::to_string(made.size()));
  std::copy(made.begin(), made.end(), static_cast<std::byte*>(out));
  return {};
}

Result<uint64_t> decompress(std::span<const std::byte> in, std::span<std::byte> out,
                            const zstd::DecodeOptions& options) {
  uint64_t size = 0;
  for (uint64_t at = 0; at < in.size();) {
    BOBBIN_ASSIGN(const zstd::FrameExtent extent, zstd::measure_frame(in.subspan(at), options));
    BOBBIN_ASSIGN(const uint64_t bytes, zstd::decode_frame(in.subspan(at), out.subspan(size), options));
    size += bytes;
    at += extent.compressed_bytes;
  }
  return size;
}

bobbin_zstd_batch_result decompress_one(const bobbin_zstd_batch_frame& frame,
                                        const zstd::DecodeOptions& options) {
  const auto verdict = [](uint32_t number) { return bobbin_zstd_batch_result{0, number, 0}; };
  const std::span in(static_cast<const std::byte*>(frame.in), frame.in_bytes);
  const auto bytes = zstd::decode_frame(in, {static_cast<std::byte*>(frame.out), frame.capacity}, options);
  if (bytes.has_value()) {
    return {*bytes, BOBBIN_ZSTD_OK, 0};
  }
  switch (bytes.error().code()) {
    case StatusCode::corrupt:
      return verdict(BOBBIN_ZSTD_CORRUPT);
    case StatusCode::invalid_argument: {  // too small an output, or another dictionary
      const auto header = zstd::parse_frame_header(in, options);
      const uint32_t id = options.dictionary == nullptr ? 0 : options.dictionary->id();
      const bool another = header.has_value() && header->dictionary_id != 0 && header->dictionary_id != id;
      return verdict(another ? BOBBIN_ZSTD_UNSUPPORTED : BOBBIN_ZSTD_TOO_SMALL);
    }
    default:
      return verdict(BOBBIN_ZSTD_UNSUPPORTED);
  }
}

Status decompress_batch(const bobbin_zstd_batch_frame* frames, uint64_t count,
                        bobbin_zstd_batch_result* results, uint64_t max_capacity,
                        const zstd::DecodeOptions& options, const bobbin_memory_resource* memory,
                        StreamView stream) {
  BOBBIN_RETURN_IF(count > 0 && (frames == nullptr || results == nullptr), StatusCode::invalid_argument,
                   "zstd: frames or results are null");
  if (stream.backend() == Backend::cpu) {
    for (uint64_t i = 0; i < count; ++i) {
      results[i] = decompress_one(frames[i], options);
    }
    return {};
  }
  BOBBIN_RETURN_IF(options.dictionary != nullptr, StatusCode::unsupported,
                   "zstd: a device does not decompress with dictionaries");
  BOBBIN_ASSIGN(std::optional<CallersMemory> callers, to_memory(memory));
  const zstd::BatchOptions batch{.max_window = options.max_window,
                                 .magicless = options.magicless,
                                 .verify_checksums = options.verify_checksums,
                                 .max_out_bytes = max_capacity,
                                 .memory = callers ? &*callers : nullptr};
  return zstd::decode_batch(reinterpret_cast<const zstd::BatchFrame*>(frames), count,
                            reinterpret_cast<zstd::FrameResult*>(results), batch, stream);
}

Result<zstd::EncodeBatchOptions> to_batch_options(const bobbin_zstd_encode_options* given) {
  BOBBIN_ASSIGN(const zstd::EncodeOptions read, to_options(given));
  BOBBIN_RETURN_IF(read.dictionary != nullptr || read.seek_table, StatusCode::unsupported,
                   "zstd: a device compresses without dictionaries and seek tables");
  return zstd::EncodeBatchOptions{.level = read.level,
                                  .frame_bytes = read.frame_bytes,
                                  .block_bytes = read.block_bytes,
                                  .checksum = read.checksum};
}

// Every block raw: its header, the frame's header and checksum, and an entry of the seek table.
uint64_t bound_of(uint64_t content, const zstd::EncodeOptions& options) {
  constexpr uint64_t kFrameParts = 4 + 1 + 4 + 8 + 4;
  const uint64_t frames = content / options.frame_bytes + 1;
  const uint64_t blocks = frames * (options.frame_bytes / options.block_bytes + 1);
  const uint64_t table = options.seek_table ? 8 * frames + 17 : 0;
  return content + 3 * blocks + kFrameParts * frames + table;
}

}  // namespace
}  // namespace bobbin::capi

using namespace bobbin;

bobbin_status bobbin_zstd_dictionary_create(const void* bytes, size_t size,
                                            bobbin_zstd_dictionary** dictionary) {
  return capi::guarded([&]() -> Status {
    BOBBIN_RETURN_IF(dictionary == nullptr, StatusCode::invalid_argument, "the dictionary pointer is null");
    *dictionary = nullptr;
    BOBBIN_ASSIGN(const auto in, capi::to_input(bytes, size));
    BOBBIN_ASSIGN(zstd::Dictionary parsed, zstd::Dictionary::parse(in));
    *dictionary =
        std::make_unique<bobbin_zstd_dictionary>(bobbin_zstd_dictionary{std::move(parsed)}).release();
    return {};
  });
}

void bobbin_zstd_dictionary_destroy(bobbin_zstd_dictionary* dictionary) {
  const std::unique_ptr<bobbin_zstd_dictionary> owner(dictionary);
}

uint32_t bobbin_zstd_dictionary_id(const bobbin_zstd_dictionary* dictionary) {
  return dictionary == nullptr ? 0 : dictionary->dictionary.id();
}

bobbin_status bobbin_zstd_train(const void* const* samples, const size_t* sizes, size_t count, void* out,
                                size_t capacity, size_t* size) {
  return capi::guarded([&]() -> Status {
    BOBBIN_RETURN_IF(size == nullptr || (count > 0 && (samples == nullptr || sizes == nullptr)),
                     StatusCode::invalid_argument, "zstd training: a pointer is null");
    std::vector<std::span<const std::byte>> views;
    for (size_t i = 0; i < count; ++i) {
      BOBBIN_ASSIGN(const auto sample, capi::to_input(samples[i], sizes[i]));
      views.push_back(sample);
    }
    BOBBIN_ASSIGN(const auto made, zstd::train_dictionary(views, {.max_bytes = capacity}));
    return capi::copy_out(made, out, capacity, size);
  });
}

bobbin_status bobbin_zstd_compress_bound(uint64_t content_bytes, const bobbin_zstd_encode_options* options,
                                         uint64_t* bound) {
  return capi::guarded([&]() -> Status {
    BOBBIN_RETURN_IF(bound == nullptr || content_bytes > UINT64_MAX / 64, StatusCode::invalid_argument,
                     "zstd: the bound is null, or the content is larger than 2^58 bytes");
    BOBBIN_ASSIGN(const zstd::EncodeOptions read, capi::to_options(options));
    BOBBIN_ASSIGN(const auto checked, zstd::encode({}, read));  // checks the options
    (void)checked;
    *bound = capi::bound_of(content_bytes, read);
    return {};
  });
}

bobbin_status bobbin_zstd_compress(const void* in, size_t in_bytes, void* out, size_t capacity, size_t* size,
                                   const bobbin_zstd_encode_options* options) {
  return capi::guarded([&]() -> Status {
    BOBBIN_RETURN_IF(size == nullptr, StatusCode::invalid_argument, "zstd: the size pointer is null");
    *size = 0;
    BOBBIN_ASSIGN(const auto content, capi::to_input(in, in_bytes));
    BOBBIN_ASSIGN(const zstd::EncodeOptions read, capi::to_options(options));
    BOBBIN_ASSIGN(const auto frames, zstd::encode(content, read));
    return capi::copy_out(frames, out, capacity, size);
  });
}

bobbin_status bobbin_zstd_decompress(const void* in, size_t in_bytes, void* out, size_t capacity,
                                     size_t* size, const bobbin_zstd_decode_options* options) {
  return capi::guarded([&]() -> Status {
    BOBBIN_RETURN_IF(size == nullptr || (out == nullptr && capacity > 0), StatusCode::invalid_argument,
                     "zstd: the size pointer or the output is null");
    *size = 0;
    BOBBIN_ASSIGN(const auto frames, capi::to_input(in, in_bytes));
    BOBBIN_ASSIGN(const zstd::DecodeOptions read, capi::to_options(options));
    BOBBIN_ASSIGN(const uint64_t bytes,
                  capi::decompress(frames, {static_cast<std::byte*>(out), capacity}, read));
    *size = bytes;
    return {};
  });
}

bobbin_status bobbin_zstd_decompress_range(const void* in, size_t in_bytes, uint64_t begin, size_t length,
                                           void* out, const bobbin_zstd_decode_options* options) {
  return capi::guarded([&]() -> Status {
    BOBBIN_ASSIGN(const auto frames, capi::to_input(in, in_bytes));
    BOBBIN_ASSIGN(const zstd::DecodeOptions read, capi::to_options(options));
    BOBBIN_ASSIGN(const auto part, zstd::decode_range(frames, begin, length, read));
    size_t size = 0;
    return capi::copy_out(part, out, length, &size);
  });
}

bobbin_status bobbin_zstd_frame(const void* in, size_t in_bytes, bobbin_zstd_frame_info* info,
                                const bobbin_zstd_decode_options* options) {
  return capi::guarded([&]() -> Status {
    BOBBIN_RETURN_IF(info == nullptr, StatusCode::invalid_argument, "zstd: the info pointer is null");
    BOBBIN_ASSIGN(const auto frames, capi::to_input(in, in_bytes));
    BOBBIN_ASSIGN(const zstd::DecodeOptions read, capi::to_options(options));
    BOBBIN_ASSIGN(const zstd::FrameExtent extent, zstd::measure_frame(frames, read));
    const zstd::FrameHeader& header = extent.header;
    *info = {.compressed_bytes = extent.compressed_bytes,
             .content_bytes = header.content_bytes.value_or(0),
             .content_bound = extent.content_bound,
             .window_bytes = header.window_bytes,
             .num_blocks = extent.num_blocks,
             .dictionary_id = header.dictionary_id,
             .has_content_bytes = header.content_bytes.has_value() ? 1U : 0U,
             .has_checksum = header.has_checksum ? 1U : 0U,
             .skippable = header.skippable ? 1U : 0U};
    return {};
  });
}

bobbin_status bobbin_zstd_decompress_batch(const bobbin_zstd_batch_frame* frames, uint64_t count,
                                           bobbin_zstd_batch_result* results, uint64_t max_capacity,
                                           const bobbin_zstd_decode_options* options,
                                           const bobbin_memory_resource* memory, bobbin_backend backend,
                                           void* cuda_stream) {
  return capi::guarded([&]() -> Status {
    BOBBIN_ASSIGN(const StreamView stream, capi::to_stream(backend, cuda_stream));
    BOBBIN_ASSIGN(const zstd::DecodeOptions read, capi::to_options(options));
    return capi::decompress_batch(frames, count, results, max_capacity, read, memory, stream);
  });
}

bobbin_status bobbin_zstd_compress_batch_bound(uint64_t in_bytes, const bobbin_zstd_encode_options* options,
                                               uint64_t* bound, uint64_t* num_frames) {
  return capi::guarded([&]() -> Status {
    BOBBIN_RETURN_IF(bound == nullptr || num_frames == nullptr || in_bytes > UINT64_MAX / 64,
                     StatusCode::invalid_argument,
                     "zstd: a pointer is null, or the content is larger than 2^58 bytes");
    BOBBIN_ASSIGN(const zstd::EncodeBatchOptions read, capi::to_batch_options(options));
    BOBBIN_RETURN_IF(read.frame_bytes == 0 || read.block_bytes == 0, StatusCode::invalid_argument,
                     "zstd: frames and blocks must not be empty");
    *bound = zstd::encode_bound(in_bytes, read);
    *num_frames = zstd::encode_frames(in_bytes, read);
    return {};
  });
}

bobbin_status bobbin_zstd_compress_batch(const void* in, uint64_t in_bytes, void* out, uint64_t capacity,
                                         uint64_t* frame_ends, const bobbin_zstd_encode_options* options,
                                         const bobbin_memory_resource* memory, bobbin_backend backend,
                                         void* cuda_stream) {
  return capi::guarded([&]() -> Status {
    const bool is_null = (in == nullptr && in_bytes > 0) || out == nullptr || frame_ends == nullptr;
    BOBBIN_RETURN_IF(is_null, StatusCode::invalid_argument, "zstd: a pointer is null");
    BOBBIN_ASSIGN(const StreamView stream, capi::to_stream(backend, cuda_stream));
    BOBBIN_RETURN_IF(stream.backend() == Backend::cpu, StatusCode::invalid_argument,
                     "zstd: batches are compressed on a device; use bobbin_zstd_compress()");
    BOBBIN_ASSIGN(zstd::EncodeBatchOptions read, capi::to_batch_options(options));
    BOBBIN_ASSIGN(std::optional<capi::CallersMemory> callers, capi::to_memory(memory));
    read.memory = callers ? &*callers : nullptr;
    return zstd::encode_batch(static_cast<const std::byte*>(in), in_bytes, static_cast<std::byte*>(out),
                              capacity, frame_ends, read, stream);
  });
}
