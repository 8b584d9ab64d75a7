// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"
#include "tests/codecs/integers.hpp"

namespace bobbin::testing {
namespace {

const RegisterComponent kBitpackComponent({.codec = CodecId::bitpack,
                                           .edges = &integer_edges,
                                           .generate = &any_integers});

}  // namespace
}  // namespace bobbin::testing
