// SPDX-License-Identifier: Apache-2.0
#include "interop/device_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "bobbin/gpu.hpp"
#include "bobbin/text.hpp"
#include "device/backends.hpp"
#include "file/access.hpp"
#include "interop/device_convert.hpp"
#include "interop/export.hpp"
#include "interop/formats.hpp"
#include "table/staging.hpp"

namespace bobbin {
namespace interop {
namespace {

static_assert(std::endian::native == std::endian::little,
              "words of validity bits are Arrow's bytes only where the low byte comes first");

using Memory = std::shared_ptr<DeviceBuffer>;

// The memory of a column, freed when the last array that shows it is released.
struct DeviceArrowColumn : ArrowBuffers {
  std::vector<Memory> memory;
  std::function<Status()> wait;  // before the memory is freed

  DeviceArrowColumn() = default;
  DeviceArrowColumn(const DeviceArrowColumn&) = delete;
  DeviceArrowColumn& operator=(const DeviceArrowColumn&) = delete;
  ~DeviceArrowColumn() {
    if (wait && !wait().ok()) {
      static_cast<void>(new std::vector<Memory>(std::move(memory)));  // may still be read: it is never freed
    }
  }
};

const void* data_of(const Memory& memory) {
  return memory == nullptr ? nullptr : memory->data();
}

// Converts columns, in a stream of its own.
class Converter {
 public:
  explicit Converter(Backend backend) : backend_(backend) {}

  // `from` with the layout of `type`; the same memory if it has that already.
  Result<Memory> convert(const ArrowType& type, const Column& column, uint64_t length, const Memory& from,
                         const Memory& validity) {
    const bool is_same = type.layout == Layout::numbers || length == 0;
    return is_same ? from
                   : run({.layout = type.layout, .type = column.type, .length = length}, from, validity);
  }
  Result<Memory> widen_offsets(uint64_t count, const Memory& from) {
    return run({.layout = Layout::strings, .type = DType::u32, .length = count}, from, nullptr);
  }

 private:
  Result<Memory> run(DeviceConversion wanted, const Memory& from, const Memory& validity) {
    BOBBIN_TRY(start());
    const auto work = on_backend(backend_, []<Backend kBackend>() { return &convert_on<kBackend>; });
    const StreamView stream = stream_->view();
    BOBBIN_ASSIGN(DeviceBuffer made,
                  DeviceBuffer::create(converted_bytes(wanted.layout, wanted.length), stream));
    BOBBIN_ASSIGN(const DeviceBuffer fault, DeviceBuffer::create(sizeof(uint32_t), stream));
    BOBBIN_TRY(fill_async(fault.data(), 0, fault.size(), stream));
    wanted.from = from->data();
    wanted.to = made.data();
    wanted.validity = static_cast<const uint32_t*>(data_of(validity));
    wanted.fault = fault.as<uint32_t>();
    BOBBIN_TRY(work(wanted, stream));
    uint32_t found = 0;
    BOBBIN_TRY(copy_async(&found, fault.data(), sizeof(found), stream));
    BOBBIN_TRY(stream.synchronize());
    BOBBIN_RETURN_IF(found != 0, StatusCode::unsupported, "a time does not fit Arrow's 32 bits");
    return table::with_stream(std::make_shared<DeviceBuffer>(std::move(made)), stream_);
  }

  Status start() {
    if (stream_ == nullptr) {
      BOBBIN_ASSIGN(Stream stream, Stream::create(backend_));
      stream_ = std::make_shared<Stream>(std::move(stream));
    }
    return {};
  }

  Backend backend_;
  std::shared_ptr<Stream> stream_;
};

// The strings of a column, none of which may be of another row group.
Result<DeviceStrings> strings_of(const DeviceColumn& column) {
  if (column.strings.empty()) {
    return DeviceStrings{};
  }
  BOBBIN_RETURN_IF(column.strings.size() > 1, StatusCode::unsupported,
                   fmt::format("the strings come from {} row groups, each with its own memory; export "
                               "one row group at a time",
                               column.strings.size()));
  return column.strings[0];
}

Status lay_out_strings(const DeviceColumn& column, const ArrowType& type, Converter& converter,
                       DeviceArrowColumn& made) {
  BOBBIN_ASSIGN(DeviceStrings strings, strings_of(column));
  const bool fits = !strings.wide && strings.num_bytes <= kMaxNarrowBytes;
  BOBBIN_RETURN_IF(type.width == 32 && !fits && strings.length != 0, StatusCode::unsupported,
                   fmt::format("{} bytes of strings need 64-bit offsets", strings.num_bytes));
  if (type.width == 64 && !strings.wide && strings.length != 0) {
    BOBBIN_ASSIGN(strings.offsets, converter.widen_offsets(strings.length + 1, strings.offsets));
  }
  made.n_buffers = 3;
  made.memory = {strings.validity, strings.offsets, strings.bytes};
  return {};
}

// Null where there are no bytes; in host memory some readers want an address even then.
void point_at_buffers(Backend backend, DeviceArrowColumn& made) {
  for (size_t i = 0; i < made.memory.size(); ++i) {
    const void* const data = data_of(made.memory[i]);
    made.buffers[i] = i == 0 || backend == Backend::cuda ? data : address_of(data);
  }
  made.has_nulls = made.memory[0] != nullptr;
}

Result<std::shared_ptr<DeviceArrowColumn>> lay_out_on_device(const DeviceColumn& column,
                                                             const std::string& format, Backend backend,
                                                             Converter& converter) {
  BOBBIN_RETURN_IF(!arrow::can_export_as(column.column, format), StatusCode::invalid_argument,
                   fmt::format("cannot be exported as {}", quoted_text(format)));
  BOBBIN_ASSIGN(const ArrowType type, parse_format(format));
  BOBBIN_RETURN_IF(type.layout == Layout::fixed, StatusCode::unsupported,
                   fmt::format("cannot be exported as {} on a device", quoted_text(format)));
  auto made = std::make_shared<DeviceArrowColumn>();
  if (is_string(column.column.type)) {
    BOBBIN_TRY(lay_out_strings(column, type, converter, *made));
  } else {
    BOBBIN_ASSIGN(const Memory values,
                  converter.convert(type, column.column, column.length, column.values, column.validity));
    made->memory = {column.validity, values};
  }
  point_at_buffers(backend, *made);
  return made;
}

// The GPU that columns are on; 0 if none has memory.
Result<int> gpu_of_all(std::span<const std::shared_ptr<DeviceArrowColumn>> columns) {
  for (const auto& column : columns) {
    for (const Memory& memory : column->memory) {
      if (data_of(memory) != nullptr) {
        return gpu_of(memory->data());
      }
    }
  }
  return 0;
}

}  // namespace

ArrowDeviceType device_type_of(Backend backend) {
  return backend == Backend::cuda ? ARROW_DEVICE_CUDA : ARROW_DEVICE_CPU;
}

}  // namespace interop

namespace arrow {

using interop::DeviceArrowColumn;

std::vector<Field> device_fields_of(const Reader& reader) {
  std::vector<Field> fields = fields_of(reader);
  const auto& groups = file::ReaderAccess::footer(reader).row_groups;
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool is_narrow = std::ranges::all_of(groups, [&](const file::RowGroup& group) {
      return group.chunks[i].strings.num_bytes <= interop::kMaxNarrowBytes;
    });
    if (const DType type = fields[i].column.type; is_string(type)) {
      const std::string before = fields[i].format;
      fields[i].format = arrow::default_format(fields[i].column);
      if (is_narrow) {
        fields[i].format = type == DType::utf8 ? "u" : "z";
      }
      if (fields[i].format != before) {
        fields[i].metadata.clear();  // it may name an extension type, which is of the type before
      }
    }
  }
  return fields;
}

Status export_device_columns(std::vector<DeviceColumn> columns, std::span<const std::string> formats,
                             const DeviceExportOptions& options, ArrowDeviceArray* out) {
  BOBBIN_RETURN_IF(columns.size() != formats.size(), StatusCode::invalid_argument,
                   fmt::format("{} types for {} columns", formats.size(), columns.size()));
  BOBBIN_RETURN_IF(options.backend == Backend::cpu, StatusCode::invalid_argument,
                   "export_columns() is for columns in host memory");
  const uint64_t length = columns.empty() ? 0 : columns[0].length;
  interop::Converter converter(options.backend);
  std::vector<std::shared_ptr<DeviceArrowColumn>> made;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string place = "column " + quoted_text(columns[i].column.name);
    BOBBIN_RETURN_IF(columns[i].length != length, StatusCode::invalid_argument,
                     fmt::format("{} has {} rows, not {}", place, columns[i].length, length));
    auto column = interop::lay_out_on_device(columns[i], formats[i], options.backend, converter);
    BOBBIN_TRY(column.error().in(place));
    made.push_back(*std::move(column));
  }
  int gpu = -1;  // Arrow's number of a CPU
  if (options.backend == Backend::cuda) {
    BOBBIN_ASSIGN(gpu, interop::gpu_of_all(made));
    for (const auto& column : made) {
      column->wait = [gpu, wait = options.wait] { return wait ? wait(gpu) : synchronize_gpu(gpu); };
    }
  }
  *out = {.array = {},
          .device_id = gpu,
          .device_type = interop::device_type_of(options.backend),
          .sync_event = nullptr,
          .reserved = {}};
  interop::export_rows({made.begin(), made.end()}, 0, length, &out->array);
  return {};
}

}  // namespace arrow
}  // namespace bobbin
