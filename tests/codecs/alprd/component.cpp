// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"
#include "tests/codecs/floats.hpp"

namespace bobbin::testing {
namespace {

const RegisterComponent kAlprdComponent({.codec = CodecId::alprd,
                                         .edges = &float_edges,
                                         .generate = &any_floats});

}  // namespace
}  // namespace bobbin::testing
