// SPDX-License-Identifier: Apache-2.0
// Measures the columns of a table: the size of each and how fast it is read, beside memcpy, zstd -1 and lz4
// on the same raw bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "measure/peers.hpp"
#include "measure/timing.hpp"

namespace bobbin::cli {

// One method on some data.
struct BenchRow {
  std::string data{};
  DType type{};
  std::string method{};
  std::string backend = "cpu";
  uint64_t raw_bytes = 0;
  uint64_t bytes = 0;  // 0: not compressed, or not present
  bool checked = false;
  bench::Sample encode{};
  bench::Sample decode{};
  double copy_speed = 0;    // memcpy in the same memory
  uint64_t text_bytes = 0;  // of a CSV file, whose text is what is compressed per second; 0: values are
};

struct TablePlan {
  uint64_t max_rows = 0;  // whole row groups with at least this many rows; 0: about 256 MiB per column
  Backend backend = Backend::cpu;  // measured after the CPU
  bench::Plan plan{};
};

// The method "bobbin" is what Reader does: it reads bytes from the file, checks their checksums and decodes
// them into memory of the host.
[[nodiscard]] Status measure_table(const Reader& reader, const TablePlan& plan, std::vector<BenchRow>& rows);

}  // namespace bobbin::cli
