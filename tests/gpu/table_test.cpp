// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/table/support.hpp"

namespace bobbin::table_tests {
namespace {

TEST(GpuTable, GetsWhatTheReaderReads) {
  check_loading(Backend::cuda);
}

}  // namespace
}  // namespace bobbin::table_tests
