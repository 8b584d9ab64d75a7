// SPDX-License-Identifier: Apache-2.0
// How columns are encoded: names of codecs, cascades, and why a chunk has the encoding it has.
//
// Threads: every function may be called from any thread at any time, even for the same Reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

// The codecs that WriteOptions::codec and cascades may name, by ascending id. Nulls are encoded by a separate
// codec, which cannot be requested.
[[nodiscard]] BOBBIN_API std::vector<std::string> codec_names();

// A codec, and cascades for the parts that it splits values into: Cascade{"dict", {{"bitpack"}, {"delta"}}}.
struct Cascade {
  std::string codec;
  std::vector<Cascade> children{};  // none: the codec chooses encodings for its parts, if it has any

  friend bool operator==(const Cascade&, const Cascade&) = default;
};

// "dict(bitpack, delta)", as WriteOptions::codec takes it.
[[nodiscard]] BOBBIN_API std::string to_string(const Cascade& cascade);
// Fails for unknown codecs too. At most 8 codecs may be nested.
[[nodiscard]] BOBBIN_API Result<Cascade> parse_cascade(std::string_view text);
// Whether the cascade can encode a column of this type, as far as that is known without values.
[[nodiscard]] BOBBIN_API Status check_cascade(const Cascade& cascade, DType type);
// The cascade of a chunk, or of a part of one. Nodes that encode nulls are included.
[[nodiscard]] BOBBIN_API Cascade cascade_of(const NodeInfo& node);

// A cascade that was considered for a chunk. Bytes do not include the padding of segments.
struct EncodingCandidate {
  Cascade cascade;
  uint64_t estimated_bytes = 0;             // from a sample
  std::optional<uint64_t> encoded_bytes{};  // of all values; unset if the cascade cannot encode them
  double gpu_cost = 0;                      // of decoding on a GPU, relative to copying the values
  bool in_file = false;                     // the chunk is encoded like this
};

struct EncodingChoice {
  // What candidates are considered for: `compact` if the row group uses a codec that only this goal uses.
  Goal::Kind goal = Goal::Kind::smallest;
  uint64_t num_rows = 0;                      // encoded with the candidates: see explain_encoding()
  uint64_t num_sampled = 0;                   // rows that estimates are made from
  uint64_t num_runs = 0;                      // of equal values; 0 for strings
  Cascade in_file;                            // without the encoding of nulls
  std::vector<EncodingCandidate> candidates;  // best first
};

// Which cascades the writer considers for a chunk, and their sizes. Reads the chunk and encodes it with every
// candidate; of a chunk that takes more than 256 MiB decoded, only the first rows, which take about as much.
[[nodiscard]] BOBBIN_API Result<EncodingChoice> explain_encoding(const Reader& reader, size_t row_group,
                                                                 size_t column);

}  // namespace bobbin
