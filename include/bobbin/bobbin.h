/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bobbin for C and for languages that call C: docs/c-api.md has an example.
 *
 * A function that can fail returns BOBBIN_OK or an error code, and bobbin_last_error() returns the message.
 * No C++ exception leaves the library. Threads may call functions at the same time, unless they share a
 * workspace.
 *
 * bobbin_dtype and similar types are integers of a fixed size, because the compiler chooses the size of an
 * enum; an unknown number is an error, not undefined behaviour.
 */
#ifndef BOBBIN_BOBBIN_H
#define BOBBIN_BOBBIN_H

/* NOLINTBEGIN: clang-tidy's rules are for C++. */

#include <stddef.h>
#include <stdint.h>

#include "bobbin/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions and errors ---- */

/* "0.1.0": the version of the library, which may be newer than this header. */
BOBBIN_API const char* bobbin_version(void);

typedef uint32_t bobbin_status;
enum {
  BOBBIN_OK = 0,
  BOBBIN_ERROR_INVALID_ARGUMENT = 1, /* the call or its arguments are invalid */
  BOBBIN_ERROR_CORRUPT = 2,          /* the bytes violate the format */
  BOBBIN_ERROR_UNSUPPORTED = 3,      /* well-formed, but this build or version cannot do it */
  BOBBIN_ERROR_UNAVAILABLE = 4,      /* no GPU, no driver, no CUDA in this build */
  BOBBIN_ERROR_OUT_OF_MEMORY = 5,
  BOBBIN_ERROR_IO = 6,
  BOBBIN_ERROR_DEVICE = 7,    /* a CUDA call or a kernel failed, or the emulator found a fault */
  BOBBIN_ERROR_INTERNAL = 255 /* a bug in Bobbin: please report it */
};

/* The message of this thread's last failed call, in one line; "" if none has failed. The text is valid until
 * the thread's next failure, or its end. Never NULL. */
BOBBIN_API const char* bobbin_last_error(void);

/* ---- Types and backends ---- */

typedef uint32_t bobbin_dtype;
enum {
  BOBBIN_U8 = 1,
  BOBBIN_U16 = 2,
  BOBBIN_U32 = 3,
  BOBBIN_U64 = 4,
  BOBBIN_I8 = 5,
  BOBBIN_I16 = 6,
  BOBBIN_I32 = 7,
  BOBBIN_I64 = 8,
  BOBBIN_F32 = 9,
  BOBBIN_F64 = 10
};

typedef uint32_t bobbin_backend;
enum {
  BOBBIN_BACKEND_CPU = 0,
  BOBBIN_BACKEND_CUDA = 1,
  BOBBIN_BACKEND_EMULATOR = 2 /* GPU kernels on the CPU, thread by thread, with checks; host memory */
};

/* A source of a backend's memory, such as an engine's own pool. `cuda_stream` is the cudaStream_t of the
 * call, NULL on other backends. Neither function may throw or longjmp. */
typedef struct bobbin_memory_resource {
  /* At least 256-byte aligned, for work submitted to the stream from now on; NULL if out of memory. */
  void* (*allocate)(void* context, size_t bytes, bobbin_backend backend, void* cuda_stream);
  /* The memory is free once the work submitted to the stream so far is done. */
  void (*deallocate)(void* context, void* data, size_t bytes, bobbin_backend backend, void* cuda_stream);
  void* context; /* passed to both functions */
} bobbin_memory_resource;

/* ---- Scans ---- */

typedef uint32_t bobbin_scan_op;
enum {
  BOBBIN_SCAN_SUM = 0,
  BOBBIN_SCAN_MAX = 1,
  BOBBIN_SCAN_MIN = 2,
  BOBBIN_SCAN_XOR = 3,
  BOBBIN_SCAN_AND = 4,
  BOBBIN_SCAN_OR = 5
};

/* How blocks of a GPU exchange their sums; the results are the same. */
typedef uint32_t bobbin_scan_scheme;
enum { BOBBIN_SCAN_AUTOMATIC = 0, BOBBIN_SCAN_VECTOR = 1, BOBBIN_SCAN_ROUNDS = 2 };

/* Memory through which blocks exchange sums, kept from scan to scan: without one, each scan allocates and
 * clears its own. For scans on its own backend and stream, one at a time. */
typedef struct bobbin_scan_workspace bobbin_scan_workspace;

/* Start from BOBBIN_SCAN_OPTIONS_INIT, so that fields of later versions have their defaults. */
typedef struct bobbin_scan_options {
  uint32_t size;  /* sizeof(bobbin_scan_options): says which version of this header the caller has */
  uint32_t order; /* 1 to 8: how many times the scan is applied */
  uint32_t tuple; /* 1 to 32: number of interleaved series; value i belongs to series i modulo `tuple` */
  bobbin_scan_op op;
  uint32_t exclusive; /* 0: a value's scan includes it. 1: it does not; the first is the neutral element */
  bobbin_scan_scheme scheme;
  const bobbin_memory_resource* memory; /* for temporary memory; NULL: the backend's default */
  bobbin_scan_workspace* workspace;     /* used instead of `memory`; NULL: none */
} bobbin_scan_options;

#define BOBBIN_SCAN_OPTIONS_INIT \
  { sizeof(bobbin_scan_options), 1, 1, BOBBIN_SCAN_SUM, 0, BOBBIN_SCAN_AUTOMATIC, NULL, NULL }

/* Scans `length` values, up to 2^40. NULL for `options` means BOBBIN_SCAN_OPTIONS_INIT.
 *
 * `in` and `out` are in the backend's memory, aligned to the type's size. They may be the same array;
 * overlapping otherwise is an error. `cuda_stream` is a cudaStream_t on BOBBIN_BACKEND_CUDA, where the scan
 * is asynchronous: there is no default stream, but cudaStreamLegacy and cudaStreamPerThread are valid. On
 * other backends it is NULL, and the scan is done on return.
 *
 * Integers wrap around. Floats can be summed at order 1; backends group the additions differently. */
BOBBIN_API bobbin_status bobbin_scan(bobbin_dtype type, const void* in, void* out, uint64_t length,
                                     const bobbin_scan_options* options, bobbin_backend backend,
                                     void* cuda_stream);

/* `memory` may be NULL: the backend's default. The struct is copied; its `context` must outlive the
 * workspace. On failure *workspace is NULL. */
BOBBIN_API bobbin_status bobbin_scan_workspace_create(bobbin_backend backend, void* cuda_stream,
                                                      const bobbin_memory_resource* memory,
                                                      bobbin_scan_workspace** workspace);
/* Releases the memory in the order of its stream, which must still exist. NULL is allowed. */
BOBBIN_API void bobbin_scan_workspace_destroy(bobbin_scan_workspace* workspace);

#ifdef __cplusplus
}
#endif

/* NOLINTEND */

#endif /* BOBBIN_BOBBIN_H */
