// SPDX-License-Identifier: Apache-2.0
// What tests of applications have in common: data of a kind, raw, in tiles and in slots.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "assist/apps/data.hpp"
#include "tests/assist/arrays.hpp"

namespace bobbin::testing {

template <class T>
std::vector<simt::Quad> aligned(uint64_t length) {
  return std::vector<simt::Quad>(ceil_div<uint64_t>(length * sizeof(T), assist::kLineBytes) *
                                 (assist::kLineBytes / sizeof(simt::Quad)));
}

// The first values of a kind of data.
template <class Data>
class AppArray {
 public:
  using T = typename Data::Value;

  explicit AppArray(uint64_t length) : length_(length), quads_(aligned<T>(length)), slots_(length) {
    for (uint64_t i = 0; i < length; ++i) {
      const T value = Data::value(i);
      values_.push_back(value);
      std::memcpy(reinterpret_cast<std::byte*>(quads_.data()) + i * sizeof(T), &value, sizeof(T));
    }
    array_ = *codec::line::encode_lines({kDTypeOf<T>, quads_.data(), length_}, assist::kLineBytes);
    run_in_emulator(assist::WriteKernel<assist::SlotWriter<T>>{raw(), slots_.writer()});
  }

  [[nodiscard]] const std::vector<T>& values() const { return values_; }
  [[nodiscard]] assist::RawView<T> raw() const {
    return {{reinterpret_cast<const T*>(quads_.data()), length_}};
  }
  [[nodiscard]] assist::TileView<T> tiles() const {
    return {codec::line::reader<assist::kLineBytes>(array_), length_};
  }
  [[nodiscard]] assist::SlotView<T> slots() { return slots_.view(); }

 private:
  uint64_t length_;
  std::vector<T> values_;
  std::vector<simt::Quad> quads_;
  Array array_;
  Slots<T> slots_;
};

// Calls check(view) for each layout of an array, and check(x, y) for two of them.
template <class Array, class F>
void with_views(Array& array, F&& check) {
  check(array.raw());
  check(array.tiles());
  check(array.slots());
}
// The same for check.operator()<policy>(view), also with assist warps.
template <class Array, class F>
void with_streams(Array& array, F&& check) {
  using assist::Policy;
  using assist::Roles;
  with_views(array, [&](const auto& view) { check.template operator()<assist::kNoRoles>(view); });
  check.template operator()<Policy{Roles::fetch, 2, 1, 4}>(array.tiles());
  check.template operator()<Policy{Roles::expand, 2, 2, 4}>(array.slots());
}
template <class X, class Y, class F>
void with_views(X& x, Y& y, F&& check) {
  check(x.raw(), y.raw());
  check(x.tiles(), y.tiles());
  check(x.slots(), y.slots());
  check(x.tiles(), y.raw());
}

// An output that begins as zeros, aligned to 16 bytes.
class Words {
 public:
  explicit Words(uint64_t length) : length_(length), quads_(aligned<uint32_t>(length)) {}
  explicit Words(const std::vector<uint32_t>& values) : Words(values.size()) {
    std::memcpy(quads_.data(), values.data(), values.size() * sizeof(uint32_t));
  }

  [[nodiscard]] simt::Global<uint32_t> global() {
    return {reinterpret_cast<uint32_t*>(quads_.data()), length_};
  }
  [[nodiscard]] std::vector<uint32_t> values() {
    const simt::Global<uint32_t> all = global();
    return {all.data, all.data + length_};
  }

 private:
  uint64_t length_;
  std::vector<simt::Quad> quads_;
};

}  // namespace bobbin::testing
