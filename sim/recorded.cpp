// SPDX-License-Identifier: Apache-2.0
#include "sim/recorded.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bobbin::sim {

void Recording::add_region(std::string name, const void* data, uint64_t bytes) {
  RecordedRegion& region = regions_[reinterpret_cast<uint64_t>(data)];
  region.name = std::move(name);
  region.number = num_regions_++;
  region.host = reinterpret_cast<uint64_t>(data);
  region.initial.resize(bytes);
  region.current.resize(bytes);
  region.known.resize(bytes);
}

void Recording::add_input(std::string name, std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return;
  }
  add_region(std::move(name), bytes.data(), bytes.size());
  RecordedRegion& region = regions_[reinterpret_cast<uint64_t>(bytes.data())];
  std::memcpy(region.initial.data(), bytes.data(), bytes.size());
  region.current = region.initial;
  region.known.assign(bytes.size(), 1);
  region.transferred = true;
}

void Recording::add_output(std::string name, std::span<std::byte> bytes) {
  if (!bytes.empty()) {
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
    add_region(std::move(name), bytes.data(), bytes.size());
    regions_[reinterpret_cast<uint64_t>(bytes.data())].known.assign(bytes.size(), 1);
  }
}

// The region that holds the whole array. Views of an array may have different extents: their union is one
// region.
RecordedRegion& Recording::region_of(const void* array, uint64_t extent) {
  const auto begin = reinterpret_cast<uint64_t>(array);
  auto at = regions_.upper_bound(begin);
  if (at != regions_.begin() && std::prev(at)->second.end() > begin) {
    --at;
    if (begin + extent <= at->second.end()) {
      return at->second;
    }
  }
  std::vector<RecordedRegion> parts;
  uint64_t first = begin;
  uint64_t end = begin + extent;
  while (at != regions_.end() && at->first < end) {
    first = std::min(first, at->first);
    end = std::max(end, at->second.end());
    parts.push_back(std::move(at->second));
    at = regions_.erase(at);
  }
  add_region(fmt::format("scratch {}", num_regions_), reinterpret_cast<const void*>(first), end - first);
  RecordedRegion& all = regions_[first];
  for (const RecordedRegion& part : parts) {
    const auto to = static_cast<std::ptrdiff_t>(part.host - first);
    std::copy(part.initial.begin(), part.initial.end(), all.initial.begin() + to);
    std::copy(part.current.begin(), part.current.end(), all.current.begin() + to);
    std::copy(part.known.begin(), part.known.end(), all.known.begin() + to);
    all.transferred |= part.transferred;
    all.atomics |= part.atomics;
    all.name = part.number < all.number ? part.name : all.name;
    all.number = std::min(all.number, part.number);
  }
  return all;
}

void Recording::begin_launch(uint32_t blocks, uint32_t threads, uint32_t shared_bytes) {
  launches_.push_back({blocks, threads, shared_bytes, {}});
  launches_.back().warps.resize(size_t{blocks} * (threads / kLanes));
  running_.clear();
}

LaneOps& Recording::lane(uint32_t block, uint32_t thread) {
  std::unique_ptr<BlockOps>& ops = running_[block];
  if (ops == nullptr) {
    ops = std::make_unique<BlockOps>();
    ops->lanes.resize(launches_.back().threads);
  }
  return ops->lanes[thread];
}

void Recording::end_thread(uint32_t block) {
  RecordedLaunch& launch = launches_.back();
  BlockOps& ops = *running_[block];
  if (++ops.ended < launch.threads) {
    return;
  }
  const uint32_t warps = launch.threads / kLanes;
  for (uint32_t w = 0; w < warps; ++w) {
    launch.warps[size_t{block} * warps + w] = align(std::span(ops.lanes).subspan(w * kLanes, kLanes));
  }
  running_.erase(block);
}

uint32_t Recording::place_of(const SourcePlace& where, RecordedKind kind, uint32_t width) {
  return places_.try_emplace({where.file, where.line, kind, width}, static_cast<uint32_t>(places_.size()))
      .first->second;
}

void Recording::see_load(const void* array, uint64_t extent, const void* at, std::span<const uint8_t> bytes) {
  RecordedRegion& region = region_of(array, extent);
  const uint64_t first = reinterpret_cast<uint64_t>(at) - region.host;
  for (uint64_t i = 0; i < bytes.size(); ++i) {
    if (region.known[first + i] == 0) {
      region.known[first + i] = 1;
      region.initial[first + i] = region.current[first + i] = bytes[i];
      region.transferred = true;
    } else if (region.current[first + i] != bytes[i] && status_.ok()) {
      status_ = {StatusCode::unsupported,
                 fmt::format("recording: the host changed {} between two launches", region.name)};
    }
  }
}

void Recording::see_store(const void* array, uint64_t extent, const void* at,
                          std::span<const uint8_t> bytes) {
  RecordedRegion& region = region_of(array, extent);
  const uint64_t first = reinterpret_cast<uint64_t>(at) - region.host;
  for (uint64_t i = 0; i < bytes.size(); ++i) {
    region.known[first + i] = 1;
    region.current[first + i] = bytes[i];
  }
}

void Recording::see_atomic(const void* at) {
  std::prev(regions_.upper_bound(reinterpret_cast<uint64_t>(at)))->second.atomics = true;
}

uint64_t Recording::keep(std::span<const uint8_t> bytes) {
  const uint64_t at = copied_.size();
  copied_.insert(copied_.end(), bytes.begin(), bytes.end());
  return at;
}

void Recording::allocate(Memory& memory) {
  std::vector<RecordedRegion*> ordered;
  for (auto& [host, region] : regions_) {
    ordered.push_back(&region);
  }
  std::sort(ordered.begin(), ordered.end(),
            [](const RecordedRegion* a, const RecordedRegion* b) { return a->number < b->number; });
  for (RecordedRegion* region : ordered) {
    const bool compressible = !region->atomics;
    region->base =
        region->transferred
            ? memory.allocate<uint8_t>(region->name, std::span<const uint8_t>(region->initial), compressible)
                  .base
            : memory.allocate<uint8_t>(region->name, region->initial.size(), compressible).base;
  }
}

Address Recording::address(uint64_t host) const {
  const RecordedRegion& region = std::prev(regions_.upper_bound(host))->second;
  return region.base + (host - region.host);
}

Status Recording::check(const Memory& memory) const {
  for (const auto& [host, region] : regions_) {
    const uint8_t* found = memory.at(region.base);
    const auto wrong = std::mismatch(region.current.begin(), region.current.end(), found);
    if (wrong.first != region.current.end()) {
      return {StatusCode::corrupt,
              fmt::format("byte {} of {} is {}, the kernel left {}", wrong.first - region.current.begin(),
                          region.name, *wrong.second, *wrong.first)};
    }
  }
  return {};
}

}  // namespace bobbin::sim
