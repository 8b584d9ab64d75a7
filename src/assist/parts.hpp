// SPDX-License-Identifier: Apache-2.0
// Views and writers of a CompressedArray (bobbin/assist.hpp), for kernels. Values are unsigned integers of
// the size of T: those of signed types and floats are their bits.
#pragma once

#include <cstdint>

#include "assist/views.hpp"
#include "assist/writers.hpp"
#include "bobbin/assist.hpp"

namespace bobbin::assist {

template <class T>
[[nodiscard]] RawView<BitsOf<T>> raw_view(const LineParts& parts) {
  return {{static_cast<const BitsOf<T>*>(parts.values), parts.length}};
}
template <class T>
[[nodiscard]] TileView<BitsOf<T>> tile_view(const LineParts& parts) {
  return {{{{parts.images, parts.image_words}},
           {parts.starts, parts.tiles},
           {parts.codes, parts.lines},
           parts.tile_lines},
          parts.length};
}
template <class T>
[[nodiscard]] SlotView<BitsOf<T>> slot_view(const LineParts& parts) {
  return {{{parts.images, parts.image_words}}, {parts.codes, parts.lines}, parts.length};
}

// Returns f(view), with the view of the layout: f launches a kernel that is a template over it.
template <class T, class F>
decltype(auto) with_view(const LineParts& parts, F&& f) {
  switch (parts.layout) {
    case LineLayout::tiles:
      return f(tile_view<T>(parts));
    case LineLayout::slots:
      return f(slot_view<T>(parts));
    case LineLayout::raw:
      break;
  }
  return f(raw_view<T>(parts));
}

// The same with a writer. Tiles cannot be written: what they hold must not reach this.
template <class T, class F>
decltype(auto) with_writer(const LineParts& parts, F&& f) {
  if (parts.layout == LineLayout::slots) {
    return f(SlotWriter<BitsOf<T>>{{parts.images, parts.image_words},
                                   {parts.codes, parts.lines},
                                   parts.length,
                                   {parts.locks, parts.num_locks}});
  }
  return f(RawWriter<BitsOf<T>>{{static_cast<BitsOf<T>*>(parts.values), parts.length}});
}

}  // namespace bobbin::assist
