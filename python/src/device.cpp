// SPDX-License-Identifier: Apache-2.0
// Arrays for other libraries by DLPack, and arrays in device memory. The emulator's device memory is host
// memory, so that everything but streams is tested without a GPU.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <memory>
#include <optional>

#include "array_types.hpp"
#include "bobbin/bobbin.hpp"
#include "capsules.hpp"
#include "device_table.hpp"
#include "errors.hpp"
#include "file.hpp"
#include "modules.hpp"

namespace bobbin::python {
namespace {

// Device memory that others may read on streams of their own: it is freed when their work is done. All work
// of our own is done when one of these is made.
class Shared {
 public:
  // `stream` is the one that frees the memory, if nobody else keeps it.
  static Result<std::shared_ptr<Shared>> create(std::shared_ptr<DeviceBuffer> memory, Backend backend,
                                                std::optional<Stream> stream = {}) {
    int gpu = 0;
    if (backend == Backend::cuda && memory->data() != nullptr) {
      BOBBIN_ASSIGN(gpu, gpu_of(memory->data()));
    }
    return std::make_shared<Shared>(Memory{std::move(stream), std::move(memory)}, backend, gpu);
  }

  struct Memory {
    std::optional<Stream> stream;  // outlives the buffer
    std::shared_ptr<DeviceBuffer> buffer;
  };
  Shared(Memory memory, Backend backend, int gpu)
      : memory_(std::move(memory)), backend_(backend), gpu_(gpu) {}
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    if (!was_exported_ || backend_ != Backend::cuda || data() == nullptr) {
      return;
    }
    // The streams of others may be gone by now, and this thread may use another GPU: the memory's GPU is
    // waited for as a whole. What it waits for may need the GIL.
    const nb::gil_scoped_acquire acquired;  // no more than a count if it is held already
    const nb::gil_scoped_release released;
    if (!synchronize_gpu(gpu_).ok()) {
      static_cast<void>(new Memory(std::move(memory_)));  // somebody may still read it: it is never freed
    }
  }

  void note_export() { was_exported_ = true; }
  [[nodiscard]] void* data() const { return memory_.buffer->data(); }
  [[nodiscard]] Backend backend() const { return backend_; }
  [[nodiscard]] int gpu() const { return gpu_; }

 private:
  Memory memory_;
  Backend backend_;
  int gpu_;
  std::atomic<bool> was_exported_ = false;
};

struct DeviceArray {
  std::shared_ptr<Shared> memory;
  DType type{};
  uint64_t length = 0;

  [[nodiscard]] int dlpack_device() const {
    return memory->backend() == Backend::cuda ? nb::device::cuda::value : nb::device::cpu::value;
  }
};

// An object with __dlpack__ that keeps `owner` alive. An empty array has an address in host memory, which
// some need, and none in device memory.
template <class Owner>
nb::object exported(void* data, uint64_t length, DType type, int device, int number, Owner owner) {
  static uint64_t nothing = 0;
  auto kept = std::make_unique<Owner>(std::move(owner));
  const nb::capsule capsule(kept.get(), [](void* pointer) noexcept { delete static_cast<Owner*>(pointer); });
  kept.release();
  void* const address = data == nullptr && device == nb::device::cpu::value ? &nothing : data;
  return nb::cast(
      nb::ndarray<nb::array_api>(address, {length}, capsule, {}, dlpack_type(type), device, number));
}

nb::object decoded(const EncodedArray& array) {
  const size_t size = array.length() * size_bytes(array.type());
  auto bytes = std::make_unique_for_overwrite<std::byte[]>(size);
  check(without_gil([&] { return array.decode({bytes.get(), size}); }));
  void* const data = bytes.get();
  return exported(data, array.length(), array.type(), nb::device::cpu::value, 0, std::move(bytes));
}

// `stream` as DLPack has it: 1 and nothing are the legacy default stream, -1 none. None has to wait for
// values that are ready.
nb::object export_device(const DeviceArray& array, std::optional<int64_t> stream) {
  if (const int64_t number = stream.value_or(1); number == 0 || number < -1) {
    raise({StatusCode::invalid_argument, "stream 0 is ambiguous: use 1, the legacy default stream, or 2"});
  }
  array.memory->note_export();
  return exported(array.memory->data(), array.length, array.type, array.dlpack_device(), array.memory->gpu(),
                  array.memory);
}

uint64_t address(const DeviceArray& array) {
  array.memory->note_export();
  return array.length == 0 ? 0 : reinterpret_cast<uint64_t>(array.memory->data());
}

Backend device_named(const std::string& name) {
  const auto backend = parse_backend(name);
  if (!backend.has_value() || *backend == Backend::cpu) {
    raise({StatusCode::invalid_argument, "unknown device '" + name + "'; expected cuda or emulator"});
  }
  return *backend;
}

// Of an array or a batch with `length` values.
template <class Encoded>
Result<DeviceArray> decode_there(const Encoded& encoded, uint64_t length, Backend backend) {
  BOBBIN_ASSIGN(Stream stream, Stream::create(backend));
  BOBBIN_ASSIGN(const Encoded there, encoded.to_device(stream.view()));
  BOBBIN_ASSIGN(DeviceBuffer out, DeviceBuffer::create(length * size_bytes(encoded.type()), stream.view()));
  BOBBIN_TRY(there.decode_on_device(out.data(), stream.view()));
  BOBBIN_TRY(stream.view().synchronize());
  auto memory = std::make_shared<DeviceBuffer>(std::move(out));
  // The encoded copy goes with this scope, before its stream could: the stream is done.
  BOBBIN_ASSIGN(std::shared_ptr<Shared> shared,
                Shared::create(std::move(memory), backend, std::move(stream)));
  return DeviceArray{std::move(shared), encoded.type(), length};
}

DeviceArray decode_on(const EncodedArray& array, const std::string& device) {
  const Backend backend = device_named(device);
  return take(without_gil([&] { return decode_there(array, array.length(), backend); }));
}
DeviceArray decode_batch_on(const EncodedBatch& batch, const std::string& device) {
  const Backend backend = device_named(device);
  return take(without_gil([&] { return decode_there(batch, batch.offsets().back(), backend); }));
}

DeviceArray shared_array(const std::shared_ptr<DeviceBuffer>& memory, DType type, uint64_t length,
                         Backend backend) {
  return {take(Shared::create(memory, backend)), type, length};
}

// Type, values or (offsets, bytes), validity bits as 32-bit words or None.
nb::tuple parts_of(const DeviceColumn& column, Backend backend) {
  const std::string type = to_string(ColumnType{column.column.type, column.column.logical});
  const bool are_strings = is_string(column.column.type);
  const DeviceStrings strings = column.strings.empty() ? DeviceStrings{} : column.strings[0];
  const auto& validity = are_strings ? strings.validity : column.validity;
  const nb::object bits =
      validity == nullptr ? nb::object(nb::none())
                          : nb::cast(shared_array(validity, DType::u32, (column.length + 31) / 32, backend));
  if (!are_strings) {
    return nb::make_tuple(type, shared_array(column.values, column.column.type, column.length, backend),
                          bits);
  }
  if (strings.offsets == nullptr) {  // there are no rows
    return nb::make_tuple(type, nb::none(), bits);
  }
  const DType offset = strings.wide ? DType::u64 : DType::u32;
  return nb::make_tuple(type,
                        nb::make_tuple(shared_array(strings.offsets, offset, column.length + 1, backend),
                                       shared_array(strings.bytes, DType::u8, strings.num_bytes, backend)),
                        bits);
}

// Per column: type, values or (offsets, bytes), validity bits as 32-bit words or None. And the table.
nb::tuple load(const File& file, const Spec& spec, const std::string& device) {
  const Backend backend = device_named(device);
  const arrow::ScanOptions options = spec.options;
  if (options.where.has_value() || options.row_groups.has_value()) {
    raise({StatusCode::unsupported, "loading onto a device takes columns, rows= and limit= only"});
  }
  const uint64_t begin = std::min(options.begin, file.reader->num_rows());
  const uint64_t count = std::min({options.num_rows, options.limit, file.reader->num_rows() - begin});
  check(DeviceTable::check_strings(*file.reader, *options.columns, begin, count));
  const auto work = [=, reader = file.reader]() -> Result<std::vector<DeviceColumn>> {
    BOBBIN_ASSIGN(Loader loader, Loader::create(backend, {.threads = options.threads}));
    return loader.load(*reader, *options.columns, begin, count);
  };
  DeviceTable table(*file.reader, *options.columns, take(interruptible(work)), backend);
  nb::list made;
  for (const DeviceColumn& column : table.columns) {
    made.append(parts_of(column, backend));
  }
  return nb::make_tuple(made, nb::cast(std::move(table)));
}

using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The type and memory of anything with __dlpack__, without a copy.
nb::tuple import_dlpack(const AnyArray& array) {
  for (const DType type : {DType::u8, DType::u16, DType::u32, DType::u64, DType::i8, DType::i16, DType::i32,
                           DType::i64, DType::f32, DType::f64}) {
    if (array.dtype() == dlpack_type(type)) {
      auto owner = std::make_unique<AnyArray>(array);
      void* const data = const_cast<void*>(static_cast<const void*>(array.data()));
      return nb::make_tuple(std::string(to_string(type)), array.size(),
                            memory_view_of(std::move(owner), data, array.size() * size_bytes(type)));
    }
  }
  raise({StatusCode::unsupported, "arrays of this type cannot be encoded"});
}

}  // namespace

void add_devices(nb::module_& module) {
  nb::class_<DeviceArray>(module, "DeviceArray")
      .def_prop_ro("type", [](const DeviceArray& array) { return std::string(to_string(array.type)); })
      .def_prop_ro("length", [](const DeviceArray& array) { return array.length; })
      .def_prop_ro("device", &DeviceArray::dlpack_device)
      .def_prop_ro("device_number", [](const DeviceArray& array) { return array.memory->gpu(); })
      .def_prop_ro("address", address)
      .def("exported", export_device, nb::arg("stream").none());
  module.def("decoded", decoded);
  module.def("decode_on", decode_on);
  module.def("decode_batch_on", decode_batch_on);
  module.def("load", load);
  module.def("import_dlpack", import_dlpack);
}

}  // namespace bobbin::python
