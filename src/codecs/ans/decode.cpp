// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "codecs/ans/tile.hpp"
#include "codecs/whole.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::ans {
namespace {

Status damaged(const std::string& reason) {
  return {StatusCode::corrupt, "ans: " + reason};
}

using Slots = std::array<uint32_t, size_t{1} << kMaxBits>;

Slots slots_of(const Frequencies& frequencies) {
  Slots slots{};
  size_t slot = 0;
  for (uint32_t s = 0; s < frequencies.size(); ++s) {
    for (uint32_t place = 0; place < frequencies[s]; ++place) {
      slots[slot++] = Slot::pack(s, place, frequencies[s]);
    }
  }
  return slots;
}

// Decodes the values of one segment after another.
class SegmentReader {
 public:
  explicit SegmentReader(const Array& array)
      : header_(Header::parse(array.metadata)), segments_(array), slots_(slots_of(frequencies_of(array))) {}

  [[nodiscard]] const Header& header() const { return header_; }

  // Values first .. end-1 of a segment.
  void decode(uint64_t segment, uint32_t first, uint32_t end, uint8_t* out) {
    start(segment);
    const uint32_t coded = coded_groups(header_.values_in(segment)) * kGroup;
    for (uint32_t begin = 0; begin < end; begin += kGroup) {
      const bool whole = begin >= first && begin + kGroup <= end;
      uint8_t* const to = whole ? out + (begin - first) : group_.data();
      if (begin == coded) {
        finish(to);
      } else if (words_left_ >= kMostWords) {
        decode_group(to);
      } else {
        decode_last_words(to);
      }
      if (!whole && begin + kGroup > first) {
        const uint32_t from = std::max(begin, first);
        std::copy_n(group_.data() + (from - begin), std::min(begin + kGroup, end) - from,
                    out + (from - first));
      }
    }
  }

 private:
  static constexpr uint32_t kMostWords = kGroup / 2;  // of a group

  void start(uint64_t segment) {
    const std::span<const std::byte> bytes = segments_.segment(segment);
    std::memcpy(states_.data(), bytes.data(), kStateBytes);
    words_ = bytes.data() + kStateBytes;
    words_left_ = (bytes.size() - kStateBytes) / sizeof(uint32_t);
  }

  // What the states have become.
  void finish(uint8_t* to) const {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      std::memcpy(to + size_t{lane} * kRun, &states_[lane], kRun);
    }
  }

  // A group that does not use up the words. States do not depend on each other: the processor overlaps them.
  void decode_group(uint8_t* to) {
    const uint32_t bits = header_.bits;
    const uint32_t mask = (1U << bits) - 1;
    const std::byte* words = words_;
    for (uint32_t step = 0; step < kRun; step += 2) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) {
        uint64_t state = states_[lane];
        const uint32_t a = slots_[state & mask];
        state = Slot::next(a, state, bits);
        const uint32_t b = slots_[state & mask];
        state = Slot::next(b, state, bits);
        to[lane * kRun + step] = static_cast<uint8_t>(Slot::symbol(a));
        to[lane * kRun + step + 1] = static_cast<uint8_t>(Slot::symbol(b));
        uint32_t word;
        std::memcpy(&word, words, sizeof word);
        const bool takes = state < kLeastState;
        states_[lane] = takes ? state << kWordBits | word : state;
        words += takes ? sizeof word : 0;
      }
    }
    words_left_ -= static_cast<size_t>(words - words_) / sizeof(uint32_t);
    words_ = words;
  }

  // The same near the end of the words: after them there are zeros.
  void decode_last_words(uint8_t* to) {
    std::array<uint32_t, kMostWords> words{};
    std::memcpy(words.data(), words_, words_left_ * sizeof(uint32_t));
    const std::byte* const begin = words_;
    const size_t left = words_left_;
    words_ = std::as_bytes(std::span(words)).data();
    words_left_ = words.size();
    decode_group(to);
    const size_t taken = std::min(words.size() - words_left_, left);
    words_ = begin + taken * sizeof(uint32_t);
    words_left_ = left - taken;
  }

  Header header_;
  SegmentList segments_;
  Slots slots_;
  std::array<uint64_t, kLanes> states_{};
  std::array<uint8_t, kGroup> group_{};
  const std::byte* words_ = nullptr;
  size_t words_left_ = 0;
};

Status check_header(const Array& array, const Header& header) {
  BOBBIN_RETURN_IF(header.bits < kMinBits || header.bits > kMaxBits, StatusCode::corrupt,
                   "ans: probabilities of " + std::to_string(header.bits) + " bits");
  BOBBIN_RETURN_IF(header.segment_log < kMinSegmentLog || header.segment_log > kMaxSegmentLog,
                   StatusCode::corrupt,
                   "ans: segments of 2^" + std::to_string(header.segment_log) + " values");
  BOBBIN_RETURN_IF(header.stored > kMaxStored, StatusCode::corrupt, "ans: too many values in the segments");
  const uint64_t expected = offsets_bytes(header.num_segments());
  BOBBIN_RETURN_IF(array.buffers[2].bytes.size() != expected, StatusCode::corrupt,
                   "ans: segment offsets have " + std::to_string(array.buffers[2].bytes.size()) +
                       " bytes instead of " + std::to_string(expected));
  return {};
}

Status check_rows(const Array& array, const Header& header) {
  BOBBIN_RETURN_IF(header.skip % kVectorLength != 0, StatusCode::corrupt,
                   "ans: skipped values are not whole vectors");
  const uint64_t rows = array.length == 0 ? 0 : array.offset + array.length;
  BOBBIN_RETURN_IF(rows > header.stored || header.skip > header.stored - rows, StatusCode::corrupt,
                   "ans: the segments hold " + std::to_string(header.stored) + " values, expected " +
                       std::to_string(array.length));
  const uint64_t needed = ceil_div<uint64_t>(header.skip + rows, header.segment_values());
  BOBBIN_RETURN_IF(needed != header.num_segments() ||
                       (rows == 0 ? header.skip : header.skip / header.segment_values()) != 0,
                   StatusCode::corrupt, "ans: segments without any of the array's values");
  return {};
}

Status check_frequencies(const Array& array, const Header& header) {
  const size_t bytes = array.buffers[0].bytes.size();
  if (header.stored == 0) {
    return bytes == 0 && header.first == 0 ? Status{} : damaged("frequencies without values");
  }
  BOBBIN_RETURN_IF(bytes % sizeof(uint16_t) != 0 || bytes / sizeof(uint16_t) > 256U - header.first,
                   StatusCode::corrupt,
                   "ans: frequencies have " + std::to_string(bytes) + " bytes from byte value " +
                       std::to_string(header.first) + " on");
  uint64_t sum = 0;
  for (const uint16_t frequency : frequencies_of(array)) {
    sum += frequency;
  }
  return sum == uint64_t{1} << header.bits ? Status{}
                                           : damaged("frequencies sum to " + std::to_string(sum) +
                                                     " instead of 2^" + std::to_string(header.bits));
}

Status check_segments(const Array& array, const Header& header) {
  const SegmentList segments(array);
  const uint64_t count = header.num_segments();
  for (uint64_t i = 0; i < count; ++i) {
    BOBBIN_RETURN_IF(segments.offset(i + 1) < segments.offset(i) ||
                         segments.offset(i + 1) - segments.offset(i) < kStateUnits,
                     StatusCode::corrupt,
                     "ans: segment " + std::to_string(i) + " is shorter than its states");
  }
  const uint64_t expected = count == 0 ? 0 : segments.begin(count);
  BOBBIN_RETURN_IF(array.buffers[1].bytes.size() != expected, StatusCode::corrupt,
                   "ans: segments have " + std::to_string(array.buffers[1].bytes.size()) +
                       " bytes instead of " + std::to_string(expected));
  for (uint64_t i = 0; i < count; ++i) {
    std::array<uint64_t, kLanes> states;
    std::memcpy(states.data(), segments.segment(i).data(), kStateBytes);
    BOBBIN_RETURN_IF(std::ranges::any_of(states, [](uint64_t state) { return state < kLeastState; }),
                     StatusCode::corrupt, "ans: a state of segment " + std::to_string(i) + " is too small");
  }
  return {};
}

}  // namespace

Header Header::parse(std::span<const uint8_t> metadata) {
  Header header{.bits = metadata[0], .segment_log = metadata[1], .first = metadata[2]};
  std::memcpy(&header.stored, metadata.data() + 3, sizeof header.stored);
  std::memcpy(&header.skip, metadata.data() + 11, sizeof header.skip);
  return header;
}

std::vector<uint8_t> Header::serialize() const {
  std::vector<uint8_t> metadata(kBytes);
  metadata[0] = bits;
  metadata[1] = segment_log;
  metadata[2] = first;
  std::memcpy(metadata.data() + 3, &stored, sizeof stored);
  std::memcpy(metadata.data() + 11, &skip, sizeof skip);
  return metadata;
}

Frequencies frequencies_of(const Array& array) {
  Frequencies frequencies{};
  const std::span<const std::byte> bytes = array.buffers[0].bytes;
  if (!bytes.empty()) {
    std::memcpy(frequencies.data() + array.metadata[2], bytes.data(), bytes.size());
  }
  return frequencies;
}

std::string describe(const Array& array) {
  if (array.metadata.size() != Header::kBytes) {
    return "damaged";
  }
  const Header header = Header::parse(array.metadata);
  if (header.segment_log > kMaxSegmentLog) {
    return "damaged";
  }
  const uint64_t segments = header.num_segments();
  return std::to_string(segments) + (segments == 1 ? " segment" : " segments") + ", " +
         std::to_string(header.bits) + "-bit probabilities";
}

Status validate(const Array& array) {
  const Header header = Header::parse(array.metadata);
  BOBBIN_TRY(check_header(array, header));
  BOBBIN_TRY(check_rows(array, header));
  BOBBIN_TRY(check_frequencies(array, header));
  return check_segments(array, header);
}

Status check_whole(const Array& array) {
  const Header header = Header::parse(array.metadata);
  const bool is_outline = array.buffers[2].bytes.data() == nullptr || array.buffers[2].bytes.empty();
  const bool whole =
      header.skip == 0 && header.stored == array.length && (is_outline || SegmentList(array).offset(0) == 0);
  return whole ? Status{} : damaged("a slice in a file");
}

void decode(const Array& array, void* out) {
  if (array.length == 0) {
    return;
  }
  SegmentReader reader(array);
  const uint64_t size = reader.header().segment_values();
  const uint64_t begin = reader.header().skip + array.offset;
  const uint64_t end = begin + array.length;
  auto* to = static_cast<uint8_t*>(out);
  for (uint64_t row = begin; row < end;) {
    const uint64_t segment = row / size;
    const uint64_t stop = std::min(end, (segment + 1) * size);
    reader.decode(segment, static_cast<uint32_t>(row % size), static_cast<uint32_t>(stop - segment * size),
                  to);
    to += stop - row;
    row = stop;
  }
}

Scalar value_at(const Array& array, uint64_t index) {
  uint8_t value = 0;
  decode(slice(array, index, 1), &value);
  return {value};
}

}  // namespace bobbin::codec::ans
