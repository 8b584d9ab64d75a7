// SPDX-License-Identifier: Apache-2.0
// One CPU core: small reads of a table. A few adjacent rows of all columns, the first rows, rows that match a
// rare test, and all rows; with and without opening the file. Compared with Vortex, if bench/vortex_reads.py
// has measured it on the same table.
// usage: bobbin-bench-cpu-reads --file TABLE.bob --column NAME --equals N [--begin ROW] [--vortex FILE.json]
//        [--out FILE.json]
#include <fstream>
#include <numeric>

#include "bench/program.hpp"
#include "bobbin/query.hpp"
#include "bobbin/table.hpp"

namespace bobbin::bench {
namespace {

constexpr uint64_t kRows = 100;
constexpr uint64_t kFirstRows = 10;

struct Question {
  std::string path;
  std::string column;
  int64_t equals = 0;
  uint64_t begin = 200'000;
};

std::vector<size_t> all_columns(const Reader& reader) {
  std::vector<size_t> columns(reader.columns().size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  return columns;
}

// The number of rows read, so that nothing is optimised away.
uint64_t length_of(const std::vector<HostColumn>& columns) {
  return columns.empty() ? 0 : columns.front().length;
}

Result<uint64_t> read_range(const Reader& reader, uint64_t begin, uint64_t count) {
  BOBBIN_ASSIGN(const auto columns, read_columns(reader, all_columns(reader), begin, count, 1));
  return length_of(columns);
}

Result<uint64_t> read_passing(const Reader& reader, const Question& question) {
  BOBBIN_ASSIGN(const std::vector<uint64_t> rows,
                query::from(reader).where(query::col(question.column) == question.equals).rows());
  BOBBIN_ASSIGN(const auto columns, read_rows(reader, all_columns(reader), rows));
  return length_of(columns);
}

// Opens the file for each read.
template <class F>
std::function<Result<uint64_t>()> opened(const Question& question, F read) {
  return [&question, read]() -> Result<uint64_t> {
    BOBBIN_ASSIGN(const Reader reader, Reader::open(question.path));
    return read(reader);
  };
}

Json load_json(const std::string& path) {
  std::ifstream file(path);
  return path.empty() ? Json::object() : Json::parse(file, nullptr, false);
}

class Results {
 public:
  explicit Results(Json vortex) : vortex_(std::move(vortex)) {}

  Status add(const std::string& name, const std::function<Result<uint64_t>()>& work, const Plan& plan) {
    Result<uint64_t> rows = work();
    BOBBIN_TRY(rows.error());
    const Sample sample = measure([&] { rows = work(); }, plan);
    Json row{{"read", name}, {"rows", *rows}, {"seconds", to_json(sample)}};
    const bool known = vortex_.contains(name);
    const double peer = known ? vortex_[name]["seconds"].get<double>() : 0;
    if (known) {
      row["vortex_seconds"] = peer;
    }
    table_.add({name, std::to_string(*rows), number(sample.median_s * 1e3, 3), number(sample.min_s * 1e3, 3),
                known ? number(peer * 1e3, 3) : "-", known ? number(peer / sample.median_s, 1) : "-"});
    rows_.push_back(std::move(row));
    return {};
  }
  [[nodiscard]] Status publish(const Arguments& arguments) const {
    return bench::publish(table_.markdown(), rows_, arguments);
  }

 private:
  Json vortex_;
  Json rows_ = Json::array();
  TextTable table_{{"read", "rows", "median ms", "least ms", "Vortex ms", "times as fast"}};
};

Status run(const Arguments& arguments) {
  const Question question{.path = arguments.text("--file"),
                          .column = arguments.text("--column"),
                          .equals = static_cast<int64_t>(arguments.number("--equals", 0)),
                          .begin = arguments.number("--begin", 200'000)};
  BOBBIN_RETURN_IF(question.path.empty() || question.column.empty(), StatusCode::invalid_argument,
                   "name a table with --file, and a test with --column and --equals");
  stay_on_one_core();
  keep_freed_memory();
  BOBBIN_ASSIGN(const Reader reader, Reader::open(question.path));
  const Plan often{.runs = 201, .seconds = 5, .cache = Cache::warm};
  const Plan seldom{.runs = 7, .seconds = 5, .cache = Cache::warm};
  const auto range = [&](const Reader& from) { return read_range(from, question.begin, kRows); };
  const auto first = [](const Reader& from) { return read_range(from, 0, kFirstRows); };
  const auto passing = [&](const Reader& from) { return read_passing(from, question); };
  const auto all = [](const Reader& from) { return read_range(from, 0, from.num_rows()); };
  Results results(load_json(arguments.text("--vortex")));
  BOBBIN_TRY(results.add(
      "range", [&] { return range(reader); }, often));
  BOBBIN_TRY(results.add("open, range", opened(question, range), often));
  BOBBIN_TRY(results.add("open, first rows", opened(question, first), often));
  BOBBIN_TRY(results.add(
      "passing", [&] { return passing(reader); }, often));
  BOBBIN_TRY(results.add("open, passing", opened(question, passing), often));
  BOBBIN_TRY(results.add("open, all", opened(question, all), seldom));
  return results.publish(arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
