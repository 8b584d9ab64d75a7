// SPDX-License-Identifier: Apache-2.0
// Strings in memory in the layout of Apache Arrow: offsets, bytes, and a validity bit per string.
//
// Threads: everything here is plain data. Any number of threads may read it at the same time, but a thread
// that changes it needs exclusive access.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/types.hpp"

namespace bobbin {

// A view of strings. String i is bytes[offset(i) .. offset(i + 1) - 1]; the first offset need not be 0.
struct BOBBIN_API StringsView {
  DType type = DType::binary;
  uint64_t length = 0;
  const void* offsets = nullptr;  // length + 1 of them, ascending
  bool wide = true;               // offsets have 64 bits, otherwise 32
  const uint8_t* bytes = nullptr;
  const uint8_t* validity = nullptr;  // bit i % 8 of byte i / 8 is 0 for a null; nullptr: no nulls

  [[nodiscard]] uint64_t offset(uint64_t i) const {
    return wide ? static_cast<const uint64_t*>(offsets)[i] : static_cast<const uint32_t*>(offsets)[i];
  }
  [[nodiscard]] uint64_t size(uint64_t i) const { return offset(i + 1) - offset(i); }
  [[nodiscard]] std::span<const uint8_t> string(uint64_t i) const { return {bytes + offset(i), size(i)}; }
  [[nodiscard]] bool is_null(uint64_t i) const {
    return validity != nullptr && (validity[i / 8] >> (i % 8) & 1) == 0;
  }
  [[nodiscard]] uint64_t num_bytes() const { return length == 0 ? 0 : offset(length) - offset(0); }
  // The last string that begins at or before `position`.
  [[nodiscard]] uint64_t containing(uint64_t position) const;
};

// Leaves the elements that resize() adds to a vector uninitialised. std::allocator would write zeros, which
// the caller overwrites anyway.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  UnsetAllocator() = default;
  template <class U>
  UnsetAllocator(const UnsetAllocator<U>& /*other*/) noexcept {}
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};
template <class T>
using UnsetVector = std::vector<T, UnsetAllocator<T>>;

// Strings that own their memory. A null string is empty.
struct BOBBIN_API Strings {
  DType type = DType::binary;
  UnsetVector<uint64_t> offsets = {0};
  UnsetVector<uint8_t> bytes;
  std::vector<uint8_t> validity;  // empty: no nulls

  [[nodiscard]] uint64_t length() const { return offsets.size() - 1; }
  [[nodiscard]] StringsView view() const {
    return {.type = type,
            .length = length(),
            .offsets = offsets.data(),
            .wide = true,
            .bytes = bytes.data(),
            .validity = validity.empty() ? nullptr : validity.data()};
  }

  void push_back(std::span<const uint8_t> string);
  void push_null();
  // Adds a string: the bytes that were appended after the last string.
  void finish_string();
};

// A test of each string.
enum class StringTest : uint8_t { equals, starts_with, contains };
struct StringQuery {
  StringTest test{};
  std::span<const uint8_t> bytes;
};

}  // namespace bobbin
