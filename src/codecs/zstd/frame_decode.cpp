// SPDX-License-Identifier: Apache-2.0
// Frames, blocks and literals. A frame is decoded into memory where all of its content lies, or at least the
// window, so that matches find what they refer to.
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/frame.hpp"
#include "codecs/zstd/sequences.hpp"
#include "codecs/zstd/zstd.hpp"

namespace bobbin::zstd {
namespace {

constexpr size_t kInputPadding = 8;  // loads of bit streams reach that far

Status damaged_block(const char* what) {
  return {StatusCode::corrupt, std::string("zstd: ") + what};
}

Status too_small() {
  return {StatusCode::invalid_argument, "zstd: the output is too small for the frame's content"};
}

enum class LiteralsKind : uint8_t { raw, rle, huffman, huffman_again };

struct LiteralsHeader {
  LiteralsKind kind{};
  bool four_streams = false;
  uint32_t header_bytes = 0;
  uint32_t regenerated = 0;
  uint32_t stored = 0;
};

Result<LiteralsHeader> parse_literals_header(std::span<const uint8_t> bytes) {
  if (bytes.empty()) {
    return damaged_block("literals: the header is missing");
  }
  const auto kind = static_cast<LiteralsKind>(bytes[0] & 3);
  const uint32_t format = bytes[0] >> 2 & 3;
  const bool coded = kind == LiteralsKind::huffman || kind == LiteralsKind::huffman_again;
  // Header bytes, and the bits of one size, by format.
  static constexpr uint8_t kCodedBytes[] = {3, 3, 4, 5};
  static constexpr uint8_t kCodedBits[] = {10, 10, 14, 18};
  static constexpr uint8_t kPlainBytes[] = {1, 2, 1, 3};
  const uint32_t size = coded ? kCodedBytes[format] : kPlainBytes[format];
  if (bytes.size() < size) {
    return damaged_block("literals: the header is cut off");
  }
  uint64_t word = 0;
  std::memcpy(&word, bytes.data(), size);
  LiteralsHeader header{.kind = kind, .four_streams = coded && format != 0, .header_bytes = size};
  if (coded) {
    const uint64_t mask = (uint64_t{1} << kCodedBits[format]) - 1;
    header.regenerated = static_cast<uint32_t>(word >> 4 & mask);
    header.stored = static_cast<uint32_t>(word >> (4 + kCodedBits[format]) & mask);
  } else {
    header.regenerated = static_cast<uint32_t>(word >> (format % 2 == 0 ? 3 : 4));
    header.stored = kind == LiteralsKind::rle ? 1 : header.regenerated;
  }
  if (header.stored > bytes.size() - size) {
    return damaged_block("literals: they end after their block");
  }
  return header;
}

// Memory for a frame's content: the caller's, of fixed size; a vector that grows; or one that slides over the
// content and gives it to a sink.
class Target {
 public:
  explicit Target(const ContentSink& sink) : data_(nullptr), capacity_(0), growing_(&own_), sink_(&sink) {
    XXH64_reset(&hash_, 0);
  }
  explicit Target(std::span<std::byte> fixed) : data_(as_bytes(fixed.data())), capacity_(fixed.size()) {}
  Target(std::vector<std::byte>& growing, uint64_t most)
      : data_(as_bytes(growing.data())), capacity_(growing.size()), growing_(&growing), most_(most) {}

  [[nodiscard]] uint8_t* data() const { return data_; }
  [[nodiscard]] uint64_t capacity() const { return capacity_; }

  // Makes room for `bytes` bytes if it can. Having less is not an error yet: a block may turn out smaller.
  void want(uint64_t bytes) {
    if (growing_ == nullptr || bytes <= capacity_ || capacity_ == most_) {
      return;
    }
    capacity_ = std::min(std::max(bytes + kCopyRoom, 2 * capacity_), most_);
    growing_->resize(capacity_);
    data_ = as_bytes(growing_->data());
  }

  void begin_frame(const FrameHeader& header, bool verifies) {
    constexpr uint64_t kBeyondMemory = uint64_t{1} << 60;
    const uint64_t window = std::min(header.window_bytes, kBeyondMemory);
    keep_ = window + 1;  // that it is more than the window shows that there was more content
    full_ = keep_ + std::max(window, kLeastPiece);
    most_ = sink_ == nullptr ? most_ : full_ + header.max_block_bytes + kCopyRoom;
    hashes_ = header.has_checksum && verifies;
  }
  // Content up to `at` is complete. Returns where it ends after the memory has slid.
  Result<uint64_t> slide(uint64_t at) {
    if (sink_ == nullptr || at < full_) {
      return at;
    }
    BOBBIN_TRY(give(at));
    std::memmove(data_, data_ + at - keep_, keep_);
    given_ = keep_;
    return keep_;
  }
  // The size of a frame's content that begins at `begin`, and its hash.
  struct Whole {
    uint64_t bytes = 0;
    uint64_t hash = 0;
  };
  Result<Whole> finish(uint64_t begin, uint64_t at) {
    if (sink_ == nullptr) {
      return Whole{at - begin, hashes_ ? XXH64(data_ + begin, at - begin, 0) : 0};
    }
    BOBBIN_TRY(give(at));
    return Whole{total_, XXH64_digest(&hash_)};
  }
  // Bytes of content so far, if the frame's begins at `begin`.
  [[nodiscard]] uint64_t content_bytes(uint64_t begin, uint64_t at) const {
    return total_ + at - std::max(begin, given_);
  }

 private:
  Status give(uint64_t at) {
    const std::span<const uint8_t> piece(data_ + given_, at - given_);
    if (hashes_) {
      XXH64_update(&hash_, piece.data(), piece.size());
    }
    total_ += piece.size();
    given_ = at;
    return piece.empty() ? Status() : (*sink_)(std::as_bytes(piece));
  }

  static constexpr uint64_t kCopyRoom = 64;  // lets copies of the last block write a little too far
  static constexpr uint64_t kLeastPiece = uint64_t{1} << 20;

  static uint8_t* as_bytes(std::byte* data) { return reinterpret_cast<uint8_t*>(data); }

  uint8_t* data_;
  uint64_t capacity_;
  std::vector<std::byte> own_{};
  std::vector<std::byte>* growing_ = nullptr;
  uint64_t most_ = UINT64_MAX;
  const ContentSink* sink_ = nullptr;
  XXH64_state_t hash_{};
  bool hashes_ = false;
  uint64_t keep_ = 0;   // bytes of content that matches may refer to
  uint64_t full_ = 0;   // memory slides when it has this many
  uint64_t given_ = 0;  // bytes at the start that the sink has
  uint64_t total_ = 0;  // bytes that the sink has
};

class FrameDecoder {
 public:
  explicit FrameDecoder(const DecodeOptions& options) : options_(options) {}

  // Decodes the frame at the start of `in` to target's bytes from `begin` on. Moves `in` past the frame.
  Result<uint64_t> decode(std::span<const uint8_t>& in, Target& target, uint64_t begin) {
    BOBBIN_ASSIGN(const FrameHeader header, parse_header(in, options_));
    if (header.skippable) {
      const uint64_t size = header.header_bytes + *header.content_bytes;
      if (size > in.size()) {
        return damaged_block("the input ends inside a skippable frame");
      }
      in = in.subspan(size);
      return uint64_t{0};
    }
    BOBBIN_TRY(start(header));
    target.begin_frame(header, options_.verify_checksums);
    in = in.subspan(header.header_bytes);
    uint64_t at = begin;
    for (bool last = false; !last;) {
      BOBBIN_ASSIGN(const BlockHeader block, parse_block_header(in, header.max_block_bytes));
      target.want(at + (block.kind == BlockKind::compressed ? header.max_block_bytes : block.size));
      BOBBIN_ASSIGN(at, decode_block(header, block, in, target, begin, at));
      in = in.subspan(kBlockHeaderBytes + block.stored_bytes());
      last = block.last;
      if (target.content_bytes(begin, at) > header.content_bytes.value_or(UINT64_MAX)) {
        return wrong_size();
      }
      BOBBIN_ASSIGN(at, target.slide(at));
    }
    BOBBIN_ASSIGN(const Target::Whole content, target.finish(begin, at));
    BOBBIN_TRY(check_whole(header, in, content));
    return content.bytes;
  }

 private:
  Status start(const FrameHeader& header) {
    const Dictionary* dictionary = options_.dictionary;
    if (header.dictionary_id != 0 && (dictionary == nullptr || dictionary->id() != header.dictionary_id)) {
      return {StatusCode::invalid_argument,
              "zstd: the frame needs dictionary " + std::to_string(header.dictionary_id)};
    }
    if (dictionary != nullptr && dictionary->tables() != nullptr) {
      tables_ = static_cast<const Tables&>(*dictionary->tables());
      return {};
    }
    tables_.huffman.log = 0;
    tables_.literal_length.present = false;
    tables_.offset.present = false;
    tables_.match_length.present = false;
    tables_.recent_offsets = {1, 4, 8};
    return {};
  }

  Result<uint64_t> decode_block(const FrameHeader& header, const BlockHeader& block,
                                std::span<const uint8_t> in, const Target& target, uint64_t begin,
                                uint64_t at) {
    const std::span<const uint8_t> stored = in.subspan(kBlockHeaderBytes, block.stored_bytes());
    if (block.kind != BlockKind::compressed) {
      if (block.size > target.capacity() - at) {
        return too_small();
      }
      if (block.kind == BlockKind::raw) {
        std::copy(stored.begin(), stored.end(), target.data() + at);
      } else {
        std::fill_n(target.data() + at, block.size, stored[0]);
      }
      return at + block.size;
    }
    Content content{.begin = target.data() + begin,
                    .at = target.data() + at,
                    .end = target.data() + target.capacity(),
                    .window_bytes = header.window_bytes};
    if (options_.dictionary != nullptr) {
      content.dictionary = as_u8(options_.dictionary->content());
    }
    const bool near_end = in.size() - kBlockHeaderBytes - stored.size() < kInputPadding;
    BOBBIN_TRY(decode_compressed(near_end ? pad(stored) : stored, header.max_block_bytes, content));
    return static_cast<uint64_t>(content.at - target.data());
  }

  // A copy of the input's last block, with bytes after it that may be read.
  std::span<const uint8_t> pad(std::span<const uint8_t> bytes) {
    padded_.assign(bytes.begin(), bytes.end());
    padded_.resize(bytes.size() + kInputPadding);
    return std::span(padded_).first(bytes.size());
  }

  Status decode_compressed(std::span<const uint8_t> bytes, uint32_t max_block_bytes, Content& content) {
    BOBBIN_ASSIGN(const LiteralsHeader header, parse_literals_header(bytes));
    if (header.regenerated > max_block_bytes) {
      return damaged_block("literals: more than a block may hold");
    }
    const std::span<const uint8_t> stored = bytes.subspan(header.header_bytes, header.stored);
    const std::span<const uint8_t> rest = bytes.subspan(header.header_bytes + header.stored);
    BOBBIN_ASSIGN(const std::span<const uint8_t> literals, decode_literals(header, stored, rest.size()));
    const uint64_t room = static_cast<uint64_t>(content.end - content.at);
    const Status status = run_sequences(rest, literals, max_block_bytes, tables_, content);
    // What does not fit into a small output may still be a valid frame.
    return !status.ok() && room < max_block_bytes ? too_small() : status;
  }

  // The literals of a block, in its own bytes or in memory that the next block overwrites. `after` bytes can
  // be read after the stored ones.
  Result<std::span<const uint8_t>> decode_literals(const LiteralsHeader& header,
                                                   std::span<const uint8_t> stored, size_t after) {
    if (header.kind == LiteralsKind::raw && after >= kLiteralPadding) {
      return stored;
    }
    if (literals_ == nullptr) {
      literals_ = std::make_unique_for_overwrite<uint8_t[]>(kMaxBlockBytes + kLiteralPadding);
    }
    const std::span<uint8_t> out(literals_.get(), header.regenerated);
    switch (header.kind) {
      case LiteralsKind::raw:
        std::ranges::copy(stored, out.begin());
        return std::span<const uint8_t>(out);
      case LiteralsKind::rle:
        std::ranges::fill(out, stored[0]);
        return std::span<const uint8_t>(out);
      case LiteralsKind::huffman: {
        size_t used = 0;
        BOBBIN_TRY(read_huffman_table(stored, tables_.huffman, used));
        stored = stored.subspan(used);
        break;
      }
      case LiteralsKind::huffman_again:
        if (tables_.huffman.log == 0) {
          return damaged_block("literals: a tree is to be reused, but there is none yet");
        }
        break;
    }
    BOBBIN_TRY(header.four_streams ? decode_four_streams(tables_.huffman, stored, out)
                                   : decode_one_stream(tables_.huffman, stored, out));
    return std::span<const uint8_t>(out);
  }

  static Status wrong_size() {
    return damaged_block("the content has another size than the frame's header says");
  }

  Status check_whole(const FrameHeader& header, std::span<const uint8_t>& in,
                     const Target::Whole& content) const {
    if (header.content_bytes.has_value() && *header.content_bytes != content.bytes) {
      return wrong_size();
    }
    if (!header.has_checksum) {
      return {};
    }
    if (in.size() < kChecksumBytes) {
      return damaged_block("the input ends inside a frame");
    }
    const auto wanted = load<uint32_t>(in.data());
    in = in.subspan(kChecksumBytes);
    if (options_.verify_checksums && static_cast<uint32_t>(content.hash) != wanted) {
      return damaged_block("the checksum does not match the content");
    }
    return {};
  }

  const DecodeOptions& options_;
  Tables tables_;
  std::unique_ptr<uint8_t[]> literals_;  // allocated when the first block needs it
  std::vector<uint8_t> padded_;
};

}  // namespace

Result<uint64_t> decode_frame(std::span<const std::byte> in, std::span<std::byte> out,
                              const DecodeOptions& options) {
  FrameDecoder decoder(options);
  Target target(out);
  std::span<const uint8_t> rest = as_u8(in);
  return decoder.decode(rest, target, 0);
}

Result<uint64_t> decode_in_pieces(std::span<const std::byte> in, const ContentSink& sink,
                                  const DecodeOptions& options) {
  FrameDecoder decoder(options);
  Target target(sink);
  std::span<const uint8_t> rest = as_u8(in);
  return decoder.decode(rest, target, 0);
}

Result<std::vector<std::byte>> decode_all(std::span<const std::byte> in, uint64_t max_bytes,
                                          const DecodeOptions& options) {
  FrameDecoder decoder(options);
  std::vector<std::byte> out;
  Target target(out, max_bytes);
  uint64_t size = 0;
  for (std::span<const uint8_t> rest = as_u8(in); !rest.empty();) {
    BOBBIN_ASSIGN(const uint64_t bytes, decoder.decode(rest, target, size));
    size += bytes;
  }
  out.resize(size);
  return out;
}

}  // namespace bobbin::zstd
