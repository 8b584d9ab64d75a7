// SPDX-License-Identifier: Apache-2.0
// The footer as described in docs/format.md: variable-length numbers, one after another.
#include <algorithm>
#include <cstring>

#include "core/dispatch.hpp"
#include "core/scalar.hpp"
#include "core/value_text.hpp"
#include "file/footer.hpp"

namespace bobbin::file {
namespace {

class Builder {
 public:
  void columns(const Footer& footer) {
    number(footer.columns.size());
    for (const Column& column : footer.columns) {
      text(column.name);
      const Logical& logical = column.logical;
      const auto kind = static_cast<unsigned>(logical.kind);
      byte(static_cast<unsigned>(column.type) | (column.nullable ? 16U : 0U) | kind << 5);
      if (logical.kind == Logical::Kind::timestamp || logical.kind == Logical::Kind::time) {
        byte(static_cast<unsigned>(logical.unit));
      } else if (logical.kind == Logical::Kind::decimal) {
        byte(logical.scale);
      }
    }
  }

  void metadata(const Metadata& metadata) {
    number(metadata.size());
    for (const auto& [key, value] : metadata) {
      text(key);
      text(value);
    }
  }

  void row_groups(const Footer& footer) {
    number(footer.row_groups.size());
    for (const RowGroup& group : footer.row_groups) {
      number(group.num_rows);
      for (size_t c = 0; c < group.chunks.size(); ++c) {
        chunk(footer, footer.columns[c], group.num_rows, group.chunks[c]);
      }
    }
  }

  [[nodiscard]] std::vector<std::byte> finish(const std::vector<std::byte>& inline_bytes) {
    bytes_.insert(bytes_.end(), inline_bytes.begin(), inline_bytes.end());
    return std::move(bytes_);
  }

 private:
  void byte(unsigned value) { bytes_.push_back(static_cast<std::byte>(value)); }
  void number(uint64_t value) {
    for (; value >= 128; value >>= 7) {
      byte(128 | (value & 127));
    }
    byte(static_cast<unsigned>(value));
  }
  void word(uint64_t value, size_t size) {
    const auto words = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), words.begin(), words.begin() + static_cast<ptrdiff_t>(size));
  }
  void raw(const void* data, size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  void text(std::string_view text) {
    number(text.size());
    raw(text.data(), text.size());
  }

  void chunk(const Footer& footer, const Column& column, uint64_t num_rows, const Chunk& chunk) {
    const bool strings = is_string(column.type);
    const uint64_t nulls = strings ? chunk.strings.null_count : chunk.null_count;
    if (strings || column.nullable) {
      number(nulls);
    }
    if (nulls < num_rows) {
      strings ? zone(chunk.strings) : zone(column.type, chunk.zone);
    }
    node(footer, chunk.root, num_rows);
  }

  void zone(DType type, const ZoneMap& zone) {
    if (is_float(type)) {
      word(zone.min.bits, size_bytes(type));
      word(zone.max.bits, size_bytes(type));
      return;
    }
    const uint64_t min = extended(type, zone.min);
    number(is_signed(type) ? (min << 1) ^ (0 - (min >> 63)) : min);
    number(extended(type, zone.max) - min);
  }

  static uint64_t extended(DType type, Scalar value) {
    return visit_type(type, [&]<class T>(std::type_identity<T>) {
      return static_cast<uint64_t>(static_cast<int64_t>(value_of<T>(value)));
    });
  }

  void zone(const StringZone& zone) {
    text(zone.min);
    if (zone.max_is_open) {
      number(0);
    } else {
      const auto shared =
          static_cast<size_t>(std::ranges::mismatch(zone.min, zone.max).in1 - zone.min.begin());
      number(1 + shared);
      text(std::string_view(zone.max).substr(shared));
    }
    number(zone.num_bytes);
  }

  // Counts up to 2 fit into the byte with the type.
  static unsigned small_count(size_t count) { return static_cast<unsigned>(std::min<size_t>(count, 3)); }

  void node(const Footer& footer, const Node& node, uint64_t expected_length) {
    const bool as_expected = node.length == expected_length;
    number(static_cast<uint64_t>(node.codec) * 2 + (as_expected ? 1 : 0));
    byte(static_cast<unsigned>(node.type) % 16 | small_count(node.segments.size()) << 4 |
         small_count(node.children.size()) << 6);
    for (const size_t count : {node.segments.size(), node.children.size()}) {
      if (small_count(count) == 3) {
        number(count);
      }
    }
    if (!as_expected) {
      number(node.length);
    }
    number(node.metadata.size());
    raw(node.metadata.data(), node.metadata.size());
    for (size_t i = 0; i < node.segments.size(); ++i) {
      if (i == 0 && node.first_is_shared) {
        number(0);
      } else {
        segment(footer, footer.segments[node.segments[i]]);
      }
    }
    for (const Node& child : node.children) {
      this->node(footer, child, node.length);
    }
  }

  void segment(const Footer& footer, const Segment& segment) {
    number(1 + 2 * segment.size + (segment.in_footer ? 1 : 0));
    if (!segment.in_footer) {
      word(segment.checksum, sizeof segment.checksum);
      const uint64_t stop =
          std::min<uint64_t>(segment.first_part + num_parts(segment.size), footer.parts.size());
      for (uint64_t part = segment.first_part; part < stop; ++part) {
        word(footer.parts[part], sizeof segment.checksum);
      }
    }
  }

  std::vector<std::byte> bytes_;
};

// Generous bounds for a node without metadata, for the entry of a segment, and for a chunk without its node
// and bounds.
constexpr uint64_t kNodeBound = 32;
constexpr uint64_t kSegmentBound = 20;
constexpr uint64_t kChunkBound = 64;

uint64_t node_bytes_bound(const Node& node) {
  uint64_t bytes = kNodeBound + node.metadata.size() + node.segments.size() * kSegmentBound;
  for (const Node& child : node.children) {
    bytes += node_bytes_bound(child);
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> build_footer(const Footer& footer) {
  Builder builder;
  builder.columns(footer);
  builder.metadata(footer.metadata);
  builder.row_groups(footer);
  return builder.finish(footer.inline_bytes);
}

uint64_t footer_bytes_bound(const RowGroup& group) {
  uint64_t bytes = kChunkBound;
  for (const Chunk& chunk : group.chunks) {
    bytes += kChunkBound + node_bytes_bound(chunk.root);
    bytes += chunk.strings.min.size() + chunk.strings.max.size();
  }
  return bytes;
}

}  // namespace bobbin::file
