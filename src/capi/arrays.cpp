// SPDX-License-Identifier: Apache-2.0
// Encoded arrays and batches in the C interface.
#include <cstring>
#include <span>

#include "capi/objects.hpp"

namespace bobbin::capi {
namespace {

static_assert(BOBBIN_EQUAL == static_cast<uint32_t>(Compare::eq));
static_assert(BOBBIN_NOT_EQUAL == static_cast<uint32_t>(Compare::ne));
static_assert(BOBBIN_LESS == static_cast<uint32_t>(Compare::lt));
static_assert(BOBBIN_LESS_OR_EQUAL == static_cast<uint32_t>(Compare::le));
static_assert(BOBBIN_GREATER == static_cast<uint32_t>(Compare::gt));
static_assert(BOBBIN_GREATER_OR_EQUAL == static_cast<uint32_t>(Compare::ge));

constexpr const char* kArray = "the array";
constexpr const char* kBatch = "the batch";

Result<DType> to_type(bobbin_dtype type) {
  return to_enum(type, DType::u8, DType::f64, "value type");
}

uint64_t value_bytes(const EncodedArray& array) {
  return array.length() * size_bytes(array.type());
}

uint64_t value_bytes(const EncodedBatch& batch) {
  return batch.offsets().back() * size_bytes(batch.type());
}

Status compare(const EncodedArray& array, bobbin_compare op, const void* constant, uint8_t* bits,
               size_t bits_bytes) {
  BOBBIN_TRY(check_given(constant, "the constant"));
  BOBBIN_ASSIGN(const Compare by, to_enum(op, Compare::eq, Compare::ge, "comparison"));
  BOBBIN_TRY(check_size(bits_bytes, (array.length() + 7) / 8));
  BOBBIN_ASSIGN(const auto out, to_output(bits, bits_bytes));
  BOBBIN_ASSIGN(const auto found, array.compare(by, scalar_at(array.type(), constant, 0)));
  if (!found.empty()) {
    std::memcpy(out.data(), found.data(), found.size());
  }
  return {};
}

}  // namespace
}  // namespace bobbin::capi

using namespace bobbin;

// ---- Bytes ----

const void* bobbin_bytes_data(const bobbin_bytes* bytes) {
  return bytes == nullptr ? nullptr : bytes->bytes.data();
}

size_t bobbin_bytes_size(const bobbin_bytes* bytes) {
  return bytes == nullptr ? 0 : bytes->bytes.size();
}

void bobbin_bytes_destroy(bobbin_bytes* bytes) {
  const std::unique_ptr<bobbin_bytes> owner(bytes);
}

// ---- Arrays ----

bobbin_status bobbin_array_encode(bobbin_dtype type, const void* values, uint64_t length, const char* codec,
                                  bobbin_backend backend, bobbin_array** array) {
  return capi::guarded_maker(array, [&]() -> Result<bobbin_array*> {
    BOBBIN_ASSIGN(const DType kind, capi::to_type(type));
    BOBBIN_ASSIGN(const Backend where, capi::to_enum(backend, Backend::cpu, Backend::emulator, "backend"));
    BOBBIN_ASSIGN(const auto cascade, capi::to_cascade(codec));
    BOBBIN_ASSIGN(EncodedArray made, EncodedArray::encode(kind, values, length, cascade, where));
    return capi::handed_over(std::move(made));
  });
}

void bobbin_array_destroy(bobbin_array* array) {
  const std::unique_ptr<bobbin_array> owner(array);
}

bobbin_dtype bobbin_array_type(const bobbin_array* array) {
  return array == nullptr ? 0 : static_cast<bobbin_dtype>(array->array.type());
}

uint64_t bobbin_array_length(const bobbin_array* array) {
  return array == nullptr ? 0 : array->array.length();
}

uint64_t bobbin_array_encoded_bytes(const bobbin_array* array) {
  return array == nullptr ? 0 : array->array.encoded_bytes();
}

const char* bobbin_array_codec(const bobbin_array* array) {
  return array == nullptr ? "" : array->codec.c_str();
}

bobbin_status bobbin_array_decode(const bobbin_array* array, void* out, size_t out_bytes,
                                  bobbin_backend backend) {
  return capi::guarded([&]() -> Status {
    BOBBIN_TRY(capi::check_given(array, capi::kArray));
    BOBBIN_ASSIGN(const Backend where, capi::to_enum(backend, Backend::cpu, Backend::emulator, "backend"));
    BOBBIN_ASSIGN(const auto to, capi::to_output(out, out_bytes));
    return array->array.decode(to, where);
  });
}

bobbin_status bobbin_array_slice(const bobbin_array* array, uint64_t begin, uint64_t length,
                                 bobbin_array** part) {
  return capi::guarded_maker(part, [&]() -> Result<bobbin_array*> {
    BOBBIN_TRY(capi::check_given(array, capi::kArray));
    BOBBIN_ASSIGN(EncodedArray made, array->array.slice(begin, length));
    return capi::handed_over(std::move(made));
  });
}

bobbin_status bobbin_array_value(const bobbin_array* array, uint64_t index, void* value) {
  return capi::guarded([&]() -> Status {
    BOBBIN_TRY(capi::check_given(array, capi::kArray));
    BOBBIN_TRY(capi::check_given(value, "the value"));
    BOBBIN_ASSIGN(const Scalar found, array->array.value_at(index));
    std::memcpy(value, &found.bits, size_bytes(array->array.type()));
    return {};
  });
}

bobbin_status bobbin_array_take(const bobbin_array* array, const uint64_t* indices, uint64_t count, void* out,
                                size_t out_bytes) {
  return capi::guarded([&]() -> Status {
    BOBBIN_TRY(capi::check_given(array, capi::kArray));
    BOBBIN_RETURN_IF(indices == nullptr && count > 0, StatusCode::invalid_argument, "the indices are null");
    const uint64_t size = size_bytes(array->array.type());
    BOBBIN_RETURN_IF(out_bytes / size != count || out_bytes % size != 0, StatusCode::invalid_argument,
                     "the output has another size than the values");
    for (uint64_t i = 0; i < count; ++i) {
      BOBBIN_RETURN_IF(
          indices[i] >= array->array.length(), StatusCode::invalid_argument,
          "index " + std::to_string(indices[i]) + " of " + std::to_string(array->array.length()) + " values");
    }
    BOBBIN_ASSIGN(const auto to, capi::to_output(out, out_bytes));
    return array->array.take({indices, count}, to);
  });
}

bobbin_status bobbin_array_compare(const bobbin_array* array, bobbin_compare op, const void* constant,
                                   uint8_t* bits, size_t bits_bytes) {
  return capi::guarded([&]() -> Status {
    BOBBIN_TRY(capi::check_given(array, capi::kArray));
    return capi::compare(array->array, op, constant, bits, bits_bytes);
  });
}

bobbin_status bobbin_array_to_bytes(const bobbin_array* array, bobbin_bytes** bytes) {
  return capi::guarded_maker(bytes, [&]() -> Result<bobbin_bytes*> {
    BOBBIN_TRY(capi::check_given(array, capi::kArray));
    BOBBIN_ASSIGN(auto made, array->array.to_bytes());
    return capi::handed_over(std::move(made));
  });
}

bobbin_status bobbin_array_from_bytes(const void* bytes, size_t size, uint64_t max_length,
                                      bobbin_array** array) {
  return capi::guarded_maker(array, [&]() -> Result<bobbin_array*> {
    BOBBIN_ASSIGN(const auto in, capi::to_bytes(bytes, size));
    BOBBIN_ASSIGN(EncodedArray made, EncodedArray::from_bytes(in, max_length));
    return capi::handed_over(std::move(made));
  });
}

bobbin_status bobbin_array_encode_on_device(bobbin_dtype type, const void* values, uint64_t length,
                                            const char* codec, bobbin_backend backend, void* cuda_stream,
                                            bobbin_array** array) {
  return capi::guarded_maker(array, [&]() -> Result<bobbin_array*> {
    BOBBIN_ASSIGN(const DType kind, capi::to_type(type));
    BOBBIN_ASSIGN(const StreamView stream, capi::to_device_stream(backend, cuda_stream));
    BOBBIN_ASSIGN(EncodedArray made, EncodedArray::encode_on_device(codec == nullptr ? "" : codec, kind,
                                                                    values, length, stream));
    return capi::handed_over(std::move(made));
  });
}

bobbin_status bobbin_array_to_device(const bobbin_array* array, bobbin_backend backend, void* cuda_stream,
                                     bobbin_array** copy) {
  return capi::guarded_maker(copy, [&]() -> Result<bobbin_array*> {
    BOBBIN_TRY(capi::check_given(array, capi::kArray));
    BOBBIN_ASSIGN(const StreamView stream, capi::to_device_stream(backend, cuda_stream));
    BOBBIN_ASSIGN(EncodedArray made, array->array.to_device(stream));
    return capi::handed_over(std::move(made));
  });
}

bobbin_status bobbin_array_to_host(const bobbin_array* array, bobbin_backend backend, void* cuda_stream,
                                   bobbin_array** copy) {
  return capi::guarded_maker(copy, [&]() -> Result<bobbin_array*> {
    BOBBIN_TRY(capi::check_given(array, capi::kArray));
    BOBBIN_ASSIGN(const StreamView stream, capi::to_device_stream(backend, cuda_stream));
    BOBBIN_ASSIGN(EncodedArray made, array->array.to_host(stream));
    return capi::handed_over(std::move(made));
  });
}

bobbin_status bobbin_array_decode_on_device(const bobbin_array* array, void* out, size_t out_bytes,
                                            bobbin_backend backend, void* cuda_stream) {
  return capi::guarded([&]() -> Status {
    BOBBIN_TRY(capi::check_given(array, capi::kArray));
    BOBBIN_ASSIGN(const StreamView stream, capi::to_device_stream(backend, cuda_stream));
    BOBBIN_TRY(capi::check_size(out_bytes, capi::value_bytes(array->array)));
    BOBBIN_ASSIGN(const auto to, capi::to_output(out, out_bytes));
    return array->array.decode_on_device(to.data(), stream);
  });
}

// ---- Batches ----

bobbin_status bobbin_batch_encode(bobbin_dtype type, const void* values, const uint64_t* offsets,
                                  size_t count, const char* codec, uint32_t threads, bobbin_batch** batch) {
  return capi::guarded_maker(batch, [&]() -> Result<bobbin_batch*> {
    BOBBIN_ASSIGN(const DType kind, capi::to_type(type));
    BOBBIN_TRY(capi::check_given(offsets, "the list of offsets"));
    BOBBIN_RETURN_IF(count == SIZE_MAX, StatusCode::invalid_argument, "too many arrays");
    BOBBIN_RETURN_IF(values == nullptr && offsets[count] > 0, StatusCode::invalid_argument,
                     "there are no values");
    BOBBIN_ASSIGN(const auto cascade, capi::to_cascade(codec));
    BOBBIN_ASSIGN(EncodedBatch made,
                  EncodedBatch::encode(kind, values, {offsets, count + 1}, cascade, threads));
    return capi::handed_over(std::move(made));
  });
}

void bobbin_batch_destroy(bobbin_batch* batch) {
  const std::unique_ptr<bobbin_batch> owner(batch);
}

bobbin_dtype bobbin_batch_type(const bobbin_batch* batch) {
  return batch == nullptr ? 0 : static_cast<bobbin_dtype>(batch->batch.type());
}

size_t bobbin_batch_size(const bobbin_batch* batch) {
  return batch == nullptr ? 0 : batch->batch.size();
}

const uint64_t* bobbin_batch_offsets(const bobbin_batch* batch) {
  return batch == nullptr ? nullptr : batch->batch.offsets().data();
}

uint64_t bobbin_batch_encoded_bytes(const bobbin_batch* batch) {
  return batch == nullptr ? 0 : batch->batch.encoded_bytes();
}

bobbin_status bobbin_batch_array(const bobbin_batch* batch, size_t index, bobbin_array** array) {
  return capi::guarded_maker(array, [&]() -> Result<bobbin_array*> {
    BOBBIN_TRY(capi::check_given(batch, capi::kBatch));
    BOBBIN_ASSIGN(EncodedArray made, batch->batch.array(index));
    return capi::handed_over(std::move(made));
  });
}

bobbin_status bobbin_batch_decode(const bobbin_batch* batch, void* out, size_t out_bytes, uint32_t threads) {
  return capi::guarded([&]() -> Status {
    BOBBIN_TRY(capi::check_given(batch, capi::kBatch));
    BOBBIN_ASSIGN(const auto to, capi::to_output(out, out_bytes));
    return batch->batch.decode(to, threads);
  });
}

bobbin_status bobbin_batch_to_bytes(const bobbin_batch* batch, bobbin_bytes** bytes) {
  return capi::guarded_maker(bytes, [&]() -> Result<bobbin_bytes*> {
    BOBBIN_TRY(capi::check_given(batch, capi::kBatch));
    BOBBIN_ASSIGN(auto made, batch->batch.to_bytes());
    return capi::handed_over(std::move(made));
  });
}

bobbin_status bobbin_batch_from_bytes(const void* bytes, size_t size, uint64_t max_length,
                                      bobbin_batch** batch) {
  return capi::guarded_maker(batch, [&]() -> Result<bobbin_batch*> {
    BOBBIN_ASSIGN(const auto in, capi::to_bytes(bytes, size));
    BOBBIN_ASSIGN(EncodedBatch made, EncodedBatch::from_bytes(in, max_length));
    return capi::handed_over(std::move(made));
  });
}

bobbin_status bobbin_batch_to_device(const bobbin_batch* batch, bobbin_backend backend, void* cuda_stream,
                                     bobbin_batch** copy) {
  return capi::guarded_maker(copy, [&]() -> Result<bobbin_batch*> {
    BOBBIN_TRY(capi::check_given(batch, capi::kBatch));
    BOBBIN_ASSIGN(const StreamView stream, capi::to_device_stream(backend, cuda_stream));
    BOBBIN_ASSIGN(EncodedBatch made, batch->batch.to_device(stream));
    return capi::handed_over(std::move(made));
  });
}

bobbin_status bobbin_batch_decode_on_device(const bobbin_batch* batch, void* out, size_t out_bytes,
                                            bobbin_backend backend, void* cuda_stream) {
  return capi::guarded([&]() -> Status {
    BOBBIN_TRY(capi::check_given(batch, capi::kBatch));
    BOBBIN_ASSIGN(const StreamView stream, capi::to_device_stream(backend, cuda_stream));
    BOBBIN_TRY(capi::check_size(out_bytes, capi::value_bytes(batch->batch)));
    BOBBIN_ASSIGN(const auto to, capi::to_output(out, out_bytes));
    return batch->batch.decode_on_device(to.data(), stream);
  });
}
