// SPDX-License-Identifier: Apache-2.0
// Training: which pieces of the samples make up a dictionary, and the tables that suit them. The choice of
// pieces follows the idea of COVER (Liao, Petri, Moffat, Wirth: "Effective construction of relative
// Lempel-Ziv dictionaries", 2016): again and again the piece whose keys occur in most samples, without those
// that an earlier piece has already.
#include <xxhash.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/frame.hpp"
#include "codecs/zstd/fse_encode.hpp"
#include "codecs/zstd/huffman_encode.hpp"
#include "codecs/zstd/match.hpp"
#include "codecs/zstd/sequences.hpp"
#include "codecs/zstd/statistics.hpp"

namespace bobbin::zstd {
namespace {

using Sample = std::span<const std::byte>;

constexpr size_t kKeyBytes = 8;
constexpr uint32_t kKeyBits = 20;
constexpr size_t kMinDictionary = 1024;
constexpr size_t kMaxDictionary = size_t{16} << 20;
constexpr uint64_t kMaxSampleBytes = uint64_t{1} << 30;
constexpr size_t kEntropyBytes = size_t{2} << 20;    // samples that tables are made from
constexpr size_t kCompareBytes = size_t{256} << 10;  // samples that piece lengths are compared with
constexpr size_t kRoomForTables = 512;               // about as many bytes as they take
constexpr uint32_t kFirstFreeId = 32768;             // smaller ones are for registered dictionaries

uint32_t key_of(const uint8_t* bytes) {
  constexpr uint64_t kPrime = 0xCF1BBCDCB7A56463ULL;
  return static_cast<uint32_t>(load<uint64_t>(bytes) * kPrime >> (64 - kKeyBits));
}

// All samples, one after another.
struct Samples {
  std::vector<uint8_t> bytes;
  std::vector<size_t> ends;

  explicit Samples(std::span<const Sample> samples) {
    for (const Sample sample : samples) {
      const auto content = as_u8(sample);
      bytes.insert(bytes.end(), content.begin(), content.end());
      ends.push_back(bytes.size());
    }
  }
  [[nodiscard]] std::span<const uint8_t> at(size_t i) const {
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(bytes).subspan(begin, ends[i] - begin);
  }
  // Evenly spread samples of about this many bytes in all.
  [[nodiscard]] std::vector<std::span<const uint8_t>> some(size_t bytes_wanted) const {
    const size_t step = std::max<size_t>(bytes.size() / bytes_wanted, 1);
    std::vector<std::span<const uint8_t>> chosen;
    for (size_t i = 0; i < ends.size(); i += step) {
      chosen.push_back(at(i));
    }
    return chosen;
  }
};

// In how many samples each key occurs.
std::vector<uint32_t> count_keys(const Samples& samples) {
  std::vector<uint32_t> counts(size_t{1} << kKeyBits);
  std::vector<uint32_t> last(counts.size(), UINT32_MAX);
  for (size_t i = 0; i < samples.ends.size(); ++i) {
    const auto sample = samples.at(i);
    for (size_t at = 0; at + kKeyBytes <= sample.size(); ++at) {
      const uint32_t key = key_of(&sample[at]);
      counts[key] += last[key] != i ? 1 : 0;
      last[key] = static_cast<uint32_t>(i);
    }
  }
  // A key of one sample says nothing about others.
  std::ranges::replace(counts, 1U, 0U);
  return counts;
}

struct Piece {
  size_t begin = 0;
  size_t end = 0;
  uint64_t score = 0;
};

class PieceChooser {
 public:
  PieceChooser(std::span<const uint8_t> bytes, std::vector<uint32_t> counts, size_t piece_bytes)
      : bytes_(bytes),
        counts_(std::move(counts)),
        inside_(counts_.size()),
        keys_(piece_bytes - kKeyBytes + 1) {}

  // The best pieces last: offsets to them are shorter.
  std::vector<uint8_t> choose(size_t max_bytes) {
    std::vector<uint8_t> content(max_bytes);
    size_t left = max_bytes;
    const size_t positions = bytes_.size() - kKeyBytes + 1;
    // In turns from every part of the samples, so that no kind of them is left out.
    const size_t parts = std::clamp<size_t>(max_bytes / (keys_ + kKeyBytes) / 4, 1, positions);
    for (bool any = true; any && left > kKeyBytes;) {
      any = false;
      for (size_t part = 0; part < parts && left > kKeyBytes; ++part) {
        const Piece piece = best(positions * part / parts, positions * (part + 1) / parts);
        if (piece.score == 0) {
          continue;
        }
        any = true;
        const size_t size = std::min(piece.end - piece.begin, left);
        left -= size;
        std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(piece.begin), size,
                    content.begin() + static_cast<ptrdiff_t>(left));
        forget(piece);
      }
    }
    content.erase(content.begin(), content.begin() + static_cast<ptrdiff_t>(left));
    return content;
  }

 private:
  // The window of keys with the highest sum of counts, each key counted once; without useless bytes at its
  // ends.
  Piece best(size_t begin, size_t end) {
    Piece found;
    uint64_t score = 0;
    size_t from = begin;
    for (size_t at = begin; at < end; ++at) {
      const uint32_t key = key_of(&bytes_[at]);
      score += inside_[key]++ == 0 ? counts_[key] : 0;
      if (at + 1 - from > keys_) {
        leave(from++, score);
      }
      if (score > found.score) {
        found = {from, at + kKeyBytes, score};
      }
    }
    while (from < end) {
      leave(from++, score);
    }
    return trim(found);
  }

  void leave(size_t at, uint64_t& score) {
    const uint32_t key = key_of(&bytes_[at]);
    score -= --inside_[key] == 0 ? counts_[key] : 0;
  }

  [[nodiscard]] Piece trim(Piece piece) const {
    while (piece.end - piece.begin > kKeyBytes && counts_[key_of(&bytes_[piece.begin])] == 0) {
      ++piece.begin;
    }
    while (piece.end - piece.begin > kKeyBytes && counts_[key_of(&bytes_[piece.end - kKeyBytes])] == 0) {
      --piece.end;
    }
    return piece;
  }

  void forget(const Piece& piece) {
    for (size_t at = piece.begin; at + kKeyBytes <= piece.end; ++at) {
      counts_[key_of(&bytes_[at])] = 0;
    }
  }

  std::span<const uint8_t> bytes_;
  std::vector<uint32_t> counts_;
  std::vector<uint32_t> inside_;  // how often each key is in the window
  size_t keys_;                   // in a piece
};

Statistics statistics_of(std::span<const uint8_t> content, std::span<const std::span<const uint8_t>> samples,
                         uint32_t level) {
  DictionaryLinks links;
  Statistics statistics;
  for (const std::span<const uint8_t> sample : samples) {
    statistics.add(parse_frame(sample, kMaxBlockBytes, level, content, links));
  }
  return statistics;
}

void put_counts(SequenceField field, std::span<uint32_t> occurrences, size_t num_symbols,
                std::vector<uint8_t>& out) {
  // Every symbol gets a code: contents to come have others than the samples.
  const auto used = occurrences.first(num_symbols);
  std::ranges::for_each(used, [](uint32_t& n) { ++n; });
  const uint64_t total = std::accumulate(used.begin(), used.end(), uint64_t{0});
  const uint32_t log = choose_log(total, static_cast<uint32_t>(num_symbols), limits_of(field).max_log);
  write_fse_counts(normalise(used, log), out);
}

template <class T>
void put_little_endian(T value, std::vector<uint8_t>& out) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    out.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
}

// Magic number, id, tables, recent offsets, content. Nothing where no description can hold the tree.
Result<std::vector<std::byte>> make_dictionary(std::span<const uint8_t> content, Statistics statistics) {
  std::ranges::for_each(statistics.literals, [](uint32_t& n) { ++n; });
  const auto huffman = make_huffman_code(statistics.literals);
  BOBBIN_RETURN_IF(!huffman.has_value(), StatusCode::unsupported,
                   "zstd training: the samples' literals have no tree that a dictionary can describe");
  std::vector<uint8_t> out;
  put_little_endian(kDictionaryMagic, out);
  const uint64_t hash = XXH64(content.data(), content.size(), 0);
  put_little_endian(static_cast<uint32_t>(hash % (INT32_MAX - kFirstFreeId) + kFirstFreeId), out);
  out.insert(out.end(), huffman->description.begin(), huffman->description.end());
  // Offsets reach from the end of a block of full size to the dictionary's start.
  const auto offsets = static_cast<size_t>(std::bit_width(content.size() + kMaxBlockBytes + 3));
  put_counts(SequenceField::offset, statistics.offsets, offsets, out);
  put_counts(SequenceField::match_length, statistics.match_lengths, statistics.match_lengths.size(), out);
  put_counts(SequenceField::literal_length, statistics.literal_lengths, statistics.literal_lengths.size(),
             out);
  for (const uint32_t recent : {1U, 4U, 8U}) {
    put_little_endian(recent, out);
  }
  out.insert(out.end(), content.begin(), content.end());
  const auto bytes = std::as_bytes(std::span(out));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

Result<uint64_t> size_with(std::span<const std::byte> dictionary_bytes,
                           std::span<const std::span<const uint8_t>> samples, uint32_t level) {
  BOBBIN_ASSIGN(const Dictionary dictionary, Dictionary::parse(dictionary_bytes));
  uint64_t size = 0;
  for (const std::span<const uint8_t> sample : samples) {
    BOBBIN_ASSIGN(const auto frame,
                  encode(std::as_bytes(sample), {.level = level, .dictionary = &dictionary}));
    size += frame.size();
  }
  return size;
}

Status check_options(std::span<const Sample> samples, const TrainOptions& options) {
  BOBBIN_RETURN_IF(options.max_bytes < kMinDictionary || options.max_bytes > kMaxDictionary,
                   StatusCode::invalid_argument, "zstd training: a dictionary has 1 KiB to 16 MiB");
  BOBBIN_RETURN_IF(options.level < 1 || options.level > 9, StatusCode::invalid_argument,
                   "zstd: level " + std::to_string(options.level) + " is not from 1 to 9");
  uint64_t total = 0;
  for (const Sample sample : samples) {
    total += std::min<uint64_t>(sample.size(), kMaxSampleBytes);
  }
  BOBBIN_RETURN_IF(total > kMaxSampleBytes, StatusCode::invalid_argument,
                   "zstd training: more than 1 GiB of samples");
  return {};
}

}  // namespace

Result<std::vector<std::byte>> train_dictionary(std::span<const std::span<const std::byte>> in,
                                                const TrainOptions& options) {
  BOBBIN_TRY(check_options(in, options));
  const Samples samples(in);
  const std::vector<uint32_t> counts = count_keys(samples);
  BOBBIN_RETURN_IF(std::ranges::all_of(counts, [](uint32_t n) { return n == 0; }),
                   StatusCode::invalid_argument,
                   "zstd training: the samples have nothing in common; give more of them");
  const size_t room = options.max_bytes - std::min(kRoomForTables, options.max_bytes / 2);
  const auto for_tables = samples.some(kEntropyBytes);
  const auto to_compare = samples.some(kCompareBytes);
  std::vector<std::byte> smallest;
  uint64_t least = UINT64_MAX;
  // No one length of pieces suits all data: the one that compresses samples best is taken.
  for (const size_t piece_bytes : {32U, 128U, 512U, 2048U}) {
    const std::vector<uint8_t> content = PieceChooser(samples.bytes, counts, piece_bytes).choose(room);
    BOBBIN_ASSIGN(auto made, make_dictionary(content, statistics_of(content, for_tables, options.level)));
    BOBBIN_ASSIGN(const uint64_t size, size_with(made, to_compare, options.level));
    if (size < least && made.size() <= options.max_bytes) {
      least = size;
      smallest = std::move(made);
    }
  }
  BOBBIN_RETURN_IF(
      smallest.empty(), StatusCode::invalid_argument,
      "zstd training: the tables alone take more than " + std::to_string(options.max_bytes) + " bytes");
  return smallest;
}

}  // namespace bobbin::zstd
