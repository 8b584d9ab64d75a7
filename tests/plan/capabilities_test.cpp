// SPDX-License-Identifier: Apache-2.0
// docs/capabilities.md is made from the registry: this test makes the table, and fails if the file differs.
// BOBBIN_CAPABILITIES_OUT=docs/capabilities.md writes a new one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "codecs/registry.hpp"
#include "codecs/smallest.hpp"
#include "plan/column_plan.hpp"
#include "plan/fetch.hpp"
#include "tests/backends.hpp"

namespace bobbin::plan {
namespace {

constexpr const char* kHead = R"(# What each codec can do

This table is made from the registry by a test (`tests/plan/capabilities_test.cpp`), which fails
when it is out of date. *Encoded* means that the operation works on encoded data, *decodes* that it
decodes first. A device is a GPU or the emulator.

On a device, a query (`bobbin/query.hpp`, `bobbin query`) reads a column in one of these ways.
*Packed*: a kernel that is compiled for the query tests and sums packed words. *Staged*: such a
kernel decodes vectors in registers or shared memory, and no value is written to memory. *Decoded*:
the column is decoded to memory first; but a compiled kernel reads `rle` and `sparse` directly if they
have at most one run or position per four rows. Where no kernel is compiled, the general kernel decodes
vectors of packed and staged columns in shared memory. A tree is read in the way of its root, if all
of its children can be read in that way too.

)";

// The result of a codec's own encoder for a few values.
Array some_values(const Codec& codec) {
  const std::vector<double> reals{1.5, 2.25, 3.75, 1.5};
  const std::vector<uint32_t> integers{1, 2, 3, 70000};
  const std::vector<uint32_t> alike(4, 7);
  for (const Values& values : {Values{DType::u32, integers.data(), integers.size()},
                               Values{DType::i32, integers.data(), integers.size()},
                               Values{DType::f64, reals.data(), reals.size()}}) {
    if (can_encode(codec, values)) {
      return *codec.encode(values);
    }
  }
  return *codec.encode({DType::u32, alike.data(), alike.size()});
}

std::string yes(bool is) {
  return is ? "yes" : "-";
}
std::string encoded(bool is) {
  return is ? "encoded" : "decodes";
}

std::vector<std::string> row_of_strings(const Codec& codec) {
  const StringDeviceOps& strings = *device_ops(Backend::emulator, codec.id)->strings;
  // General compression leaves no other way than to decode what is asked for.
  return {std::string(codec.name),
          "strings",
          yes(strings.encode != nullptr),
          yes(strings.decode != nullptr),
          encoded(codec.slice != nullptr),
          encoded(codec.strings->take != nullptr),
          encoded(codec.strings->match != nullptr && !codec.compact_only),
          encoded(strings.match != nullptr && !codec.compact_only),
          encoded(strings.take_bytes != nullptr && !codec.compact_only),
          "a bitmap"};
}

std::vector<std::string> row_of(const Codec& codec) {
  const DeviceOps& device = *device_ops(Backend::emulator, codec.id);
  const Array array = some_values(codec);
  ColumnPlan column;
  std::vector<Dictionary> dictionaries;
  const bool known = make_column(values_of(array), QueryPath::automatic, column, dictionaries);
  const bool packed = known && column.form == ColumnForm::packed;
  return {std::string(codec.name),
          codec.floats_only     ? "floats"
          : codec.signed_only   ? "signed integers"
          : codec.integers_only ? "integers"
                                : "numbers",
          yes(device.encode != nullptr),
          yes(device.decode != nullptr),
          encoded(codec.slice != nullptr),
          encoded(codec.value_at != nullptr),
          encoded(codec.compare != nullptr),
          encoded(device.compare != nullptr || packed),
          encoded(known && can_fetch(column)),
          packed  ? "packed"
          : known ? "staged"
                  : "decoded"};
}

std::string table() {
  std::string text = kHead;
  text +=
      "| codec | for | device encodes | device decodes | slice | one value | compare, CPU | compare, device "
      "| take, device | query, device |\n";
  text += "|---|---|---|---|---|---|---|---|---|---|\n";
  const auto add = [&](const std::vector<std::string>& row) {
    for (const std::string& cell : row) {
      text += "| " + cell + " ";
    }
    text += "|\n";
  };
  for (const Codec* codec : all_codecs()) {
    if (codec->decode != nullptr) {
      add(row_of(*codec));
    }
    if (codec->strings != nullptr) {
      add(row_of_strings(*codec));
    }
  }
  return text;
}

TEST(Capabilities, TheTableInTheDocsIsTheRegistrys) {
  SKIP_WITHOUT_EMULATOR();
  const std::string made = table();
  if (const char* out = std::getenv("BOBBIN_CAPABILITIES_OUT"); out != nullptr) {
    std::ofstream(out) << made;
  }
  std::ifstream file(BOBBIN_SOURCE_DIR "/docs/capabilities.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), made);
}

}  // namespace
}  // namespace bobbin::plan
