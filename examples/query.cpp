// SPDX-License-Identifier: Apache-2.0
// Queries from C++: writes a small table of orders, then queries it. usage: bobbin-query-example FILE
#include <cstdio>
#include <vector>

#include "bobbin/bobbin.hpp"

namespace {

using namespace bobbin;
using query::col;

Status write_orders(const char* path) {
  constexpr uint64_t kRows = 1'000'000;
  std::vector<float> price(kRows);
  std::vector<int32_t> qty(kRows);
  for (uint64_t i = 0; i < kRows; ++i) {
    price[i] = static_cast<float>(i % 1000) / 100;
    qty[i] = static_cast<int32_t>(i / 1000 % 7);
  }
  WriteOptions options;
  options.rows_per_group = 65536;
  options.overwrite = true;
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, {{"price", DType::f32}, {"qty", DType::i32}}, options));
  BOBBIN_TRY(writer.append({price, qty}));
  return writer.finish();
}

Status ask(const char* path) {
  BOBBIN_ASSIGN(const Reader file, Reader::open(path));
  BOBBIN_ASSIGN(const query::Value sum,
                query::from(file).where(col("price") < 3.5 && col("qty") >= 2).sum("price"));
  std::printf("sum(price) where price < 3.5 and qty >= 2: %.2f\n", sum.real);

  query::QueryStats stats;
  BOBBIN_ASSIGN(const auto values, query::from(file)
                                       .where(col("qty").in({1, 2, 3}) || !col("price").between(1, 9))
                                       .run({query::count(), query::max("price")}, &stats));
  std::printf("%llu rows, at most %.2f each; %llu of %llu row groups read\n",
              static_cast<unsigned long long>(values[0].integer), values[1].real,
              static_cast<unsigned long long>(stats.read), static_cast<unsigned long long>(stats.row_groups));

  BOBBIN_ASSIGN(const query::GroupCounts groups,
                query::from(file).where(col("price") == 9.99).group_counts("qty"));
  for (const auto& [value, rows] : groups) {
    std::printf("qty %d: %llu\n", static_cast<int>(value.integer), static_cast<unsigned long long>(rows));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Status status =
      argc == 2 ? write_orders(argv[1]) : Status(StatusCode::invalid_argument, "give a file name");
  if (status.ok()) {
    status = ask(argv[1]);
  }
  if (!status.ok()) {
    std::fprintf(stderr, "bobbin-query-example: %s\n", status.message().c_str());
    return 1;
  }
  return 0;
}
