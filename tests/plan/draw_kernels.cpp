// SPDX-License-Identifier: Apache-2.0
// Draws queries and writes the kernels that are composed for them: bobbin_draw_kernels FILE...
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "plan/compiled.hpp"
#include "tests/codecs/component.hpp"
#include "tests/plan/checks.hpp"
#include "tests/plan/drawn_kernels.hpp"
#include "tests/plan/table_checks.hpp"

namespace bobbin::testing {
namespace {

std::vector<std::string>& found() {
  static std::vector<std::string> declarations;
  return declarations;
}

// Notes the kernel instead of running it: results are wrong, and not compared. No row is found, since the
// host reads the rows that a bitmap names.
Result<plan::Ran> note(const plan::Composed& composed, const plan::QueryInput& query,
                       const plan::Asker& /*asker*/, StreamView /*stream*/) {
  if (std::find(found().begin(), found().end(), composed.declarations) == found().end()) {
    found().push_back(composed.declarations);
  }
  std::fill_n(query.bitmap.data, query.bitmap.size, 0U);
  return plan::Ran{.done = true};
}

bool write(uint32_t file, const std::string& path) {
  std::ofstream out(path);
  out << "#include \"tests/plan/run_drawn.hpp\"\n\n";
  std::string table;
  for (size_t i = file; i < found().size(); i += kDrawnFiles) {
    out << fmt::format("namespace bobbin::plan::drawn{} {{\n{}}}\n", i, found()[i]);
    table += fmt::format("    {{R\"({})\", &run_drawn<plan::drawn{}::Query>}},\n", found()[i], i);
  }
  out << fmt::format(
      "\nnamespace bobbin::testing {{\n\ntemplate <>\nstd::span<const DrawnKernel> drawn_kernels<{}>() {{\n"
      "  static constexpr DrawnKernel kAll[] = {{\n{}  }};\n  return kAll;\n}}\n\n}}  // namespace "
      "bobbin::testing\n",
      file, table);
  return out.good();
}

}  // namespace
}  // namespace bobbin::testing

int main(int argc, char** argv) {
  using namespace bobbin;
  if (argc != 1 + static_cast<int>(testing::kDrawnFiles)) {
    return 1;
  }
  plan::composed_runner(Backend::emulator) = &testing::note;
  for (uint64_t seed = 0; seed < testing::kDrawnQueries; ++seed) {
    testing::Random random(seed);
    (void)testing::check_compiled(Backend::emulator, random, false);
  }
  for (uint32_t kind = 0; kind < 2 * testing::kKinds; ++kind) {
    testing::Random random(kind);
    (void)testing::check_compiled_kind(Backend::emulator, kind, random, false);
  }
  for (uint64_t seed = 0; seed < testing::kDrawnGroups; ++seed) {
    testing::Random random(seed);
    (void)testing::check_groups(Backend::emulator, random, false);
  }
  for (uint64_t seed = 0; seed < testing::kDrawnRuns; ++seed) {
    testing::Random random(seed);
    (void)testing::check_runs(Backend::emulator, random, false);
  }
  for (uint64_t seed = 0; seed < testing::kDrawnMarks; ++seed) {
    testing::Random random(seed);
    (void)testing::check_marks(Backend::emulator, random, false);
  }
  (void)testing::check_distinct(Backend::emulator, false);
  (void)testing::check_grouped_nulls(Backend::emulator, false);
  (void)testing::check_grouped_file(Backend::emulator, false);
  (void)testing::check_long_groups(Backend::emulator, false);
  for (uint32_t file = 0; file < testing::kDrawnFiles; ++file) {
    if (!testing::write(file, argv[file + 1])) {
      return 1;
    }
  }
  return 0;
}
