// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "codecs/dict/dict.hpp"
#include "codecs/dict/stream.hpp"
#include "codecs/nesting.hpp"
#include "codecs/shape.hpp"
#include "core/dispatch.hpp"
#include "core/scalar.hpp"
#include "core/stream_copy.hpp"

namespace bobbin::codec::dict {
namespace {

// The sum must not wrap around.
Status check_strings(const Array& array) {
  const Array& dictionary = dictionary_of(array);
  if (auto fault = nesting_fault(array, array.type); fault.has_value()) {
    return {StatusCode::corrupt, std::move(*fault)};
  }
  const Codec* codec = find_codec(dictionary.codec);
  BOBBIN_RETURN_IF(codec == nullptr || codec->strings == nullptr, StatusCode::corrupt,
                   "dict: the entries' codec does not support strings");
  BOBBIN_TRY(validate_node(dictionary));
  const uint64_t most = array.length == 0 ? UINT64_MAX : uint64_t{INT64_MAX} / array.length;
  BOBBIN_RETURN_IF(codec->strings->sizes(dictionary).bytes > most, StatusCode::corrupt,
                   "dict: total string size too large");
  return {};
}

// For a dictionary that is not worth decoding.
template <class T>
void decode_few(const Array& array, T* out) {
  const Array& dictionary = dictionary_of(array);
  const Codec& codec = *find_codec(dictionary.codec);
  for_each_entry(array, [&](uint64_t i, uint64_t entry) {
    out[i] = static_cast<T>(codec.value_at(dictionary, entry).bits);
  });
}

// Decodes the entries. For one-byte codes they are padded to 256 with the last one, so that no code needs a
// check.
template <class T, class Code>
UnsetVector<T> decode_entries(const Array& dictionary) {
  UnsetVector<T> entries(dictionary.length);
  find_codec(dictionary.codec)->decode(dictionary, entries.data());
  if constexpr (sizeof(Code) == 1) {
    entries.resize(std::max<size_t>(entries.size(), 256), entries.back());
  }
  return entries;
}

// Whether no code needs clamping to the last entry.
template <class Code>
bool all_have_entries(std::span<const Code> codes, size_t entries) {
  Code greatest = 0;
  for (const Code code : codes) {
    greatest = std::max(greatest, code);
  }
  return greatest < entries;
}

template <class T, class Code>
void look_up(std::span<const Code> codes, const UnsetVector<T>& entries, T* out) {
  if (sizeof(Code) == 1 || all_have_entries(codes, entries.size())) {
    for (size_t k = 0; k < codes.size(); ++k) {
      out[k] = entries[codes[k]];
    }
    return;
  }
  const Code last = last_code<Code>(entries.size());
  for (size_t k = 0; k < codes.size(); ++k) {
    out[k] = entries[std::min(codes[k], last)];
  }
}

template <class T, class Code>
void decode_all(const Array& array, T* out) {
  const UnsetVector<T> entries = decode_entries<T, Code>(dictionary_of(array));
  const bool stream = array.length * sizeof(T) >= kStreamBytes;
  UnsetVector<T> batch(stream ? kBatchRows : 0);
  for_each_batch<Code>(codes_of(array), [&](uint64_t first, std::span<const Code> codes) {
    look_up(codes, entries, stream ? batch.data() : out + first);
    if (stream) {
      copy_past_caches(out + first, batch.data(), codes.size() * sizeof(T));
    }
  });
  if (stream) {
    end_copies_past_caches();
  }
}

}  // namespace

std::string describe(const Array& array) {
  return array.children.size() == 2 ? std::to_string(dictionary_of(array).length) + " entries" : "damaged";
}

Status validate(const Array& array) {
  BOBBIN_RETURN_IF(dictionary_of(array).length == 0 && array.length != 0, StatusCode::corrupt,
                   "dict: " + std::to_string(array.length) + " rows but no entries");
  return is_string(array.type) ? check_strings(array) : Status{};
}

void decode(const Array& array, void* out) {
  if (array.length == 0) {
    return;
  }
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    auto* const to = static_cast<T*>(out);
    if (is_few(array.length, dictionary_of(array).length)) {
      decode_few(array, to);
      return;
    }
    visit_codes(codes_of(array).type,
                [&]<class Code>(std::type_identity<Code>) { decode_all<T, Code>(array, to); });
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  const Array& codes = codes_of(array);
  const Array& dictionary = dictionary_of(array);
  const uint64_t code = find_codec(codes.codec)->value_at(codes, index).bits;
  return find_codec(dictionary.codec)->value_at(dictionary, std::min(code, dictionary.length - 1));
}

}  // namespace bobbin::codec::dict
