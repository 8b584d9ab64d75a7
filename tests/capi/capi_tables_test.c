/* SPDX-License-Identifier: Apache-2.0 */
/* Encoded arrays, batches, partial aggregates and Arrow, as a C99 program sees them. */
#include <stdlib.h>

#include "tests/capi/check.h"

enum { kLength = 3000 };

static const bobbin_table_scan kWholeTable = BOBBIN_TABLE_SCAN_INIT;

static void fill(uint32_t* values, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    values[i] = (uint32_t)(1000 + i * 7 % 100);
  }
}

/* ---- Arrays ---- */

static void check_parts(const bobbin_array* array, const uint32_t* values) {
  bobbin_array* part = NULL;
  uint32_t found[kLength];
  uint8_t bits[(kLength + 7) / 8];
  const uint64_t indices[3] = {2999, 0, 17};
  const uint32_t constant = 1050;
  size_t wrong = 0;
  CHECK(bobbin_array_slice(array, 10, 500, &part) == BOBBIN_OK);
  CHECK(bobbin_array_length(part) == 500);
  CHECK(bobbin_array_decode(part, found, 500 * sizeof(uint32_t), BOBBIN_BACKEND_CPU) == BOBBIN_OK);
  CHECK(memcmp(found, values + 10, 500 * sizeof(uint32_t)) == 0);
  bobbin_array_destroy(part);
  CHECK(bobbin_array_value(array, 17, found) == BOBBIN_OK && found[0] == values[17]);
  CHECK(bobbin_array_take(array, indices, 3, found, 3 * sizeof(uint32_t)) == BOBBIN_OK);
  CHECK(found[0] == values[2999] && found[1] == values[0] && found[2] == values[17]);
  CHECK(bobbin_array_compare(array, BOBBIN_LESS, &constant, bits, sizeof(bits)) == BOBBIN_OK);
  for (size_t i = 0; i < kLength; ++i) {
    wrong += (bits[i / 8] >> (i % 8) & 1) != (values[i] < constant);
  }
  CHECK(wrong == 0);
  INVALID(bobbin_array_slice(array, 10, kLength, &part), "fewer values");
  CHECK(part == NULL);
  INVALID(bobbin_array_value(array, kLength, found), "fewer values");
  INVALID(bobbin_array_value(array, 0, NULL), "null");
  INVALID(bobbin_array_take(array, indices, 3, found, 8), "another size");
  INVALID(bobbin_array_take(array, NULL, 3, found, 12), "null");
  INVALID(bobbin_array_compare(array, 6, &constant, bits, sizeof(bits)), "comparison");
  INVALID(bobbin_array_compare(array, BOBBIN_LESS, &constant, bits, 3), "375");
}

static void check_bytes(const bobbin_array* array, const uint32_t* values) {
  bobbin_bytes* bytes = NULL;
  bobbin_array* again = NULL;
  uint32_t found[kLength];
  char* copy = NULL;
  CHECK(bobbin_array_to_bytes(array, &bytes) == BOBBIN_OK);
  CHECK(bobbin_bytes_size(bytes) > 0);
  CHECK(bobbin_array_from_bytes(bobbin_bytes_data(bytes), bobbin_bytes_size(bytes), kLength, &again) ==
        BOBBIN_OK);
  CHECK(bobbin_array_decode(again, found, sizeof(found), BOBBIN_BACKEND_CPU) == BOBBIN_OK);
  CHECK(memcmp(found, values, sizeof(found)) == 0);
  CHECK(strcmp(bobbin_array_codec(again), bobbin_array_codec(array)) == 0);
  bobbin_array_destroy(again);
  FAILS(bobbin_array_from_bytes(bobbin_bytes_data(bytes), bobbin_bytes_size(bytes), kLength - 1, &again),
        BOBBIN_ERROR_CORRUPT, "too many");
  CHECK(again == NULL);
  copy = malloc(bobbin_bytes_size(bytes));
  if (copy != NULL) {
    memcpy(copy, bobbin_bytes_data(bytes), bobbin_bytes_size(bytes));
    copy[bobbin_bytes_size(bytes) / 2] ^= 1;
    FAILS(bobbin_array_from_bytes(copy, bobbin_bytes_size(bytes), kLength, &again), BOBBIN_ERROR_CORRUPT, "");
  }
  free(copy);
  bobbin_bytes_destroy(bytes);
}

static void test_arrays(void) {
  uint32_t values[kLength];
  uint32_t found[kLength];
  bobbin_array* array = NULL;
  fill(values, kLength);
  for (int given = 0; given < 2; ++given) {
    CHECK(bobbin_array_encode(BOBBIN_U32, values, kLength, given ? "ffor" : NULL, BOBBIN_BACKEND_CPU,
                              &array) == BOBBIN_OK);
    CHECK(bobbin_array_type(array) == BOBBIN_U32 && bobbin_array_length(array) == kLength);
    CHECK(bobbin_array_encoded_bytes(array) < sizeof(values) / 3);
    CHECK(!given || strncmp(bobbin_array_codec(array), "ffor", 4) == 0);
    CHECK(bobbin_array_decode(array, found, sizeof(found), BOBBIN_BACKEND_CPU) == BOBBIN_OK);
    CHECK(memcmp(found, values, sizeof(found)) == 0);
    check_parts(array, values);
    check_bytes(array, values);
    bobbin_array_destroy(array);
  }
  CHECK(bobbin_array_encode(BOBBIN_F64, NULL, 0, NULL, BOBBIN_BACKEND_CPU, &array) == BOBBIN_OK);
  CHECK(bobbin_array_decode(array, NULL, 0, BOBBIN_BACKEND_CPU) == BOBBIN_OK);
  bobbin_array_destroy(array);
}

static void test_wrong_arrays(void) {
  uint32_t values[4] = {1, 2, 3, 4};
  bobbin_array* array = NULL;
  bobbin_bytes* bytes = NULL;
  INVALID(bobbin_array_encode(11, values, 4, NULL, BOBBIN_BACKEND_CPU, &array), "type");
  INVALID(bobbin_array_encode(BOBBIN_U32, values, 4, NULL, 3, &array), "backend");
  INVALID(bobbin_array_encode(BOBBIN_U32, values, 4, "no such", BOBBIN_BACKEND_CPU, &array), "no");
  INVALID(bobbin_array_encode(BOBBIN_U32, NULL, 4, NULL, BOBBIN_BACKEND_CPU, &array), "values");
  INVALID(bobbin_array_encode(BOBBIN_U32, values, 4, NULL, BOBBIN_BACKEND_CPU, NULL), "null");
  INVALID(bobbin_array_decode(NULL, values, 4, BOBBIN_BACKEND_CPU), "null");
  INVALID(bobbin_array_to_bytes(NULL, &bytes), "null");
  INVALID(bobbin_array_from_bytes(NULL, 4, 4, &array), "null");
  INVALID(bobbin_array_to_device(NULL, BOBBIN_BACKEND_CPU, NULL, &array), "null");
  INVALID(bobbin_array_encode_on_device(BOBBIN_U32, values, 4, NULL, BOBBIN_BACKEND_CPU, NULL, &array),
          "found cpu");
  CHECK(bobbin_array_length(NULL) == 0 && bobbin_array_type(NULL) == 0 && bobbin_bytes_size(NULL) == 0);
  CHECK(bobbin_array_codec(NULL)[0] == '\0' && bobbin_bytes_data(NULL) == NULL);
  bobbin_array_destroy(NULL);
  bobbin_bytes_destroy(NULL);
}

/* The emulator's device memory is host memory. */
static void test_arrays_on_a_device(void) {
  static uint32_t memory[kLength + 4];
  uint32_t values[kLength];
  uint32_t* aligned = memory;
  bobbin_array* there = NULL;
  bobbin_array* here = NULL;
  bobbin_array* copied = NULL;
  while ((uintptr_t)aligned % 16 != 0) {
    ++aligned;
  }
  fill(values, kLength);
  for (int given = 0; given < 2; ++given) {
    CHECK(bobbin_array_encode_on_device(BOBBIN_U32, values, kLength, given ? "ffor" : NULL,
                                        BOBBIN_BACKEND_EMULATOR, NULL, &there) == BOBBIN_OK);
    CHECK(bobbin_array_decode_on_device(there, aligned, sizeof(values), BOBBIN_BACKEND_EMULATOR, NULL) ==
          BOBBIN_OK);
    CHECK(memcmp(aligned, values, sizeof(values)) == 0);
    INVALID(bobbin_array_decode_on_device(there, aligned, 5, BOBBIN_BACKEND_EMULATOR, NULL), "12000");
    INVALID(bobbin_array_decode(there, aligned, sizeof(values), BOBBIN_BACKEND_CPU), "device memory");
    CHECK(bobbin_array_to_host(there, BOBBIN_BACKEND_EMULATOR, NULL, &here) == BOBBIN_OK);
    memset(aligned, 0, sizeof(values));
    CHECK(bobbin_array_decode(here, aligned, sizeof(values), BOBBIN_BACKEND_CPU) == BOBBIN_OK);
    CHECK(memcmp(aligned, values, sizeof(values)) == 0);
    CHECK(bobbin_array_to_device(here, BOBBIN_BACKEND_EMULATOR, NULL, &copied) == BOBBIN_OK);
    CHECK(bobbin_array_decode_on_device(copied, aligned, sizeof(values), BOBBIN_BACKEND_EMULATOR, NULL) ==
          BOBBIN_OK);
    bobbin_array_destroy(there);
    bobbin_array_destroy(here);
    bobbin_array_destroy(copied);
  }
}

/* ---- Batches ---- */

static void check_batch(const bobbin_batch* batch, const uint32_t* values) {
  uint32_t found[kLength];
  bobbin_array* one = NULL;
  CHECK(bobbin_batch_size(batch) == 3 && bobbin_batch_type(batch) == BOBBIN_U32);
  CHECK(bobbin_batch_offsets(batch)[2] == 1000 && bobbin_batch_encoded_bytes(batch) < sizeof(found));
  CHECK(bobbin_batch_decode(batch, found, sizeof(found), 1) == BOBBIN_OK);
  CHECK(memcmp(found, values, sizeof(found)) == 0);
  CHECK(bobbin_batch_array(batch, 2, &one) == BOBBIN_OK && bobbin_array_length(one) == 2000);
  CHECK(bobbin_array_value(one, 5, found) == BOBBIN_OK && found[0] == values[1005]);
  bobbin_array_destroy(one);
  INVALID(bobbin_batch_array(batch, 3, &one), "batch: array 3 of 3");
  INVALID(bobbin_batch_decode(batch, found, 3, 1), "");
}

static void test_batches(void) {
  uint32_t values[kLength];
  const uint64_t offsets[4] = {0, 0, 1000, kLength};
  const uint64_t wrong[3] = {0, 5, 3};
  bobbin_batch* batch = NULL;
  bobbin_batch* again = NULL;
  bobbin_bytes* bytes = NULL;
  fill(values, kLength);
  CHECK(bobbin_batch_encode(BOBBIN_U32, values, offsets, 3, NULL, 1, &batch) == BOBBIN_OK);
  check_batch(batch, values);
  CHECK(bobbin_batch_to_bytes(batch, &bytes) == BOBBIN_OK);
  CHECK(bobbin_batch_from_bytes(bobbin_bytes_data(bytes), bobbin_bytes_size(bytes), kLength, &again) ==
        BOBBIN_OK);
  check_batch(again, values);
  bobbin_batch_destroy(again);
  FAILS(bobbin_batch_from_bytes(bobbin_bytes_data(bytes), bobbin_bytes_size(bytes) - 1, kLength, &again),
        BOBBIN_ERROR_CORRUPT, "");
  bobbin_bytes_destroy(bytes);
  if (BOBBIN_TEST_HAS_EMULATOR) {
    static uint32_t out[kLength + 4];
    uint32_t* aligned = out;
    while ((uintptr_t)aligned % 16 != 0) {
      ++aligned;
    }
    CHECK(bobbin_batch_to_device(batch, BOBBIN_BACKEND_EMULATOR, NULL, &again) == BOBBIN_OK);
    CHECK(bobbin_batch_decode_on_device(again, aligned, sizeof(values), BOBBIN_BACKEND_EMULATOR, NULL) ==
          BOBBIN_OK);
    CHECK(memcmp(aligned, values, sizeof(values)) == 0);
    bobbin_batch_destroy(again);
  }
  bobbin_batch_destroy(batch);
  bobbin_batch_destroy(NULL);
  INVALID(bobbin_batch_encode(BOBBIN_U32, values, wrong, 2, NULL, 1, &batch), "");
  INVALID(bobbin_batch_encode(BOBBIN_U32, values, NULL, 2, NULL, 1, &batch), "null");
  INVALID(bobbin_batch_encode(BOBBIN_U32, NULL, offsets, 3, NULL, 1, &batch), "values");
  CHECK(batch == NULL && bobbin_batch_size(NULL) == 0 && bobbin_batch_offsets(NULL) == NULL);
}

/* ---- Tables: written through an Arrow stream of our own ---- */

struct source {
  int64_t length;
  int left; /* arrays */
  const void* id[2];
  const void* half[2];
  const void* top[1];
  struct ArrowArray children[2];
  struct ArrowArray* pointers[2];
  struct ArrowSchema fields[2];
  struct ArrowSchema* field_pointers[2];
  int released;
};

static void release_schema(struct ArrowSchema* schema) {
  schema->release = NULL;
}
static void release_array(struct ArrowArray* array) {
  array->release = NULL;
}

static void set_field(struct ArrowSchema* field, const char* format, const char* name) {
  memset(field, 0, sizeof(*field));
  field->format = format;
  field->name = name;
  field->release = release_schema;
}

static void set_array(struct ArrowArray* array, int64_t length, const void** buffers, int64_t n_buffers) {
  memset(array, 0, sizeof(*array));
  array->length = length;
  array->n_buffers = n_buffers;
  array->buffers = buffers;
  array->release = release_array;
}

static int get_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  struct source* from = stream->private_data;
  set_field(out, "+s", "");
  set_field(&from->fields[0], "I", "id");
  set_field(&from->fields[1], "I", "small");
  from->field_pointers[0] = &from->fields[0];
  from->field_pointers[1] = &from->fields[1];
  out->n_children = 2;
  out->children = from->field_pointers;
  return 0;
}

static int get_next(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  struct source* from = stream->private_data;
  memset(out, 0, sizeof(*out));
  if (from->left-- <= 0) {
    return 0;
  }
  set_array(&from->children[0], from->length, from->id, 2);
  set_array(&from->children[1], from->length, from->half, 2);
  from->pointers[0] = &from->children[0];
  from->pointers[1] = &from->children[1];
  set_array(out, from->length, from->top, 1);
  out->n_children = 2;
  out->children = from->pointers;
  return 0;
}

static const char* get_last_error(struct ArrowArrayStream* stream) {
  (void)stream;
  return NULL;
}

static void release_stream(struct ArrowArrayStream* stream) {
  ++((struct source*)stream->private_data)->released;
  stream->release = NULL;
}

static struct ArrowArrayStream stream_of(struct source* from, const uint32_t* id, const uint32_t* small) {
  struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, from};
  memset(from, 0, sizeof(*from));
  from->length = kLength;
  from->left = 2;
  from->id[1] = id;
  from->half[1] = small;
  return stream;
}

static void write_table(const char* path) {
  uint32_t id[kLength];
  uint32_t small[kLength];
  struct source from;
  struct ArrowArrayStream stream;
  uint64_t rows = 0;
  for (uint32_t i = 0; i < kLength; ++i) {
    id[i] = i;
    small[i] = i % 3;
  }
  stream = stream_of(&from, id, small);
  CHECK(bobbin_arrow_write(&stream, path, 1, &rows) == BOBBIN_OK);
  CHECK(rows == 2 * kLength && from.released == 1 && stream.release == NULL);
  stream = stream_of(&from, id, small);
  FAILS(bobbin_arrow_write(&stream, path, 0, NULL), BOBBIN_ERROR_IO, "exists");
  CHECK(from.released == 1);
  stream = stream_of(&from, id, small);
  INVALID(bobbin_arrow_write(&stream, NULL, 0, NULL), "path");
  CHECK(from.released == 1);
  INVALID(bobbin_arrow_write(NULL, path, 0, NULL), "stream");
}

/* Adds up a column of all arrays, and counts the rows. */
static uint64_t sum_of(struct ArrowArrayStream* stream, int64_t column, int64_t* rows) {
  uint64_t sum = 0;
  struct ArrowArray array;
  *rows = 0;
  while (stream->get_next(stream, &array) == 0 && array.release != NULL) {
    const struct ArrowArray* child = array.children[column];
    const uint32_t* values = (const uint32_t*)child->buffers[1] + child->offset;
    for (int64_t i = 0; i < child->length; ++i) {
      sum += values[i];
    }
    *rows += array.length;
    array.release(&array);
  }
  return sum;
}

static void test_scans(const char* path) {
  struct ArrowArrayStream stream;
  bobbin_table_scan scan = kWholeTable;
  const char* const names[1] = {"small"};
  const char* const wrong[1] = {"none"};
  int64_t rows = 0;
  CHECK(bobbin_arrow_table_scan(path, NULL, &stream) == BOBBIN_OK);
  CHECK(sum_of(&stream, 0, &rows) == (uint64_t)kLength * (kLength - 1) && rows == 2 * kLength);
  stream.release(&stream);
  scan.columns = names;
  scan.num_columns = 1;
  scan.where = "id >= 2998 or small = 2";
  scan.limit = 7;
  CHECK(bobbin_arrow_table_scan(path, &scan, &stream) == BOBBIN_OK);
  CHECK(sum_of(&stream, 0, &rows) == 14 && rows == 7);
  stream.release(&stream);
  scan.columns = wrong;
  INVALID(bobbin_arrow_table_scan(path, &scan, &stream), "no such column: \"none\"");
  CHECK(stream.release == NULL);
  scan = kWholeTable;
  scan.where = "id >>";
  INVALID(bobbin_arrow_table_scan(path, &scan, &stream), "");
  scan = kWholeTable;
  scan.size = 3;
  INVALID(bobbin_arrow_table_scan(path, &scan, &stream), "BOBBIN_TABLE_SCAN_INIT");
  FAILS(bobbin_arrow_table_scan("/no/such.bob", NULL, &stream), BOBBIN_ERROR_IO, "/no/such.bob");
  INVALID(bobbin_arrow_table_scan(NULL, NULL, &stream), "path");
  INVALID(bobbin_arrow_table_scan(path, NULL, NULL), "stream");
}

static void test_device_scans(const char* path) {
  struct ArrowDeviceArrayStream stream;
  struct ArrowDeviceArray array;
  struct ArrowSchema schema;
  bobbin_table_scan scan = kWholeTable;
  bobbin_array* encoded = NULL;
  uint32_t value = 0;
  scan.begin = 5;
  scan.limit = 100;
  CHECK(bobbin_arrow_table_scan_on_device(path, &scan, BOBBIN_BACKEND_EMULATOR, &stream) == BOBBIN_OK);
  CHECK(stream.device_type == ARROW_DEVICE_CPU && stream.get_schema(&stream, &schema) == 0);
  CHECK(stream.get_next(&stream, &array) == 0 && array.array.length == 100 && array.sync_event == NULL);
  CHECK(((const uint32_t*)array.array.children[0]->buffers[1])[3] == 8);
  CHECK(bobbin_arrow_encode_on_device(&schema, &array, 1, "ffor", BOBBIN_BACKEND_EMULATOR, NULL, &encoded) ==
        BOBBIN_OK);
  {
    bobbin_array* here = NULL;
    CHECK(bobbin_array_to_host(encoded, BOBBIN_BACKEND_EMULATOR, NULL, &here) == BOBBIN_OK);
    CHECK(bobbin_array_value(here, 3, &value) == BOBBIN_OK && value == 8 % 3);
    bobbin_array_destroy(here);
  }
  bobbin_array_destroy(encoded);
  INVALID(bobbin_arrow_encode_on_device(&schema, &array, 2, "ffor", BOBBIN_BACKEND_EMULATOR, NULL, &encoded),
          "column 2 of 2");
  INVALID(bobbin_arrow_encode_on_device(NULL, &array, 0, NULL, BOBBIN_BACKEND_EMULATOR, NULL, &encoded),
          "schema");
  array.array.release(&array.array);
  CHECK(stream.get_next(&stream, &array) == 0 && array.array.release == NULL);
  schema.release(&schema);
  stream.release(&stream);
  scan.where = "id = 3";
  FAILS(bobbin_arrow_table_scan_on_device(path, &scan, BOBBIN_BACKEND_EMULATOR, &stream),
        BOBBIN_ERROR_UNSUPPORTED, "filters");
  INVALID(bobbin_arrow_table_scan_on_device(path, NULL, BOBBIN_BACKEND_CPU, &stream), "device");
}

/* ---- Partial aggregates ---- */

static void test_partials(const char* path) {
  const char* const keys[1] = {"small"};
  bobbin_partial* low = NULL;
  bobbin_partial* high = NULL;
  bobbin_partial* other = NULL;
  bobbin_bytes* bytes = NULL;
  bobbin_result* result = NULL;
  CHECK(bobbin_partial_of_file(path, "id < 1000", keys, 1, "count(), max(id)", BOBBIN_BACKEND_CPU, &low) ==
        BOBBIN_OK);
  CHECK(bobbin_partial_of_file(path, "id >= 1000", keys, 1, "count(), max(id)", BOBBIN_BACKEND_CPU, &high) ==
        BOBBIN_OK);
  CHECK(bobbin_partial_to_bytes(high, &bytes) == BOBBIN_OK);
  bobbin_partial_destroy(high);
  CHECK(bobbin_partial_from_bytes(bobbin_bytes_data(bytes), bobbin_bytes_size(bytes), &high) == BOBBIN_OK);
  CHECK(bobbin_partial_merge(low, high) == BOBBIN_OK);
  CHECK(bobbin_partial_finish(low, "max(id) desc", 2, &result) == BOBBIN_OK);
  CHECK(bobbin_result_rows(result) == 2 && bobbin_result_columns(result) == 3);
  CHECK(strcmp(bobbin_result_text(result, 0, 0), "2") == 0);
  CHECK(strcmp(bobbin_result_text(result, 0, 1), "2000") == 0);
  CHECK(strcmp(bobbin_result_text(result, 0, 2), "2999") == 0);
  CHECK(bobbin_result_text(result, 2, 0) == NULL && bobbin_result_text(result, 0, 3) == NULL);
  bobbin_result_destroy(result);
  CHECK(bobbin_partial_of_file(path, "id > 5000", NULL, 0, "sum(id), count()", BOBBIN_BACKEND_CPU, &other) ==
        BOBBIN_OK);
  CHECK(bobbin_partial_finish(other, NULL, UINT64_MAX, &result) == BOBBIN_OK);
  CHECK(bobbin_result_text(result, 0, 0) == NULL && strcmp(bobbin_result_text(result, 0, 1), "0") == 0);
  bobbin_result_destroy(result);
  INVALID(bobbin_partial_merge(low, other), "");
  CHECK(bobbin_partial_merge(other, other) == BOBBIN_OK);
  bobbin_partial_destroy(other);
  FAILS(bobbin_partial_from_bytes(bobbin_bytes_data(bytes), bobbin_bytes_size(bytes) - 1, &other),
        BOBBIN_ERROR_CORRUPT, "");
  CHECK(other == NULL);
  INVALID(bobbin_partial_of_file(path, "id <", NULL, 0, "count()", BOBBIN_BACKEND_CPU, &other), "");
  INVALID(bobbin_partial_of_file(path, NULL, NULL, 1, "count()", BOBBIN_BACKEND_CPU, &other), "names");
  INVALID(bobbin_partial_of_file(path, NULL, NULL, 0, NULL, BOBBIN_BACKEND_CPU, &other), "aggregates");
  INVALID(bobbin_partial_finish(NULL, NULL, 1, &result), "null");
  CHECK(bobbin_result_rows(NULL) == 0);
  bobbin_partial_destroy(low);
  bobbin_partial_destroy(high);
  bobbin_partial_destroy(NULL);
  bobbin_result_destroy(NULL);
  bobbin_bytes_destroy(bytes);
}

int main(int count, char** words) {
  const char* path = count > 1 ? words[1] : "capi_tables.bob";
  test_arrays();
  test_wrong_arrays();
  test_batches();
  write_table(path);
  test_scans(path);
  test_partials(path);
  if (BOBBIN_TEST_HAS_EMULATOR) {
    test_arrays_on_a_device();
    test_device_scans(path);
  }
  remove(path);
  printf("%s\n", failures == 0 ? "all as expected" : "FAILED");
  return failures == 0 ? 0 : 1;
}
