// SPDX-License-Identifier: Apache-2.0
// Encoding on a device: what the host checks, and content in host memory.
#include <algorithm>
#include <string>

#include "codecs/zstd/encode_launch.hpp"
#include "device/backends.hpp"

namespace bobbin::zstd {
namespace {

// Enough to keep a GPU busy, and little enough to fit beside other things.
constexpr uint64_t kHostPart = uint64_t{512} << 20;

Status check_options(const EncodeBatchOptions& options) {
  BOBBIN_RETURN_IF(options.level < 1 || options.level > 9, StatusCode::invalid_argument,
                   "zstd: level " + std::to_string(options.level) + " is not from 1 to 9");
  BOBBIN_RETURN_IF(options.frame_bytes < 256 || options.frame_bytes > kMaxLinkedFrame,
                   StatusCode::invalid_argument, "zstd: frames on a device must have 256 to 65536 bytes");
  BOBBIN_RETURN_IF(options.block_bytes < 256 || options.block_bytes > kMaxLinkedFrame,
                   StatusCode::invalid_argument, "zstd: blocks on a device must have 256 to 65536 bytes");
  return {};
}

// Frames of a part of the content, appended to `out`.
Status encode_part(std::span<const std::byte> in, const EncodeBatchOptions& options, StreamView stream,
                   std::vector<std::byte>& out, std::vector<SeekEntry>& entries) {
  const uint64_t num_frames = encode_frames(in.size(), options);
  BOBBIN_ASSIGN(const DeviceBuffer content,
                DeviceBuffer::create(round_up<uint64_t>(in.size(), 4) + 4, stream));
  BOBBIN_ASSIGN(const DeviceBuffer coded, DeviceBuffer::create(encode_bound(in.size(), options), stream));
  BOBBIN_ASSIGN(const DeviceBuffer ends, DeviceBuffer::create(num_frames * sizeof(uint64_t), stream));
  BOBBIN_TRY(copy_async(content.data(), in.data(), in.size(), stream));
  BOBBIN_TRY(encode_batch(content.as<std::byte>(), in.size(), coded.as<std::byte>(), coded.size(),
                          ends.as<uint64_t>(), options, stream));
  std::vector<uint64_t> host_ends(num_frames);
  BOBBIN_TRY(copy_async(host_ends.data(), ends.data(), ends.size(), stream));
  BOBBIN_TRY(stream.synchronize());
  const size_t before = out.size();
  out.resize(before + host_ends.back());
  BOBBIN_TRY(copy_async(out.data() + before, coded.data(), host_ends.back(), stream));
  BOBBIN_TRY(stream.synchronize());
  for (uint64_t i = 0; i < num_frames; ++i) {
    const uint64_t begin = i * options.frame_bytes;
    entries.push_back({.compressed_bytes = host_ends[i] - (i == 0 ? 0 : host_ends[i - 1]),
                       .content_bytes = std::min<uint64_t>(options.frame_bytes, in.size() - begin)});
  }
  return {};
}

}  // namespace

uint64_t encode_frames(uint64_t in_bytes, const EncodeBatchOptions& options) {
  return std::max<uint64_t>(ceil_div<uint64_t>(in_bytes, options.frame_bytes), 1);
}

uint64_t encode_bound(uint64_t in_bytes, const EncodeBatchOptions& options) {
  return encode_frames(in_bytes, options) *
         EncodeLayout::most_bytes(options.frame_bytes, options.block_bytes);
}

uint64_t encode_scratch_bytes(uint64_t in_bytes, const EncodeBatchOptions& options) {
  return EncodePlan::of(in_bytes, options).scratch_bytes();
}

Status encode_batch(const std::byte* in, uint64_t in_bytes, std::byte* out, uint64_t out_bytes,
                    uint64_t* frame_ends, const EncodeBatchOptions& options, StreamView stream) {
  BOBBIN_TRY(check_options(options));
  BOBBIN_RETURN_IF(out_bytes < encode_bound(in_bytes, options), StatusCode::invalid_argument,
                   "zstd: the output is smaller than encode_bound()");
  const auto run =
      on_backend(stream.backend(), []<Backend kBackend>() { return &encode_batch_on<kBackend>; });
  if (run == nullptr) {
    return stream.backend() == Backend::cpu
               ? Status(StatusCode::invalid_argument, "zstd: encode_batch() needs the stream of a device")
               : missing_backend(stream.backend());
  }
  return run(in, in_bytes, out, frame_ends, options, stream);
}

Result<std::vector<std::byte>> encode(std::span<const std::byte> in, const EncodeOptions& options,
                                      Backend backend) {
  if (backend == Backend::cpu || options.dictionary != nullptr || options.frame_bytes > kMaxLinkedFrame ||
      options.block_bytes > kMaxLinkedFrame) {
    return encode(in, options);
  }
  const EncodeBatchOptions batch{.level = options.level,
                                 .frame_bytes = options.frame_bytes,
                                 .block_bytes = options.block_bytes,
                                 .checksum = options.checksum};
  BOBBIN_TRY(check_options(batch));
  BOBBIN_ASSIGN(const Stream stream, Stream::create(backend));
  const uint64_t part = kHostPart / options.frame_bytes * options.frame_bytes;
  std::vector<std::byte> out;
  std::vector<SeekEntry> entries;
  for (uint64_t at = 0; at < in.size() || at == 0; at += part) {
    BOBBIN_TRY(encode_part(in.subspan(at, std::min<uint64_t>(part, in.size() - at)), batch, stream.view(),
                           out, entries));
  }
  if (options.seek_table) {
    const std::vector<std::byte> table = make_seek_table(entries);
    out.insert(out.end(), table.begin(), table.end());
  }
  return out;
}

}  // namespace bobbin::zstd
