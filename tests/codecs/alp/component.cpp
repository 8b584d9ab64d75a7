// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"
#include "tests/codecs/floats.hpp"

namespace bobbin::testing {
namespace {

const RegisterComponent kAlpComponent({.codec = CodecId::alp,
                                       .edges = &float_edges,
                                       .generate = &any_floats});

}  // namespace
}  // namespace bobbin::testing
