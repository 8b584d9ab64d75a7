// SPDX-License-Identifier: Apache-2.0
// Standard zstd frames (RFC 8878), compressed and decompressed by Bobbin's own code.
//
// Threads: every function may be called from any thread at any time. A Dictionary does not change, so threads
// may share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"

namespace bobbin::zstd {

struct DictionaryTables;
class DictionaryLinks;

// A dictionary has bytes that frames may refer to and, if it was trained, tables that the first block of a
// frame may reuse.
class BOBBIN_API Dictionary {
 public:
  // A trained dictionary starts with its own magic number; any other bytes are content without tables.
  static Result<Dictionary> parse(std::span<const std::byte> bytes);

  [[nodiscard]] uint32_t id() const { return id_; }  // 0: content only
  [[nodiscard]] std::span<const std::byte> content() const { return content_; }
  [[nodiscard]] const DictionaryTables* tables() const { return tables_.get(); }
  [[nodiscard]] DictionaryLinks& links() const { return *links_; }

 private:
  uint32_t id_ = 0;
  std::vector<std::byte> content_;
  std::shared_ptr<const DictionaryTables> tables_;  // null: content only
  std::shared_ptr<DictionaryLinks> links_;          // for compression
};

struct TrainOptions {
  size_t max_bytes = size_t{110} << 10;
  uint32_t level = 3;  // at which contents will be compressed
};
// A dictionary in the standard format for many small contents like these samples: the pieces that most of
// them have in common, and tables. The same samples give the same bytes. Any zstd library can use it.
[[nodiscard]] BOBBIN_API Result<std::vector<std::byte>> train_dictionary(
    std::span<const std::span<const std::byte>> samples, const TrainOptions& options = {});

struct DecodeOptions {
  uint64_t max_window = uint64_t{128} << 20;  // a frame that asks for more is refused
  bool magicless = false;                     // frames lack their magic number; then none can be skippable
  bool verify_checksums = true;
  const Dictionary* dictionary = nullptr;
};

// What a frame's header says.
struct FrameHeader {
  bool skippable = false;
  uint32_t header_bytes = 0;                // of a skippable frame: 8
  std::optional<uint64_t> content_bytes{};  // of a skippable frame: the bytes to skip
  uint64_t window_bytes = 0;
  uint32_t max_block_bytes = 0;
  uint32_t dictionary_id = 0;  // 0: none is named
  bool has_checksum = false;
};
[[nodiscard]] BOBBIN_API Result<FrameHeader> parse_frame_header(std::span<const std::byte> bytes,
                                                                const DecodeOptions& options = {});

// What a walk over a frame's block headers finds. Nothing is decoded.
struct FrameExtent {
  FrameHeader header;
  uint64_t compressed_bytes = 0;  // header, blocks and checksum
  uint64_t content_bound = 0;     // the content has at most this many bytes
  uint64_t num_blocks = 0;
};
[[nodiscard]] BOBBIN_API Result<FrameExtent> measure_frame(std::span<const std::byte> bytes,
                                                           const DecodeOptions& options = {});

// Decodes one frame from the start of `in`. Returns the bytes written to `out`; an output that is too small
// is an error, and what it then holds is unspecified.
[[nodiscard]] BOBBIN_API Result<uint64_t> decode_frame(std::span<const std::byte> in,
                                                       std::span<std::byte> out,
                                                       const DecodeOptions& options = {});

// Decodes all frames of `in`, except skippable ones, into new memory of at most `max_bytes`. Memory grows
// with what blocks really hold, not with the size that a header claims.
[[nodiscard]] BOBBIN_API Result<std::vector<std::byte>> decode_all(std::span<const std::byte> in,
                                                                   uint64_t max_bytes,
                                                                   const DecodeOptions& options = {});

// Decodes one frame from the start of `in`, and hands its content to `sink` in pieces, one after another,
// with memory for about three windows. Returns the size of the content. Ends with the sink's first error. The
// checksum is compared at the end.
using ContentSink = std::function<Status(std::span<const std::byte> piece)>;
[[nodiscard]] BOBBIN_API Result<uint64_t> decode_in_pieces(std::span<const std::byte> in,
                                                           const ContentSink& sink,
                                                           const DecodeOptions& options = {});

// Frames in a device's memory, decoded together: thousands of small ones, or few large ones, keep a GPU busy.
struct BatchFrame {
  const std::byte* in = nullptr;  // may begin at any address; the 4-byte words that hold the first and the
                                  // last byte must be readable
  uint64_t in_bytes = 0;
  std::byte* out = nullptr;  // may begin at any address; nothing outside of it is written
  uint64_t out_bytes = 0;
};

enum class Verdict : uint32_t {
  ok,
  corrupt,
  too_small,    // the output is too small for the content
  unsupported,  // decode_frame() says why
  needs_cpu,    // a frame that decode_frame() may decode but decode_batch() does not: it needs a dictionary,
                // has over 256 MiB, or consists of very many tiny blocks or, if it is large, tiny matches
};
[[nodiscard]] BOBBIN_API std::string_view to_string(Verdict verdict);

struct FrameResult {
  uint64_t bytes = 0;  // of content; of a skippable frame 0
  Verdict verdict{};
  uint32_t reserved = 0;
};

struct BatchOptions {
  uint64_t max_window = uint64_t{128} << 20;
  bool magicless = false;
  bool verify_checksums = true;
  uint64_t max_out_bytes = uint64_t{64} << 10;  // a frame with a larger output gets needs_cpu
  uint64_t slice_bytes = uint64_t{1} << 30;     // total size of the outputs that are worked on at a time
  uint64_t split_bytes = uint64_t{4} << 20;     // if max_out_bytes is larger, the whole device works on each
  uint32_t streams = 0;  // parts of a slice that are worked on at the same time; 0: by the number of frames
  MemoryResource* memory = nullptr;  // for scratch; nullptr: the backend's default
};

// Decodes each frame to its own output. All arrays are in the memory of the stream's backend, which is a
// device. Asynchronous in `stream`, without waiting for it. A damaged frame gets its verdict and does
// not affect the others; what its output then holds is unspecified.
[[nodiscard]] BOBBIN_API Status decode_batch(const BatchFrame* frames, uint64_t count, FrameResult* results,
                                             const BatchOptions& options, StreamView stream);
// Scratch memory that decode_batch() takes: about 1.5 times the slice's outputs, whatever the frames hold.
[[nodiscard]] BOBBIN_API uint64_t batch_scratch_bytes(uint64_t count, const BatchOptions& options);

// decode_all() on a device, from and to host memory; what a device leaves to the CPU is decoded there.
[[nodiscard]] BOBBIN_API Result<std::vector<std::byte>> decode_all(std::span<const std::byte> in,
                                                                   uint64_t max_bytes,
                                                                   const DecodeOptions& options,
                                                                   Backend backend);

struct EncodeOptions {
  uint32_t level = 3;                         // 1 to 9: how thoroughly matches are searched for
  uint32_t frame_bytes = uint32_t{64} << 10;  // of content; frames are decoded independently
  uint32_t block_bytes = uint32_t{4} << 10;   // small blocks that share one set of tables decode in parallel
  bool checksum = false;
  bool seek_table =
      false;             // ends with a table of all frames: readers find any byte without decoding the rest
  unsigned threads = 1;  // frames compressed in parallel (0: one per core)
  const Dictionary* dictionary = nullptr;  // decoding needs the same one
};

// Compresses to one or more frames that any zstd decoder can read. The bytes are the same on every machine
// and with any number of threads.
[[nodiscard]] BOBBIN_API Result<std::vector<std::byte>> encode(std::span<const std::byte> in,
                                                               const EncodeOptions& options = {});

// encode() on a device, from and to host memory; a device leaves frames above 64 KiB to the CPU. The bytes
// are the same on every backend.
[[nodiscard]] BOBBIN_API Result<std::vector<std::byte>> encode(std::span<const std::byte> in,
                                                               const EncodeOptions& options, Backend backend);

struct EncodeBatchOptions {
  uint32_t level = 3;
  uint32_t frame_bytes = uint32_t{64} << 10;  // 256 bytes to 64 KiB
  uint32_t block_bytes = uint32_t{4} << 10;   // 256 bytes to 64 KiB
  bool checksum = false;
  uint64_t slice_bytes = 0;          // content worked on at a time (0: as much as 1.5 GiB of scratch allow)
  MemoryResource* memory = nullptr;  // for scratch; nullptr: the backend's default
};

// Compresses content in a device's memory to the same bytes as encode(), but without a seek table: the frames
// are written one after another to `out`, and frame_ends[i] is where frame i ends there. Arrays are in the
// memory of the stream's backend, which is a device; frame_ends has encode_frames() elements. `in` may begin
// at any address, but the 4-byte words that hold its first and its last byte must be readable. Asynchronous
// in `stream`, without waiting for it. `out_bytes` must be at least encode_bound().
[[nodiscard]] BOBBIN_API Status encode_batch(const std::byte* in, uint64_t in_bytes, std::byte* out,
                                             uint64_t out_bytes, uint64_t* frame_ends,
                                             const EncodeBatchOptions& options, StreamView stream);
[[nodiscard]] BOBBIN_API uint64_t encode_frames(uint64_t in_bytes, const EncodeBatchOptions& options);
[[nodiscard]] BOBBIN_API uint64_t encode_bound(uint64_t in_bytes, const EncodeBatchOptions& options);
// Scratch memory that encode_batch() takes: 6 times a slice at levels 1 and 2, 8 times at higher ones.
[[nodiscard]] BOBBIN_API uint64_t encode_scratch_bytes(uint64_t in_bytes, const EncodeBatchOptions& options);

// Where a frame lies among the compressed bytes, and its content among all content.
struct SeekEntry {
  uint64_t compressed_begin = 0;
  uint64_t compressed_bytes = 0;
  uint64_t content_begin = 0;
  uint64_t content_bytes = 0;
};

// The frames of `in`, from its seek table if it ends with one (zstd's seekable format), otherwise from a walk
// over all block headers, for which every frame must state its content's size. Skippable frames are left out.
[[nodiscard]] BOBBIN_API Result<std::vector<SeekEntry>> list_frames(std::span<const std::byte> in,
                                                                    const DecodeOptions& options = {});

// The table that list_frames() reads, to be written after these frames, the first of which starts the file.
[[nodiscard]] BOBBIN_API std::vector<std::byte> make_seek_table(std::span<const SeekEntry> frames);

// Bytes begin .. begin+length-1 of the content. Only the frames that hold them are decoded.
[[nodiscard]] BOBBIN_API Result<std::vector<std::byte>> decode_range(std::span<const std::byte> in,
                                                                     uint64_t begin, uint64_t length,
                                                                     const DecodeOptions& options = {});

}  // namespace bobbin::zstd
