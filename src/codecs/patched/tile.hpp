// SPDX-License-Identifier: Apache-2.0
// Tile functions of patches, for kernels that unpack vectors as bitpack does: eight threads per vector, each
// with a column of 16 bytes per row, or a multiple of eight, each with a part of a column.
//
// By lanes, a thread applies the patches of its own column, shared among the threads of that column. Sorted,
// a chunk's patches are dealt to all threads of its vector in turn, regardless of columns. All threads must
// have finished unpacking first.
//
// Shared memory: none of its own. Preconditions (checked by validate): blocks are as large as their counts
// say, indices are inside the chunk and, by lanes, in their lane. Cost: per patch an index and a value are
// read and a value is written; per vector 8 bytes of starts, and 8 of counts if there are patches.
#pragma once

#include <cstdint>

#include "codecs/bitpack/tile.hpp"
#include "codecs/ffor/tile.hpp"
#include "codecs/patched/patched.hpp"
#include "codecs/patched/stage.hpp"
#include "core/lanes.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::patched {

// The patches of an array: `Source` is a PatchSource.
template <class Source>
[[nodiscard]] Source source_of(const Array& array) {
  using T = typename Source::Value;
  const auto view = [&]<class U>(size_t buffer) -> Global<const U> {
    const auto bytes = array.buffers[buffer].bytes;
    return {reinterpret_cast<const U*>(bytes.data()), bytes.size() / sizeof(U)};
  };
  if (array.buffers[1].bytes.empty()) {
    return {};
  }
  const PatchLayout layout = layout_of(array);
  return {.layout = layout,
          .starts = view.template operator()<uint32_t>(0),
          .counts = view.template operator()<uint64_t>(1),
          .indices = view.template operator()<uint16_t>(1),
          .values = view.template operator()<T>(layout == PatchLayout::lanes ? 1 : 2)};
}

// The same with patches: a source for bitpack's decoding kernel.
template <class T>
struct PatchedFrames : AnyFrames<T> {
  static constexpr bitpack::DecodeShape kShape{.quads = 1024,
                                               .row_parts = bitpack::DecodeShape::parts<T>(),
                                               .min_blocks = sizeof(T) == 1 || sizeof(T) == 4 ? 8 : 12};

  PatchSource<T> patches;
};

}  // namespace bobbin::codec::patched
