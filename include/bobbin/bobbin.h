/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bobbin for C and for languages that call C: docs/c-api.md has examples.
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

#include "bobbin/arrow_abi.h"
#include "bobbin/export.h"
#include "bobbin/version.h"

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
  BOBBIN_ERROR_CANCELLED = 8, /* the caller asked for it */
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

/* Memory through which blocks exchange sums, kept from scan to scan. Without a workspace, each scan allocates
 * and clears its own memory. A workspace is for scans on its own backend and stream, one at a time. */
typedef struct bobbin_scan_workspace bobbin_scan_workspace;

/* Start from BOBBIN_SCAN_OPTIONS_INIT, so that fields of later versions have their defaults. */
typedef struct bobbin_scan_options {
  uint32_t size;  /* sizeof(bobbin_scan_options): says which version of this header the caller has */
  uint32_t order; /* 1 to 8: how many times the scan is applied */
  uint32_t tuple; /* 1 to 32: number of interleaved series; value i belongs to series i modulo `tuple` */
  bobbin_scan_op op;
  uint32_t exclusive; /* 0: a result includes its own value. 1: not; the first is the neutral element */
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

/* ---- zstd: standard frames (RFC 8878) ---- */

/* What frames may refer to besides their own content: bytes of any kind, or a trained dictionary. A
 * dictionary does not change, so threads may share one. */
typedef struct bobbin_zstd_dictionary bobbin_zstd_dictionary;

/* The bytes are copied. On failure *dictionary is NULL. */
BOBBIN_API bobbin_status bobbin_zstd_dictionary_create(const void* bytes, size_t size,
                                                       bobbin_zstd_dictionary** dictionary);
/* NULL is allowed. */
BOBBIN_API void bobbin_zstd_dictionary_destroy(bobbin_zstd_dictionary* dictionary);
/* 0 if the dictionary was not trained. */
BOBBIN_API uint32_t bobbin_zstd_dictionary_id(const bobbin_zstd_dictionary* dictionary);

/* Trains a dictionary, which any zstd library can use, for many small contents like these `count` samples. It
 * has at most `capacity` bytes; *size is its size. */
BOBBIN_API bobbin_status bobbin_zstd_train(const void* const* samples, const size_t* sizes, size_t count,
                                           void* out, size_t capacity, size_t* size);

/* Start from BOBBIN_ZSTD_ENCODE_INIT, so that fields of later versions have their defaults. */
typedef struct bobbin_zstd_encode_options {
  uint32_t size;                            /* sizeof(bobbin_zstd_encode_options) */
  uint32_t level;                           /* 1 to 9 */
  uint32_t frame_bytes;                     /* content per frame; frames are decoded independently */
  uint32_t block_bytes;                     /* small blocks decode in parallel */
  uint32_t checksum;                        /* 1: every frame ends with one */
  uint32_t seek_table;                      /* 1: ends with a table of all frames (zstd's seekable format) */
  uint32_t threads;                         /* frames compressed in parallel; 0: one per core */
  uint32_t reserved;                        /* 0 */
  const bobbin_zstd_dictionary* dictionary; /* NULL: none */
} bobbin_zstd_encode_options;

#define BOBBIN_ZSTD_ENCODE_INIT \
  { sizeof(bobbin_zstd_encode_options), 3, 65536, 4096, 0, 0, 1, 0, NULL }

/* Start from BOBBIN_ZSTD_DECODE_INIT. */
typedef struct bobbin_zstd_decode_options {
  uint32_t size;                            /* sizeof(bobbin_zstd_decode_options) */
  uint32_t magicless;                       /* 1: frames lack their magic number */
  uint32_t ignore_checksums;                /* 1: they are not compared */
  uint32_t reserved;                        /* 0 */
  uint64_t max_window;                      /* a frame that asks for more is refused */
  const bobbin_zstd_dictionary* dictionary; /* NULL: none */
} bobbin_zstd_decode_options;

#define BOBBIN_ZSTD_DECODE_INIT \
  { sizeof(bobbin_zstd_decode_options), 0, 0, 0, (uint64_t)128 << 20, NULL }

/* NULL for `options` means the defaults in all functions below. */

/* The most bytes that bobbin_zstd_compress() writes for content of this size. */
BOBBIN_API bobbin_status bobbin_zstd_compress_bound(uint64_t content_bytes,
                                                    const bobbin_zstd_encode_options* options,
                                                    uint64_t* bound);
/* Compresses to one frame or more. If `capacity` is too small, nothing is written, the error is
 * BOBBIN_ERROR_INVALID_ARGUMENT, and *size is the size that is needed. */
BOBBIN_API bobbin_status bobbin_zstd_compress(const void* in, size_t in_bytes, void* out, size_t capacity,
                                              size_t* size, const bobbin_zstd_encode_options* options);
/* Decompresses all frames. Writes at most `capacity` bytes, whatever the frames say; content that does not
 * fit gives the error BOBBIN_ERROR_INVALID_ARGUMENT, and what `out` then holds is unspecified. */
BOBBIN_API bobbin_status bobbin_zstd_decompress(const void* in, size_t in_bytes, void* out, size_t capacity,
                                                size_t* size, const bobbin_zstd_decode_options* options);
/* Writes bytes begin .. begin+length-1 of the content. Only frames that hold them are decompressed. */
BOBBIN_API bobbin_status bobbin_zstd_decompress_range(const void* in, size_t in_bytes, uint64_t begin,
                                                      size_t length, void* out,
                                                      const bobbin_zstd_decode_options* options);

/* What the headers of a frame and of its blocks say; nothing is decompressed. */
typedef struct bobbin_zstd_frame_info {
  uint64_t compressed_bytes; /* where the next frame begins */
  uint64_t content_bytes;    /* valid if has_content_bytes is 1; for a skippable frame: the bytes to skip */
  uint64_t content_bound;    /* the content has at most this many bytes */
  uint64_t window_bytes;
  uint64_t num_blocks;
  uint32_t dictionary_id; /* 0: none is named */
  uint32_t has_content_bytes;
  uint32_t has_checksum;
  uint32_t skippable;
} bobbin_zstd_frame_info;

/* Reads the headers of the frame at the start of `in`. */
BOBBIN_API bobbin_status bobbin_zstd_frame(const void* in, size_t in_bytes, bobbin_zstd_frame_info* info,
                                           const bobbin_zstd_decode_options* options);

/* A frame of a batch. On a GPU, the 4-byte words that contain the first and the last byte of `in` must be
 * readable. */
typedef struct bobbin_zstd_batch_frame {
  const void* in;
  uint64_t in_bytes;
  void* out;
  uint64_t capacity;
} bobbin_zstd_batch_frame;

enum {
  BOBBIN_ZSTD_OK = 0,
  BOBBIN_ZSTD_CORRUPT = 1,
  BOBBIN_ZSTD_TOO_SMALL = 2,   /* the output is too small */
  BOBBIN_ZSTD_UNSUPPORTED = 3, /* bobbin_zstd_decompress() says why */
  BOBBIN_ZSTD_NEEDS_CPU = 4    /* the CPU has to decode it: it uses a dictionary, or very many tiny blocks */
};

typedef struct bobbin_zstd_batch_result {
  uint64_t bytes; /* of content */
  uint32_t verdict;
  uint32_t reserved;
} bobbin_zstd_batch_result;

/* Decompresses each of `count` frames to its own output, and gives each its own verdict. On a device, all
 * arrays, including `frames` and `results`, are in its memory. No output may be larger than `max_capacity`,
 * and the options may not name a dictionary. Scratch memory comes from `memory` (NULL: the backend's
 * default). On BOBBIN_BACKEND_CUDA the work is asynchronous in `cuda_stream`. */
BOBBIN_API bobbin_status bobbin_zstd_decompress_batch(const bobbin_zstd_batch_frame* frames, uint64_t count,
                                                      bobbin_zstd_batch_result* results,
                                                      uint64_t max_capacity,
                                                      const bobbin_zstd_decode_options* options,
                                                      const bobbin_memory_resource* memory,
                                                      bobbin_backend backend, void* cuda_stream);

/* The most bytes that bobbin_zstd_compress_batch() writes, and the number of its frames. `frame_bytes` and
 * `block_bytes` must be 256 bytes to 64 KiB on a device; a dictionary and a seek table are refused. */
BOBBIN_API bobbin_status bobbin_zstd_compress_batch_bound(uint64_t in_bytes,
                                                          const bobbin_zstd_encode_options* options,
                                                          uint64_t* bound, uint64_t* num_frames);
/* Compresses content in device memory to the bytes that bobbin_zstd_compress() gives: the frames are written
 * one after another to `out`, and frame_ends[i] is where frame i ends. All arrays are in device memory; the
 * 4-byte words that contain the first and the last byte of `in` must be readable. Scratch memory comes from
 * `memory` (NULL: the backend's default). Asynchronous on BOBBIN_BACKEND_CUDA. */
BOBBIN_API bobbin_status bobbin_zstd_compress_batch(const void* in, uint64_t in_bytes, void* out,
                                                    uint64_t capacity, uint64_t* frame_ends,
                                                    const bobbin_zstd_encode_options* options,
                                                    const bobbin_memory_resource* memory,
                                                    bobbin_backend backend, void* cuda_stream);

/* ---- Bytes that the library made ---- */

typedef struct bobbin_bytes bobbin_bytes;

/* Valid until the object is destroyed. */
BOBBIN_API const void* bobbin_bytes_data(const bobbin_bytes* bytes);
BOBBIN_API size_t bobbin_bytes_size(const bobbin_bytes* bytes);
/* NULL is allowed, here and in all other destroy functions. */
BOBBIN_API void bobbin_bytes_destroy(bobbin_bytes* bytes);

/* ---- Encoded arrays: numbers as a .bob file stores them, without the file ---- */

/* An array does not change, so threads may share one. Functions that make one set *array to NULL if they
 * fail. */
typedef struct bobbin_array bobbin_array;

/* Encodes `length` numbers in host memory. `codec` is a cascade such as "dict(bitpack, delta)"; NULL: the
 * smallest that is found. */
BOBBIN_API bobbin_status bobbin_array_encode(bobbin_dtype type, const void* values, uint64_t length,
                                             const char* codec, bobbin_backend backend, bobbin_array** array);
BOBBIN_API void bobbin_array_destroy(bobbin_array* array);

BOBBIN_API bobbin_dtype bobbin_array_type(const bobbin_array* array);
BOBBIN_API uint64_t bobbin_array_length(const bobbin_array* array);
BOBBIN_API uint64_t bobbin_array_encoded_bytes(const bobbin_array* array);
/* The cascade as text, which is valid until the array is destroyed. */
BOBBIN_API const char* bobbin_array_codec(const bobbin_array* array);

/* The functions up to bobbin_array_from_bytes() are for arrays in host memory. */

/* All values; `out_bytes` is their size. */
BOBBIN_API bobbin_status bobbin_array_decode(const bobbin_array* array, void* out, size_t out_bytes,
                                             bobbin_backend backend);
/* Values begin .. begin+length-1, encoded; shares the memory. */
BOBBIN_API bobbin_status bobbin_array_slice(const bobbin_array* array, uint64_t begin, uint64_t length,
                                            bobbin_array** part);
/* One value, to memory of the type's size. */
BOBBIN_API bobbin_status bobbin_array_value(const bobbin_array* array, uint64_t index, void* value);
/* Values indices[0], indices[1] .. , in any order; `out_bytes` is their size. */
BOBBIN_API bobbin_status bobbin_array_take(const bobbin_array* array, const uint64_t* indices, uint64_t count,
                                           void* out, size_t out_bytes);

typedef uint32_t bobbin_compare;
enum {
  BOBBIN_EQUAL = 0,
  BOBBIN_NOT_EQUAL = 1,
  BOBBIN_LESS = 2,
  BOBBIN_LESS_OR_EQUAL = 3,
  BOBBIN_GREATER = 4,
  BOBBIN_GREATER_OR_EQUAL = 5
};

/* Bit i % 8 of byte i / 8 becomes 1 if value i passes; `bits_bytes` is (length + 7) / 8. `constant` points to
 * a value of the array's type. */
BOBBIN_API bobbin_status bobbin_array_compare(const bobbin_array* array, bobbin_compare op,
                                              const void* constant, uint8_t* bits, size_t bits_bytes);

/* The array as one run of bytes, with a checksum; the same on every machine. */
BOBBIN_API bobbin_status bobbin_array_to_bytes(const bobbin_array* array, bobbin_bytes** bytes);
/* Checks everything that decoding relies on; the bytes may be hostile. A few bytes may encode very many
 * values: more than `max_length` are refused. */
BOBBIN_API bobbin_status bobbin_array_from_bytes(const void* bytes, size_t size, uint64_t max_length,
                                                 bobbin_array** array);

/* Device memory: `backend` is BOBBIN_BACKEND_CUDA, where `cuda_stream` must outlive the arrays made with it,
 * or BOBBIN_BACKEND_EMULATOR. */

/* Encodes numbers in device memory, where the result stays, by one codec such as "ffor". NULL: by the codec
 * with the smallest result, of those that the device encodes by itself. */
BOBBIN_API bobbin_status bobbin_array_encode_on_device(bobbin_dtype type, const void* values, uint64_t length,
                                                       const char* codec, bobbin_backend backend,
                                                       void* cuda_stream, bobbin_array** array);
/* Make a copy in device memory, or in host memory. Both wait for the stream. */
BOBBIN_API bobbin_status bobbin_array_to_device(const bobbin_array* array, bobbin_backend backend,
                                                void* cuda_stream, bobbin_array** copy);
BOBBIN_API bobbin_status bobbin_array_to_host(const bobbin_array* array, bobbin_backend backend,
                                              void* cuda_stream, bobbin_array** copy);
/* Decodes an array in device memory to device memory, aligned to 16 bytes. Asynchronous on
 * BOBBIN_BACKEND_CUDA. */
BOBBIN_API bobbin_status bobbin_array_decode_on_device(const bobbin_array* array, void* out, size_t out_bytes,
                                                       bobbin_backend backend, void* cuda_stream);

/* ---- Batches: many arrays as one object, with one allocation and one call ---- */

typedef struct bobbin_batch bobbin_batch;

/* Array i has values offsets[i] .. offsets[i + 1] - 1 of `values`; there are count + 1 offsets, and the first
 * is 0. NULL for `codec`: the smallest for each array. 0 threads: one per core. */
BOBBIN_API bobbin_status bobbin_batch_encode(bobbin_dtype type, const void* values, const uint64_t* offsets,
                                             size_t count, const char* codec, uint32_t threads,
                                             bobbin_batch** batch);
BOBBIN_API void bobbin_batch_destroy(bobbin_batch* batch);

BOBBIN_API bobbin_dtype bobbin_batch_type(const bobbin_batch* batch);
BOBBIN_API size_t bobbin_batch_size(const bobbin_batch* batch); /* arrays */
/* bobbin_batch_size() + 1 of them, valid until the batch is destroyed. */
BOBBIN_API const uint64_t* bobbin_batch_offsets(const bobbin_batch* batch);
BOBBIN_API uint64_t bobbin_batch_encoded_bytes(const bobbin_batch* batch);
/* One of the arrays; shares the memory. */
BOBBIN_API bobbin_status bobbin_batch_array(const bobbin_batch* batch, size_t index, bobbin_array** array);
/* All values of all arrays; `out_bytes` is their size. 0 threads: one per core. */
BOBBIN_API bobbin_status bobbin_batch_decode(const bobbin_batch* batch, void* out, size_t out_bytes,
                                             uint32_t threads);
BOBBIN_API bobbin_status bobbin_batch_to_bytes(const bobbin_batch* batch, bobbin_bytes** bytes);
BOBBIN_API bobbin_status bobbin_batch_from_bytes(const void* bytes, size_t size, uint64_t max_length,
                                                 bobbin_batch** batch);
/* As for arrays. An array's values must begin at a multiple of 16 bytes in the output. */
BOBBIN_API bobbin_status bobbin_batch_to_device(const bobbin_batch* batch, bobbin_backend backend,
                                                void* cuda_stream, bobbin_batch** copy);
BOBBIN_API bobbin_status bobbin_batch_decode_on_device(const bobbin_batch* batch, void* out, size_t out_bytes,
                                                       bobbin_backend backend, void* cuda_stream);

/* ---- Partial aggregates: of files, processes or machines, merged into the result of one query ---- */

typedef struct bobbin_partial bobbin_partial;
typedef struct bobbin_result bobbin_result;

/* Aggregates of a .bob file. `aggregates` and `where` are text as the command takes it, such as
 * "count(), sum(price)" and "price > 3 and city = 'Oslo'"; NULL for `where`: all rows. `keys`
 * names the `num_keys` columns to group by; 0: there is one group. */
BOBBIN_API bobbin_status bobbin_partial_of_file(const char* path, const char* where, const char* const* keys,
                                                size_t num_keys, const char* aggregates,
                                                bobbin_backend backend, bobbin_partial** partial);
BOBBIN_API void bobbin_partial_destroy(bobbin_partial* partial);
/* Adds the aggregates of other rows. Fails if `other` has different keys or aggregates. */
BOBBIN_API bobbin_status bobbin_partial_merge(bobbin_partial* partial, const bobbin_partial* other);
BOBBIN_API bobbin_status bobbin_partial_to_bytes(const bobbin_partial* partial, bobbin_bytes** bytes);
/* Checks everything; the bytes may be hostile. */
BOBBIN_API bobbin_status bobbin_partial_from_bytes(const void* bytes, size_t size, bobbin_partial** partial);
/* One row per group: the keys, then the aggregates. `order` is text such as "count() desc, city"; NULL:
 * ascending by the keys. At most `limit` rows. */
BOBBIN_API bobbin_status bobbin_partial_finish(const bobbin_partial* partial, const char* order,
                                               uint64_t limit, bobbin_result** result);

BOBBIN_API void bobbin_result_destroy(bobbin_result* result);
BOBBIN_API size_t bobbin_result_columns(const bobbin_result* result);
BOBBIN_API size_t bobbin_result_rows(const bobbin_result* result);
/* A value as text with all its digits, as the command prints it: "12", "3.50", "2014-08-08". NULL: the value
 * is null, or there is no such row or column. Valid until the result is destroyed. */
BOBBIN_API const char* bobbin_result_text(const bobbin_result* result, size_t row, size_t column);

/* ---- Arrow ---- */

/* Start from BOBBIN_TABLE_SCAN_INIT. */
typedef struct bobbin_table_scan {
  uint32_t size;              /* sizeof(bobbin_table_scan) */
  uint32_t threads;           /* 0: one per core */
  const char* const* columns; /* names, in the order of the result; NULL: all */
  size_t num_columns;
  const char* where;   /* text as the command takes it; NULL: all rows. Not on a device */
  uint64_t begin;      /* the first row */
  uint64_t num_rows;   /* rows to look at */
  uint64_t limit;      /* rows to return */
  uint64_t batch_rows; /* rows per array; an array never spans row groups. Ignored on a device */
} bobbin_table_scan;

#define BOBBIN_TABLE_SCAN_INIT \
  { sizeof(bobbin_table_scan), 0, NULL, 0, NULL, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX }

/* Rows of a .bob file as an Arrow stream, which the receiver releases. NULL for `scan`: all. */
BOBBIN_API bobbin_status bobbin_arrow_table_scan(const char* path, const bobbin_table_scan* scan,
                                                 struct ArrowArrayStream* stream);
/* Writes all arrays of an Arrow stream to a .bob file; the stream is released in every case. `overwrite` is 0
 * or 1. `rows` may be NULL. */
BOBBIN_API bobbin_status bobbin_arrow_write(struct ArrowArrayStream* stream, const char* path,
                                            uint32_t overwrite, uint64_t* rows);
/* Rows of a .bob file in device memory, one array per row group. `backend` is BOBBIN_BACKEND_CUDA or
 * BOBBIN_BACKEND_EMULATOR. */
BOBBIN_API bobbin_status bobbin_arrow_table_scan_on_device(const char* path, const bobbin_table_scan* scan,
                                                           bobbin_backend backend,
                                                           struct ArrowDeviceArrayStream* stream);
/* Encodes an Arrow array of numbers in device memory, where the result stays, or column `column` of a struct
 * array. Waits for the array's event and for the stream; the caller still owns the Arrow array. */
BOBBIN_API bobbin_status bobbin_arrow_encode_on_device(const struct ArrowSchema* schema,
                                                       const struct ArrowDeviceArray* from, size_t column,
                                                       const char* codec, bobbin_backend backend,
                                                       void* cuda_stream, bobbin_array** array);

#ifdef __cplusplus
}
#endif

/* NOLINTEND */

#endif /* BOBBIN_BOBBIN_H */
