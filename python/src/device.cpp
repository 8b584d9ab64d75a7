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
#include "device_memory.hpp"
#include "device_table.hpp"
#include "errors.hpp"
#include "file.hpp"
#include "modules.hpp"

namespace bobbin::python {
namespace {

// Device memory that others may read on streams of their own: it is freed when their work is done. All work
// of our own is done when one of these is made, or was given to the caller's stream.
class Shared {
 public:
  // What frees the buffer outlives it.
  struct Memory {
    std::optional<Stream> stream;
    Kept stream_object;
    std::shared_ptr<CallerMemory> resource;
    std::shared_ptr<DeviceBuffer> buffer;
  };
  static Result<std::shared_ptr<Shared>> create(Memory memory, Backend backend,
                                                std::optional<uint64_t> pending = {}) {
    int gpu = 0;
    if (backend == Backend::cuda && memory.buffer->data() != nullptr) {
      BOBBIN_ASSIGN(gpu, gpu_of(memory.buffer->data()));
    }
    return std::make_shared<Shared>(std::move(memory), backend, gpu, pending);
  }

  Shared(Memory memory, Backend backend, int gpu, std::optional<uint64_t> pending)
      : memory_(std::move(memory)), backend_(backend), gpu_(gpu), pending_(pending) {}
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    if (!was_exported_ || backend_ != Backend::cuda || data() == nullptr) {
      return;
    }
    // The streams of others may be gone by now, and this thread may use another GPU: the memory's GPU is
    // waited for as a whole.
    if (!wait_without_gil([this] { return synchronize_gpu(gpu_); }).ok()) {
      static_cast<void>(new Memory(std::move(memory_)));  // somebody may still read it: it is never freed
    }
  }

  void note_export() { was_exported_ = true; }
  [[nodiscard]] void* data() const { return memory_.buffer->data(); }
  [[nodiscard]] Backend backend() const { return backend_; }
  [[nodiscard]] int gpu() const { return gpu_; }
  // The caller's stream, which makes the values; none if they are ready.
  [[nodiscard]] std::optional<uint64_t> pending() const { return pending_; }

 private:
  Memory memory_;
  Backend backend_;
  int gpu_;
  std::optional<uint64_t> pending_;
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

// `stream` as DLPack has it: 1 and nothing are the legacy default stream, -1 none. It waits for values that
// are not ready.
nb::object export_device(const DeviceArray& array, std::optional<int64_t> stream) {
  const int64_t number = stream.value_or(1);
  if (number == 0 || number < -1) {
    raise({StatusCode::invalid_argument, "stream 0 is ambiguous: use 1, the legacy default stream, or 2"});
  }
  if (const auto pending = array.memory->pending(); pending.has_value() && number != -1) {
    const Backend backend = array.memory->backend();
    check(
        wait_for_stream(stream_view(backend, static_cast<uint64_t>(number)), stream_view(backend, *pending)));
  }
  array.memory->note_export();
  return exported(array.memory->data(), array.length, array.type, array.dlpack_device(), array.memory->gpu(),
                  array.memory);
}

uint64_t address(const DeviceArray& array) {
  array.memory->note_export();
  return array.length == 0 ? 0 : reinterpret_cast<uint64_t>(array.memory->data());
}

// Decodes an array or a batch with `length` values. In the caller's stream, decoding may not be done when
// this returns.
template <class Encoded>
Result<DeviceArray> decode_there(const Encoded& encoded, uint64_t length, const Target& target) {
  BOBBIN_ASSIGN(CallStream stream, CallStream::create(target.backend, target.stream));
  BOBBIN_ASSIGN(const Encoded there, encoded.to_device(stream.view()));
  BOBBIN_ASSIGN(DeviceBuffer out,
                DeviceBuffer::create(length * size_bytes(encoded.type()), stream.view(), target.resource()));
  BOBBIN_TRY(there.decode_on_device(out.data(), stream.view()));
  BOBBIN_TRY(stream.finish());
  // The encoded copy goes with this scope, in the order of the stream, which lives on.
  Shared::Memory memory{.stream = stream.release(),
                        .stream_object = target.stream_object,
                        .resource = target.memory,
                        .buffer = std::make_shared<DeviceBuffer>(std::move(out))};
  BOBBIN_ASSIGN(std::shared_ptr<Shared> shared,
                Shared::create(std::move(memory), target.backend, target.stream));
  return DeviceArray{std::move(shared), encoded.type(), length};
}

uint64_t length_of(const EncodedArray& array) {
  return array.length();
}
uint64_t length_of(const EncodedBatch& batch) {
  return batch.offsets().back();
}

template <class Encoded>
DeviceArray decode_on(const Encoded& encoded, const std::string& device, std::optional<uint64_t> stream,
                      nb::object stream_object, nb::object memory) {
  const Target target = target_from(device, stream, std::move(stream_object), std::move(memory));
  return take_from(without_gil([&] { return decode_there(encoded, length_of(encoded), target); }), target);
}

constexpr uint64_t kOutputAlignment = 16;  // of what kernels write

// Into device memory of the caller, which the stream `producer` may still use; 0: none does. In the caller's
// stream, decoding may not be done when this returns.
template <class Encoded>
void decode_at(const Encoded& encoded, uint64_t address, uint64_t bytes, const std::string& device,
               std::optional<uint64_t> stream, uint64_t producer) {
  const Backend backend = device_named(device);
  if (bytes != length_of(encoded) * size_bytes(encoded.type())) {
    raise({StatusCode::invalid_argument, "the output has another size than the values"});
  }
  if (address % kOutputAlignment != 0) {
    raise({StatusCode::invalid_argument, "the output must begin at a multiple of 16 bytes"});
  }
  check(without_gil([&]() -> Status {
    BOBBIN_ASSIGN(const CallStream order, CallStream::create(backend, stream));
    BOBBIN_TRY(order.wait_for(producer));
    BOBBIN_ASSIGN(const Encoded there, encoded.to_device(order.view()));
    BOBBIN_TRY(there.decode_on_device(reinterpret_cast<void*>(address), order.view()));
    return order.finish();
  }));
}

DeviceArray shared_array(const std::shared_ptr<DeviceBuffer>& memory, DType type, uint64_t length,
                         Backend backend) {
  return {
      take(Shared::create({.stream = {}, .stream_object = {}, .resource = {}, .buffer = memory}, backend)),
      type, length};
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
nb::tuple load(const File& file, const Spec& spec, const std::string& device, std::optional<uint64_t> stream,
               nb::object stream_object, nb::object memory) {
  const Target target = target_from(device, stream, std::move(stream_object), std::move(memory));
  const Backend backend = target.backend;
  const arrow::TableScanOptions options = spec.options;
  if (options.where.has_value() || options.row_groups.has_value()) {
    raise({StatusCode::unsupported, "loading onto a device takes columns, rows= and limit= only"});
  }
  const uint64_t begin = std::min(options.begin, file.reader->num_rows());
  const uint64_t count = std::min({options.num_rows, options.limit, file.reader->num_rows() - begin});
  check(DeviceTable::check_strings(*file.reader, *options.columns, begin, count));
  const auto work = [=, reader = file.reader]() -> Result<std::vector<DeviceColumn>> {
    BOBBIN_ASSIGN(Loader loader,
                  Loader::create(backend, {.threads = options.threads, .memory = target.memory.get()}));
    BOBBIN_ASSIGN(std::vector<DeviceColumn> loaded, loader.load(*reader, *options.columns, begin, count));
    keep_memory(loaded, target.memory);
    return loaded;
  };
  DeviceTable table(*file.reader, *options.columns, take_from(interruptible(work), target), backend);
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

template <class Encoded>
void add_decoders(nb::module_& module) {
  module.def("decode_on", decode_on<Encoded>, nb::arg("encoded"), nb::arg("device"), nb::arg("stream").none(),
             nb::arg("stream_object").none(), nb::arg("memory").none());
  module.def("decode_at", decode_at<Encoded>, nb::arg("encoded"), nb::arg("address"), nb::arg("bytes"),
             nb::arg("device"), nb::arg("stream").none(), nb::arg("producer"));
}

}  // namespace

void add_devices(nb::module_& module) {
  nb::class_<DeviceArray>(module, "DeviceArray")
      .def_prop_ro("type", [](const DeviceArray& array) { return std::string(to_string(array.type)); })
      .def_prop_ro("length", [](const DeviceArray& array) { return array.length; })
      .def_prop_ro("device", &DeviceArray::dlpack_device)
      .def_prop_ro("device_number", [](const DeviceArray& array) { return array.memory->gpu(); })
      .def_prop_ro("address", address)
      .def_prop_ro("backend",
                   [](const DeviceArray& array) { return std::string(to_string(array.memory->backend())); })
      .def_prop_ro("stream", [](const DeviceArray& array) { return array.memory->pending(); })
      .def("exported", export_device, nb::arg("stream").none());
  module.def("decoded", decoded);
  add_decoders<EncodedArray>(module);
  add_decoders<EncodedBatch>(module);
  module.def("load", load, nb::arg("file"), nb::arg("spec"), nb::arg("device"), nb::arg("stream").none(),
             nb::arg("stream_object").none(), nb::arg("memory").none());
  module.def("import_dlpack", import_dlpack);
}

}  // namespace bobbin::python
