// SPDX-License-Identifier: Apache-2.0
// Writes a small file of several columns for the tests of the command. usage: bobbin-test-table FILE [nulls]
#include <cstdio>
#include <vector>

#include "bobbin/bobbin.hpp"
#include "file/append.hpp"

namespace {

bobbin::Status write_table(const char* path) {
  constexpr uint64_t kRows = 5000;
  std::vector<uint32_t> id(kRows);
  std::vector<int16_t> temperature(kRows);
  std::vector<uint64_t> constant(kRows, 7);
  for (uint32_t i = 0; i < kRows; ++i) {
    id[i] = 1'000'000 + i;
    temperature[i] = static_cast<int16_t>(static_cast<int>(i % 401) - 200);
  }
  bobbin::WriteOptions options;
  options.rows_per_group = 2048;
  BOBBIN_ASSIGN(bobbin::Writer writer, bobbin::Writer::create(path,
                                                              {{"id", bobbin::DType::u32},
                                                               {"temperature", bobbin::DType::i16},
                                                               {"constant", bobbin::DType::u64}},
                                                              options));
  const void* const columns[] = {id.data(), temperature.data(), constant.data()};
  BOBBIN_TRY(bobbin::file::append_untyped(writer, columns, kRows));
  return writer.finish();
}

// A column with some nulls, then none, and one all-null chunk; a nullable column without nulls; one that is
// not nullable.
bobbin::Status write_nulls(const char* path) {
  constexpr uint64_t kRows = 3000;
  std::vector<int32_t> values(kRows);
  std::vector<uint8_t> validity((kRows + 7) / 8);
  for (uint32_t i = 0; i < kRows; ++i) {
    values[i] = static_cast<int32_t>(i % 100) - 50;
    const bool there = i < 1024 ? i % 10 != 3 : i < 2048;
    validity[i / 8] |= static_cast<uint8_t>((there ? 1U : 0U) << (i % 8));
  }
  bobbin::WriteOptions options;
  options.rows_per_group = 1024;
  BOBBIN_ASSIGN(bobbin::Writer writer, bobbin::Writer::create(path,
                                                              {{"some", bobbin::DType::i32, true},
                                                               {"none", bobbin::DType::i32, true},
                                                               {"plain", bobbin::DType::i32}},
                                                              options));
  const bobbin::NullableView some{values.data(), validity.data()};
  const bobbin::NullableView none{values.data(), nullptr};
  const void* const columns[] = {&some, &none, values.data()};
  BOBBIN_TRY(bobbin::file::append_untyped(writer, columns, kRows));
  return writer.finish();
}

}  // namespace

int main(int argc, char** argv) {
  const bobbin::Status status =
      argc == 2   ? write_table(argv[1])
      : argc == 3 ? write_nulls(argv[1])
                  : bobbin::Status(bobbin::StatusCode::invalid_argument, "give a file name");
  if (!status.ok()) {
    std::fprintf(stderr, "bobbin-test-table: %s\n", status.message().c_str());
    return 1;
  }
  return 0;
}
