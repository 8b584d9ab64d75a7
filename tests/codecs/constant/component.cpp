// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/component.hpp"
#include "tests/codecs/runs.hpp"

namespace bobbin::testing {
namespace {

const RegisterComponent kConstantComponent({.codec = CodecId::constant,
                                            .edges = &constant_edges,
                                            .generate = &any_constant});

}  // namespace
}  // namespace bobbin::testing
