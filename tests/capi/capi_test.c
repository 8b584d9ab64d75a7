/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface as a C99 program sees it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bobbin/bobbin.h"

static int failures = 0;

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);          \
      printf("  the last error of this thread: '%s'\n", bobbin_last_error()); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const bobbin_scan_options kDefaults = BOBBIN_SCAN_OPTIONS_INIT;

/* The call under test fails with `code`, and its message contains `words`. */
static void check_error(int line, bobbin_status got, bobbin_status code, const char* words) {
  if (got != code || strstr(bobbin_last_error(), words) == NULL) {
    printf("%s:%d: status %u and '%s', expected %u and '%s'\n", __FILE__, line, (unsigned)got,
           bobbin_last_error(), (unsigned)code, words);
    ++failures;
  }
}
#define FAILS(call, code, words) check_error(__LINE__, (call), (code), (words))

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

int main(void) {
  test_version();
  test_options();
  test_types();
  test_bad_arguments(); /* the first that fails on purpose */
  test_bad_options();
  test_options_size();
  test_no_cuda();
  test_errors_of_threads();
  if (BOBBIN_TEST_HAS_EMULATOR) {
    test_memory();
    test_workspace();
  }
  printf("%s\n", failures == 0 ? "all as expected" : "FAILED");
  return failures == 0 ? 0 : 1;
}
