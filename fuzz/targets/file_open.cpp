// SPDX-License-Identifier: Apache-2.0
// The bytes as a .bob file: opened, described and verified without a crash, hang or unbounded allocation.
// Covers: src/file
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "bobbin/file.hpp"

namespace {

void read_strings(const bobbin::Reader& reader, size_t column, size_t group, uint64_t rows) {
  const uint64_t first = reader.row_group(group)->first_row;
  static_cast<void>(reader.read_strings(column, first, rows).has_value());
  static_cast<void>(reader.read_strings(column, first + rows / 2, 1).has_value());
  const uint8_t wanted[] = {'a'};
  for (const auto test : {bobbin::StringTest::equals, bobbin::StringTest::contains}) {
    static_cast<void>(reader.find_strings(column, group, {.test = test, .bytes = wanted}).has_value());
  }
}

void read_all(const bobbin::Reader& reader) {
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const auto info = *reader.row_group(group);
    for (size_t column = 0; column < reader.columns().size(); ++column) {
      const uint64_t rows = info.num_rows < 5000 ? info.num_rows : 5000;
      if (is_string(reader.columns()[column].type)) {
        read_strings(reader, column, group, rows);
        continue;
      }
      std::vector<std::byte> out(rows * size_bytes(reader.columns()[column].type));
      static_cast<void>(reader.read(column, info.first_row, rows, out).ok());
      std::vector<uint8_t> bitmap((rows + 7) / 8);
      static_cast<void>(reader.read_validity(column, info.first_row, rows, bitmap).ok());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int file = memfd_create("fuzz", 0);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) {
    return 0;
  }
  if (const auto reader = bobbin::Reader::from_descriptor(file, "input"); reader.has_value()) {
    read_all(*reader);
  }
  return 0;
}
