// SPDX-License-Identifier: Apache-2.0
#include "query/value_ids.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "codecs/dict/dict.hpp"
#include "core/scalar.hpp"
#include "plan/column_plan.hpp"
#include "query/value.hpp"

namespace bobbin::query {
namespace {

// Maps values that count as equal to one of them.
template <class T>
T canonical(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value + T{0};  // -0.0 + 0.0 is 0.0
  } else {
    return value;
  }
}

constexpr uint32_t kUnknown = UINT32_MAX;  // the id of an entry that was not looked up yet

// Mixes all bits of a key into the low ones.
uint64_t mix(uint64_t key) {
  key = (key ^ key >> 32) * 0x9e37'79b9'7f4a'7c15;
  key = (key ^ key >> 29) * 0xbf58'476d'1ce4'e5b9;
  return key ^ key >> 32;
}

}  // namespace

size_t KeyIds::find_slot(uint64_t key) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = mix(key) & mask;
  while (slots_[slot] != 0 && keys_[slots_[slot] - 1] != key) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void KeyIds::grow() {
  slots_.assign(2 * slots_.size(), 0);
  for (size_t id = 0; id < keys_.size(); ++id) {
    slots_[find_slot(keys_[id])] = static_cast<uint32_t>(id + 1);
  }
}

uint32_t KeyIds::id_of(uint64_t key) {
  size_t slot = find_slot(key);
  if (slots_[slot] == 0) {
    if (2 * (keys_.size() + 1) > slots_.size()) {
      grow();
      slot = find_slot(key);
    }
    keys_.push_back(key);
    slots_[slot] = static_cast<uint32_t>(keys_.size());
  }
  return slots_[slot] - 1;
}

uint32_t ValueIds::id_of(Scalar value) {
  return visit_type(column_.type, [&]<class T>(std::type_identity<T>) {
    return 1 + numbers_.id_of(scalar_of(canonical(value_of<T>(value))).bits);
  });
}

uint32_t ValueIds::id_of(std::string_view text) {
  const auto found = strings_.find(text);
  if (found != strings_.end()) {
    return found->second;
  }
  const auto id = static_cast<uint32_t>(1 + texts_.size());
  texts_.push_back(&strings_.emplace(text, id).first->first);
  return id;
}

uint32_t ValueIds::id_at(const DecodedColumn& values, uint64_t row) {
  return values.is_null(row)       ? kNull
         : is_string(column_.type) ? id_of(values.text(row))
                                   : id_of(values.scalar(row));
}

Value ValueIds::value(uint32_t id) const {
  return id == kNull               ? Value()
         : is_string(column_.type) ? Value::of_text(*texts_[id - 1])
                                   : to_value(column_, Scalar{numbers_.key(id - 1)});
}

Result<std::vector<uint32_t>> ValueIds::ids_of_codes(SelectedRows& rows, const Array& array) {
  const Array& values = plan::values_of(array);
  BOBBIN_ASSIGN(const DecodedColumn codes, DecodedColumn::of(codec::dict::codes_of(values)));
  BOBBIN_ASSIGN(const DecodedColumn entries, DecodedColumn::of(codec::dict::dictionary_of(values)));
  array::Bitmap validity;
  if (array::has_nulls(array)) {
    BOBBIN_ASSIGN(validity, array::validity(array));
  }
  std::vector<uint32_t> known(entries.length(), kUnknown);
  std::vector<uint32_t> ids;
  ids.reserve(rows.rows().size());
  codec::dict::visit_codes(codes.type(), [&]<class Code>(std::type_identity<Code>) {
    const Code last = codec::dict::last_code<Code>(entries.length());
    for (const uint64_t selected : rows.rows()) {
      const uint64_t row = selected - rows.piece().begin;
      if (!validity.words.empty() && !validity.at(row)) {
        ids.push_back(kNull);
        continue;
      }
      const Code code = std::min(codes.number<Code>(row), last);
      uint32_t& id = known[code];
      id = id == kUnknown ? id_at(entries, code) : id;
      ids.push_back(id);
    }
  });
  return ids;
}

Result<std::vector<uint32_t>> ValueIds::ids_of_strings(SelectedRows& rows, uint32_t column) {
  BOBBIN_ASSIGN(const SelectedColumn selected, rows.column(column));
  const DecodedColumn& values = *selected.values;
  const StringEntries* const entries = values.entries();
  std::vector<uint32_t> known(entries != nullptr ? entries->length() : 0, kUnknown);
  std::vector<uint32_t> ids;
  ids.reserve(rows.rows().size());
  for (size_t i = 0; i < rows.rows().size(); ++i) {
    const uint64_t place = selected.place(i);
    if (entries == nullptr) {
      ids.push_back(id_at(values, place));
      continue;
    }
    uint32_t& id = known[values.entry(place)];
    id = id == kUnknown ? id_at(values, place) : id;
    ids.push_back(id);
  }
  return ids;
}

Result<std::vector<uint32_t>> ValueIds::ids_of(SelectedRows& rows, uint32_t column) {
  if (is_string(column_.type)) {
    return ids_of_strings(rows, column);
  }
  BOBBIN_ASSIGN(const Array array, rows.load(column));
  const Array& values = plan::values_of(array);
  if (values.codec == CodecId::dict && values.length != 0 &&
      !codec::dict::is_few(rows.rows().size(), codec::dict::dictionary_of(values).length)) {
    return ids_of_codes(rows, array);
  }
  BOBBIN_ASSIGN(const SelectedColumn selected, rows.column(column));
  std::vector<uint32_t> ids;
  ids.reserve(rows.rows().size());
  for (size_t i = 0; i < rows.rows().size(); ++i) {
    ids.push_back(id_at(*selected.values, selected.place(i)));
  }
  return ids;
}

}  // namespace bobbin::query
