// SPDX-License-Identifier: Apache-2.0
// The page that `bobbin sim report` writes: the paper's figures from a set of results, without a script and
// without network. The same results give the same page.
#pragma once

#include <string>

#include "sim/experiments.hpp"

namespace bobbin::cli::page {

[[nodiscard]] std::string sim_page(const sim::ResultSet& set);

}  // namespace bobbin::cli::page
