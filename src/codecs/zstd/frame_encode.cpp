// SPDX-License-Identifier: Apache-2.0
// Frames: one set of entropy tables for all of a frame's blocks.
#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <string>

#include "codecs/zstd/bits.hpp"
#include "codecs/zstd/encode_blocks.hpp"
#include "codecs/zstd/frame.hpp"
#include "codecs/zstd/huffman_encode.hpp"
#include "codecs/zstd/parse.hpp"
#include "codecs/zstd/sequences.hpp"
#include "codecs/zstd/statistics.hpp"
#include "codecs/zstd/zstd.hpp"
#include "core/bits.hpp"
#include "core/bmi2.hpp"
#include "core/parallel.hpp"

namespace bobbin::zstd {
namespace {

constexpr size_t kMaxSequenceBytes = 12;  // three states and three values of the most bits

void put_number(const Number& number, std::vector<uint8_t>& out) {
  for (uint32_t i = 0; i < number.bytes; ++i) {
    out.push_back(static_cast<uint8_t>(number.value >> (8 * i)));
  }
}

bool all_equal(std::span<const uint8_t> bytes) {
  return !bytes.empty() &&
         std::ranges::find_if(bytes, [&](uint8_t b) { return b != bytes[0]; }) == bytes.end();
}

// Tables, and what building them takes.
struct TableSpace {
  Occurrences occurrences{};
  TableWork work{};
  EncoderTables tables{};

  bool known_tree = false;  // the codes are those of a dictionary

  explicit TableSpace(const Statistics& statistics) {
    std::ranges::copy(statistics.literals, occurrences.literals.data);
    std::ranges::copy(statistics.literal_lengths, field(kLiteralField));
    std::ranges::copy(statistics.offsets, field(kOffsetField));
    std::ranges::copy(statistics.match_lengths, field(kMatchField));
  }

  // `known`: the tables of a dictionary, used where they are cheaper than the frame's own; or null.
  void build(const DictionaryTables* known) {
    static const DefaultCounts defaults = all_default_counts();
    SerialCta cta;
    const uint32_t leaves = sort_leaves(cta, occurrences, work, 0, 1);
    TableBuilder<SerialCta> builder(cta, occurrences, work, tables);
    builder.build_tree(leaves);
    if (known != nullptr) {
      consider_tree(code_of_table(known->huffman));
    }
    for (uint32_t f = 0; f < kFields; ++f) {
      const uint64_t own = builder.build_field(f, defaults);
      if (known != nullptr) {
        consider_field(builder, f, own,
                       f == kLiteralField  ? known->literal_length_counts
                       : f == kOffsetField ? known->offset_counts
                                           : known->match_length_counts);
      }
    }
  }

 private:
  uint32_t* field(uint32_t f) { return occurrences.fields.data + f * kMaxTableSymbols; }

  void consider_field(TableBuilder<SerialCta>& builder, uint32_t f, uint64_t own, const FseCounts& known) {
    SerialCta cta;
    const auto count_of = [&](uint32_t s) -> int32_t { return s < known.num_symbols ? known.count[s] : 0; };
    const uint64_t cost = FseShares::cost(cta, occurrences.fields, f * kMaxTableSymbols,
                                          FieldRules::num_symbols(f), known.log, count_of);
    if (cost <= own) {
      builder.repeat_field(f, known.log, known.num_symbols, count_of);
    }
  }

  // Takes a dictionary's tree, which need not be written, where it has all symbols and costs less.
  void consider_tree(const HuffmanCode& known) {
    uint32_t& tree_bytes = tables.shape.data[EncoderTables::kTreeBytes];
    uint64_t of_known = 0;
    uint64_t of_own = 8 * uint64_t{tree_bytes};
    for (size_t s = 0; s < kLiteralSymbols; ++s) {
      const uint64_t occurs = occurrences.literals.data[s];
      if (occurs > 0 && known.symbols[s].bits == 0) {
        return;
      }
      of_known += occurs * known.symbols[s].bits;
      of_own += occurs * (tables.codes.data[s] >> 11);
    }
    if (tree_bytes == 0 || of_known <= of_own) {
      for (size_t s = 0; s < kLiteralSymbols; ++s) {
        const HuffmanCode::Symbol symbol = known.symbols[s];
        tables.codes.data[s] = static_cast<uint16_t>(symbol.bits << 11 | symbol.code);
      }
      known_tree = true;
      tree_bytes = 1;  // there is a tree; its description is not written
    }
  }
};

// Writes a frame's blocks.
class BlockWriter {
 public:
  explicit BlockWriter(TableSpace& space) : tables_(space.tables), planner_(cta_, space.tables) {
    if (space.known_tree) {
      planner_.skip_tree();
    }
  }

  void put(const ParsedBlock& parsed, std::span<const uint8_t> bytes, bool last, std::vector<uint8_t>& out) {
    have_bmi2() ? put_bmi2(parsed, bytes, last, out) : put_block(parsed, bytes, last, out);
  }

 private:
  BOBBIN_BMI2 void put_bmi2(const ParsedBlock& parsed, std::span<const uint8_t> bytes, bool last,
                            std::vector<uint8_t>& out) {
    put_block(parsed, bytes, last, out);
  }
  BOBBIN_INLINE void put_block(const ParsedBlock& parsed, std::span<const uint8_t> bytes, bool last,
                               std::vector<uint8_t>& out) {
    BlockCosts costs{.bytes = static_cast<uint32_t>(bytes.size()),
                     .literals = static_cast<uint32_t>(parsed.literals.size()),
                     .sequences = static_cast<uint32_t>(parsed.sequences.size()),
                     .repeats = all_equal(bytes),
                     .literals_repeat = all_equal(parsed.literals)};
    costs.huffman_bytes = huffman_bytes(parsed.literals);
    stream_.clear();
    if (costs.sequences != 0) {
      put_sequences(
          cta_, tables_, costs.sequences, [&](uint32_t i) { return parsed.sequences[i]; },
          BitWriter(stream_, kMaxSequenceBytes * costs.sequences + 8));
      costs.sequence_bytes = static_cast<uint32_t>(stream_.size());
    }
    const BlockPlan plan = planner_.plan(costs);
    put_number(FramePlanner::block_header(plan, costs.bytes, last), out);
    if (plan.kind != BlockKind::compressed) {
      out.insert(out.end(), bytes.begin(), bytes.begin() + plan.stored);
      return;
    }
    put_literals_section(plan, parsed.literals, out);
    put_number(plan.sequences_header, out);
    for (uint32_t field = 0; plan.has_tables && field < kFields; ++field) {
      const uint8_t* const description = tables_.described.data + field * kMaxTableBytes;
      out.insert(out.end(), description,
                 description + tables_.shape.data[EncoderTables::kDescribedBytes + field]);
    }
    out.insert(out.end(), stream_.begin(), stream_.end());
  }

  // All streams, with the jump table.
  [[nodiscard]] uint32_t huffman_bytes(std::span<const uint8_t> literals) const {
    const LiteralStreams streams{static_cast<uint32_t>(literals.size())};
    uint32_t bytes = streams.four() ? kJumpTableBytes : 0;
    for (uint32_t i = 0; i < (streams.four() ? 4 : 1); ++i) {
      bytes += LiteralStreams::bytes(
          stream_bits(literals.subspan(streams.begin(i), streams.end(i) - streams.begin(i))));
    }
    return bytes;
  }
  [[nodiscard]] uint32_t stream_bits(std::span<const uint8_t> literals) const {
    uint32_t bits = 0;
    for (const uint8_t literal : literals) {
      bits += tables_.codes.data[literal] >> 11;
    }
    return bits;
  }

  BOBBIN_INLINE void put_literals_section(const BlockPlan& plan, std::span<const uint8_t> literals,
                                          std::vector<uint8_t>& out) const {
    put_number(plan.literals_header, out);
    if (plan.literals_kind == kRawLiterals || plan.literals_kind == kRepeatedLiterals) {
      out.insert(out.end(), literals.begin(), literals.begin() + plan.literals_stored);
      return;
    }
    if (plan.has_tree()) {
      out.insert(out.end(), tables_.tree.data,
                 tables_.tree.data + tables_.shape.data[EncoderTables::kTreeBytes]);
    }
    const LiteralStreams streams{static_cast<uint32_t>(literals.size())};
    const size_t sizes = out.size();
    out.resize(sizes + (streams.four() ? kJumpTableBytes : 0));
    for (uint32_t i = 0; i < (streams.four() ? 4 : 1); ++i) {
      const size_t before = out.size();
      put_literals(
          cta_, tables_, streams.begin(i), streams.end(i), [&](uint32_t at) { return literals[at]; },
          BitWriter(out, (streams.end(i) - streams.begin(i)) * kMaxHuffmanBits / 8 + 2));
      if (streams.four() && i < 3) {
        const size_t size = out.size() - before;
        out[sizes + 2 * i] = static_cast<uint8_t>(size);
        out[sizes + 2 * i + 1] = static_cast<uint8_t>(size >> 8);
      }
    }
  }

  SerialCta cta_;
  EncoderTables& tables_;
  FramePlanner planner_;
  std::vector<uint8_t> stream_;
};

// The magic number and the header, with a dictionary's id if that is not 0.
void put_header(uint64_t content, bool checksum, uint32_t dictionary, std::vector<uint8_t>& out) {
  put_number({kFrameMagic, sizeof kFrameMagic}, out);
  const Number header = frame_header(content, checksum);
  const uint32_t id_kind = dictionary == 0 ? 0 : dictionary < 256 ? 1 : dictionary < 65536 ? 2 : 3;
  put_number({(header.value & 255) | id_kind, 1}, out);
  put_number({dictionary, id_kind == 0 ? 0 : uint32_t{1} << (id_kind - 1)}, out);
  put_number({header.value >> 8, header.bytes - 1}, out);
}

void put_frame(std::span<const uint8_t> content, const EncodeOptions& options, std::vector<uint8_t>& out) {
  const Dictionary* const dictionary = options.dictionary;
  put_header(content.size(), options.checksum, dictionary == nullptr ? 0 : dictionary->id(), out);
  const std::vector<ParsedBlock> blocks =
      dictionary == nullptr ? parse_frame(content, options.block_bytes, options.level)
                            : parse_frame(content, options.block_bytes, options.level,
                                          as_u8(dictionary->content()), dictionary->links());
  const auto space = std::make_unique<TableSpace>(Statistics(blocks));
  space->build(dictionary == nullptr ? nullptr : dictionary->tables());
  BlockWriter writer(*space);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const size_t begin = i * options.block_bytes;
    const size_t size = std::min<size_t>(options.block_bytes, content.size() - begin);
    writer.put(blocks[i], content.subspan(begin, size), i + 1 == blocks.size(), out);
  }
  if (blocks.empty()) {
    put_number({1, kBlockHeaderBytes}, out);  // an empty raw block, the last
  }
  if (options.checksum) {
    put_number({XXH64(content.data(), content.size(), 0), kChecksumBytes}, out);
  }
}

}  // namespace

DefaultCounts all_default_counts() {
  DefaultCounts defaults{};
  constexpr SequenceField kOrder[] = {SequenceField::literal_length, SequenceField::offset,
                                      SequenceField::match_length};
  for (uint32_t field = 0; field < kFields; ++field) {
    const FseCounts counts = default_counts(kOrder[field]);
    defaults.log[field] = counts.log;
    defaults.symbols[field] = counts.num_symbols;
    for (uint32_t s = 0; s < counts.num_symbols; ++s) {
      defaults.count[field][s] = static_cast<int8_t>(counts.count[s]);
    }
  }
  return defaults;
}

Status check_options(const EncodeOptions& options) {
  BOBBIN_RETURN_IF(options.level < 1 || options.level > 9, StatusCode::invalid_argument,
                   "zstd: level " + std::to_string(options.level) + " is not from 1 to 9");
  BOBBIN_RETURN_IF(options.block_bytes < 256 || options.block_bytes > kMaxBlockBytes,
                   StatusCode::invalid_argument, "zstd: blocks must have 256 to 131072 bytes");
  BOBBIN_RETURN_IF(options.frame_bytes < 256 || options.frame_bytes > (uint32_t{1} << 30),
                   StatusCode::invalid_argument, "zstd: frames must have 256 bytes to 1 GiB");
  return {};
}

Result<std::vector<std::byte>> encode(std::span<const std::byte> in, const EncodeOptions& options) {
  BOBBIN_TRY(check_options(options));
  const std::span<const uint8_t> bytes = as_u8(in);
  const size_t num_frames = std::max<size_t>(ceil_div<size_t>(bytes.size(), options.frame_bytes), 1);
  std::vector<std::vector<uint8_t>> frames(num_frames);
  const auto content_of = [&](size_t frame) {
    const size_t begin = frame * options.frame_bytes;
    return bytes.subspan(begin, std::min<size_t>(bytes.size() - begin, options.frame_bytes));
  };
  parallel_tasks(num_frames, options.threads,
                 [&](uint64_t frame) { put_frame(content_of(frame), options, frames[frame]); });
  std::vector<std::byte> out;
  std::vector<SeekEntry> entries;
  for (size_t i = 0; i < num_frames; ++i) {
    const auto frame = std::as_bytes(std::span(frames[i]));
    out.insert(out.end(), frame.begin(), frame.end());
    entries.push_back({.compressed_bytes = frame.size(), .content_bytes = content_of(i).size()});
  }
  if (options.seek_table) {
    const std::vector<std::byte> table = make_seek_table(entries);
    out.insert(out.end(), table.begin(), table.end());
  }
  return out;
}

}  // namespace bobbin::zstd
