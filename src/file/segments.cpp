// SPDX-License-Identifier: Apache-2.0
#include "file/segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "array/array.hpp"
#include "file/checksum.hpp"
#include "file/layout.hpp"
#include "file/segment_checks.hpp"

namespace bobbin::file {

// Aligned by hand: the C library takes aligned memory apart from the memory that it reuses quickly.
Result<NewBuffer> try_buffer(size_t size) {
  void* const memory =
      size > SIZE_MAX - kAlignment ? nullptr : ::operator new(size + kAlignment, std::nothrow);
  if (memory == nullptr) {
    return Status(StatusCode::out_of_memory, fmt::format("no memory for {} bytes", size));
  }
  const uint64_t before = kAlignment - reinterpret_cast<uintptr_t>(memory) % kAlignment;
  auto* const data = static_cast<std::byte*>(memory) + before;
  std::shared_ptr<void> owner(memory, [](void* p) { ::operator delete(p); });
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

Result<InlineSegments> InlineSegments::of(const Footer& footer) {
  constexpr uint64_t kLoadBytes = 16;
  InlineSegments made;
  uint64_t size = 0;
  for (const Segment& segment : footer.segments) {
    made.begins_.push_back(size);
    size += segment.in_footer ? round_up(segment.size, kLoadBytes) : 0;
  }
  BOBBIN_ASSIGN(const NewBuffer memory, try_buffer(size));
  for (size_t i = 0; i < footer.segments.size(); ++i) {
    const Segment& segment = footer.segments[i];
    if (segment.in_footer) {
      std::ranges::copy(std::span(footer.inline_bytes).subspan(segment.offset, segment.size),
                        memory.data + made.begins_[i]);
    }
  }
  made.memory_ = memory.buffer;
  return made;
}

Result<Buffer> FileSegments::read(uint32_t segment, uint64_t offset, uint64_t bytes) {
  const uint64_t all = size(segment);
  BOBBIN_RETURN_IF(offset > all || bytes > all - offset, StatusCode::corrupt,
                   fmt::format("{} bytes at {} of segment {}, which has {}", bytes, offset, segment, all));
  if (bytes == 0) {
    return Buffer{};
  }
  if (footer_.segments[segment].in_footer) {
    return inline_segments_.at(segment, all).sub(offset, bytes);
  }
  const bool has_parts = num_parts(all) != 0 && !footer_.parts.empty();
  const PartKey key{.segment = segment,
                    .first = has_parts ? offset / kPartBytes : 0,
                    .stop = has_parts ? ceil_div<uint64_t>(offset + bytes, kPartBytes) : 0};
  std::optional<KeptBytes> known = cache_.find(key);
  if (known.has_value() && known->has(offset, bytes)) {
    return known->at(offset, bytes);
  }
  // At first only the requested bytes of a part are kept, since the rest may never be needed. The whole part
  // is kept once other bytes of it are requested.
  const bool few = key.stop - key.first == 1 && bytes <= kPartBytes / 2 && !known.has_value();
  if (!has_parts) {
    BOBBIN_ASSIGN(Buffer whole, read_whole(segment));
    known = KeptBytes{.buffer = std::move(whole)};
  } else if (few) {
    BOBBIN_ASSIGN(known, read_few(key, offset, bytes));
  } else {
    BOBBIN_ASSIGN(known, read_parts(key));
  }
  cache_.keep(key, *known, known->buffer.bytes.size());
  return known->at(offset, bytes);
}

Result<Buffer> FileSegments::read_whole(uint32_t segment) const {
  const Segment& entry = footer_.segments[segment];
  if (entry.in_footer) {
    return inline_segments_.at(segment, entry.size);
  }
  BOBBIN_ASSIGN(const NewBuffer memory, try_buffer(padded(entry.size)));
  const std::span<std::byte> stored(memory.data, occupied_bytes(entry.size, footer_.version));
  BOBBIN_TRY(read_checked(
      footer_, std::span(&segment, 1), stored,
      [&](size_t begin, std::span<std::byte> to) { return input_.read_at(entry.offset + begin, to); }));
  return memory.buffer.sub(0, entry.size);
}

// Including padding.
Result<KeptBytes> FileSegments::read_parts(const PartKey& key) const {
  const uint64_t begin = key.first * kPartBytes;
  const uint64_t end = occupied_bytes(size(key.segment), footer_.version);
  BOBBIN_ASSIGN(const NewBuffer memory, try_buffer(std::min(key.stop * kPartBytes, end) - begin));
  BOBBIN_TRY(fill(key, {memory.data, memory.buffer.bytes.size()}));
  return KeptBytes{.buffer = memory.buffer, .begin = begin};
}

// The part itself is read to the stack: a fresh page of memory takes the system longer than reading it again.
Result<KeptBytes> FileSegments::read_few(const PartKey& key, uint64_t offset, uint64_t bytes) const {
  const uint64_t begin = key.first * kPartBytes;
  const uint64_t end = occupied_bytes(size(key.segment), footer_.version);
  std::array<std::byte, kPartBytes> part;
  const std::span<std::byte> all = std::span(part).first(std::min(kPartBytes, end - begin));
  BOBBIN_TRY(fill(key, all));
  const NewBuffer memory = make_buffer(bytes);
  std::ranges::copy(all.subspan(offset - begin, bytes), memory.data);
  return KeptBytes{.buffer = memory.buffer, .begin = offset};
}

// Checks what it read.
Status FileSegments::fill(const PartKey& key, std::span<std::byte> to) const {
  const Segment& entry = footer_.segments[key.segment];
  BOBBIN_TRY(input_.read_at(entry.offset + key.first * kPartBytes, to));
  for (uint64_t part = key.first; part < key.stop; ++part) {
    const uint64_t at = (part - key.first) * kPartBytes;
    const auto piece = to.subspan(at, std::min(kPartBytes, to.size() - at));
    BOBBIN_RETURN_IF(
        checksum(piece) != footer_.parts[entry.first_part + part], StatusCode::corrupt,
        fmt::format("segment {}: the checksum of its part {} does not match", key.segment, part));
  }
  return {};
}

Status FileSegments::validate(const Array& array) {
  return array::validate(array);
}

}  // namespace bobbin::file
