// SPDX-License-Identifier: Apache-2.0
// Values that a component's generator makes from the bytes: every codec reproduces them, on the CPU and in
// the emulator.
// Covers: src/codecs
#include <cstdio>
#include <cstdlib>

#include "codecs/registry.hpp"
#include "tests/codecs/checks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bobbin;
  using namespace bobbin::testing;
  static const auto all = components();
  Random random(std::span(data, size));
  const Component& component = all[random.below(all.size())];
  const Codec& codec = *find_codec(component.codec);
  const bool emulate = random.below(8) == 0;
  const Input input = component.generate(random);
  Random choices(size);
  std::string wrong = check_round_trip(codec, input) + check_operations(codec, input, choices);
  if (emulate) {
    wrong += check_backend(codec, input, Backend::emulator, choices);
  }
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s: %s\n", codec.name.data(), wrong.c_str());
    std::abort();
  }
  return 0;
}
