// SPDX-License-Identifier: Apache-2.0
// Arrow structures made by hand, as any program may make them, and owners for exported ones.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "bobbin/arrow.hpp"
#include "tests/file/support.hpp"

namespace bobbin::interop_tests {

// Releases what a test received.
template <class T>
struct Received {
  T held{};

  Received() = default;
  Received(const Received&) = delete;
  Received& operator=(const Received&) = delete;
  ~Received() { reset(); }

  void reset() {
    if (held.release != nullptr) {
      held.release(&held);
    }
  }
};

// An array of another program. Its memory is the test's: release only marks it as released, and counts.
struct Made {
  std::vector<const void*> buffers;
  std::vector<ArrowArray*> children;
  ArrowArray array{};

  static void release(ArrowArray* array) {
    ++*static_cast<int*>(array->private_data);
    array->release = nullptr;
  }

  Made(int64_t length, std::vector<const void*> lists, int* released, std::vector<ArrowArray*> inner = {})
      : buffers(std::move(lists)), children(std::move(inner)) {
    array = {.length = length,
             .null_count = -1,
             .offset = 0,
             .n_buffers = static_cast<int64_t>(buffers.size()),
             .n_children = static_cast<int64_t>(children.size()),
             .buffers = buffers.data(),
             .children = children.data(),
             .dictionary = nullptr,
             .release = release,
             .private_data = released};
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
};

// A schema of another program: a struct of fields.
class MadeSchema {
 public:
  MadeSchema() { top_ = structure("+s", ""); }
  MadeSchema(const MadeSchema&) = delete;
  MadeSchema& operator=(const MadeSchema&) = delete;

  ArrowSchema& add(const char* name, const char* format, int64_t flags = ARROW_FLAG_NULLABLE) {
    fields_.push_back(structure(format, name));
    fields_.back().flags = flags;
    pointers_.push_back(&fields_.back());
    top_.n_children = static_cast<int64_t>(pointers_.size());
    top_.children = pointers_.data();
    return fields_.back();
  }
  [[nodiscard]] ArrowSchema& top() { return top_; }

  static ArrowSchema structure(const char* format, const char* name) {
    ArrowSchema schema{};
    schema.format = format;
    schema.name = name;
    schema.release = [](ArrowSchema* self) { self->release = nullptr; };
    return schema;
  }

 private:
  std::list<ArrowSchema> fields_;
  std::vector<ArrowSchema*> pointers_;
  ArrowSchema top_{};
};

// One column of an array of another program, imported.
struct Imported {
  std::unique_ptr<arrow::Importer> importer;
  std::unique_ptr<arrow::ImportedBatch> batch;
  Status status;

  [[nodiscard]] const ColumnView& column() const { return batch->columns()[0]; }
  template <class T>
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> made(column().length());
    if (!made.empty()) {
      std::memcpy(made.data(), column().values(), made.size() * sizeof(T));
    }
    return made;
  }
  // "-" for a null.
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> made;
    const StringsView& strings = column().strings();
    for (uint64_t i = 0; i < strings.length; ++i) {
      const auto bytes = strings.string(i);
      made.emplace_back(strings.is_null(i) ? "-" : std::string(bytes.begin(), bytes.end()));
    }
    return made;
  }
  [[nodiscard]] bool is_null(uint64_t i) const {
    const uint8_t* const bits = column().validity();
    return bits != nullptr && (bits[i / 8] >> (i % 8) & 1) == 0;
  }
};

inline Imported import_all(ArrowSchema& schema, const ArrowArray& array) {
  Imported made;
  auto importer = arrow::Importer::create(schema);
  made.status = importer.error();
  if (!importer.has_value()) {
    return made;
  }
  made.importer = std::make_unique<arrow::Importer>(*std::move(importer));
  auto batch = made.importer->import(array);
  made.status = batch.error();
  if (batch.has_value()) {
    made.batch = std::make_unique<arrow::ImportedBatch>(*std::move(batch));
  }
  return made;
}

// Imports the column from row `skip` of the struct on.
inline Imported import_column(const char* format, Made& column, int64_t skip = 0,
                              ArrowSchema* dictionary = nullptr) {
  MadeSchema schema;
  schema.add("x", format).dictionary = dictionary;
  int released = 0;
  Made top(std::max<int64_t>(0, column.array.length - skip), {nullptr}, &released, {&column.array});
  top.array.offset = skip;
  return import_all(schema.top(), top.array);
}

}  // namespace bobbin::interop_tests
