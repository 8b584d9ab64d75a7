// SPDX-License-Identifier: Apache-2.0
// CSV to .bob and back, in C++. usage: bobbin-csv-example IN.csv OUT.bob AGAIN.csv
#include <array>
#include <cstdio>
#include <cstdlib>

#include "bobbin/bobbin.hpp"

namespace {

using namespace bobbin;

// Types are inferred from all values, except where the schema gives them.
Status to_bob(const char* csv_path, const char* bob_path) {
  csv::ReadOptions read;
  BOBBIN_ASSIGN(csv::Importer importer, csv::Importer::open({csv::Input::file(csv_path)}, read));
  std::printf("found: %s\n", csv::describe(importer.sniffed()).c_str());
  WriteOptions write;
  write.overwrite = true;
  BOBBIN_ASSIGN(const csv::ImportResult made, importer.write(bob_path, write));
  std::printf("%llu rows, %llu bytes to %llu: %s\n", static_cast<unsigned long long>(made.num_rows),
              static_cast<unsigned long long>(made.bytes_read),
              static_cast<unsigned long long>(made.bytes_written), schema_text(made.columns).c_str());
  for (const std::string& note : made.notes) {
    std::printf("note: %s\n", note.c_str());
  }
  return {};
}

// The first value of each column, and the encodings of the first row group.
Status show(const Reader& reader) {
  BOBBIN_ASSIGN(const RowGroupInfo group, reader.row_group(0));
  for (size_t c = 0; c < reader.columns().size(); ++c) {
    BOBBIN_ASSIGN(const std::vector<HostColumn> first, read_columns(reader, std::array{c}, 0, 1));
    const HostColumn& column = first.front();
    const std::string text = column.is_null(0)               ? "null"
                             : is_string(column.column.type) ? printable(column.string(0))
                                                             : value_text(column.type(), column.number(0));
    std::printf("%s = %s, encoded as %s\n", column.column.name.c_str(), text.c_str(),
                to_string(cascade_of(group.chunks[c].root)).c_str());
  }
  return {};
}

Status run(const char* csv_path, const char* bob_path, const char* again_path) {
  BOBBIN_TRY(to_bob(csv_path, bob_path));
  BOBBIN_ASSIGN(const Reader reader, Reader::open(bob_path));
  BOBBIN_TRY(show(reader));
  csv::ExportOptions options;
  options.overwrite = true;
  return csv::export_file(reader, again_path, options);
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = argc == 4 ? run(argv[1], argv[2], argv[3])
                                  : Status(StatusCode::invalid_argument, "give three file names");
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
  }
  return status.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}
