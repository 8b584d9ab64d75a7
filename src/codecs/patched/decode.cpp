// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "codecs/batches.hpp"
#include "codecs/patched/patched.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::patched {
namespace {

Status refuse(uint64_t v, const std::string& why) {
  return {StatusCode::corrupt, "patched: chunk " + std::to_string(v) + ": " + why};
}

Status check_form(const Array& array) {
  BOBBIN_RETURN_IF(array.metadata[0] > 1, StatusCode::corrupt,
                   "patched: unknown layout " + std::to_string(array.metadata[0]));
  const size_t buffers = layout_of(array) == PatchLayout::lanes ? 2 : 3;
  BOBBIN_RETURN_IF(
      array.buffers.size() != buffers, StatusCode::corrupt,
      "patched: " + std::to_string(array.buffers.size()) + " buffers instead of " + std::to_string(buffers));
  return {};
}

// Starts must not descend or be past the end.
Status check_starts(const Array& array, uint64_t end) {
  const Buffer& starts = array.buffers[0];
  const uint64_t chunks = num_vectors(array.offset + array.length);
  BOBBIN_RETURN_IF(starts.bytes.size() != (chunks + 1) * sizeof(uint32_t), StatusCode::corrupt,
                   "patched: starts have " + std::to_string(starts.bytes.size()) + " bytes instead of " +
                       std::to_string((chunks + 1) * sizeof(uint32_t)));
  uint32_t before = 0;
  for (uint64_t v = 0; v <= chunks; ++v) {
    const auto start = load_at<uint32_t>(starts.bytes.data(), v);
    BOBBIN_RETURN_IF(start < before || start > end, StatusCode::corrupt,
                     "patched: start " + std::to_string(v) + " descends or is past the end");
    before = start;
  }
  return {};
}

Status check_sorted(const Array& array, uint64_t v) {
  const ChunkPatches chunk = patches_of(array, v);
  for (uint32_t i = 0; i < chunk.count; ++i) {
    if (chunk.index(i) >= kVectorLength) {
      return refuse(v, "index " + std::to_string(chunk.index(i)) + " is out of range");
    }
    if (i > 0 && chunk.index(i) <= chunk.index(i - 1)) {
      return refuse(v, "indices do not ascend");
    }
  }
  return {};
}

Status check_block(const Array& array, uint64_t v) {
  const auto size = static_cast<uint32_t>(size_bytes(array.type));
  const auto start = load_at<uint32_t>(array.buffers[0].bytes.data(), v);
  const uint32_t units = load_at<uint32_t>(array.buffers[0].bytes.data(), v + 1) - start;
  if (units == 0) {
    return {};
  }
  const std::byte* block = array.buffers[1].bytes.data() + uint64_t{start} * kUnitBytes;
  uint32_t patches = 0;
  for (uint32_t lane = 0; lane < kPatchLanes; ++lane) {
    const uint32_t count = load_at<uint8_t>(block, lane);
    if (count > kMostInLane) {
      return refuse(v, std::to_string(count) + " patches exceed the size of a lane");
    }
    patches += count;
  }
  if (patches == 0 || units != Block::units(patches, size)) {
    return refuse(v, std::to_string(patches) + " patches do not match the block's size");
  }
  uint32_t i = 0;
  for (uint32_t lane = 0; lane < kPatchLanes; ++lane) {
    for (uint32_t before = 0, n = load_at<uint8_t>(block, lane); n > 0; --n, ++i) {
      const uint32_t index = load_at<uint16_t>(block + Block::kIndices, i);
      if (index >= kVectorLength || lane_of(index, size) != lane || index < before) {
        return refuse(v, "index " + std::to_string(index) + " is outside its lane or out of order");
      }
      before = index + 1;
    }
  }
  return {};
}

// Calls f(place, value) for the patches of chunk v that belong to the array's values.
template <class T, class F>
void visit_patches(const Array& array, uint64_t v, F&& f) {
  const ChunkPatches chunk = patches_of(array, v);
  for (uint32_t i = 0; i < chunk.count; ++i) {
    const uint64_t at = v * kVectorLength + chunk.index(i);
    if (at >= array.offset && at < array.offset + array.length) {
      f(at - array.offset, load_at<T>(chunk.values, i));
    }
  }
}

}  // namespace

ChunkPatches patches_of(const Array& array, uint64_t v) {
  const std::byte* starts = array.buffers[0].bytes.data();
  const auto start = load_at<uint32_t>(starts, v);
  const uint32_t size = load_at<uint32_t>(starts, v + 1) - start;
  const auto value_size = static_cast<uint32_t>(size_bytes(array.type));
  if (layout_of(array) == PatchLayout::sorted) {
    return {size, array.buffers[1].bytes.data() + uint64_t{start} * sizeof(uint16_t),
            array.buffers[2].bytes.data() + uint64_t{start} * value_size};
  }
  if (size == 0) {
    return {};
  }
  const std::byte* block = array.buffers[1].bytes.data() + uint64_t{start} * kUnitBytes;
  uint32_t patches = 0;
  for (uint32_t lane = 0; lane < kPatchLanes; ++lane) {
    patches += load_at<uint8_t>(block, lane);
  }
  return {patches, block + Block::kIndices, block + Block::values(patches, value_size)};
}

std::string describe(const Array& array) {
  if (array.metadata.size() != 1 || array.buffers.size() < 2) {
    return "damaged";
  }
  return layout_of(array) == PatchLayout::lanes
             ? "by lanes, " + std::to_string(array.buffers[1].bytes.size()) + " bytes"
             : "sorted, " + std::to_string(array.buffers[1].bytes.size() / 2);
}

Status validate(const Array& array) {
  BOBBIN_TRY(check_form(array));
  const uint64_t bytes = array.buffers[1].bytes.size();
  const bool by_lanes = layout_of(array) == PatchLayout::lanes;
  const uint64_t unit = by_lanes ? kUnitBytes : sizeof(uint16_t);
  BOBBIN_RETURN_IF(bytes % unit != 0, StatusCode::corrupt,
                   "patched: " + std::to_string(bytes) + " bytes is not a valid size of " +
                       (by_lanes ? "blocks" : "indices"));
  BOBBIN_RETURN_IF(!by_lanes && array.buffers[2].bytes.size() != bytes / unit * size_bytes(array.type),
                   StatusCode::corrupt,
                   "patched: " + std::to_string(array.buffers[2].bytes.size()) + " bytes of values for " +
                       std::to_string(bytes / unit) + " indices");
  BOBBIN_TRY(check_starts(array, bytes / unit));
  for (uint64_t v = 0; v < num_vectors(array.offset + array.length); ++v) {
    BOBBIN_TRY(by_lanes ? check_block(array, v) : check_sorted(array, v));
  }
  return {};
}

void decode(const Array& array, void* out) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    decode_in_batches(
        array.children[0], static_cast<std::byte*>(out), [&](uint64_t v, const DecodedBatch& values) {
          visit_patches<T>(array, v,
                           [&](uint64_t at, T value) { std::memcpy(values.at(at), &value, sizeof value); });
        });
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  const uint64_t at = array.offset + index;
  const ChunkPatches chunk = patches_of(array, at / kVectorLength);
  for (uint32_t i = 0; i < chunk.count; ++i) {
    if (chunk.index(i) == at % kVectorLength) {
      return visit_bits(array.type,
                        [&]<class T>(std::type_identity<T>) { return Scalar{load_at<T>(chunk.values, i)}; });
    }
  }
  const Array& inner = array.children[0];
  return find_codec(inner.codec)->value_at(inner, index);
}

}  // namespace bobbin::codec::patched
