// SPDX-License-Identifier: Apache-2.0
#include "bobbin/types.hpp"

#include <array>
#include <utility>

namespace bobbin {
namespace {

constexpr std::array<std::pair<DType, std::string_view>, 12> kTypeNames{{{DType::u8, "u8"},
                                                                         {DType::u16, "u16"},
                                                                         {DType::u32, "u32"},
                                                                         {DType::u64, "u64"},
                                                                         {DType::i8, "i8"},
                                                                         {DType::i16, "i16"},
                                                                         {DType::i32, "i32"},
                                                                         {DType::i64, "i64"},
                                                                         {DType::f32, "f32"},
                                                                         {DType::f64, "f64"},
                                                                         {DType::utf8, "utf8"},
                                                                         {DType::binary, "binary"}}};
constexpr std::array<std::pair<Backend, std::string_view>, 3> kBackendNames{
    {{Backend::cpu, "cpu"}, {Backend::cuda, "cuda"}, {Backend::emulator, "emulator"}}};

template <class Key, size_t N>
std::string_view name_of(const std::array<std::pair<Key, std::string_view>, N>& names, Key key) {
  for (const auto& [candidate, name] : names) {
    if (candidate == key) {
      return name;
    }
  }
  return "unknown";
}

template <class Key, size_t N>
std::optional<Key> key_of(const std::array<std::pair<Key, std::string_view>, N>& names,
                          std::string_view name) {
  for (const auto& [key, candidate] : names) {
    if (candidate == name) {
      return key;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(DType type) {
  return name_of(kTypeNames, type);
}
std::optional<DType> parse_dtype(std::string_view name) {
  return key_of(kTypeNames, name);
}
std::string_view to_string(Backend backend) {
  return name_of(kBackendNames, backend);
}
std::optional<Backend> parse_backend(std::string_view name) {
  return key_of(kBackendNames, name);
}

}  // namespace bobbin
