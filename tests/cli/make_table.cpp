// SPDX-License-Identifier: Apache-2.0
// Writes a small file of several columns for the command's tests. usage: bobbin-test-table FILE
#include <cstdio>
#include <vector>

#include "bobbin/bobbin.hpp"

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
  BOBBIN_TRY(writer.append(columns, kRows));
  return writer.finish();
}

}  // namespace

int main(int argc, char** argv) {
  const bobbin::Status status =
      argc == 2 ? write_table(argv[1])
                : bobbin::Status(bobbin::StatusCode::invalid_argument, "give a file name");
  if (!status.ok()) {
    std::fprintf(stderr, "bobbin-test-table: %s\n", status.message().c_str());
    return 1;
  }
  return 0;
}
