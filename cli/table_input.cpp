// SPDX-License-Identifier: Apache-2.0
#include "cli/table_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "bobbin/csv.hpp"
#include "cli/file_kind.hpp"
#include "cli/heap.hpp"
#include "cli/interrupt.hpp"
#include "cli/python.hpp"
#include "cli/temporary_folder.hpp"
#include "cli/where.hpp"

namespace bobbin::cli {
namespace {

using Kind = FileKind::Kind;

// What is read of a pipe before its kind is known.
constexpr size_t kLeastFromPipe = 64;

// The first bytes. Those of a file can be read again.
Result<std::string> read_begin(const Input& input) {
  std::string begin(kKindBytes, '\0');
  size_t size = 0;
  const bool is_pipe = !input.length.has_value();
  const off_t at = is_pipe ? 0 : std::max<off_t>(0, ::lseek(input.descriptor.get(), 0, SEEK_CUR));
  while (size < (is_pipe ? kLeastFromPipe : kKindBytes)) {
    char* const to = begin.data() + size;
    const ssize_t got =
        is_pipe ? ::read(input.descriptor.get(), to, kKindBytes - size)
                : ::pread(input.descriptor.get(), to, kKindBytes - size, at + static_cast<off_t>(size));
    if (got == 0) {
      break;
    }
    if (got < 0 && errno != EINTR) {
      return file::io_error(input.name + ": read", errno);
    }
    size += got > 0 ? static_cast<size_t>(got) : 0;
  }
  begin.resize(size);
  return begin;
}

// As a .bob file does whose beginning is damaged.
bool ends_like_table(const Input& input) {
  std::array<std::byte, file::kSignatureBytes> end{};
  const auto size = static_cast<off_t>(end.size());
  return input.end >= size &&
         ::pread(input.descriptor.get(), end.data(), end.size(), input.end - size) == size &&
         file::is_signature(end);
}

Result<FileKind> find_kind(const Input& input, const std::string& path, const std::string& begin,
                           bool is_csv) {
  FileKind kind = kind_of(begin, is_csv || csv::delimiter_by_name(path).has_value());
  if (path.ends_with(".bob") || (kind.kind == Kind::other && ends_like_table(input))) {
    kind = {Kind::table};  // if it is damaged, the reader says so
  }
  BOBBIN_RETURN_IF(kind.kind == Kind::other, StatusCode::invalid_argument,
                   fmt::format("{}: {}{}; expected a .bob file, CSV (also .gz or .zst), Parquet or Arrow",
                               input.name, kind.what == "empty" ? "is " : "looks like ", kind.what));
  return kind;
}

// With the first bytes of a pipe, which were read already.
Result<file::Descriptor> spool(const Input& input, const std::string& begin) {
  BOBBIN_ASSIGN(file::Descriptor temporary, file::nameless_file());
  file::Output output = file::Output::borrow(temporary.get());
  BOBBIN_TRY(output.write(std::as_bytes(std::span(begin))).in("temporary file"));
  std::vector<std::byte> buffer(size_t{1} << 20);
  for (size_t size = buffer.size(); size == buffer.size();) {
    BOBBIN_ASSIGN(size, read_full(input, buffer));
    BOBBIN_TRY(output.write(std::span(buffer).first(size)).in("temporary file"));
  }
  BOBBIN_TRY(output.commit().in("temporary file"));
  (void)::lseek(temporary.get(), 0, SEEK_SET);
  return temporary;
}

Result<OpenTable> open_bob(Input input, const std::string& begin) {
  if (!input.length) {
    if (begin.size() >= file::kBeginningBytes) {
      BOBBIN_TRY(
          file::check_beginning(std::as_bytes(std::span(begin)).first(file::kBeginningBytes)).in(input.name));
    }
    BOBBIN_ASSIGN(input.descriptor, spool(input, begin));
  }
  BOBBIN_ASSIGN(Reader reader, Reader::from_descriptor(input.descriptor.get(), input.name));
  return OpenTable{{std::move(input.descriptor), std::move(reader), std::move(input.name), input.access}};
}

// Only a terminal shows what was found out: a script would have to ignore it.
void print_import_notes(const Input& input, const csv::Importer& importer, const csv::ImportResult& result) {
  if (isatty(STDERR_FILENO) == 0 || !input.length) {
    return;
  }
  if (!importer.sniffed().options.header) {
    print_notes(input.name, {csv::describe(importer.sniffed())});
  }
  print_notes(input.name, result.notes);
}

Result<OpenTable> import_text(Input input, const std::string& begin, const ImportArgs& args) {
  use_large_pages(input.length.value_or(0));
  csv::ReadOptions options = read_options(args.csv);
  options.schema = args.schema;
  options.max_rows = args.max_rows;
  BOBBIN_ASSIGN(csv::Importer importer,
                csv::Importer::open({csv::Input::descriptor(input.descriptor.get(), input.name,
                                                            input.length ? std::string_view() : begin)},
                                    options));
  BOBBIN_RETURN_IF(importer.sniffed().columns == 0, StatusCode::invalid_argument,
                   input.name + ": has no table");
  BOBBIN_ASSIGN(file::Descriptor temporary, file::nameless_file());
  csv::ImportResult result;
  {
    Progress progress(input.name, false);
    const auto visit = [&](const csv::ImportProgress& step) -> Status {
      progress.show(step.bytes_read, input.length.value_or(0));
      return {};
    };
    BOBBIN_ASSIGN(result, importer.write_over(temporary.get(), "temporary file", {.threads = 0}, visit));
  }
  print_import_notes(input, importer, result);
  BOBBIN_ASSIGN(Reader reader, Reader::from_descriptor(temporary.get(), input.name));
  return OpenTable{{std::move(temporary), std::move(reader), std::move(input.name), input.access},
                   OpenTable::Origin::text,
                   result.bytes_read};
}

// The package knows formats by their names: other names, and pipes, get one.
Result<std::string> named_source(const Input& input, const std::string& path, const std::string& name) {
  if (is_for_python(path)) {
    return path;
  }
  std::error_code error;
  std::filesystem::create_symlink(fmt::format("/proc/{}/fd/{}", ::getpid(), input.descriptor.get()), name,
                                  error);
  BOBBIN_RETURN_IF(error, StatusCode::io, name + ": " + error.message());
  return name;
}

Result<OpenTable> import_by_python(Input input, const std::string& path, const std::string& begin,
                                   Kind kind) {
  if (!input.length) {
    BOBBIN_ASSIGN(input.descriptor, spool(input, begin));
  }
  const HeldInterrupts held;  // until the folder is removed
  BOBBIN_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  const std::string name = folder.file(kind == Kind::parquet ? "table.parquet" : "table.arrow");
  BOBBIN_ASSIGN(const std::string source, named_source(input, path, name));
  const std::string made = folder.file("table.bob");
  const Result<bool> done = convert_by_python({"--", source, made});
  BOBBIN_TRY(done.error().in(input.name));
  BOBBIN_RETURN_IF(!*done, StatusCode::io, "");  // the package has said why
  const int number = ::open(made.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) {
    return file::io_error(made, errno);
  }
  file::Descriptor descriptor = file::Descriptor::own(number);
  BOBBIN_ASSIGN(Reader reader, Reader::from_descriptor(descriptor.get(), input.name));
  return OpenTable{{std::move(descriptor), std::move(reader), std::move(input.name), input.access},
                   OpenTable::Origin::foreign,
                   input.length.value_or(0)};
}

}  // namespace

void add_schema_option(const Verb& verb, std::optional<Schema>& schema) {
  add_parsed(verb, "--schema", schema, &parse_schema,
             "CSV column types, for all columns or some (default: inferred from all values)")
      .type_name("NAME:TYPE,...");
}

void add_import_options(const Verb& verb, ImportArgs& args) {
  add_csv_options(verb, args.csv);
  add_csv_input_options(verb, args.csv);
  add_schema_option(verb, args.schema);
}

Result<OpenTable> open_table(const std::string& path, const ImportArgs& args) {
  BOBBIN_ASSIGN(Input input, open_input(path));
  BOBBIN_ASSIGN(const std::string begin, read_begin(input));
  BOBBIN_ASSIGN(const FileKind kind, find_kind(input, path, begin, args.given()));
  if (kind.kind == Kind::text) {
    return import_text(std::move(input), begin, args);
  }
  BOBBIN_RETURN_IF(args.given() && !args.writes_text, StatusCode::invalid_argument,
                   input.name + ": is not CSV, and CSV options were given");
  return kind.kind == Kind::table ? open_bob(std::move(input), begin)
                                  : import_by_python(std::move(input), path, begin, kind.kind);
}

}  // namespace bobbin::cli
