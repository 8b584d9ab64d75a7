// SPDX-License-Identifier: Apache-2.0
// The oracle: follows "Decoding value i" in spec.md step by step.
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "codecs/alp/alp.hpp"
#include "codecs/reference.hpp"

namespace bobbin::codec::alp {
namespace {

// The product must be rounded to its own type at once: wider registers would change the result.
static_assert(FLT_EVAL_METHOD == 0);

// D in spec.md, and the powers that floats are divided by.
constexpr double kDoubles[] = {1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,  1e-8, 1e-9,
                               1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18};
constexpr float kFloats[] = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F, 1e6F, 1e7F, 1e8F, 1e9F, 1e10F};

double unscale(double x, uint64_t e) {
  return x * kDoubles[e];
}

float unscale(float x, uint64_t e) {
  return x / kFloats[e];
}

// integer * 10^f, unsigned because unsigned products are defined modulo 2^T.
template <class Integer>
Integer scale(Integer integer, uint64_t f) {
  auto product = static_cast<std::make_unsigned_t<Integer>>(integer);
  for (uint64_t i = 0; i < f; ++i) {
    product *= 10;
  }
  return static_cast<Integer>(product);
}

template <class Float, class Integer>
void decode_as(const Array& array, std::byte* out) {
  const std::vector<Integer> integers = reference_values<Integer>(array.children[0]);
  const auto scales = array.buffers[0].bytes;

  for (uint64_t i = 0; i < array.length; ++i) {
    const uint64_t v = (array.offset + i) / 1024;
    const auto e = std::to_integer<uint64_t>(scales[2 * v]);
    const auto f = std::to_integer<uint64_t>(scales[2 * v + 1]);
    const auto x = static_cast<Float>(scale(integers[i], f));
    const Float value = unscale(x, e);
    std::memcpy(out + i * sizeof(Float), &value, sizeof(Float));
  }
}

}  // namespace

void reference(const Array& array, void* out) {
  auto* target = static_cast<std::byte*>(out);
  if (array.type == DType::f64) {
    decode_as<double, int64_t>(array, target);
  } else {
    decode_as<float, int32_t>(array, target);
  }
}

}  // namespace bobbin::codec::alp
