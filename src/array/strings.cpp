// SPDX-License-Identifier: Apache-2.0
#include "array/strings.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "codecs/registry.hpp"
#include "core/bits.hpp"
#include "device/backends.hpp"
#include "device/session.hpp"

namespace bobbin::array {
namespace {

Result<const StringOps*> ops_of(CodecId id) {
  const Codec* codec = find_codec(id);
  BOBBIN_RETURN_IF(codec == nullptr || codec->strings == nullptr, StatusCode::invalid_argument,
                   "not a codec for strings");
  return codec->strings;
}

Result<const StringDeviceOps*> device_ops_of(CodecId id, Backend backend) {
  const DeviceOps* ops = device_ops(backend, id);
  if (ops == nullptr) {
    return missing_backend(backend);
  }
  BOBBIN_RETURN_IF(ops->strings == nullptr, StatusCode::invalid_argument, "not a codec for strings");
  return ops->strings;
}

Status check_indices(const Array& array, std::span<const uint64_t> indices) {
  for (const uint64_t index : indices) {
    BOBBIN_RETURN_IF(
        index >= array.length, StatusCode::invalid_argument,
        "string " + std::to_string(index) + ", but the array's length is " + std::to_string(array.length));
  }
  return {};
}

// A word of device memory that kernels set when they find damage.
class Fault {
 public:
  static Result<Fault> create(StreamView stream) {
    BOBBIN_ASSIGN(DeviceBuffer word, DeviceBuffer::create(sizeof(uint32_t), stream));
    BOBBIN_TRY(fill_async(word.data(), 0, sizeof(uint32_t), stream));
    return Fault(std::move(word), stream);
  }
  [[nodiscard]] uint32_t* word() const { return word_.as<uint32_t>(); }
  // Waits for the stream.
  [[nodiscard]] Status check() const {
    uint32_t found = 0;
    BOBBIN_TRY(copy_async(&found, word_.data(), sizeof(found), stream_));
    BOBBIN_TRY(stream_.synchronize());
    return found != 0 ? damaged_strings() : Status();
  }

 private:
  Fault(DeviceBuffer word, StreamView stream) : word_(std::move(word)), stream_(stream) {}

  DeviceBuffer word_;
  StreamView stream_;
};

// Moves an array that passed validate_for() to a device, where its content is checked. Only if that fails
// does the host check it too, for the message.
Result<OnDevice> send_checked(const Array& array, Session& session) {
  BOBBIN_ASSIGN(OnDevice encoded, to_device(array, session));
  if (!checks_content_on_device(array, session.stream().backend())) {
    return encoded;
  }
  BOBBIN_ASSIGN(const Fault fault, Fault::create(session.stream()));
  BOBBIN_TRY(check_content_on_device(encoded.array, nullptr, fault.word(), session.stream()));
  if (Status damage = fault.check(); !damage.ok()) {
    BOBBIN_TRY(validate_content(array));
    return damage;
  }
  return encoded;
}

template <class T>
Result<UnsetVector<T>> fetch(const DeviceBuffer& from, uint64_t count, Session& session) {
  UnsetVector<T> values;
  BOBBIN_TRY(resize(values, count));
  BOBBIN_TRY(session.download(std::as_writable_bytes(std::span(values)), from.data()));
  return values;
}

template <class T>
Result<DeviceBuffer> send(std::span<const T> values, Session& session) {
  BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(values.size_bytes(), session.stream()));
  BOBBIN_TRY(session.upload(buffer.data(), std::as_bytes(values)));
  return buffer;
}

// Widens 32-bit offsets to 64 bits.
UnsetVector<uint64_t> widen(const UnsetVector<uint32_t>& narrow) {
  return {narrow.begin(), narrow.end()};
}

Result<Strings> decode_on_cpu(const Array& array) {
  BOBBIN_ASSIGN(const StringOps* ops, ops_of(array.codec));
  Strings strings{.type = array.type, .offsets = {}, .bytes = {}, .validity = string_validity(array)};
  BOBBIN_TRY(resize(strings.bytes, ops->sizes(array).bytes));
  BOBBIN_TRY(resize(strings.offsets, array.length + 1));
  strings.offsets[0] = 0;
  BOBBIN_TRY(ops->decode(array, {strings.offsets.data() + 1, 0, strings.bytes}));
  return strings;
}

Result<Strings> decode_through_device(const Array& array, Session& session) {
  const StreamView stream = session.stream();
  BOBBIN_ASSIGN(const OnDevice encoded, send_checked(array, session));
  BOBBIN_ASSIGN(const StringsOnDevice decoded, decode_strings_on_device(encoded.array, stream));
  Strings strings{.type = array.type, .offsets = {}, .bytes = {}, .validity = string_validity(array)};
  BOBBIN_ASSIGN(strings.bytes, fetch<uint8_t>(*decoded.bytes, decoded.sizes.bytes, session));
  if (decoded.sizes.wide) {
    BOBBIN_ASSIGN(strings.offsets, fetch<uint64_t>(*decoded.offsets, array.length + 1, session));
  } else {
    BOBBIN_ASSIGN(const auto offsets, fetch<uint32_t>(*decoded.offsets, array.length + 1, session));
    strings.offsets = widen(offsets);
  }
  return strings;
}

Result<Strings> take_through_device(const Array& array, std::span<const uint64_t> indices, Session& session) {
  const StreamView stream = session.stream();
  BOBBIN_ASSIGN(const StringDeviceOps* ops, device_ops_of(array.codec, stream.backend()));
  BOBBIN_ASSIGN(const OnDevice encoded, send_checked(array, session));
  BOBBIN_ASSIGN(const DeviceBuffer wanted, send(indices, session));
  BOBBIN_ASSIGN(const DeviceBuffer offsets,
                DeviceBuffer::create((indices.size() + 1) * sizeof(uint64_t), stream));
  BOBBIN_TRY(ops->take_offsets(encoded.array, wanted.as<uint64_t>(), indices.size(), offsets.as<uint64_t>(),
                               stream));
  Strings strings{.type = array.type, .offsets = {}, .bytes = {}, .validity = {}};
  BOBBIN_ASSIGN(strings.offsets, fetch<uint64_t>(offsets, indices.size() + 1, session));
  BOBBIN_ASSIGN(const DeviceBuffer bytes, DeviceBuffer::create(strings.offsets.back(), stream));
  BOBBIN_ASSIGN(const Fault fault, Fault::create(stream));
  BOBBIN_TRY(ops->take_bytes(encoded.array, wanted.as<uint64_t>(), indices.size(), offsets.as<uint64_t>(),
                             bytes.as<uint8_t>(), fault.word(), stream));
  BOBBIN_TRY(fault.check());
  BOBBIN_ASSIGN(strings.bytes, fetch<uint8_t>(bytes, strings.offsets.back(), session));
  const std::vector<uint8_t> all = string_validity(array);
  if (!all.empty()) {
    strings.validity.resize(ceil_div<uint64_t>(indices.size(), 8));
    for (uint64_t i = 0; i < indices.size(); ++i) {
      const uint32_t there = all[indices[i] / 8] >> (indices[i] % 8) & 1;
      strings.validity[i / 8] = static_cast<uint8_t>(strings.validity[i / 8] | there << (i % 8));
    }
  }
  return strings;
}

Result<Array> encode_through_device(CodecId codec, const StringsView& strings, const Array* previous,
                                    Session& session) {
  const StreamView stream = session.stream();
  BOBBIN_ASSIGN(const StringDeviceOps* ops, device_ops_of(codec, stream.backend()));
  if (ops->encode == nullptr) {
    return find_codec(codec)->strings->encode(strings, previous);
  }
  const uint64_t base = strings.length == 0 ? 0 : strings.offset(0);
  std::vector<uint64_t> rebased(strings.length + 1);
  for (uint64_t i = 0; i < strings.length; ++i) {
    rebased[i + 1] = strings.offset(i + 1) - base;
  }
  BOBBIN_ASSIGN(const DeviceBuffer offsets, send<uint64_t>(rebased, session));
  BOBBIN_ASSIGN(const DeviceBuffer bytes,
                send<uint8_t>({strings.bytes + base, static_cast<size_t>(strings.num_bytes())}, session));
  StringsView view{.type = strings.type,
                   .length = strings.length,
                   .offsets = offsets.data(),
                   .wide = true,
                   .bytes = bytes.as<uint8_t>(),
                   .validity = nullptr};
  const size_t validity_bytes = strings.validity == nullptr ? 0 : ceil_div<uint64_t>(strings.length, 8);
  BOBBIN_ASSIGN(const DeviceBuffer validity, send<uint8_t>({strings.validity, validity_bytes}, session));
  if (strings.validity != nullptr) {
    view.validity = validity.as<uint8_t>();
  }
  BOBBIN_ASSIGN(const Array encoded, ops->encode(view, previous, stream));
  return to_host(encoded, session);
}

Status match_through_device(const Array& array, const StringQuery& query, std::vector<uint32_t>& words,
                            Session& session) {
  const StreamView stream = session.stream();
  BOBBIN_ASSIGN(const StringDeviceOps* ops, device_ops_of(array.codec, stream.backend()));
  BOBBIN_ASSIGN(const OnDevice encoded, send_checked(array, session));
  BOBBIN_ASSIGN(const DeviceBuffer bitmap, DeviceBuffer::create(words.size() * sizeof(uint32_t), stream));
  BOBBIN_ASSIGN(const Fault fault, Fault::create(stream));
  BOBBIN_TRY(ops->match(encoded.array, query, bitmap.as<uint32_t>(), fault.word(), stream));
  BOBBIN_TRY(fault.check());
  return session.download(std::as_writable_bytes(std::span(words)), bitmap.data());
}

Result<StringSizes> sizes_on_device(const Array& array, const StringDeviceOps& ops,
                                    std::optional<uint64_t> num_bytes, StreamView stream) {
  if (ops.sizes != nullptr) {
    return num_bytes.has_value() ? StringSizes::of(*num_bytes) : ops.sizes(array, stream);
  }
  BOBBIN_ASSIGN(const StringOps* host, ops_of(array.codec));
  return host->sizes(array);
}

// From the offsets that taking all strings would produce.
Result<std::vector<uint64_t>> lengths_on_device(const Array& array, Session& session) {
  const StreamView stream = session.stream();
  BOBBIN_ASSIGN(const StringDeviceOps* ops, device_ops_of(array.codec, stream.backend()));
  BOBBIN_ASSIGN(const OnDevice encoded, send_checked(array, session));
  std::vector<uint64_t> all(array.length);
  std::iota(all.begin(), all.end(), uint64_t{0});
  BOBBIN_ASSIGN(const DeviceBuffer indices, send<uint64_t>(all, session));
  BOBBIN_ASSIGN(const DeviceBuffer offsets,
                DeviceBuffer::create((all.size() + 1) * sizeof(uint64_t), stream));
  BOBBIN_TRY(
      ops->take_offsets(encoded.array, indices.as<uint64_t>(), all.size(), offsets.as<uint64_t>(), stream));
  BOBBIN_ASSIGN(const auto ends, fetch<uint64_t>(offsets, all.size() + 1, session));
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = ends[i + 1] - ends[i];
  }
  return all;
}

}  // namespace

Result<StringsOnDevice> start_decoding_strings(const Array& array, std::optional<uint64_t> num_bytes,
                                               uint32_t* fault, StreamView stream, MemoryResource& memory) {
  BOBBIN_ASSIGN(const StringDeviceOps* ops, device_ops_of(array.codec, stream.backend()));
  BOBBIN_ASSIGN(const StringSizes sizes, sizes_on_device(array, *ops, num_bytes, stream));
  StringsOnDevice decoded{.length = array.length, .sizes = sizes, .offsets = {}, .bytes = {}};
  BOBBIN_ASSIGN(DeviceBuffer offsets,
                DeviceBuffer::create((array.length + 1) * (sizes.wide ? 8 : 4), stream, memory));
  BOBBIN_ASSIGN(DeviceBuffer bytes, DeviceBuffer::create(sizes.bytes, stream, memory));
  decoded.offsets = std::make_shared<DeviceBuffer>(std::move(offsets));
  decoded.bytes = std::make_shared<DeviceBuffer>(std::move(bytes));
  BOBBIN_TRY(ops->decode(array, sizes, decoded.out(), fault, stream));
  return decoded;
}

Result<StringsOnDevice> decode_strings_on_device(const Array& array, StreamView stream) {
  BOBBIN_ASSIGN(const Fault fault, Fault::create(stream));
  BOBBIN_ASSIGN(StringsOnDevice decoded,
                start_decoding_strings(array, {}, fault.word(), stream, default_memory(stream.backend())));
  BOBBIN_TRY(fault.check());
  return decoded;
}

Status damaged_strings() {
  return {StatusCode::corrupt, "string codes contradict the array header"};
}

bool checks_content_on_device(const Array& array, Backend backend) {
  const DeviceOps* ops = device_ops(backend, array.codec);
  return ops != nullptr && ops->strings != nullptr && ops->strings->check_content != nullptr;
}

Status validate_for(const Array& array, Backend backend) {
  BOBBIN_TRY(validate_but_content(array));
  return checks_content_on_device(array, backend) ? Status() : validate_content(array);
}

Status check_content_on_device(const Array& array, const void* offsets, uint32_t* fault, StreamView stream) {
  BOBBIN_ASSIGN(const StringDeviceOps* ops, device_ops_of(array.codec, stream.backend()));
  return ops->check_content(array, offsets, fault, stream);
}

std::vector<uint8_t> string_validity(const Array& array) {
  return find_codec(array.codec)->strings->validity(array);
}

Status decode_strings(const Array& array, const HostStringsOut& out) {
  BOBBIN_ASSIGN(const StringOps* ops, ops_of(array.codec));
  return ops->decode(array, out);
}

Result<Strings> decode_strings(const Array& array, Backend backend) {
  if (backend == Backend::cpu) {
    return decode_on_cpu(array);
  }
  BOBBIN_ASSIGN(Session session, Session::borrow(backend));
  return decode_through_device(array, session);
}

Result<Array> encode_strings(CodecId codec, const StringsView& strings, const Array* previous,
                             Backend backend) {
  BOBBIN_RETURN_IF(!is_string(strings.type), StatusCode::invalid_argument, "not a string type");
  if (backend == Backend::cpu) {
    BOBBIN_ASSIGN(const StringOps* ops, ops_of(codec));
    return ops->encode(strings, previous);
  }
  BOBBIN_ASSIGN(Session session, Session::borrow(backend));
  return encode_through_device(codec, strings, previous, session);
}

Result<Strings> take_strings(const Array& array, std::span<const uint64_t> indices, Backend backend) {
  BOBBIN_TRY(check_indices(array, indices));
  if (backend == Backend::cpu) {
    BOBBIN_ASSIGN(const StringOps* ops, ops_of(array.codec));
    Strings strings;
    strings.type = array.type;
    BOBBIN_TRY(ops->take(array, indices, strings));
    return strings;
  }
  BOBBIN_ASSIGN(Session session, Session::borrow(backend));
  return take_through_device(array, indices, session);
}

uint64_t string_bytes(const Array& array) {
  return find_codec(array.codec)->strings->sizes(array).bytes;
}

Result<uint64_t> strings_within(const Array& array, uint64_t begin, uint64_t bytes) {
  constexpr uint64_t kMostAtOnce = uint64_t{1} << 16;
  uint64_t end = begin;
  for (uint64_t step = 1024, total = 0; end < array.length; step = std::min(2 * step, kMostAtOnce)) {
    BOBBIN_ASSIGN(const Array part, slice(array, end, std::min(step, array.length - end)));
    BOBBIN_ASSIGN(const std::vector<uint64_t> lengths, string_lengths(part, Backend::cpu));
    for (const uint64_t length : lengths) {
      total += length;
      if (total > bytes && end > begin) {
        return end - begin;
      }
      ++end;
    }
  }
  return end - begin;
}

Result<std::vector<uint64_t>> string_lengths(const Array& array, Backend backend) {
  if (backend == Backend::cpu) {
    BOBBIN_ASSIGN(const StringOps* ops, ops_of(array.codec));
    return ops->lengths(array);
  }
  BOBBIN_ASSIGN(Session session, Session::borrow(backend));
  return lengths_on_device(array, session);
}

Result<Bitmap> match_strings(const Array& array, const StringQuery& query, Backend backend) {
  Bitmap bitmap{.words = {}, .first = 0, .length = array.length};
  bitmap.words.resize(ceil_div<uint64_t>(array.length, 32));
  if (backend == Backend::cpu) {
    BOBBIN_ASSIGN(const StringOps* ops, ops_of(array.codec));
    BOBBIN_TRY(ops->match(array, query, bitmap.words.data()));
    return bitmap;
  }
  BOBBIN_ASSIGN(Session session, Session::borrow(backend));
  BOBBIN_TRY(match_through_device(array, query, bitmap.words, session));
  return bitmap;
}

Bitmap present_strings(const Array& array) {
  Bitmap bitmap{.words = {}, .first = 0, .length = array.length};
  bitmap.words.resize(ceil_div<uint64_t>(array.length, 32), ~0U);
  const std::vector<uint8_t> bits = string_validity(array);
  for (uint64_t i = 0; i < (bits.empty() ? 0 : array.length); ++i) {
    if ((bits[i / 8] >> (i % 8) & 1) == 0) {
      bitmap.words[i / 32] &= ~(1U << (i % 32));
    }
  }
  if (array.length % 32 != 0) {
    bitmap.words.back() &= low_mask<uint32_t>(static_cast<uint32_t>(array.length % 32));
  }
  return bitmap;
}

}  // namespace bobbin::array
