// SPDX-License-Identifier: Apache-2.0
// Draws queries and writes the kernels that are composed for them: bobbin_draw_kernels FILE...
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "plan/compiled.hpp"
#include "tests/codecs/component.hpp"
#include "tests/drawn.hpp"
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
  const std::string body =
      table.empty() ? "  return {};\n"
                    : "  static constexpr DrawnKernel kAll[] = {\n" + table + "  };\n  return kAll;\n";
  out << fmt::format(
      "\nnamespace bobbin::testing {{\n\ntemplate <>\nstd::span<const DrawnKernel> drawn_kernels<{}>() {{\n"
      "{}}}\n\n}}  // namespace bobbin::testing\n",
      file, body);
  return out.good();
}

// The cases that compiled_test.cpp runs: the same `BOBBIN_SEED` draws the same ones.
void draw_all() {
  constexpr Backend kBackend = Backend::emulator;
  for (const uint64_t first : {uint64_t{0}, kDrawnQueries / 2}) {
    for (const uint64_t i : drawn(kDrawnQueries / 2)) {
      Random random(first + i);
      (void)check_compiled(kBackend, random, false);
    }
  }
  for (const uint64_t kind : drawn(kDrawnOfKind * 2 * kKinds)) {
    Random random(kind);
    (void)check_compiled_kind(kBackend, static_cast<uint32_t>(kind), random, false);
  }
  for (const uint64_t seed : drawn(kDrawnHeld)) {
    Random random(seed);
    (void)check_held(kBackend, static_cast<uint32_t>(seed % kHeldKinds), random, false);
  }
  for (const uint64_t seed : drawn(kDrawnAlike)) {
    Random random(seed);
    (void)check_alike(kBackend, static_cast<uint32_t>(seed), random, false);
  }
  for (const uint64_t seed : drawn(kDrawnGroups)) {
    Random random(seed);
    (void)check_groups(kBackend, random, false);
  }
  for (const uint64_t seed : drawn(kDrawnFew)) {
    Random random(seed);
    (void)check_few_rows(kBackend, random, false);
  }
  for (const uint64_t seed : drawn(kDrawnRuns)) {
    Random random(seed);
    (void)check_runs(kBackend, random, false);
  }
  for (const uint64_t seed : drawn(kDrawnMarks)) {
    Random random(seed);
    (void)check_marks(kBackend, random, false);
  }
  (void)check_distinct(kBackend, false);
  (void)check_grouped_nulls(kBackend, false);
  (void)check_grouped_file(kBackend, false);
  if (kAllCasesRun) {
    (void)check_long_groups(kBackend, false);
  }
}

}  // namespace
}  // namespace bobbin::testing

int main(int argc, char** argv) {
  using namespace bobbin;
  if (argc != 1 + static_cast<int>(testing::kDrawnFiles)) {
    return 1;
  }
  plan::composed_runner(Backend::emulator) = &testing::note;
  testing::draw_all();
  for (uint32_t file = 0; file < testing::kDrawnFiles; ++file) {
    if (!testing::write(file, argv[file + 1])) {
      return 1;
    }
  }
  return 0;
}
