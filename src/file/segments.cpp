// SPDX-License-Identifier: Apache-2.0
#include "file/segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

#include "array/array.hpp"
#include "file/checksum.hpp"
#include "file/layout.hpp"
#include "file/segment_checks.hpp"

namespace bobbin::file {

Result<NewBuffer> try_buffer(size_t size) {
  constexpr std::align_val_t kAlign{kAlignment};
  void* memory = ::operator new(size, kAlign, std::nothrow);
  if (memory == nullptr) {
    return Status(StatusCode::out_of_memory, fmt::format("no memory for {} bytes", size));
  }
  auto* data = static_cast<std::byte*>(memory);
  std::shared_ptr<void> owner(memory, [](void* p) { ::operator delete(p, kAlign); });
  return NewBuffer{.buffer = {std::move(owner), {data, size}}, .data = data};
}

StoredNode stored(const Node& node) {
  StoredNode outline{.codec = node.codec,
                     .type = node.type,
                     .length = node.length,
                     .metadata = node.metadata,
                     .segments = node.segments};
  std::ranges::transform(node.children, std::back_inserter(outline.children), &stored);
  return outline;
}

Result<Buffer> FileSegments::read(uint32_t segment, uint64_t offset, uint64_t bytes) {
  const uint64_t all = size(segment);
  BOBBIN_RETURN_IF(offset > all || bytes > all - offset, StatusCode::corrupt,
                   fmt::format("{} bytes at {} of segment {}, which has {}", bytes, offset, segment, all));
  if (bytes == 0) {
    return Buffer{};
  }
  const bool has_parts =
      num_parts(all) != 0 && !footer_.parts.empty() && !footer_.segments[segment].in_footer;
  const PartKey key{.segment = segment,
                    .first = has_parts ? offset / kPartBytes : 0,
                    .stop = has_parts ? ceil_div<uint64_t>(offset + bytes, kPartBytes) : 0};
  std::optional<Buffer> known = cache_.find(key);
  if (!known.has_value()) {
    BOBBIN_ASSIGN(known, has_parts ? read_parts(key) : read_whole(segment));
    cache_.keep(key, *known, known->bytes.size());
  }
  return known->sub(offset - key.first * kPartBytes, bytes);
}

Result<Buffer> FileSegments::read_whole(uint32_t segment) const {
  const Segment& entry = footer_.segments[segment];
  BOBBIN_ASSIGN(const NewBuffer memory, try_buffer(padded(entry.size)));
  if (entry.in_footer) {
    std::ranges::copy(std::span(footer_.inline_bytes).subspan(entry.offset, entry.size), memory.data);
    return memory.buffer.sub(0, entry.size);
  }
  BOBBIN_TRY(input_.read_at(entry.offset, {memory.data, occupied_bytes(entry.size, footer_.version)}));
  BOBBIN_TRY(check_segments(footer_, std::span(&segment, 1), memory.buffer.bytes));
  return memory.buffer.sub(0, entry.size);
}

// Including padding.
Result<Buffer> FileSegments::read_parts(const PartKey& key) const {
  const auto [segment, first, stop] = key;
  const Segment& entry = footer_.segments[segment];
  const uint64_t begin = first * kPartBytes;
  const uint64_t bytes = std::min(stop * kPartBytes, occupied_bytes(entry.size, footer_.version)) - begin;
  BOBBIN_ASSIGN(const NewBuffer memory, try_buffer(bytes));
  BOBBIN_TRY(input_.read_at(entry.offset + begin, {memory.data, memory.buffer.bytes.size()}));
  for (uint64_t part = first; part < stop; ++part) {
    const uint64_t at = (part - first) * kPartBytes;
    const auto piece = memory.buffer.bytes.subspan(at, std::min(kPartBytes, bytes - at));
    BOBBIN_RETURN_IF(checksum(piece) != footer_.parts[entry.first_part + part], StatusCode::corrupt,
                     fmt::format("segment {}: the checksum of its part {} does not match", segment, part));
  }
  return memory.buffer;
}

Status FileSegments::validate(const Array& array) {
  return array::validate(array);
}

}  // namespace bobbin::file
