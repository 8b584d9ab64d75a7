// SPDX-License-Identifier: Apache-2.0
#include "file/lz4_block.hpp"

#include <algorithm>
#include <cstring>

namespace bobbin::file {
namespace {

constexpr size_t kLeastMatch = 4;
constexpr size_t kFarthest = 65535;
// Rules of the format: the last 5 bytes are literals, and no match starts in the last 12.
constexpr size_t kLastLiterals = 5;
constexpr size_t kNoMatchStarts = 12;

// Finds matches through chains of positions with the same hash of four bytes.
class Matches {
 public:
  explicit Matches(std::span<const std::byte> bytes)
      : bytes_(bytes), heads_(size_t{1} << kHashBits, kNone), before_(bytes.size(), kNone) {}

  struct Match {
    size_t distance = 0;
    size_t length = 0;
  };

  void add(size_t at) {
    uint32_t& head = heads_[hash(at)];
    before_[at] = head;
    head = static_cast<uint32_t>(at);
  }

  // The longest match in the window; the nearest of equally long ones.
  [[nodiscard]] Match find(size_t at) const {
    Match best;
    const size_t most = bytes_.size() - kLastLiterals - at;
    uint32_t place = heads_[hash(at)];
    for (int tries = kTries; tries > 0 && place != kNone && at - place <= kFarthest; --tries) {
      size_t length = 0;
      while (length < most && bytes_[place + length] == bytes_[at + length]) {
        ++length;
      }
      if (length > best.length) {
        best = {at - place, length};
      }
      place = before_[place];
    }
    return best.length < kLeastMatch ? Match{} : best;
  }

 private:
  static constexpr uint32_t kHashBits = 14;
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr int kTries = 32;

  [[nodiscard]] size_t hash(size_t at) const {
    uint32_t word = 0;
    std::memcpy(&word, &bytes_[at], sizeof word);
    return (word * 2654435761U) >> (32 - kHashBits);
  }

  std::span<const std::byte> bytes_;
  std::vector<uint32_t> heads_;
  std::vector<uint32_t> before_;  // the previous position with the same hash
};

class BlockWriter {
 public:
  // A match of length 0 ends the block.
  void sequence(std::span<const std::byte> literals, const Matches::Match& match) {
    const size_t extra = match.length == 0 ? 0 : match.length - kLeastMatch;
    byte(std::min<size_t>(literals.size(), 15) << 4 | std::min<size_t>(extra, 15));
    rest_of_length(literals.size());
    block_.insert(block_.end(), literals.begin(), literals.end());
    if (match.length != 0) {
      byte(match.distance & 255);
      byte(match.distance >> 8);
      rest_of_length(extra);
    }
  }
  [[nodiscard]] std::vector<std::byte> finish() { return std::move(block_); }

 private:
  void byte(size_t value) { block_.push_back(static_cast<std::byte>(value)); }
  void rest_of_length(size_t length) {
    if (length >= 15) {
      for (length -= 15; length >= 255; length -= 255) {
        byte(255);
      }
      byte(length);
    }
  }

  std::vector<std::byte> block_;
};

class BlockReader {
 public:
  BlockReader(std::span<const std::byte> block, uint64_t size) : left_(block), size_(size) {
    out_.reserve(size);
  }

  Result<std::vector<std::byte>> read() {
    do {
      const size_t token = byte();
      copy_literals(length(token / 16));
      if (left_.empty()) {
        break;
      }
      const size_t low = byte();
      const size_t high = byte();
      copy_match(low + 256 * high, length(token % 16) + kLeastMatch);
    } while (!damaged_);
    BOBBIN_RETURN_IF(damaged_ || out_.size() != size_, StatusCode::corrupt, "its compressed form is damaged");
    return std::move(out_);
  }

 private:
  // 0 after the end.
  size_t byte() {
    if (left_.empty()) {
      damaged_ = true;
      return 0;
    }
    const auto value = std::to_integer<size_t>(left_[0]);
    left_ = left_.subspan(1);
    return value;
  }

  size_t length(size_t nibble) {
    size_t total = nibble;
    for (size_t next = nibble == 15 ? 255 : 0; next == 255; total += next) {
      next = byte();
    }
    return total;
  }

  void copy_literals(size_t count) {
    if (count > left_.size() || count > size_ - out_.size()) {
      damaged_ = true;
      return;
    }
    out_.insert(out_.end(), left_.begin(), left_.begin() + static_cast<ptrdiff_t>(count));
    left_ = left_.subspan(count);
  }

  // Byte by byte if the match overlaps its own output.
  void copy_match(size_t distance, size_t count) {
    if (distance == 0 || distance > out_.size() || count > size_ - out_.size()) {
      damaged_ = true;
      return;
    }
    const size_t at = out_.size();
    out_.resize(at + count);
    std::byte* const to = out_.data() + at;
    if (distance >= count) {
      std::memcpy(to, to - distance, count);
    } else {
      for (size_t i = 0; i < count; ++i) {
        to[i] = *(to + i - distance);
      }
    }
  }

  std::span<const std::byte> left_;
  uint64_t size_;
  std::vector<std::byte> out_;
  bool damaged_ = false;
};

}  // namespace

std::vector<std::byte> compress_block(std::span<const std::byte> bytes) {
  Matches matches(bytes);
  BlockWriter out;
  size_t done = 0;
  for (size_t at = 0; at + kNoMatchStarts < bytes.size();) {
    const Matches::Match match = matches.find(at);
    if (match.length != 0) {
      out.sequence(bytes.subspan(done, at - done), match);
      done = at + match.length;
    }
    for (const size_t end = std::max(done, at + 1); at < end; ++at) {
      if (at + kNoMatchStarts < bytes.size()) {
        matches.add(at);
      }
    }
  }
  out.sequence(bytes.subspan(done), {});
  return out.finish();
}

Result<std::vector<std::byte>> decompress_block(std::span<const std::byte> block, uint64_t size) {
  return BlockReader(block, size).read();
}

}  // namespace bobbin::file
