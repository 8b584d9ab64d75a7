// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "codecs/diff/diff.hpp"
#include "codecs/nesting.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::diff {
namespace {

template <class T>
void take_differences(std::span<const T> values, T* differences) {
  for (size_t i = 1; i < values.size(); ++i) {
    differences[i] = static_cast<T>(values[i] - values[i - 1]);
  }
  if (!values.empty()) {
    differences[0] = values.size() > 1 ? differences[1] : T{0};
  }
}

// The value before each vector; before the first vector, the value implied by its first difference.
template <class T>
void take_starts(std::span<const T> values, const T* differences, T* starts) {
  for (uint64_t v = 0; v < num_vectors(values.size()); ++v) {
    starts[v] = v == 0 ? static_cast<T>(values[0] - differences[0])
                       : values[static_cast<size_t>(v * kVectorLength - 1)];
  }
}

}  // namespace

Result<Split> split(const Values& values) {
  BOBBIN_RETURN_IF(is_float(values.type), StatusCode::unsupported,
                   "diff: type " + std::string(to_string(values.type)) + " is not an integer");
  const size_t size = size_bytes(values.type);
  const uint64_t vectors = num_vectors(values.length);
  const NewBuffer differences = make_buffer(values.length * size);
  const NewBuffer starts = make_buffer(vectors * size);
  visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    auto* const steps = reinterpret_cast<T*>(differences.data);
    take_differences(values.as<T>(), steps);
    take_starts(values.as<T>(), steps, reinterpret_cast<T*>(starts.data));
  });
  return Split{.node = {.codec = CodecId::diff,
                        .type = values.type,
                        .length = values.length,
                        .offset = 0,
                        .metadata = {},
                        .buffers = {},
                        .children = {}},
               .children = {{child_type(CodecId::diff, 0, values.type), values.length, differences.buffer},
                            {values.type, vectors, starts.buffer}}};
}

}  // namespace bobbin::codec::diff
