// SPDX-License-Identifier: Apache-2.0
// Files of results: JSON, with every run's counters. While runs are under way, each finished one is a line of
// a journal next to the file, so that an interrupted set goes on where it stopped.
#pragma once

#include <cstdio>
#include <string>

#include "bobbin/status.hpp"
#include "sim/experiments.hpp"

namespace bobbin::sim {

// The whole set. The same runs give the same bytes, whatever the order in which they ended.
[[nodiscard]] std::string to_json(const ResultSet& set);
// `name` is for messages. Whatever the bytes are, the error is one line.
[[nodiscard]] bobbin::Result<ResultSet> parse_results(std::string_view text, const std::string& name);

// The first line of a journal says what the runs are made with; each other line is one run.
[[nodiscard]] std::string journal_head(const ResultSet& set);
[[nodiscard]] std::string journal_line(const Case& one, const RunResult& run);
// Adds a journal's runs to the set, if they were made with the same simulator, machine and sizes. A last line
// that is cut off is ignored.
[[nodiscard]] Status read_journal(std::string_view text, const std::string& name, ResultSet& set);

// Whether runs of the one can be used for the other.
[[nodiscard]] bool same_setup(const ResultSet& a, const ResultSet& b);

}  // namespace bobbin::sim
