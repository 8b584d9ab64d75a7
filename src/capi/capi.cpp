// SPDX-License-Identifier: Apache-2.0
// The C interface over the C++ one: numbers become enums after checks, function pointers become a
// MemoryResource, a Status becomes a code and a per-thread message.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "bobbin/bobbin.h"
#include "bobbin/memory.hpp"
#include "bobbin/scan.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/types.hpp"
#include "bobbin/version.hpp"

namespace bobbin::capi {
namespace {

template <class E>
constexpr bool same(uint32_t number, E value) {
  return number == static_cast<uint32_t>(value);
}

static_assert(same(BOBBIN_OK, StatusCode::ok));
static_assert(same(BOBBIN_ERROR_INVALID_ARGUMENT, StatusCode::invalid_argument));
static_assert(same(BOBBIN_ERROR_CORRUPT, StatusCode::corrupt));
static_assert(same(BOBBIN_ERROR_UNSUPPORTED, StatusCode::unsupported));
static_assert(same(BOBBIN_ERROR_UNAVAILABLE, StatusCode::unavailable));
static_assert(same(BOBBIN_ERROR_OUT_OF_MEMORY, StatusCode::out_of_memory));
static_assert(same(BOBBIN_ERROR_IO, StatusCode::io));
static_assert(same(BOBBIN_ERROR_DEVICE, StatusCode::device));

static_assert(same(BOBBIN_U8, DType::u8) && same(BOBBIN_U16, DType::u16));
static_assert(same(BOBBIN_U32, DType::u32) && same(BOBBIN_U64, DType::u64));
static_assert(same(BOBBIN_I8, DType::i8) && same(BOBBIN_I16, DType::i16));
static_assert(same(BOBBIN_I32, DType::i32) && same(BOBBIN_I64, DType::i64));
static_assert(same(BOBBIN_F32, DType::f32) && same(BOBBIN_F64, DType::f64));

static_assert(same(BOBBIN_BACKEND_CPU, Backend::cpu));
static_assert(same(BOBBIN_BACKEND_CUDA, Backend::cuda));
static_assert(same(BOBBIN_BACKEND_EMULATOR, Backend::emulator));

static_assert(same(BOBBIN_SCAN_SUM, scan::Op::sum) && same(BOBBIN_SCAN_MAX, scan::Op::max));
static_assert(same(BOBBIN_SCAN_MIN, scan::Op::min) && same(BOBBIN_SCAN_XOR, scan::Op::bit_xor));
static_assert(same(BOBBIN_SCAN_AND, scan::Op::bit_and) && same(BOBBIN_SCAN_OR, scan::Op::bit_or));
static_assert(same(BOBBIN_SCAN_AUTOMATIC, scan::Scheme::automatic));
static_assert(same(BOBBIN_SCAN_VECTOR, scan::Scheme::vector));
static_assert(same(BOBBIN_SCAN_ROUNDS, scan::Scheme::rounds));

// ---- Errors ----

struct LastError {
  std::string text;
  const char* shown = "";
};

LastError& last_error() {
  thread_local LastError error;
  return error;
}

bobbin_status fail(bobbin_status code, const char* message) noexcept {
  LastError& error = last_error();
  try {
    error.text = message;
    error.shown = error.text.c_str();
  } catch (...) {
    error.shown = "out of memory";
  }
  return code;
}

// Runs a function that returns a Status. Every function of the interface that can fail goes through here.
template <class F>
bobbin_status guarded(F body) noexcept {
  try {
    const Status status = body();
    return status.ok() ? bobbin_status{BOBBIN_OK}
                       : fail(static_cast<bobbin_status>(status.code()), status.message().c_str());
  } catch (const std::bad_alloc&) {
    return fail(BOBBIN_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(BOBBIN_ERROR_INTERNAL, error.what());
  } catch (...) {
    return fail(BOBBIN_ERROR_INTERNAL, "an unknown exception");
  }
}

// ---- Arguments ----

// The enumerator with this number. Checked before the cast: 256 would become 0.
template <class E>
Result<E> to_enum(uint32_t number, E first, E last, const char* what) {
  BOBBIN_RETURN_IF(number < static_cast<uint32_t>(first) || number > static_cast<uint32_t>(last),
                   StatusCode::invalid_argument, std::to_string(number) + " is not a valid " + what);
  return static_cast<E>(number);
}

Result<StreamView> to_stream(bobbin_backend number, void* cuda_stream) {
  BOBBIN_ASSIGN(const Backend backend, to_enum(number, Backend::cpu, Backend::emulator, "backend"));
  BOBBIN_RETURN_IF(backend == Backend::cuda && cuda_stream == nullptr, StatusCode::invalid_argument,
                   "there is no default stream: give one, or cudaStreamLegacy");
  BOBBIN_RETURN_IF(backend != Backend::cuda && cuda_stream != nullptr, StatusCode::invalid_argument,
                   "a CUDA stream was given for the " + std::string(to_string(backend)) + " backend");
  return StreamView(backend, cuda_stream);
}

class CallersMemory final : public MemoryResource {
 public:
  explicit CallersMemory(const bobbin_memory_resource& functions) : functions_(functions) {}

  Result<void*> allocate(size_t bytes, StreamView stream) override {
    void* data = functions_.allocate(functions_.context, bytes, to_number(stream.backend()), stream.handle());
    BOBBIN_RETURN_IF(data == nullptr, StatusCode::out_of_memory,
                     "the caller's memory resource could not allocate " + std::to_string(bytes) + " bytes");
    if (reinterpret_cast<uintptr_t>(data) % kAlignment != 0) {
      deallocate(data, bytes, stream);
      return Status(StatusCode::invalid_argument,
                    "the caller's memory resource returned memory that is not aligned to 256 bytes");
    }
    return data;
  }
  void deallocate(void* data, size_t bytes, StreamView stream) noexcept override {
    functions_.deallocate(functions_.context, data, bytes, to_number(stream.backend()), stream.handle());
  }

 private:
  static constexpr uintptr_t kAlignment = 256;  // what MemoryResource promises

  static bobbin_backend to_number(Backend backend) { return static_cast<bobbin_backend>(backend); }

  bobbin_memory_resource functions_;
};

Result<std::optional<CallersMemory>> to_memory(const bobbin_memory_resource* functions) {
  if (functions == nullptr) {
    return std::optional<CallersMemory>();
  }
  BOBBIN_RETURN_IF(functions->allocate == nullptr || functions->deallocate == nullptr,
                   StatusCode::invalid_argument, "the memory resource lacks allocate or deallocate");
  return std::optional<CallersMemory>(*functions);
}

// ---- A struct that the caller may know from an older or newer header than ours ----

constexpr uint32_t kFirstOptionsSize =
    sizeof(bobbin_scan_options);            // of version 0.1; stays when fields are added
constexpr uint32_t kMaxOptionsSize = 4096;  // if larger, `size` was never set

// Fields missing from the caller's struct keep their defaults; fields unknown to us must be zero, which means
// the default too.
Result<bobbin_scan_options> copy_options(const bobbin_scan_options* given) {
  bobbin_scan_options options = BOBBIN_SCAN_OPTIONS_INIT;
  if (given == nullptr) {
    return options;
  }
  const uint32_t size = given->size;
  BOBBIN_RETURN_IF(size < kFirstOptionsSize || size > kMaxOptionsSize, StatusCode::invalid_argument,
                   "scan options: size is " + std::to_string(size) + " instead of " +
                       std::to_string(sizeof(options)) + ": begin with BOBBIN_SCAN_OPTIONS_INIT");
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  const bool unknown_set = size > sizeof(options) && std::any_of(bytes + sizeof(options), bytes + size,
                                                                 [](unsigned char b) { return b != 0; });
  BOBBIN_RETURN_IF(unknown_set, StatusCode::unsupported,
                   "scan options: an option is set that version " BOBBIN_VERSION " does not have");
  std::memcpy(&options, given, std::min<size_t>(size, sizeof(options)));
  return options;
}

}  // namespace
}  // namespace bobbin::capi

// Name and namespace are given by the C header.
struct bobbin_scan_workspace {  // NOLINT(readability-identifier-naming)
  bobbin::StreamView stream;
  std::optional<bobbin::capi::CallersMemory> memory;  // outlives the workspace below
  std::optional<bobbin::scan::Workspace> workspace;
};

namespace bobbin::capi {
namespace {

struct ScanArguments {
  DType type{};
  scan::Kind kind{};
  scan::Options options;
  std::optional<CallersMemory> memory;
};

Result<scan::Workspace*> to_workspace(bobbin_scan_workspace* given, StreamView stream) {
  if (given == nullptr) {
    return static_cast<scan::Workspace*>(nullptr);
  }
  BOBBIN_RETURN_IF(given->stream.backend() != stream.backend() || given->stream.handle() != stream.handle(),
                   StatusCode::invalid_argument, "scan: the workspace belongs to another backend or stream");
  return &*given->workspace;
}

Result<ScanArguments> read_arguments(bobbin_dtype type, const bobbin_scan_options* given, StreamView stream) {
  ScanArguments arguments;
  BOBBIN_ASSIGN(const bobbin_scan_options options, copy_options(given));
  BOBBIN_ASSIGN(arguments.type, to_enum(type, DType::u8, DType::f64, "value type"));
  BOBBIN_ASSIGN(arguments.kind, to_enum(options.exclusive, scan::Kind::inclusive, scan::Kind::exclusive,
                                        "value for exclusive (0 or 1)"));
  BOBBIN_ASSIGN(arguments.options.op, to_enum(options.op, scan::Op::sum, scan::Op::bit_or, "scan operation"));
  BOBBIN_ASSIGN(arguments.options.scheme,
                to_enum(options.scheme, scan::Scheme::automatic, scan::Scheme::rounds, "scan scheme"));
  BOBBIN_ASSIGN(arguments.options.workspace, to_workspace(options.workspace, stream));
  BOBBIN_ASSIGN(arguments.memory, to_memory(options.memory));
  arguments.options.order = options.order;  // scan::run checks these two
  arguments.options.tuple = options.tuple;
  return arguments;
}

Result<std::unique_ptr<bobbin_scan_workspace>> create_workspace(bobbin_backend backend, void* cuda_stream,
                                                                const bobbin_memory_resource* functions) {
  BOBBIN_ASSIGN(const StreamView stream, to_stream(backend, cuda_stream));
  BOBBIN_ASSIGN(const std::optional<CallersMemory> memory, to_memory(functions));
  auto made = std::make_unique<bobbin_scan_workspace>(bobbin_scan_workspace{stream, memory, std::nullopt});
  MemoryResource& source = made->memory ? *made->memory : default_memory(stream.backend());
  made->workspace.emplace(stream, source);
  return made;
}

}  // namespace
}  // namespace bobbin::capi

const char* bobbin_version() {
  return BOBBIN_VERSION;
}

const char* bobbin_last_error() {
  return bobbin::capi::last_error().shown;
}

bobbin_status bobbin_scan(bobbin_dtype type, const void* in, void* out, uint64_t length,
                          const bobbin_scan_options* options, bobbin_backend backend, void* cuda_stream) {
  return bobbin::capi::guarded([&]() -> bobbin::Status {
    BOBBIN_ASSIGN(const bobbin::StreamView stream, bobbin::capi::to_stream(backend, cuda_stream));
    BOBBIN_ASSIGN(auto arguments, bobbin::capi::read_arguments(type, options, stream));
    arguments.options.memory = arguments.memory ? &*arguments.memory : nullptr;
    return bobbin::scan::run(arguments.type, arguments.kind, in, out, length, arguments.options, stream);
  });
}

bobbin_status bobbin_scan_workspace_create(bobbin_backend backend, void* cuda_stream,
                                           const bobbin_memory_resource* memory,
                                           bobbin_scan_workspace** workspace) {
  return bobbin::capi::guarded([&]() -> bobbin::Status {
    BOBBIN_RETURN_IF(workspace == nullptr, bobbin::StatusCode::invalid_argument,
                     "the workspace pointer is null");
    *workspace = nullptr;
    BOBBIN_ASSIGN(auto made, bobbin::capi::create_workspace(backend, cuda_stream, memory));
    *workspace = made.release();
    return {};
  });
}

void bobbin_scan_workspace_destroy(bobbin_scan_workspace* workspace) {
  const std::unique_ptr<bobbin_scan_workspace> owner(workspace);
}
