// SPDX-License-Identifier: Apache-2.0
// Reads a few values of an encoded array in device memory: those of given rows, and those that a bitmap
// selects.
#pragma once

#include <cstdint>
#include <utility>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "codecs/codec.hpp"
#include "plan/column_plan.hpp"

namespace bobbin::plan {

// out[i] = value indices[i], for `count` indices in device memory. An index past the end sets `fault` (a word
// of device memory, initially zero). Asynchronous. Arrays of codecs without random access are decoded first.
[[nodiscard]] Status take_on_device(const Array& array, const uint64_t* indices, uint64_t count, void* out,
                                    uint32_t* fault, StreamView stream,
                                    QueryPath path = QueryPath::automatic);

// Rows selected by a bitmap: their number, and the output position of each vector. One selection works for
// all columns.
class Selection {
 public:
  // Bit offset + i % 32 of word (offset + i) / 32 selects row i; there are words for whole vectors, which
  // must stay valid. Asynchronous.
  static Result<Selection> create(const uint32_t* bitmap, uint64_t offset, uint64_t length,
                                  StreamView stream);

  // Waits for the stream.
  [[nodiscard]] Result<uint64_t> count(StreamView stream) const;

 private:
  friend Status filter_on_device(const Array&, const Selection&, void*, uint64_t, StreamView, QueryPath);

  Selection(const uint32_t* bitmap, uint64_t offset, uint64_t length, DeviceBuffer starts)
      : bitmap_(bitmap), offset_(offset), length_(length), starts_(std::move(starts)) {}

  const uint32_t* bitmap_;
  uint64_t offset_;
  uint64_t length_;
  DeviceBuffer starts_;  // one more than the number of vectors
};

// Writes the selected values, `count` in number, consecutively. Vectors without a selected row are not read.
// Asynchronous.
[[nodiscard]] Status filter_on_device(const Array& array, const Selection& selection, void* out,
                                      uint64_t count, StreamView stream,
                                      QueryPath path = QueryPath::automatic);

}  // namespace bobbin::plan
