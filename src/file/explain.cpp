// SPDX-License-Identifier: Apache-2.0
// Cascades by name, and the choice among them for a chunk of a file.
#include <algorithm>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "bobbin/encoding.hpp"
#include "codecs/masked/masked.hpp"
#include "codecs/registry.hpp"
#include "file/access.hpp"
#include "file/nulls.hpp"
#include "select/select.hpp"

namespace bobbin {
namespace {

// Values are decoded in memory, and encoded with every candidate: not many more than the chunk has bytes, so
// that memory follows the file. Our writer's row groups have 256 MiB at most.
uint64_t most_bytes(const Array& array) {
  constexpr uint64_t kLeast = uint64_t{16} << 20;
  constexpr uint64_t kMost = uint64_t{256} << 20;
  return std::clamp(16 * array::encoded_bytes(array), kLeast, kMost);
}

// A chunk's first rows, as many as that allows.
Result<Array> explained_rows(const Array& array) {
  uint64_t rows = most_bytes(array) / size_bytes(array.type);
  if (is_string(array.type)) {
    BOBBIN_ASSIGN(rows, array::strings_within(array, 0, most_bytes(array)));
  }
  return rows >= array.length ? Result<Array>(array) : array::slice(array, 0, std::max<uint64_t>(rows, 1));
}

Cascade named(const select::ResolvedCascade& cascade) {
  Cascade made{.codec = std::string(find_codec(cascade.codec)->name)};
  for (const select::ResolvedCascade& child : cascade.children) {
    made.children.push_back(named(child));
  }
  return made;
}

// A candidate leaves some codecs open, which encoding decides: what it became is compared with the file.
template <class Encode>
EncodingChoice measured(const select::Choice& choice, const Goal& goal,
                        const select::ResolvedCascade& in_file, Encode&& encode) {
  EncodingChoice made{.goal = goal.kind,
                      .num_rows = choice.rows,
                      .num_sampled = choice.sampled,
                      .num_runs = choice.runs,
                      .in_file = named(in_file),
                      .candidates = {}};
  bool found = false;
  for (const select::Candidate& candidate : choice.candidates) {
    const Result<Array> array = encode(candidate.cascade);
    const bool is_same = !found && array.has_value() && select::cascade_of(*array) == in_file;
    found = found || is_same;
    made.candidates.push_back(
        {.cascade = named(array.has_value() ? select::cascade_of(*array) : candidate.cascade),
         .estimated_bytes = candidate.bytes,
         .encoded_bytes = array.has_value() ? std::optional(array::encoded_bytes(*array)) : std::nullopt,
         .gpu_cost = candidate.cost,
         .in_file = is_same});
  }
  return made;
}

Result<EncodingChoice> explain_strings(const Array& array, const Goal& goal) {
  BOBBIN_ASSIGN(const Strings strings, array::decode_strings(array, Backend::cpu));
  return measured(select::choose_strings(strings.view(), goal), goal, select::cascade_of(array),
                  [&](const select::ResolvedCascade& cascade) {
                    return select::encode_strings_as(cascade, strings.view(), nullptr, goal, Backend::cpu);
                  });
}

// The values as the writer saw them: nulls have the value before them.
Result<EncodingChoice> explain_numbers(const Array& array, const Goal& goal) {
  const NewBuffer buffer = make_buffer(array.length * size_bytes(array.type));
  const std::span<std::byte> bytes(buffer.data, buffer.buffer.bytes.size());
  BOBBIN_TRY(array::decode(array, bytes));
  const bool nulls = array::has_nulls(array);
  if (nulls) {
    BOBBIN_ASSIGN(const array::Bitmap validity, array::validity(array));
    file::fill_nulls(array.type, bytes,
                     {reinterpret_cast<const uint8_t*>(validity.words.data()), validity.first});
  }
  const Values values{array.type, buffer.data, array.length};
  const Array& encoded = nulls ? codec::masked::values_of(array) : array;
  return measured(select::choose(values, goal), goal, select::cascade_of(encoded),
                  [&](const select::ResolvedCascade& cascade) {
                    return select::encode_as(cascade, values, goal, Backend::cpu);
                  });
}

bool has_compact_codec(const NodeInfo& node) {
  const Codec* const codec = find_codec(node.codec);
  return (codec != nullptr && codec->compact_only) || std::ranges::any_of(node.children, &has_compact_codec);
}

// A file does not say what it was written for; codecs that only one goal uses give it away.
Goal goal_of(const RowGroupInfo& group) {
  const bool compact =
      std::ranges::any_of(group.chunks, [](const ChunkInfo& chunk) { return has_compact_codec(chunk.root); });
  return {.kind = compact ? Goal::Kind::compact : Goal::Kind::smallest};
}

}  // namespace

std::vector<std::string> codec_names() {
  std::vector<std::string> names;
  for (const Codec* codec : all_codecs()) {
    if (!codec->has_nulls()) {
      names.emplace_back(codec->name);
    }
  }
  return names;
}

std::string to_string(const Cascade& cascade) {
  std::string text = cascade.codec;
  for (size_t i = 0; i < cascade.children.size(); ++i) {
    text += (i == 0 ? "(" : ", ") + to_string(cascade.children[i]);
  }
  return cascade.children.empty() ? text : text + ")";
}

Result<Cascade> parse_cascade(std::string_view text) {
  BOBBIN_ASSIGN(const select::ResolvedCascade cascade, select::parse_cascade(text));
  return named(cascade);
}

Status check_cascade(const Cascade& cascade, DType type) {
  BOBBIN_ASSIGN(const select::ResolvedCascade parsed, select::parse_cascade(to_string(cascade)));
  return select::check_cascade(parsed, type);
}

Cascade cascade_of(const NodeInfo& node) {
  Cascade cascade{.codec = node.codec};
  for (const NodeInfo& child : node.children) {
    cascade.children.push_back(cascade_of(child));
  }
  return cascade;
}

Result<EncodingChoice> explain_encoding(const Reader& reader, size_t row_group, size_t column) {
  BOBBIN_RETURN_IF(row_group >= reader.num_row_groups() || column >= reader.columns().size(),
                   StatusCode::invalid_argument,
                   file::ReaderAccess::name(reader) + ": explain: no such row group or column");
  BOBBIN_ASSIGN(const Array chunk, file::ReaderAccess::load_chunk(reader, row_group, column, Backend::cpu));
  BOBBIN_ASSIGN(const Array array, explained_rows(chunk));
  const Goal goal = goal_of(*reader.row_group(row_group));
  return is_string(array.type) ? explain_strings(array, goal) : explain_numbers(array, goal);
}

}  // namespace bobbin
