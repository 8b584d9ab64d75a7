// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"

#include "tests/codecs/integers.hpp"
#include "tests/codecs/line/lines.hpp"

namespace bobbin::testing {
namespace {

std::vector<Input> line_edges() {
  std::vector<Input> inputs = integer_edges();
  // Lines of every class, in tiles that have several; values of every size.
  for (const DType type : {DType::u8, DType::i16, DType::u32, DType::f32, DType::i64, DType::f64}) {
    Random random(static_cast<uint64_t>(type) + 1);
    const std::vector<std::byte> bytes = draw_lines(random, 100);
    inputs.push_back({std::string(to_string(type)) + " mixed lines", type, bytes});
  }
  return inputs;
}

Input any_line_input(Random& random) {
  if (random.below(3) == 0) {
    return any_integers(random);
  }
  constexpr DType kTypes[] = {DType::u8, DType::u16, DType::i32, DType::u64, DType::f64};
  const DType type = kTypes[random.below(std::size(kTypes))];
  std::vector<std::byte> bytes = draw_lines(random, 1 + random.below(60));
  bytes.resize(bytes.size() - random.below(16) * size_bytes(type));
  return {"lines", type, std::move(bytes)};
}

const RegisterComponent kLineComponent({.codec = CodecId::line,
                                        .edges = &line_edges,
                                        .generate = &any_line_input});

}  // namespace
}  // namespace bobbin::testing
