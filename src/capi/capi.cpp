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
#include "capi/support.hpp"

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
static_assert(same(BOBBIN_ERROR_CANCELLED, StatusCode::cancelled));

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

constexpr uint32_t kFirstOptionsSize =
    sizeof(bobbin_scan_options);  // of version 0.1; stays when fields are added

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
  BOBBIN_ASSIGN(const bobbin_scan_options options,
                copy_options<bobbin_scan_options>(given, BOBBIN_SCAN_OPTIONS_INIT, kFirstOptionsSize,
                                                  "scan options", "BOBBIN_SCAN_OPTIONS_INIT"));
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
