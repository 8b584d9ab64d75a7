// SPDX-License-Identifier: Apache-2.0
#include "cli/why.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bobbin/encoding.hpp"
#include "bobbin/text.hpp"
#include "cli/format.hpp"

namespace bobbin::cli {
namespace {

void print_choice(const EncodingChoice& choice, bool numbers) {
  print(fmt::format("    {}, {} sampled{}{}\n", count(choice.num_rows, "row"), choice.num_sampled,
                    numbers ? ", " + count(choice.num_runs, "run") + " of equal values" : "",
                    choice.goal == Goal::Kind::compact
                        ? "; goal compact: zstd where it saves 2 % or more, whole or for parts"
                        : ""));
  for (const EncodingCandidate& candidate : choice.candidates) {
    const std::string measured =
        candidate.encoded_bytes ? fmt::format("{:>10}", *candidate.encoded_bytes) : "    cannot";
    print(fmt::format("  {} expected {:>10}, measured {}, GPU cost {:.2f}  {}\n",
                      candidate.in_file ? "*" : " ", candidate.estimated_bytes, measured, candidate.gpu_cost,
                      to_string(candidate.cascade)));
  }
  if (std::ranges::none_of(choice.candidates, &EncodingCandidate::in_file)) {
    print(fmt::format("  * not among these: {}\n", to_string(choice.in_file)));
  }
}

}  // namespace

Status print_why(const OpenReader& file) {
  const Reader& reader = file.reader;
  print("\nwhy: bytes without padding; * marks the cascade in the file; a GPU cost of 1 is a copy\n");
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    for (size_t column = 0; column < reader.columns().size(); ++column) {
      const Column& asked = reader.columns()[column];
      print(fmt::format("  column {}, row group {}:\n", printable(asked.name), group));
      BOBBIN_ASSIGN(const EncodingChoice choice, explain_encoding(reader, group, column));
      print_choice(choice, !is_string(asked.type));
    }
  }
  return {};
}

}  // namespace bobbin::cli
