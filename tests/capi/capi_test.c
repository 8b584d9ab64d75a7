/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface as a C99 program sees it. */
#include <pthread.h>
#include <stdlib.h>

#include "tests/capi/check.h"

static const bobbin_scan_options kDefaults = BOBBIN_SCAN_OPTIONS_INIT;

static bobbin_status scan_u32(const uint32_t* in, uint32_t* out, uint64_t length,
                              const bobbin_scan_options* options) {
  return bobbin_scan(BOBBIN_U32, in, out, length, options, BOBBIN_BACKEND_CPU, NULL);
}

/* ---- Results ---- */

static void test_version(void) {
  CHECK(strcmp(bobbin_version(), BOBBIN_TEST_VERSION) == 0);
}

static void expect_u32(int line, const bobbin_scan_options* options, const uint32_t* want) {
  const uint32_t in[6] = {1, 2, 3, 4, 5, 6};
  for (bobbin_backend backend = BOBBIN_BACKEND_CPU; backend <= BOBBIN_BACKEND_EMULATOR; ++backend) {
    uint32_t out[6] = {0};
    if (backend == BOBBIN_BACKEND_CUDA || (backend == BOBBIN_BACKEND_EMULATOR && !BOBBIN_TEST_HAS_EMULATOR)) {
      continue; /* the GPU needs device memory */
    }
    if (bobbin_scan(BOBBIN_U32, in, out, 6, options, backend, NULL) != BOBBIN_OK ||
        memcmp(out, want, sizeof(out)) != 0) {
      printf("%s:%d: backend %u: wrong values, or '%s'\n", __FILE__, line, (unsigned)backend,
             bobbin_last_error());
      ++failures;
    }
  }
}

static void test_options(void) {
  const uint32_t sums[6] = {1, 3, 6, 10, 15, 21};
  const uint32_t second_of_pairs[6] = {1, 2, 5, 8, 14, 20};
  const uint32_t before[6] = {0, 1, 3, 6, 10, 15};
  const uint32_t xors[6] = {1, 3, 0, 4, 1, 7};
  const uint32_t greatest_before[6] = {0, 1, 2, 3, 4, 5};
  bobbin_scan_options options = BOBBIN_SCAN_OPTIONS_INIT;
  expect_u32(__LINE__, NULL, sums);
  expect_u32(__LINE__, &options, sums);
  options.order = 2;
  options.tuple = 2;
  expect_u32(__LINE__, &options, second_of_pairs);
  options.scheme = BOBBIN_SCAN_ROUNDS;
  expect_u32(__LINE__, &options, second_of_pairs);
  options = kDefaults;
  options.exclusive = 1;
  expect_u32(__LINE__, &options, before);
  options.op = BOBBIN_SCAN_MAX;
  expect_u32(__LINE__, &options, greatest_before);
  options = kDefaults;
  options.op = BOBBIN_SCAN_XOR;
  expect_u32(__LINE__, &options, xors);
}

/* One and two, in each type, become one and three. */
static void test_types(void) {
  static const struct {
    bobbin_dtype type;
    unsigned char bytes[16];
    unsigned char want[16];
    size_t size;
  } kCases[] = {{BOBBIN_U8, {1, 2}, {1, 3}, 2},
                {BOBBIN_I8, {1, 2}, {1, 3}, 2},
                {BOBBIN_U16, {1, 0, 2}, {1, 0, 3}, 4},
                {BOBBIN_I16, {1, 0, 2}, {1, 0, 3}, 4},
                {BOBBIN_U32, {1, 0, 0, 0, 2}, {1, 0, 0, 0, 3}, 8},
                {BOBBIN_I32, {1, 0, 0, 0, 2}, {1, 0, 0, 0, 3}, 8},
                {BOBBIN_U64, {1, 0, 0, 0, 0, 0, 0, 0, 2}, {1, 0, 0, 0, 0, 0, 0, 0, 3}, 16},
                {BOBBIN_I64, {1, 0, 0, 0, 0, 0, 0, 0, 2}, {1, 0, 0, 0, 0, 0, 0, 0, 3}, 16}};
  const float floats[2] = {1, 2};
  const double doubles[2] = {1, 2};
  float float_sums[2];
  double double_sums[2];
  for (size_t i = 0; i < COUNT(kCases); ++i) {
    uint64_t values[2] = {0}; /* aligned for every type, and scanned in place */
    memcpy(values, kCases[i].bytes, kCases[i].size);
    CHECK(bobbin_scan(kCases[i].type, values, values, 2, NULL, BOBBIN_BACKEND_CPU, NULL) == BOBBIN_OK);
    CHECK(memcmp(values, kCases[i].want, kCases[i].size) == 0);
  }
  CHECK(bobbin_scan(BOBBIN_F32, floats, float_sums, 2, NULL, BOBBIN_BACKEND_CPU, NULL) == BOBBIN_OK);
  CHECK(float_sums[1] == 3);
  CHECK(bobbin_scan(BOBBIN_F64, doubles, double_sums, 2, NULL, BOBBIN_BACKEND_CPU, NULL) == BOBBIN_OK);
  CHECK(double_sums[1] == 3);
}

/* ---- Errors ---- */

static void test_bad_arguments(void) {
  uint32_t a[8] = {0};
  uint32_t out[8];
  CHECK(strcmp(bobbin_last_error(), "") == 0);
  FAILS(bobbin_scan(0, a, out, 8, NULL, BOBBIN_BACKEND_CPU, NULL), BOBBIN_ERROR_INVALID_ARGUMENT,
        "0 is not a valid value type");
  FAILS(bobbin_scan(11, a, out, 8, NULL, BOBBIN_BACKEND_CPU, NULL), BOBBIN_ERROR_INVALID_ARGUMENT,
        "11 is not a valid value type");
  FAILS(bobbin_scan(256 + BOBBIN_U32, a, out, 8, NULL, BOBBIN_BACKEND_CPU, NULL),
        BOBBIN_ERROR_INVALID_ARGUMENT, "not a valid value type");
  FAILS(bobbin_scan(BOBBIN_U32, a, out, 8, NULL, 3, NULL), BOBBIN_ERROR_INVALID_ARGUMENT,
        "3 is not a valid backend");
  FAILS(bobbin_scan(BOBBIN_U32, a, out, 8, NULL, 256, NULL), BOBBIN_ERROR_INVALID_ARGUMENT,
        "256 is not a valid backend");
  FAILS(bobbin_scan(BOBBIN_U32, a, out, 8, NULL, BOBBIN_BACKEND_CUDA, NULL), BOBBIN_ERROR_INVALID_ARGUMENT,
        "stream");
  FAILS(bobbin_scan(BOBBIN_U32, a, out, 8, NULL, BOBBIN_BACKEND_CPU, a), BOBBIN_ERROR_INVALID_ARGUMENT,
        "cpu");
  FAILS(bobbin_scan(BOBBIN_U32, a, out, 8, NULL, BOBBIN_BACKEND_EMULATOR, a), BOBBIN_ERROR_INVALID_ARGUMENT,
        "emulator");
  FAILS(scan_u32(NULL, out, 8, NULL), BOBBIN_ERROR_INVALID_ARGUMENT, "input or output is null");
  FAILS(scan_u32(a, NULL, 8, NULL), BOBBIN_ERROR_INVALID_ARGUMENT, "output is null");
  FAILS(scan_u32(a, a + 1, 7, NULL), BOBBIN_ERROR_INVALID_ARGUMENT, "overlap");
  FAILS(scan_u32(a, out, UINT64_MAX, NULL), BOBBIN_ERROR_INVALID_ARGUMENT, "2^40");
  FAILS(bobbin_scan(BOBBIN_U32, (const char*)a + 1, out, 4, NULL, BOBBIN_BACKEND_CPU, NULL),
        BOBBIN_ERROR_INVALID_ARGUMENT, "aligned");
  CHECK(scan_u32(NULL, NULL, 0, NULL) == BOBBIN_OK);
  CHECK(strstr(bobbin_last_error(), "aligned") != NULL); /* success does not change the text */
}

static void test_bad_options(void) {
  static const struct {
    uint32_t order, tuple, op, exclusive, scheme;
    const char* words;
  } kCases[] = {{0, 1, 0, 0, 0, "order 0"},
                {9, 1, 0, 0, 0, "order 9"},
                {1, 0, 0, 0, 0, "tuple of 0"},
                {1, 33, 0, 0, 0, "tuple of 33"},
                {1, 1, 6, 0, 0, "6 is not a valid scan op"},
                {1, 1, 256, 0, 0, "256 is not a valid scan op"},
                {1, 1, 0, 2, 0, "exclusive"},
                {1, 1, 0, 256, 0, "exclusive"},
                {1, 1, 0, 0, 3, "3 is not a valid scan sch"},
                {1, 1, 0, 0, 256, "256 is not a valid scan sch"}};
  uint32_t values[2] = {0};
  bobbin_scan_options options = BOBBIN_SCAN_OPTIONS_INIT;
  for (size_t i = 0; i < COUNT(kCases); ++i) {
    options.order = kCases[i].order;
    options.tuple = kCases[i].tuple;
    options.op = kCases[i].op;
    options.exclusive = kCases[i].exclusive;
    options.scheme = kCases[i].scheme;
    FAILS(scan_u32(values, values, 2, &options), BOBBIN_ERROR_INVALID_ARGUMENT, kCases[i].words);
  }
  options = kDefaults;
  options.order = 2;
  FAILS(bobbin_scan(BOBBIN_F32, values, values, 2, &options, BOBBIN_BACKEND_CPU, NULL),
        BOBBIN_ERROR_INVALID_ARGUMENT, "floats");
}

/* A program with a newer header than the library's has a longer struct. */
static void test_options_size(void) {
  struct {
    bobbin_scan_options known;
    uint64_t later;
  } longer = {BOBBIN_SCAN_OPTIONS_INIT, 0};
  uint32_t values[2] = {1, 2};
  longer.known.size = 0;
  FAILS(scan_u32(values, values, 2, &longer.known), BOBBIN_ERROR_INVALID_ARGUMENT, "size is 0");
  longer.known.size = sizeof(longer.known) - 1;
  FAILS(scan_u32(values, values, 2, &longer.known), BOBBIN_ERROR_INVALID_ARGUMENT, "size");
  longer.known.size = 0xffffffff;
  FAILS(scan_u32(values, values, 2, &longer.known), BOBBIN_ERROR_INVALID_ARGUMENT, "size");
  longer.known.size = sizeof(longer);
  longer.known.exclusive = 1;
  CHECK(scan_u32(values, values, 2, &longer.known) == BOBBIN_OK);
  CHECK(values[0] == 0 && values[1] == 1);
  longer.later = 1;
  FAILS(scan_u32(values, values, 2, &longer.known), BOBBIN_ERROR_UNSUPPORTED, "does not have");
}

static void test_no_cuda(void) {
#if !BOBBIN_TEST_HAS_CUDA
  uint32_t values[2] = {0};
  int stream = 0; /* never used */
  FAILS(bobbin_scan(BOBBIN_U32, values, values, 2, NULL, BOBBIN_BACKEND_CUDA, &stream),
        BOBBIN_ERROR_UNAVAILABLE, "CUDA");
#endif
}

static void* fail_elsewhere(void* unused) {
  (void)unused;
  CHECK(strcmp(bobbin_last_error(), "") == 0);
  FAILS(bobbin_scan(0, NULL, NULL, 0, NULL, BOBBIN_BACKEND_CPU, NULL), BOBBIN_ERROR_INVALID_ARGUMENT,
        "not a valid value type");
  return NULL;
}

static void test_errors_of_threads(void) {
  pthread_t thread;
  FAILS(bobbin_scan(BOBBIN_U8, NULL, NULL, 0, NULL, 9, NULL), BOBBIN_ERROR_INVALID_ARGUMENT,
        "9 is not a valid backend");
  CHECK(pthread_create(&thread, NULL, &fail_elsewhere, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(strstr(bobbin_last_error(), "9 is not a valid backend") != NULL);
}

/* ---- Memory ---- */

#define SHIFT_BYTES 512
#define MANY 300000 /* enough for several blocks, which exchange sums */

struct pool {
  int allocated;
  int released;
  int refuse;
  size_t off; /* distance from an aligned address */
};

/* The pointer from malloc is stored just before the memory that is returned. */
static void* pool_allocate(void* context, size_t bytes, bobbin_backend backend, void* cuda_stream) {
  struct pool* pool = context;
  CHECK(backend == BOBBIN_BACKEND_EMULATOR && cuda_stream == NULL);
  if (pool->refuse) {
    return NULL;
  }
  char* block = malloc(bytes + 2 * SHIFT_BYTES);
  const uintptr_t place = ((uintptr_t)block + SHIFT_BYTES) / 256 * 256 + pool->off;
  char* data = block + (place - (uintptr_t)block);
  memcpy(data - sizeof(block), &block, sizeof(block));
  ++pool->allocated;
  return data;
}

static void pool_deallocate(void* context, void* data, size_t bytes, bobbin_backend backend,
                            void* cuda_stream) {
  struct pool* pool = context;
  char* block = NULL;
  CHECK(backend == BOBBIN_BACKEND_EMULATOR && cuda_stream == NULL && bytes > 0);
  memcpy(&block, (char*)data - sizeof(block), sizeof(block));
  free(block);
  ++pool->released;
}

static bobbin_status scan_many(const bobbin_scan_options* options) {
  static uint32_t values[MANY];
  for (uint32_t i = 0; i < MANY; ++i) {
    values[i] = 1;
  }
  const bobbin_status status =
      bobbin_scan(BOBBIN_U32, values, values, MANY, options, BOBBIN_BACKEND_EMULATOR, NULL);
  for (uint32_t i = 0; status == BOBBIN_OK && i < MANY; ++i) {
    if (values[i] != i + 1) {
      printf("%s:%d: value %u is %u\n", __FILE__, __LINE__, (unsigned)i, (unsigned)values[i]);
      ++failures;
      break;
    }
  }
  return status;
}

static void test_memory(void) {
  struct pool pool = {0, 0, 0, 0};
  bobbin_memory_resource memory = {&pool_allocate, &pool_deallocate, &pool};
  bobbin_scan_options options = BOBBIN_SCAN_OPTIONS_INIT;
  options.memory = &memory;
  CHECK(scan_many(&options) == BOBBIN_OK);
  CHECK(pool.allocated > 0 && pool.allocated == pool.released);
  pool.refuse = 1;
  FAILS(scan_many(&options), BOBBIN_ERROR_OUT_OF_MEMORY, "could not allocate");
  pool.refuse = 0;
  pool.off = 64;
  FAILS(scan_many(&options), BOBBIN_ERROR_INVALID_ARGUMENT, "not aligned");
  CHECK(pool.allocated == pool.released);
  memory.deallocate = NULL;
  FAILS(scan_many(&options), BOBBIN_ERROR_INVALID_ARGUMENT, "lacks");
}

static void test_workspace(void) {
  struct pool pool = {0, 0, 0, 0};
  bobbin_memory_resource memory = {&pool_allocate, &pool_deallocate, &pool};
  bobbin_scan_workspace* workspace = NULL;
  bobbin_scan_options options = BOBBIN_SCAN_OPTIONS_INIT;
  CHECK(bobbin_scan_workspace_create(BOBBIN_BACKEND_EMULATOR, NULL, &memory, &workspace) == BOBBIN_OK);
  memory.allocate = NULL; /* the functions were copied */
  options.workspace = workspace;
  for (int run = 0; run < 3; ++run) {
    CHECK(scan_many(&options) == BOBBIN_OK);
  }
  CHECK(pool.allocated == 1 && pool.released == 0);
  uint32_t values[2] = {0};
  FAILS(scan_u32(values, values, 2, &options), BOBBIN_ERROR_INVALID_ARGUMENT, "another backend");
  bobbin_scan_workspace_destroy(workspace);
  CHECK(pool.released == 1);

  CHECK(bobbin_scan_workspace_create(BOBBIN_BACKEND_CPU, NULL, NULL, &workspace) == BOBBIN_OK);
  options.workspace = workspace;
  CHECK(scan_u32(values, values, 2, &options) == BOBBIN_OK);
  bobbin_scan_workspace_destroy(workspace);
  FAILS(bobbin_scan_workspace_create(BOBBIN_BACKEND_CPU, NULL, NULL, NULL), BOBBIN_ERROR_INVALID_ARGUMENT,
        "workspace pointer is null");
  FAILS(bobbin_scan_workspace_create(7, NULL, NULL, &workspace), BOBBIN_ERROR_INVALID_ARGUMENT,
        "7 is not a valid backend");
  CHECK(workspace == NULL);
  FAILS(bobbin_scan_workspace_create(BOBBIN_BACKEND_EMULATOR, NULL, &memory, &workspace),
        BOBBIN_ERROR_INVALID_ARGUMENT, "lacks");
  bobbin_scan_workspace_destroy(NULL);
}

/* ---- zstd ---- */

#define CONTENT 200000

static void fill(char* text, size_t size) {
  uint32_t state = 1;
  for (size_t i = 0; i < size; ++i) {
    state = state * 1664525u + 1013904223u;
    text[i] = "the loom takes a thread from every bobbin\n"[i % 3 == 0 ? state >> 27 : i % 42];
  }
}

static void test_zstd_round_trip(void) {
  static char content[CONTENT];
  static char back[CONTENT];
  static char frames[2 * CONTENT];
  bobbin_zstd_encode_options options = BOBBIN_ZSTD_ENCODE_INIT;
  bobbin_zstd_frame_info info;
  uint64_t bound = 0;
  size_t size = 0;
  size_t got = 0;
  fill(content, CONTENT);
  options.seek_table = 1;
  options.checksum = 1;
  CHECK(bobbin_zstd_compress_bound(CONTENT, &options, &bound) == BOBBIN_OK && bound <= sizeof(frames));
  CHECK(bobbin_zstd_compress(content, CONTENT, frames, (size_t)bound, &size, &options) == BOBBIN_OK);
  CHECK(size > 0 && size < CONTENT);
  CHECK(bobbin_zstd_decompress(frames, size, back, CONTENT, &got, NULL) == BOBBIN_OK);
  CHECK(got == CONTENT && memcmp(back, content, CONTENT) == 0);
  CHECK(bobbin_zstd_frame(frames, size, &info, NULL) == BOBBIN_OK);
  CHECK(info.has_content_bytes == 1 && info.content_bytes == 65536 && info.has_checksum == 1);
  CHECK(info.num_blocks == 16 && info.dictionary_id == 0 && info.compressed_bytes < size);
  CHECK(bobbin_zstd_decompress_range(frames, size, 70000, 100, back, NULL) == BOBBIN_OK);
  CHECK(memcmp(back, content + 70000, 100) == 0);
  FAILS(bobbin_zstd_decompress_range(frames, size, CONTENT, 1, back, NULL), BOBBIN_ERROR_INVALID_ARGUMENT,
        "content of 200000 bytes");
  FAILS(bobbin_zstd_decompress(frames, size, back, CONTENT - 1, &got, NULL), BOBBIN_ERROR_INVALID_ARGUMENT,
        "too small");
  FAILS(bobbin_zstd_compress(content, CONTENT, frames, 10, &got, &options), BOBBIN_ERROR_INVALID_ARGUMENT,
        "10 bytes");
  CHECK(got == size);
  frames[100] ^= 1;
  FAILS(bobbin_zstd_decompress(frames, size, back, CONTENT, &got, NULL), BOBBIN_ERROR_CORRUPT, "zstd");
  FAILS(bobbin_zstd_decompress("nothing", 7, back, CONTENT, &got, NULL), BOBBIN_ERROR_CORRUPT, "zstd");
}

/* Content that cannot be compressed takes no more than the bound, with the smallest frames and blocks. */
static void test_zstd_bound(void) {
  static unsigned char noise[5000];
  static char frames[8000];
  bobbin_zstd_encode_options options = BOBBIN_ZSTD_ENCODE_INIT;
  uint64_t bound = 0;
  size_t size = 0;
  uint32_t state = 1;
  for (size_t i = 0; i < sizeof(noise); ++i) {
    state = state * 1664525u + 1013904223u;
    noise[i] = (unsigned char)(state >> 24);
  }
  options.frame_bytes = 256;
  options.block_bytes = 256;
  options.checksum = 1;
  options.seek_table = 1;
  for (size_t bytes = 0; bytes <= sizeof(noise); bytes += 250) {
    CHECK(bobbin_zstd_compress_bound(bytes, &options, &bound) == BOBBIN_OK);
    CHECK(bound <= sizeof(frames));
    CHECK(bobbin_zstd_compress(noise, bytes, frames, (size_t)bound, &size, &options) == BOBBIN_OK);
  }
}

static void test_zstd_options(void) {
  char out[100];
  size_t size = 0;
  uint64_t bound = 0;
  bobbin_zstd_encode_options encode = BOBBIN_ZSTD_ENCODE_INIT;
  bobbin_zstd_decode_options decode = BOBBIN_ZSTD_DECODE_INIT;
  encode.level = 10;
  FAILS(bobbin_zstd_compress("abc", 3, out, 100, &size, &encode), BOBBIN_ERROR_INVALID_ARGUMENT, "level 10");
  FAILS(bobbin_zstd_compress_bound(3, &encode, &bound), BOBBIN_ERROR_INVALID_ARGUMENT, "level 10");
  encode.level = 3;
  encode.checksum = 2;
  FAILS(bobbin_zstd_compress("abc", 3, out, 100, &size, &encode), BOBBIN_ERROR_INVALID_ARGUMENT, "checksum");
  encode.size = 0;
  FAILS(bobbin_zstd_compress("abc", 3, out, 100, &size, &encode), BOBBIN_ERROR_INVALID_ARGUMENT, "size is 0");
  FAILS(bobbin_zstd_compress(NULL, 3, out, 100, &size, NULL), BOBBIN_ERROR_INVALID_ARGUMENT, "null");
  FAILS(bobbin_zstd_compress("abc", 3, out, 100, NULL, NULL), BOBBIN_ERROR_INVALID_ARGUMENT, "null");
  FAILS(bobbin_zstd_compress("abc", 3, NULL, 100, &size, NULL), BOBBIN_ERROR_INVALID_ARGUMENT, "needs");
  CHECK(bobbin_zstd_compress(NULL, 0, out, 100, &size, NULL) == BOBBIN_OK);
  decode.max_window = 0;
  FAILS(bobbin_zstd_decompress("\x28\xB5\x2F\xFD\x20\x03\x19\0\0"
                               "abc",
                               12, out, 100, &size, &decode),
        BOBBIN_ERROR_UNSUPPORTED, "window");
  CHECK(bobbin_zstd_decompress(NULL, 0, NULL, 0, &size, NULL) == BOBBIN_OK && size == 0);
}

static void test_zstd_dictionary(void) {
  static char records[500][64];
  const void* samples[500];
  size_t sizes[500];
  char dictionary_bytes[4096];
  char frame[200];
  char back[200];
  size_t size = 0;
  size_t got = 0;
  bobbin_zstd_dictionary* dictionary = NULL;
  bobbin_zstd_encode_options encode = BOBBIN_ZSTD_ENCODE_INIT;
  bobbin_zstd_decode_options decode = BOBBIN_ZSTD_DECODE_INIT;
  bobbin_zstd_frame_info info;
  for (int i = 0; i < 500; ++i) {
    sizes[i] = (size_t)snprintf(records[i], sizeof(records[i]), "{\"item\": %d, \"colour\": \"green %d\"}",
                                i * 7919 % 1000, i % 17);
    samples[i] = records[i];
  }
  CHECK(bobbin_zstd_train(samples, sizes, 500, dictionary_bytes, sizeof(dictionary_bytes), &size) ==
        BOBBIN_OK);
  CHECK(bobbin_zstd_dictionary_create(dictionary_bytes, size, &dictionary) == BOBBIN_OK);
  CHECK(bobbin_zstd_dictionary_id(dictionary) >= 32768 && bobbin_zstd_dictionary_id(NULL) == 0);
  encode.dictionary = dictionary;
  decode.dictionary = dictionary;
  CHECK(bobbin_zstd_compress(records[3], sizes[3], frame, sizeof(frame), &size, &encode) == BOBBIN_OK);
  CHECK(size < sizes[3]);
  CHECK(bobbin_zstd_frame(frame, size, &info, NULL) == BOBBIN_OK);
  CHECK(info.dictionary_id == bobbin_zstd_dictionary_id(dictionary));
  CHECK(bobbin_zstd_decompress(frame, size, back, sizeof(back), &got, &decode) == BOBBIN_OK);
  CHECK(got == sizes[3] && memcmp(back, records[3], got) == 0);
  FAILS(bobbin_zstd_decompress(frame, size, back, sizeof(back), &got, NULL), BOBBIN_ERROR_INVALID_ARGUMENT,
        "needs dictionary");
  bobbin_zstd_dictionary_destroy(dictionary);
  bobbin_zstd_dictionary_destroy(NULL);
  FAILS(bobbin_zstd_dictionary_create("short", 5, &dictionary), BOBBIN_ERROR_INVALID_ARGUMENT, "8 bytes");
  CHECK(dictionary == NULL);
  FAILS(bobbin_zstd_train(samples, sizes, 0, dictionary_bytes, sizeof(dictionary_bytes), &size),
        BOBBIN_ERROR_INVALID_ARGUMENT, "nothing in common");
}

static void test_zstd_batch(bobbin_backend backend) {
  enum { kFrames = 3 };
  static char content[3000];
  static char frames[kFrames][3072];
  static char out[kFrames][3072];
  bobbin_zstd_batch_frame list[kFrames];
  bobbin_zstd_batch_result results[kFrames];
  fill(content, sizeof(content));
  for (size_t i = 0; i < kFrames; ++i) {
    size_t size = 0;
    CHECK(bobbin_zstd_compress(content, 1000 * (i + 1), frames[i], sizeof(frames[i]), &size, NULL) ==
          BOBBIN_OK);
    list[i].in = frames[i];
    list[i].in_bytes = size;
    list[i].out = out[i];
    list[i].capacity = i == 2 ? 2999 : 3000;
  }
  frames[1][20] = (char)(frames[1][20] ^ 0x55);
  frames[1][5] = 0; /* another content size */
  CHECK(bobbin_zstd_decompress_batch(list, kFrames, results, 3000, NULL, NULL, backend, NULL) == BOBBIN_OK);
  CHECK(results[0].verdict == BOBBIN_ZSTD_OK && results[0].bytes == 1000);
  CHECK(memcmp(out[0], content, 1000) == 0);
  CHECK(results[1].verdict == BOBBIN_ZSTD_CORRUPT);
  CHECK(results[2].verdict == BOBBIN_ZSTD_TOO_SMALL);
  FAILS(bobbin_zstd_decompress_batch(NULL, 1, results, 3000, NULL, NULL, backend, NULL),
        BOBBIN_ERROR_INVALID_ARGUMENT, "null");
  FAILS(bobbin_zstd_decompress_batch(list, 1, results, 3000, NULL, NULL, 9, NULL),
        BOBBIN_ERROR_INVALID_ARGUMENT, "backend");
}

/* Content in device memory becomes the bytes that the CPU makes of it. */
static void test_zstd_compress_batch(void) {
  enum { kBytes = 100000 };
  static char content[kBytes];
  static char want[kBytes * 2];
  static char got[kBytes * 2];
  uint64_t ends[2] = {0, 0};
  uint64_t bound = 0;
  uint64_t frames = 0;
  size_t size = 0;
  bobbin_zstd_encode_options options = BOBBIN_ZSTD_ENCODE_INIT;
  fill(content, kBytes);
  CHECK(bobbin_zstd_compress(content, kBytes, want, sizeof(want), &size, NULL) == BOBBIN_OK);
  CHECK(bobbin_zstd_compress_batch_bound(kBytes, NULL, &bound, &frames) == BOBBIN_OK);
  CHECK(frames == 2 && bound <= sizeof(got));
  CHECK(bobbin_zstd_compress_batch(content, kBytes, got, bound, ends, NULL, NULL, BOBBIN_BACKEND_EMULATOR,
                                   NULL) == BOBBIN_OK);
  CHECK(ends[1] == size && memcmp(got, want, size) == 0);
  INVALID(
      bobbin_zstd_compress_batch(content, kBytes, got, 10, ends, NULL, NULL, BOBBIN_BACKEND_EMULATOR, NULL),
      "");
  INVALID(bobbin_zstd_compress_batch(content, kBytes, got, bound, ends, NULL, NULL, BOBBIN_BACKEND_CPU, NULL),
          "device");
  INVALID(bobbin_zstd_compress_batch(content, kBytes, got, bound, NULL, NULL, NULL, BOBBIN_BACKEND_EMULATOR,
                                     NULL),
          "null");
  options.seek_table = 1;
  FAILS(bobbin_zstd_compress_batch_bound(kBytes, &options, &bound, &frames), BOBBIN_ERROR_UNSUPPORTED,
        "seek tables");
}

int main(void) {
  test_version();
  test_options();
  test_types();
  test_bad_arguments(); /* the first that fails on purpose */
  test_bad_options();
  test_options_size();
  test_no_cuda();
  test_errors_of_threads();
  test_zstd_round_trip();
  test_zstd_bound();
  test_zstd_options();
  test_zstd_dictionary();
  test_zstd_batch(BOBBIN_BACKEND_CPU);
  if (BOBBIN_TEST_HAS_EMULATOR) {
    test_zstd_batch(BOBBIN_BACKEND_EMULATOR);
    test_zstd_compress_batch();
    test_memory();
    test_workspace();
  }
  printf("%s\n", failures == 0 ? "all as expected" : "FAILED");
  return failures == 0 ? 0 : 1;
}
