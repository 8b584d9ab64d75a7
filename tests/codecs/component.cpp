// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"

#include <algorithm>
#include <cstring>

namespace bobbin::testing {
namespace {

std::vector<Component>& registered() {
  static std::vector<Component> all;
  return all;
}

}  // namespace

uint64_t Random::next() {
  if (from_bytes_) {
    uint64_t drawn = 0;
    const size_t n = std::min<size_t>(sizeof drawn, bytes_.size());
    std::memcpy(&drawn, bytes_.data(), n);
    bytes_ = bytes_.subspan(n);
    return drawn;
  }
  // splitmix64
  state_ += 0x9e3779b97f4a7c15ULL;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::vector<Component> components() {
  auto all = registered();
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.codec < b.codec; });
  return all;
}

RegisterComponent::RegisterComponent(Component component) {
  registered().push_back(std::move(component));
}

}  // namespace bobbin::testing
