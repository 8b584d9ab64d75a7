/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bobbin for C and for whatever can call C: docs/c-api.md has an example.
 *
 * A function that can fail returns BOBBIN_OK or the reason's kind, and bobbin_last_error() tells the reason
 * in words. No C++ exception comes out. Different threads may call at the same time, unless they share a
 * workspace.
 *
 * Names for numbers (bobbin_dtype and others) are integers of a fixed size rather than enums, whose size is
 * the compiler's choice; a number without a meaning is an error, not undefined.
 */
#ifndef BOBBIN_BOBBIN_H
#define BOBBIN_BOBBIN_H

/* NOLINTBEGIN: clang-tidy's rules are for C++. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions and errors ---- */

/* "0.1.0": the library's, which may be newer than this header. */
const char* bobbin_version(void);

typedef uint32_t bobbin_status;
enum {
  BOBBIN_OK = 0,
  BOBBIN_ERROR_INVALID_ARGUMENT = 1, /* the call makes no sense */
  BOBBIN_ERROR_CORRUPT = 2,          /* the bytes do not follow the format */
  BOBBIN_ERROR_UNSUPPORTED = 3,      /* well-formed, but this build or version cannot do it */
  BOBBIN_ERROR_UNAVAILABLE = 4,      /* no GPU, no driver, no CUDA in this build */
  BOBBIN_ERROR_OUT_OF_MEMORY = 5,
  BOBBIN_ERROR_IO = 6,
  BOBBIN_ERROR_DEVICE = 7,    /* a CUDA call or a kernel failed, or the emulator found a fault */
  BOBBIN_ERROR_INTERNAL = 255 /* a mistake of Bobbin's: please report it */
};

/* Why the last call of this thread that failed did so, in one line; "" when none has. The text stays until
 * the thread's next failure, or its end. Never NULL. */
const char* bobbin_last_error(void);

/* ---- Types and places ---- */

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
  BOBBIN_BACKEND_EMULATOR = 2 /* the GPU's kernels on the CPU, thread by thread, checked; host memory */
};

/* Where memory of a backend comes from, to hand Bobbin an engine's own pool. `cuda_stream` is the
 * cudaStream_t of the call, NULL on other backends. Neither function may throw or jump out. */
typedef struct bobbin_memory_resource {
  /* At least 256-byte aligned, for work submitted to the stream from now on; NULL when there is none. */
  void* (*allocate)(void* context, size_t bytes, bobbin_backend backend, void* cuda_stream);
  /* Free once the work submitted to the stream so far is done. */
  void (*deallocate)(void* context, void* data, size_t bytes, bobbin_backend backend, void* cuda_stream);
  void* context; /* handed back as it is */
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

/* How blocks of a GPU tell each other their sums; the results are the same. */
typedef uint32_t bobbin_scan_scheme;
enum { BOBBIN_SCAN_AUTOMATIC = 0, BOBBIN_SCAN_VECTOR = 1, BOBBIN_SCAN_ROUNDS = 2 };

/* Memory that blocks exchange sums through, kept from scan to scan: without one, each scan allocates and
 * clears some. For scans on its own backend and stream, one at a time. */
typedef struct bobbin_scan_workspace bobbin_scan_workspace;

/* Begin with BOBBIN_SCAN_OPTIONS_INIT, so that fields of later versions have their defaults as well. */
typedef struct bobbin_scan_options {
  uint32_t size;  /* sizeof(bobbin_scan_options): tells which version of this header the caller has */
  uint32_t order; /* 1 to 8: the scan of the scan, so many times over */
  uint32_t tuple; /* 1 to 32: so many scans side by side; value i belongs to scan i modulo `tuple` */
  bobbin_scan_op op;
  uint32_t exclusive; /* 0: a value's scan includes it. 1: it does not; the first is the neutral element */
  bobbin_scan_scheme scheme;
  const bobbin_memory_resource* memory; /* for what a scan needs besides; NULL: the backend's own */
  bobbin_scan_workspace* workspace;     /* or this one's memory; NULL: none is kept */
} bobbin_scan_options;

#define BOBBIN_SCAN_OPTIONS_INIT \
  { sizeof(bobbin_scan_options), 1, 1, BOBBIN_SCAN_SUM, 0, BOBBIN_SCAN_AUTOMATIC, NULL, NULL }

/* Scans `length` values, up to 2^40. NULL for `options` stands for BOBBIN_SCAN_OPTIONS_INIT.
 *
 * `in` and `out` lie in the backend's memory, aligned to the type's size. They may be the same array;
 * overlapping otherwise is an error. `cuda_stream` is a cudaStream_t on BOBBIN_BACKEND_CUDA, where the scan
 * is asynchronous: there is no default stream, but cudaStreamLegacy and cudaStreamPerThread can be given. On
 * other backends it is NULL, and the scan is done on return.
 *
 * Integers wrap around. Floats can be summed at order 1, grouped differently by different backends. */
bobbin_status bobbin_scan(bobbin_dtype type, const void* in, void* out, uint64_t length,
                          const bobbin_scan_options* options, bobbin_backend backend, void* cuda_stream);

/* `memory` may be NULL: the backend's own. Its struct is copied; what `context` points to must outlive the
 * workspace. On failure *workspace is NULL. */
bobbin_status bobbin_scan_workspace_create(bobbin_backend backend, void* cuda_stream,
                                           const bobbin_memory_resource* memory,
                                           bobbin_scan_workspace** workspace);
/* Releases the memory in the order of its stream, which must still be there. NULL is fine. */
void bobbin_scan_workspace_destroy(bobbin_scan_workspace* workspace);

#ifdef __cplusplus
}
#endif

/* NOLINTEND */

#endif /* BOBBIN_BOBBIN_H */
