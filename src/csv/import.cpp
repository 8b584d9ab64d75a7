// SPDX-License-Identifier: Apache-2.0
// From texts to a .bob file.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "bobbin/csv.hpp"
#include "csv/reader.hpp"
#include "csv/sniff.hpp"

namespace bobbin::csv {
namespace {

Result<Source> open_source(const Input& input, const std::optional<Encoding>& encoding) {
  Result<Source> source = input.kind == Input::Kind::file ? Source::open(input.name)
                          : input.kind == Input::Kind::descriptor
                              ? Source::keeping(input.number, input.name, input.text)
                              : Result<Source>(Source::from_memory(input.text, input.name));
  if (source.has_value() && encoding) {
    source->set_encoding(*encoding);
  } else if (source.has_value()) {
    BOBBIN_TRY(source->detect_encoding());
  }
  return source;
}

// Options that are complete before the text is looked at.
Options known_options(const ReadOptions& given, char likely_delimiter) {
  Options options = given.other;
  options.delimiter = given.delimiter.value_or(likely_delimiter);
  options.quote = given.quote.value_or(Options{}.quote);
  options.escape = given.escape.value_or(Options{}.escape);
  options.header = given.header.value_or(true);
  options.skip_lines = given.skip_lines.value_or(0);
  if (std::ranges::find(options.nulls, "") == options.nulls.end()) {
    options.nulls.emplace_back();
  }
  return options;
}

// The first null is the one that is written where a column does not say more: that of the first column which
// has a listed one.
Options with_usual_null(Options options, const std::vector<FieldForm>& forms) {
  auto first = std::ranges::find(options.nulls, "");
  for (const FieldForm& form : forms) {
    const auto listed = form.null ? std::ranges::find(options.nulls, *form.null) : options.nulls.end();
    if (listed != options.nulls.end()) {
      first = listed;
      break;
    }
  }
  std::rotate(options.nulls.begin(), first, first == options.nulls.end() ? first : first + 1);
  return options;
}

}  // namespace

struct Importer::Impl {
  using MakeWriter = std::function<Result<bobbin::Writer>(const std::vector<Column>&)>;

  Result<ImportResult> run(const MakeWriter& make_writer, const ImportVisitor& visit);
  // Appends the rows from the first to the last. False: the columns' types have changed, and all must be
  // done again.
  Result<bool> append_rows(Reader& reader, bobbin::Writer& writer, const ImportVisitor& visit);
  Status finish(const Reader& reader, bobbin::Writer& writer, const ImportVisitor& visit);

  std::vector<Source> sources;
  Sniffed sniffed;
  std::optional<Schema> schema;
  std::optional<char> implied_delimiter;  // by the first text's name
  uint64_t max_rows = 0;
  uint64_t num_rows = 0;
  std::vector<std::string> notes;
  bool is_exact = false;
};

Result<bool> Importer::Impl::append_rows(Reader& reader, bobbin::Writer& writer, const ImportVisitor& visit) {
  num_rows = 0;
  while (num_rows < max_rows) {
    BOBBIN_ASSIGN(const Reader::Step step, reader.next());
    if (step != Reader::Step::rows) {
      return step == Reader::Step::end;
    }
    const uint64_t rows = std::min<uint64_t>(reader.batch().rows, max_rows - num_rows);
    BOBBIN_TRY(file::append_untyped(writer, reader.batch().pointers(), rows));
    num_rows += rows;
    if (visit) {
      BOBBIN_TRY(visit({.bytes_read = reader.bytes_read(), .finished = false}));
    }
  }
  return true;
}

Status Importer::Impl::finish(const Reader& reader, bobbin::Writer& writer, const ImportVisitor& visit) {
  if (visit) {
    BOBBIN_TRY(visit({.bytes_read = reader.bytes_read(), .finished = true}));
  }
  Options options = with_usual_null(sniffed.options, reader.forms());
  options.encoding = reader.encoding();
  BOBBIN_TRY(note_options(writer, options));
  if (options.delimiter == '\t' && implied_delimiter == ',') {
    BOBBIN_TRY(note_tabs_in_csv(writer));
  }
  BOBBIN_TRY(note_source_bytes(writer, reader.bytes_read()));
  BOBBIN_ASSIGN(const bool spelled, note_spellings(writer, reader.columns(), reader.spellings()));
  BOBBIN_ASSIGN(const bool formed, note_forms(writer, options, reader.forms()));
  BOBBIN_ASSIGN(const bool framed, note_surroundings(writer, reader.surroundings()));
  notes = reader.notes();
  if (!framed) {
    notes.emplace_back("more than 65536 bytes before or after the rows are not written back");
  }
  if (!spelled || !formed) {
    notes.emplace_back("the columns are written in too many ways to note them all: some fields will change");
  }
  is_exact = framed && spelled && formed && reader.is_exact();
  return writer.finish();
}

Result<ImportResult> Importer::Impl::run(const MakeWriter& make_writer, const ImportVisitor& visit) {
  BOBBIN_RETURN_IF(sources.empty(), StatusCode::invalid_argument, "import: the importer was used already");
  BOBBIN_ASSIGN(Reader reader, Reader::open(std::exchange(sources, {}), sniffed.options, schema));
  while (true) {
    const std::vector<Column> columns = reader.file_columns();
    BOBBIN_ASSIGN(bobbin::Writer writer, make_writer(columns));
    if (const size_t hidden = columns.size() - reader.columns().size(); hidden > 0) {
      BOBBIN_TRY(writer.set_metadata(std::string(kHiddenColumnsKey), std::to_string(hidden)));
    }
    file::WriterAccess::allow_small_table(writer);
    BOBBIN_ASSIGN(const bool done, append_rows(reader, writer, visit));
    if (done) {
      BOBBIN_TRY(finish(reader, writer, visit));
      return ImportResult{.columns = reader.columns(),
                          .num_rows = num_rows,
                          .bytes_read = reader.bytes_read(),
                          .bytes_written = writer.bytes_written(),
                          .notes = std::move(notes),
                          .is_exact = is_exact};
    }
  }
}

Importer::Importer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Importer::Importer(Importer&&) noexcept = default;
Importer& Importer::operator=(Importer&&) noexcept = default;
Importer::~Importer() = default;

Result<Importer> Importer::open(std::vector<Input> inputs, const ReadOptions& options) {
  BOBBIN_RETURN_IF(inputs.empty(), StatusCode::invalid_argument, "import: there is no input");
  const char likely =
      options.likely_delimiter.value_or(delimiter_by_name(inputs.front().name).value_or(Options{}.delimiter));
  auto impl = std::make_unique<Impl>();
  impl->schema = options.schema;
  impl->implied_delimiter = delimiter_by_name(inputs.front().name);
  impl->max_rows = options.max_rows;
  for (const Input& input : inputs) {
    BOBBIN_ASSIGN(Source source, open_source(input, options.encoding));
    impl->sources.push_back(std::move(source));
    if (impl->sources.size() == 1) {
      const Known known{.delimiter = options.delimiter,
                        .quote = options.quote,
                        .escape = options.escape,
                        .header = options.header,
                        .skips = options.skip_lines.has_value(),
                        .likely_delimiter = likely};
      BOBBIN_ASSIGN(impl->sniffed, sniff(impl->sources.front(), known_options(options, likely), known));
    }
  }
  return Importer(std::move(impl));
}

const Sniffed& Importer::sniffed() const {
  return impl_->sniffed;
}

Result<ImportResult> Importer::write(const std::string& path, const WriteOptions& options,
                                     const ImportVisitor& visit) {
  WriteOptions restricted = options;
  for (const Source& source : impl_->sources) {
    if (source.access().has_value()) {
      restricted.sources.push_back(*source.access());
    }
  }
  return impl_->run(
      [&](const std::vector<Column>& columns) { return bobbin::Writer::create(path, columns, restricted); },
      visit);
}

Result<ImportResult> Importer::write_to_descriptor(int descriptor, std::string name,
                                                   const WriteOptions& options, const ImportVisitor& visit) {
  // What is written cannot be taken back: the types must be right the first time.
  impl_->sniffed.options.sample_bytes = std::numeric_limits<uint64_t>::max();
  return impl_->run(
      [&](const std::vector<Column>& columns) {
        return bobbin::Writer::to_descriptor(descriptor, name, columns, options);
      },
      visit);
}

Result<ImportResult> Importer::write_over(int descriptor, std::string name, const WriteOptions& options,
                                          const ImportVisitor& visit) {
  return impl_->run(
      [&](const std::vector<Column>& columns) -> Result<bobbin::Writer> {
        if (::ftruncate(descriptor, 0) != 0 || ::lseek(descriptor, 0, SEEK_SET) != 0) {
          return file::io_error(name, errno);
        }
        return bobbin::Writer::to_descriptor(descriptor, name, columns, options);
      },
      visit);
}

Result<ImportResult> import_file(const std::string& csv_path, const std::string& bob_path,
                                 const ReadOptions& read, const WriteOptions& write) {
  BOBBIN_ASSIGN(Importer importer, Importer::open({Input::file(csv_path)}, read));
  return importer.write(bob_path, write);
}

}  // namespace bobbin::csv
