// SPDX-License-Identifier: Apache-2.0
#include "cli/why.hpp"

#include <fmt/format.h>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "cli/format.hpp"
#include "codecs/masked/masked.hpp"
#include "file/access.hpp"
#include "file/nulls.hpp"
#include "file/text.hpp"
#include "select/select.hpp"

namespace bobbin::cli {
namespace {

void print_head(const select::Choice& choice, bool numbers) {
  print(fmt::format("    {}, {} sampled{}\n", count(choice.rows, "row"), choice.sampled,
                    numbers ? ", " + count(choice.runs, "run") + " of equal values" : ""));
}

// `encode` gives the array that a cascade makes of all values. A candidate leaves codecs open that encoding
// decides, so what it became is compared with the file, and not its own text.
template <class Encode>
void print_candidates(const select::Choice& choice, const select::Cascade& in_file, Encode&& encode) {
  bool found = false;
  for (const select::Candidate& candidate : choice.candidates) {
    const Result<Array> array = encode(candidate.cascade);
    const bool taken = !found && array.has_value() && select::cascade_of(*array) == in_file;
    found = found || taken;
    const std::string measured =
        array.has_value() ? fmt::format("{:>10}", array::encoded_bytes(*array)) : "    cannot";
    print(fmt::format("  {} expected {:>10}, measured {}, GPU cost {:.2f}  {}\n", taken ? "*" : " ",
                      candidate.bytes, measured, candidate.cost, select::to_string(candidate.cascade)));
  }
  if (!found) {
    print(fmt::format("  * not among these: {}\n", select::to_string(in_file)));
  }
}

Status explain_strings(const Array& array) {
  BOBBIN_ASSIGN(const Strings strings, array::decode_strings(array, Backend::cpu));
  const select::Choice choice = select::choose_strings(strings.view(), Goal{});
  print_head(choice, false);
  print_candidates(choice, select::cascade_of(array), [&](const select::Cascade& cascade) {
    return select::encode_strings(cascade, strings.view(), nullptr, Backend::cpu);
  });
  return {};
}

// The values as the writer saw them: nulls take the value before them.
Status explain_numbers(const Array& array) {
  const NewBuffer buffer = make_buffer(array.length * size_bytes(array.type));
  const std::span<std::byte> bytes(buffer.data, buffer.buffer.bytes.size());
  BOBBIN_TRY(array::decode(array, bytes));
  const bool nulls = array::has_nulls(array);
  if (nulls) {
    BOBBIN_ASSIGN(const array::Bitmap validity, array::validity(array));
    file::fill_nulls(array.type, bytes,
                     {reinterpret_cast<const uint8_t*>(validity.words.data()), validity.first});
  }
  const Values values{array.type, buffer.data, array.length};
  const select::Choice choice = select::choose(values, Goal{});
  print_head(choice, true);
  const Array& encoded = nulls ? codec::masked::values_of(array) : array;
  print_candidates(choice, select::cascade_of(encoded), [&](const select::Cascade& cascade) {
    return select::encode(cascade, values, Backend::cpu);
  });
  return {};
}

}  // namespace

Status print_why(const OpenReader& file) {
  const Reader& reader = file.reader;
  print("\nwhy: bytes without padding; * is what the file has; a GPU cost of 1 is a copy\n");
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    for (size_t column = 0; column < reader.columns().size(); ++column) {
      print(
          fmt::format("  column {}, row group {}:\n", file::printable(reader.columns()[column].name), group));
      BOBBIN_ASSIGN(const Array array, file::ReaderAccess::load_chunk(reader, group, column));
      BOBBIN_TRY(is_string(array.type) ? explain_strings(array) : explain_numbers(array));
    }
  }
  return {};
}

}  // namespace bobbin::cli
