// SPDX-License-Identifier: Apache-2.0
// Tables in device memory to and from other programs through Arrow's C device interface, which cuDF, pyarrow
// and nanoarrow read.
//
//   BOBBIN_ASSIGN(std::vector<DeviceColumn> columns, loader.load(reader, {{0, 1}}, 0, reader.num_rows()));
//   BOBBIN_TRY(arrow::export_device_columns(std::move(columns), formats, {}, &array));   // to Arrow
//
// Memory is not copied where the layouts are the same: numbers, dates, timestamps, times in microseconds and
// nanoseconds, strings, and validity bits. Booleans, decimals, other times, and string offsets that have to
// become wider are converted on the device. The emulator's device is the CPU.
//
// Threads: as in arrow.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bobbin/arrow.hpp"
#include "bobbin/arrow_abi.h"
#include "bobbin/encoded_array.hpp"
#include "bobbin/export.h"
#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/table.hpp"

namespace bobbin::arrow {

struct DeviceExportOptions {
  Backend backend = Backend::cuda;  // that the memory belongs to
  // The streams of an array's consumer are not known to this library, so `release` waits until the GPU has
  // finished all work submitted to it so far: with this function if it is set, otherwise with
  // synchronize_gpu(). If the wait fails, the memory is not freed.
  std::function<Status(int gpu)> wait{};
};

// The columns of a file with the types that they have in device memory: those of fields_of(), but strings
// have 32-bit offsets unless a row group has 2 GiB of strings or more.
[[nodiscard]] BOBBIN_API std::vector<Field> device_fields_of(const Reader& reader);

// Columns of equal length, as a Loader returns them, as one struct array; `formats` are their types. The
// values are ready: there is no event to wait for. Strings must come from one row group, since each row group
// has its own memory. The receiver calls `release`; on an error nothing is exported.
[[nodiscard]] BOBBIN_API Status export_device_columns(std::vector<DeviceColumn> columns,
                                                      std::span<const std::string> formats,
                                                      const DeviceExportOptions& options,
                                                      ArrowDeviceArray* out);

struct DeviceTableScanOptions {
  std::optional<std::vector<size_t>> columns{};  // in this order (default: all)
  uint64_t begin = 0;                            // the first row
  uint64_t num_rows = UINT64_MAX;                // rows to return, from `begin`
  std::vector<std::string> formats{};            // per returned column; empty: those of device_fields_of()
  Backend backend = Backend::cuda;
  LoadOptions load{};
};

// A stream of struct arrays in device memory, one per row group, each loaded when it is requested. The reader
// lives as long as the stream.
[[nodiscard]] BOBBIN_API Status export_device_table_scan(std::shared_ptr<const Reader> reader,
                                                         DeviceTableScanOptions options,
                                                         ArrowDeviceArrayStream* out);

// Encodes an array in device memory, or each column of a struct array, as EncodedArray::encode_on_device()
// does: the results are in the memory of the stream's device. Dates, timestamps and the like are encoded as
// their integers. Nulls, and types that Arrow does not store as Bobbin's numbers, are `unsupported`. Waits
// for the array's event and for the stream: the array may be released after the call.
[[nodiscard]] BOBBIN_API Result<std::vector<EncodedArray>> encode_device_array(const ArrowSchema& schema,
                                                                               const ArrowDeviceArray& array,
                                                                               const std::string& codec,
                                                                               StreamView stream);

}  // namespace bobbin::arrow
