// SPDX-License-Identifier: Apache-2.0
// Columns as kernels see them: an encoding tree, flattened to the steps that decode one vector. Kernels that
// are compiled at run time include this header, so it needs nothing of the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codecs/alprd/stage.hpp"
#include "codecs/bitpack/tile.hpp"
#include "codecs/patched/stage.hpp"
#include "simt/cta.hpp"

namespace bobbin::plan {

using simt::Global;
using simt::Quad;

// Bytes whose type is known only where they are used.
using Bytes = Global<const std::byte>;

template <class T>
[[nodiscard]] BOBBIN_HD Global<const T> view_as(const Bytes& bytes) {
  return {reinterpret_cast<const T*>(bytes.data), bytes.size / sizeof(T)};
}

// Packed vectors: all of one width, or each with an entry and a reference. A constant has a width of zero.
struct Frames {
  Bytes packed;
  Bytes entries;  // null if all have one width
  Bytes references;
  uint32_t width = 0;
  uint64_t base = 0;  // added to all values

  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD codec::bitpack::Frame<T> frame(Cta& cta, uint64_t v) const {
    const codec::patched::AnyFrames<T> frames{view_as<Quad>(packed), view_as<uint32_t>(entries),
                                              view_as<T>(references), width};
    codec::bitpack::Frame<T> frame = frames.frame(cta, v);
    frame.reference = static_cast<T>(frame.reference + static_cast<T>(base));
    return frame;
  }
};

struct Patches {
  codec::patched::PatchLayout layout{};
  Bytes starts;
  Bytes indices;  // by lanes: the blocks
  Bytes values;

  [[nodiscard]] BOBBIN_HD bool any() const { return starts.data != nullptr; }
  template <class T, uint32_t kAhead = sizeof(T) < 4 ? 8 : 4>
  [[nodiscard]] BOBBIN_HD codec::patched::PatchSource<T, kAhead> typed() const {
    return {layout, view_as<uint32_t>(starts), view_as<uint64_t>(indices), view_as<uint16_t>(indices),
            view_as<T>(values)};
  }
};

enum class Op : uint8_t {
  unpack,   // packed vectors
  load,     // plain values
  patch,    // replaces some values
  scale,    // converts ALP's integers to floats
  sum_up,   // sums delta's residuals
  keep,     // sets alprd's left codes aside
  join,     // joins right parts with them
  turn,     // converts zigzag codes to signed integers
  look_up,  // converts codes to dictionary entries
  expand,   // repeats the values of runs; in composed kernels only
  place,    // puts values into some rows, and one value into all others; in composed kernels only
};

// One step of decoding a vector. It works in place, on the result of the previous step.
struct Node {
  Op op{};
  uint8_t bytes = 0;   // size of a value
  uint8_t order = 0;   // sum_up
  uint8_t stride = 0;  // sum_up
  uint8_t from = 0;    // look_up: size of a code
  uint32_t last = 0;   // look_up: the last entry; greater codes mean it too. expand, place: the first row
  Frames frames;       // unpack; place: its base is the value of all other rows
  Patches patches;     // patch; expand, place: where the numbers of vectors start, row numbers, values
  Bytes extra;         // load: the values; scale: the scales; sum_up: the restarts; look_up: the entries
  codec::alprd::Cut cut;

  // look_up
  template <class T, class Cta>
  [[nodiscard]] BOBBIN_HD T entry(Cta& cta, uint64_t code) const {
    return cta.load(view_as<T>(extra), code < last ? code : last);
  }
};

// How a column's values reach a kernel.
enum class ColumnForm : uint8_t {
  plain,   // values in memory
  packed,  // unpack; optionally scale, patch and look_up: tested and summed in packed form
  staged,  // any steps, vector by vector through shared memory
  bitmap,  // no values: one result bit per row
};

// One bit per row, or all set: in memory, one word per 32 rows, or packed.
struct Validity {
  enum class Kind : uint8_t { all, words, packed } kind = Kind::all;
  uint64_t offset = 0;  // words to skip: packed ones may start inside a vector
  uint64_t count = 0;   // number of words
  Bytes words;
  Frames frames;
};

struct ColumnPlan {
  static constexpr uint32_t kMaxNodes = 8;

  ColumnForm form{};
  uint8_t bytes = 0;
  bool is_float = false;
  bool is_signed = false;
  uint8_t num_nodes = 0;
  Node nodes[kMaxNodes];
  Validity validity;

  // For form packed. Tests apply to what is packed: to codes if there is a dictionary.
  [[nodiscard]] BOBBIN_HD const Frames& frames() const { return nodes[0].frames; }
  [[nodiscard]] BOBBIN_HD uint32_t packed_bytes() const { return nodes[0].bytes; }
  [[nodiscard]] BOBBIN_HD bool scaled() const { return num_nodes > 1 && nodes[1].op == Op::scale; }
  [[nodiscard]] BOBBIN_HD const Bytes& scales() const { return nodes[1].extra; }
  [[nodiscard]] BOBBIN_HD bool looks_up() const { return nodes[num_nodes - 1].op == Op::look_up; }
  [[nodiscard]] BOBBIN_HD const Node& dictionary() const { return nodes[num_nodes - 1]; }
  [[nodiscard]] BOBBIN_HD bool has_patches() const { return last_packed().op == Op::patch; }
  [[nodiscard]] BOBBIN_HD const Patches& patches() const { return last_packed().patches; }

  // The size of the values that tests apply to.
  [[nodiscard]] BOBBIN_HD uint32_t tested_bytes() const {
    return form == ColumnForm::packed ? packed_bytes() : bytes;
  }

 private:
  [[nodiscard]] BOBBIN_HD const Node& last_packed() const { return nodes[num_nodes - (looks_up() ? 2 : 1)]; }
};

}  // namespace bobbin::plan
