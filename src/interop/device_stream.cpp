// SPDX-License-Identifier: Apache-2.0
// Row groups in device memory as an Arrow stream.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "bobbin/arrow_device.hpp"
#include "bobbin/text.hpp"
#include "file/access.hpp"
#include "interop/calls.hpp"
#include "interop/device_export.hpp"

namespace bobbin {
namespace interop {
namespace {

using arrow::DeviceTableScanOptions;
using arrow::Field;

std::vector<size_t> columns_of(const Reader& reader, const DeviceTableScanOptions& options) {
  if (options.columns.has_value()) {
    return *options.columns;
  }
  std::vector<size_t> all(reader.columns().size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

Result<std::vector<Field>> fields_for(const Reader& reader, const DeviceTableScanOptions& options) {
  const std::vector<Field> all = arrow::device_fields_of(reader);
  std::vector<Field> fields;
  for (const size_t column : columns_of(reader, options)) {
    BOBBIN_RETURN_IF(column >= all.size(), StatusCode::invalid_argument,
                     fmt::format("column {} of {}", column, all.size()));
    fields.push_back(all[column]);
  }
  const auto& formats = options.formats;
  BOBBIN_RETURN_IF(!formats.empty() && formats.size() != fields.size(), StatusCode::invalid_argument,
                   fmt::format("{} types for {} columns", formats.size(), fields.size()));
  for (size_t i = 0; i < formats.size(); ++i) {
    BOBBIN_RETURN_IF(!arrow::can_export_as(fields[i].column, formats[i]), StatusCode::invalid_argument,
                     fmt::format("column {} cannot be exported as {}", quoted_text(fields[i].column.name),
                                 quoted_text(formats[i])));
    fields[i].format = formats[i];
  }
  return fields;
}

class DeviceStream {
 public:
  DeviceStream(std::shared_ptr<const Reader> reader, DeviceTableScanOptions options,
               std::vector<Field> fields, Loader loader)
      : reader_(std::move(reader)),
        options_(std::move(options)),
        fields_(std::move(fields)),
        columns_(columns_of(*reader_, options_)),
        loader_(std::move(loader)) {
    std::ranges::transform(fields_, std::back_inserter(formats_), &Field::format);
  }

  void schema(ArrowSchema* out) const { arrow::export_schema(fields_, arrow::own_metadata(*reader_), out); }

  // An array that is released already after the last.
  Status next(ArrowDeviceArray* out) {
    *out = {};
    const auto& groups = file::ReaderAccess::footer(*reader_).row_groups;
    const uint64_t end = options_.begin + std::min(options_.num_rows, UINT64_MAX - options_.begin);
    while (group_ < groups.size()) {
      const file::RowGroup& group = groups[group_++];
      const uint64_t first = std::max(options_.begin, group.first_row);
      const uint64_t last = std::min(end, group.first_row + group.num_rows);
      if (first < last) {
        BOBBIN_ASSIGN(std::vector<DeviceColumn> columns,
                      loader_.load(*reader_, columns_, first, last - first));
        return arrow::export_device_columns(std::move(columns), formats_, {.backend = options_.backend}, out);
      }
    }
    return {};
  }

  std::string message;

 private:
  std::shared_ptr<const Reader> reader_;
  DeviceTableScanOptions options_;
  std::vector<Field> fields_;
  std::vector<std::string> formats_;
  std::vector<size_t> columns_;
  Loader loader_;
  size_t group_ = 0;
};

DeviceStream& state(ArrowDeviceArrayStream* stream) {
  return *static_cast<DeviceStream*>(stream->private_data);
}

int get_schema(ArrowDeviceArrayStream* stream, ArrowSchema* out) {
  return guarded(state(stream).message, [&] {
    state(stream).schema(out);
    return Status();
  });
}

int get_next(ArrowDeviceArrayStream* stream, ArrowDeviceArray* out) {
  return guarded(state(stream).message, [&] { return state(stream).next(out); });
}

const char* get_last_error(ArrowDeviceArrayStream* stream) {
  const std::string& message = state(stream).message;
  return message.empty() ? nullptr : message.c_str();
}

void release_stream(ArrowDeviceArrayStream* stream) {
  delete static_cast<DeviceStream*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace
}  // namespace interop

namespace arrow {

Status export_device_table_scan(std::shared_ptr<const Reader> reader, DeviceTableScanOptions options,
                                ArrowDeviceArrayStream* out) {
  BOBBIN_ASSIGN(std::vector<Field> fields, interop::fields_for(*reader, options));
  BOBBIN_ASSIGN(Loader loader, Loader::create(options.backend, options.load));
  const ArrowDeviceType device = interop::device_type_of(options.backend);
  auto made = std::make_unique<interop::DeviceStream>(std::move(reader), std::move(options),
                                                      std::move(fields), std::move(loader));
  *out = {.device_type = device,
          .get_schema = interop::get_schema,
          .get_next = interop::get_next,
          .get_last_error = interop::get_last_error,
          .release = interop::release_stream,
          .private_data = made.release()};
  return {};
}

}  // namespace arrow
}  // namespace bobbin
