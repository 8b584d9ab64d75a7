// SPDX-License-Identifier: Apache-2.0
#include "sim/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/byte_mask.hpp"

namespace bobbin::sim {

Address Memory::allocate_bytes(std::string name, uint64_t bytes, bool compressible) {
  const Address base = kFirst + bytes_.size();
  bytes_.resize(bytes_.size() + (bytes + kLineBytes - 1) / kLineBytes * kLineBytes);
  allocations_.push_back({std::move(name), base, bytes, compressible, false});
  return base;
}

void Memory::mark_transferred(Address address) {
  for (Allocation& allocation : allocations_) {
    allocation.transferred = allocation.transferred || allocation.base == address;
  }
}

const Allocation& Memory::allocation_of(uint64_t line) const {
  const Address address = kFirst + line * kLineBytes;
  const auto after = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                                      [](Address a, const Allocation& b) { return a < b.base; });
  return *std::prev(after);
}

StoredImage::StoredImage(const Memory& memory, Algorithm algorithm, bool first_base)
    : slots_(memory.num_lines() * kLineBytes),
      codes_(memory.num_lines()),
      sizes_(memory.num_lines()),
      compressible_(memory.num_lines()) {
  for (const Allocation& allocation : memory.allocations()) {
    const uint64_t first = Memory::line_of(allocation.base);
    const uint64_t end = first + (allocation.bytes + kLineBytes - 1) / kLineBytes;
    const bool compressed = allocation.compressible && allocation.transferred;
    for (uint64_t line = first; line < end; ++line) {
      compressible_[line] = allocation.compressible ? 1 : 0;
      if (compressed && algorithm != Algorithm::none) {
        set(line, compress_line(memory.line(line), algorithm, first_base));
        continue;
      }
      codes_[line] = static_cast<uint8_t>(kRawCode);
      sizes_[line] = static_cast<uint8_t>(kLineBytes);
      std::memcpy(slots_.data() + line * kLineBytes, memory.line(line).data(), kLineBytes);
    }
  }
}

void StoredImage::set(uint64_t line, const LineImage& image) {
  codes_[line] = static_cast<uint8_t>(image.code);
  sizes_[line] = static_cast<uint8_t>(image.size);
  std::memcpy(slots_.data() + line * kLineBytes, image.words.data(), image.size);
}

LineImage StoredImage::image(uint64_t line) const {
  LineImage image;
  image.code = codes_[line];
  image.size = sizes_[line];
  std::memcpy(image.words.data(), slots_.data() + line * kLineBytes, image.size);
  return image;
}

LineBytes StoredImage::decoded(uint64_t line) const {
  return expand_line(image(line));
}

void StoredImage::write_bytes(uint64_t line, const LineBytes& bytes, const ByteMask& mask) {
  overlay(slots_.data() + line * kLineBytes, bytes.data(), mask);
}

void StoredImage::write_image(uint64_t line, const LineImage& image) {
  set(line, image);
}

Status StoredImage::compare(const Memory& memory) const {
  for (uint64_t line = 0; line < codes_.size(); ++line) {
    const auto expected = memory.line(line);
    // Most lines of most designs: nothing to decode.
    if (!is_compressed(line) &&
        std::memcmp(slots_.data() + line * kLineBytes, expected.data(), kLineBytes) == 0) {
      continue;
    }
    const LineBytes stored = decoded(line);
    const auto [at, other] = std::mismatch(stored.begin(), stored.end(), expected.begin());
    if (at != stored.end()) {
      const Allocation& allocation = memory.allocation_of(line);
      return {StatusCode::corrupt,
              fmt::format("stored line {} ({}, code {:#04x}): byte {} is {:#04x}, expected {:#04x}", line,
                          allocation.name, codes_[line], at - stored.begin(), *at, *other)};
    }
  }
  return {};
}

double StoredImage::ratio() const {
  uint64_t bursts = 0;
  for (uint64_t line = 0; line < sizes_.size(); ++line) {
    bursts += bursts_of(sizes_[line]);
  }
  return bursts == 0 ? 1 : static_cast<double>(sizes_.size() * kLineBursts) / static_cast<double>(bursts);
}

}  // namespace bobbin::sim
