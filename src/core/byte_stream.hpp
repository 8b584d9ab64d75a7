// SPDX-License-Identifier: Apache-2.0
// Numbers and runs of bytes one after another, for what is sent to other processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bobbin/status.hpp"

namespace bobbin {

template <class T>
void put(std::vector<std::byte>& out, T value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

inline void put_bytes(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  put<uint64_t>(out, bytes.size());
  out.insert(out.end(), bytes.begin(), bytes.end());
}

inline void put_text(std::vector<std::byte>& out, std::string_view text) {
  put_bytes(out, std::as_bytes(std::span(text)));
}

// Reads from the front; nothing is believed. `what` begins the messages.
class ByteInput {
 public:
  ByteInput(std::string_view what, std::span<const std::byte> bytes) : what_(what), left_(bytes) {}

  [[nodiscard]] Status corrupt(std::string_view reason) const {
    return {StatusCode::corrupt, std::string(what_) + ": " + std::string(reason)};
  }

  template <class T>
  Result<T> number() {
    if (left_.size() < sizeof(T)) {
      return corrupt("the bytes end too early");
    }
    T value{};
    std::memcpy(&value, left_.data(), sizeof(T));
    left_ = left_.subspan(sizeof(T));
    return value;
  }

  Result<std::span<const std::byte>> bytes() {
    BOBBIN_ASSIGN(const uint64_t size, number<uint64_t>());
    if (left_.size() < size) {
      return corrupt("the bytes end too early");
    }
    const auto taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }

  Result<std::string> text() {
    BOBBIN_ASSIGN(const auto found, bytes());
    return std::string(reinterpret_cast<const char*>(found.data()), found.size());
  }

  // A number of elements that follow, each of which takes at least `least_bytes`.
  Result<uint64_t> count(uint64_t least_bytes) {
    BOBBIN_ASSIGN(const uint64_t elements, number<uint64_t>());
    return elements <= left_.size() / least_bytes ? Result<uint64_t>(elements)
                                                  : corrupt("the bytes end too early");
  }

  [[nodiscard]] bool at_end() const { return left_.empty(); }
  [[nodiscard]] std::span<const std::byte> left() const { return left_; }

 private:
  std::string_view what_;
  std::span<const std::byte> left_;
};

}  // namespace bobbin
