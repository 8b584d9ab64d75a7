// SPDX-License-Identifier: Apache-2.0
#include "csv/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/text.hpp"
#include "csv/form_guess.hpp"

namespace bobbin::csv {
namespace {

using Names = std::vector<std::optional<std::string>>;

std::string number_name(size_t index) {
  return fmt::format("c{}", index);
}

std::string place_of(const std::vector<Column>& columns, size_t column) {
  return fmt::format("column {} {}", column + 1, quoted_text(columns[column].name));
}

constexpr size_t kMostListed = 5;
// Values from this much text at the beginning are kept when types are inferred, instead of read again.
constexpr uint64_t kMostKept = uint64_t{4} << 20;

// Types are inferred from all of the sample, the forms of fields from this part of it: that costs more, and a
// form that is wrong costs less.
constexpr uint64_t kExaminedShare = 4;

std::span<const double> rest_of(std::span<const double> values, uint64_t first) {
  return values.subspan(std::min<uint64_t>(first, values.size()));
}

// Unique names for all columns; reports which were changed.
std::vector<std::string> distinct_names(const Names& names, bool from_header,
                                        std::vector<std::string>& notes) {
  std::unordered_set<std::string> taken;
  for (const auto& name : names) {
    taken.insert(name.value_or(""));
  }
  std::unordered_set<std::string> used;
  std::unordered_map<std::string, size_t> numbers;  // the last one that was tried for a name
  std::vector<std::string> all;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string own = names[i].value_or(number_name(i));
    std::string name = own;
    const bool is_free = (names[i].has_value() || !taken.contains(own)) && !is_kept_name(own);
    while (!is_free || used.contains(name)) {
      name = fmt::format("{}_{}", own, ++numbers[own]);
      if (!taken.contains(name) && !used.contains(name)) {
        break;
      }
    }
    used.insert(name);
    if (from_header && !names[i]) {
      notes.push_back(fmt::format("column {} has no name; it is called {}", i + 1, printable(name)));
    } else if (name != own) {
      notes.push_back(fmt::format("column {} is renamed {}: the name {} is taken", i + 1, printable(name),
                                  quoted_text(own)));
    }
    all.push_back(std::move(name));
  }
  return all;
}

// The header row as a writer writes it.
std::string names_text(std::span<const Column> columns, const QuoteRule& rule) {
  std::string text;
  for (size_t c = 0; c < columns.size(); ++c) {
    const std::string& name = columns[c].name;
    text += c == 0 ? "" : std::string(1, rule.marks().delimiter);
    if (rule.concerns_name(name, c == 0) && rule.marks().has_quote()) {
      std::string quoted(2 * name.size() + 2, '\0');
      quoted.resize(static_cast<size_t>(put_in_quotes(name, rule.marks(), quoted.data()) - quoted.data()));
      text += quoted;
    } else {
      text += name;
    }
  }
  return text;
}

// Quoted for a shell.
std::string argument(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:%@,=";
  return !text.empty() && text.find_first_not_of(kPlain) == std::string::npos ? text : "'" + text + "'";
}

// A type that accepts all misfits.
bool fits_all(const ColumnType& type, const Guess& guess) {
  return !guess.has_more_misfits() && std::ranges::all_of(guess.misfits(), [&](const Guess::Misfit& misfit) {
    Scalar value;
    return parse_value(type, misfit.text, value) == TextError::none;
  });
}

// A terminal might act on others.
bool is_printable(const std::string& text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<uint8_t>(c) < ' ' || c == '\x7f'; });
}

// How the column could have a type: by reading its misfits as nulls, or with a type that accepts them.
std::string advice(const std::string& name, const Guess& guess, const Options& options) {
  if (const ColumnType type = guess.regular_type(); fits_all(type, guess)) {
    const Column column{.name = name, .type = type.type, .logical = type.logical};
    return fmt::format(" (--schema {} reads {})", argument(schema_text({column})),
                       guess.misfits().size() == 1 ? "it" : "them");
  }
  std::string nulls;
  for (const Guess::Misfit& misfit : guess.misfits()) {
    Options with = options;
    with.nulls = {misfit.text};
    if (guess.has_more_misfits() || misfit.quoted || !check(with).ok() || !is_printable(misfit.text) ||
        misfit.text.find('\'') != std::string::npos) {
      return "";
    }
    nulls += (nulls.empty() ? "--null " : " --null ") + argument(misfit.text);
  }
  return fmt::format(" ({} {} as null)", nulls, guess.misfits().size() == 1 ? "reads it" : "read them");
}

std::string text_note(const std::string& name, const Guess& guess, const Options& options) {
  std::string values;
  for (const Guess::Misfit& misfit : guess.misfits()) {
    values +=
        fmt::format("{}{} at line {}", values.empty() ? "" : ", ", quoted_text(misfit.text), misfit.line);
  }
  return fmt::format("column {}: {}, because of {}{}{}", printable(name),
                     guess.type().type == DType::utf8 ? "text" : "binary", values,
                     guess.has_more_misfits() ? " and other values" : "", advice(name, guess, options));
}

std::string zones_note(const std::string& name, const Guess& guess) {
  const ColumnType type = guess.regular_type();
  const Column column{.name = name, .type = type.type, .logical = type.logical};
  const Guess::Misfit& first = guess.misfits().front();
  return fmt::format(
      "column {}: text, because its times have different offsets from UTC, as {} at line {} "
      "(--schema {} reads them as UTC)",
      printable(name), quoted_text(first.text), first.line, argument(schema_text({column})));
}

// Whether values of one type may be those of the other.
bool is_alike(const ColumnType& a, const ColumnType& b) {
  const auto is_number = [](const ColumnType& type) {
    return type.logical.kind == Logical::Kind::decimal || type.logical.kind == Logical::Kind::plain;
  };
  return is_number(a) ? is_number(b) : a.logical.kind == b.logical.kind;
}

// How values of a given type are written, as far as that is known.
Spelling spelling_by(const FormRules& rules, const ColumnType& type) {
  Spelling spelling;
  const Logical::Kind kind = type.logical.kind;
  if (kind == Logical::Kind::decimal || (kind == Logical::Kind::plain && !is_string(type.type))) {
    spelling.form.group = rules.marks.group;
    spelling.form.point = rules.marks.point == '\0' ? spelling.form.point : rules.marks.point;
  } else if (fits_type(rules.date, type)) {
    spelling.pattern = rules.date;
  }
  return spelling;
}

std::string ambiguous_note(const std::string& name, const Guess& guess) {
  const Guess::Misfit& first = guess.misfits().front();
  return fmt::format("column {}: text, because values such as {} at line {} can be read in several ways ({})",
                     printable(name), quoted_text(first.text), first.line, guess.ambiguous_options());
}

// "columns a, b: NA and - are read as null".
std::string words_note(const std::vector<std::string>& words, const std::vector<std::string>& names) {
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
    list += (i == 0 ? "" : ", ") + printable(names[i]);
  }
  list += names.size() > kMostListed ? fmt::format(" and {} more", names.size() - kMostListed) : "";
  return fmt::format("column{} {}: {} {} read as null (--null none keeps {} as text)",
                     names.size() == 1 ? "" : "s", list, fmt::join(words, " and "),
                     words.size() == 1 ? "is" : "are", words.size() == 1 ? "it" : "them");
}

}  // namespace

Reader::Reader(std::vector<Source> sources, const Options& options)
    : scanner_(std::move(sources), options),
      options_(options),
      is_null_(options.nulls),
      is_null_or_quoted_(options.nulls, {}),
      quote_rule_(options) {}

Result<Reader> Reader::open(Source source, const Options& options, const std::optional<Schema>& schema) {
  std::vector<Source> sources;
  sources.push_back(std::move(source));
  return open(std::move(sources), options, schema);
}

Result<Reader> Reader::open(std::vector<Source> sources, const Options& options,
                            const std::optional<Schema>& schema) {
  BOBBIN_TRY(check(options));
  BOBBIN_RETURN_IF(sources.empty(), StatusCode::invalid_argument, "there is no input");
  Reader reader(std::move(sources), options);
  reader.schema_ = schema;
  BOBBIN_TRY(reader.take_names(schema));
  reader.can_restart_ = reader.scanner_.can_rewind();
  if (!reader.guesses()) {
    // Rows that must be right the first time are not read again when the encoding turns out to be another.
    if (options.sample_bytes == std::numeric_limits<uint64_t>::max() &&
        reader.scanner_.may_settle_encodings()) {
      BOBBIN_TRY(reader.scanner_.settle_encodings());
      BOBBIN_TRY(reader.take_names_again());
    }
    reader.use_given_types();
  } else {
    BOBBIN_RETURN_IF(!reader.can_restart_, StatusCode::invalid_argument,
                     reader.scanner_.name() +
                         ": cannot be read a second time, which columns without a type in the "
                         "schema may require");
    BOBBIN_TRY(reader.guess(options.sample_bytes));
  }
  if (reader.can_restart_) {
    BOBBIN_TRY(reader.examine(options.sample_bytes / kExaminedShare));
    BOBBIN_TRY(reader.begin());
  }
  if (!reader.guesses()) {
    reader.scanner_.keep_no_more();
    reader.can_restart_ = reader.scanner_.can_rewind();
  }
  return reader;
}

// Whether some types are not given.
bool Reader::guesses() const {
  return std::ranges::any_of(given_, [](const auto& type) { return !type.has_value(); });
}

// The fields of the header row, if any; an empty unquoted field is not a name.
Result<Names> Reader::read_header() {
  Names names;
  BOBBIN_TRY(scanner_.fill());
  while (scanner_.num_records() > 0 && scanner_.is_blank(0)) {
    scanner_.pass_over_blanks(1);
    BOBBIN_TRY(scanner_.fill());
  }
  if (scanner_.num_records() == 0) {
    // An empty text has none; another one may.
    return scanner_.next_source() ? read_header() : Result<Names>(names);
  }
  header_line_ = scanner_.line_of(0);
  if (scanner_.is_first_source()) {
    before_ = scanner_.text_before(0);
    lost_lines_ = !before_;
    header_text_ = scanner_.text_at(0);
  }
  names.resize(options_.row_names ? 1 : 0);
  std::string scratch;
  for (size_t i = 0; i < scanner_.num_fields(0); ++i) {
    const RawField field = scanner_.field(0, i);
    const std::string_view name = value_of(field, scanner_.marks(), scratch);
    if (!is_valid_name(name)) {
      return scanner_.error_in(
          0, i,
          fmt::format("column {}: the name {} {}", i + 1, quoted_text(name),
                      is_utf8(name) ? "contains a NUL byte" : "is not UTF-8 (--encoding latin1 reads it)"));
    }
    names.push_back(name.empty() && !field.quoted ? std::nullopt : std::optional<std::string>(name));
  }
  scanner_.consume(1);
  return names;
}

// The header of a text after the first one.
Status Reader::check_header() {
  if (!options_.header) {
    return {};
  }
  BOBBIN_ASSIGN(const Names names, read_header());
  if (names.empty() || names == header_) {
    return {};
  }
  const auto other = std::ranges::mismatch(names, header_);
  const auto place = static_cast<size_t>(other.in1 - names.begin());
  const auto name_at = [&](const Names& all) {
    return place < all.size() ? quoted_text(all[place].value_or("")) : std::string("none");
  };
  return {StatusCode::invalid_argument,
          fmt::format("{}: the header differs from the first file's: column {} is {}, expected {}",
                      scanner_.name(), place + 1, name_at(names), name_at(header_))};
}

// Without a header row: as many columns as the first non-empty line has fields. If all lines are empty, they
// are values of one column.
Result<size_t> Reader::count_columns() {
  bool any = false;
  while (true) {
    BOBBIN_TRY(scanner_.fill());
    if (scanner_.num_records() == 0) {
      return size_t{any ? 1U : 0U};
    }
    if (!scanner_.is_blank(0)) {
      return scanner_.num_fields(0);
    }
    any = true;
    scanner_.pass_over_blanks(1);
  }
}

Status Reader::take_names(const std::optional<Schema>& schema) {
  Names names;
  if (options_.header) {
    BOBBIN_ASSIGN(names, read_header());
    header_ = names;
    has_names_ = !names.empty();
    if (options_.ragged == Ragged::pad && names.size() > 1) {  // an empty line is a value of a single column
      BOBBIN_ASSIGN(const size_t fields, count_columns());
      names.resize(std::max(names.size(), fields));
    }
  } else if (!schema) {
    BOBBIN_ASSIGN(const size_t columns, count_columns());
    names.resize(columns);
  }
  if (schema && !has_names_) {
    names.resize(schema->size());
    std::ranges::transform(*schema, names.begin(), &Field::name);
  }
  for (std::string& name : distinct_names(names, has_names_, name_notes_)) {
    columns_.push_back({.name = std::move(name)});
  }
  given_.resize(columns_.size());
  given_spellings_.resize(columns_.size());
  hints_.resize(columns_.size());
  return schema ? take_types(*schema) : Status();
}

// By column names if all have one, otherwise by position.
Status Reader::take_types(const Schema& schema) {
  const bool named = std::ranges::all_of(schema, [](const Field& field) { return field.name.has_value(); });
  if (named && has_names_) {
    return take_types_by_name(schema);
  }
  BOBBIN_RETURN_IF(schema.size() != columns_.size(), StatusCode::invalid_argument,
                   fmt::format("{}: the schema has {} columns, the header {}", scanner_.name(), schema.size(),
                               columns_.size()));
  for (size_t i = 0; i < schema.size(); ++i) {
    const std::string& own = columns_[i].name;
    BOBBIN_RETURN_IF(schema[i].name.value_or(own) != own, StatusCode::invalid_argument,
                     fmt::format("{}: column {} is {} in the header and {} in the schema", scanner_.name(),
                                 i + 1, quoted_text(own), quoted_text(*schema[i].name)));
    given_[i] = schema[i].type;
  }
  return {};
}

Status Reader::take_types_by_name(const Schema& schema) {
  for (const Field& field : schema) {
    const auto found = std::ranges::find(columns_, *field.name, &Column::name);
    BOBBIN_RETURN_IF(found == columns_.end(), StatusCode::invalid_argument,
                     fmt::format("{}: the schema names column {}, which the header does not have",
                                 scanner_.name(), quoted_text(*field.name)));
    std::optional<ColumnType>& type = given_[static_cast<size_t>(found - columns_.begin())];
    BOBBIN_RETURN_IF(
        type.has_value(), StatusCode::invalid_argument,
        fmt::format("{}: the schema names column {} twice", scanner_.name(), quoted_text(*field.name)));
    type = field.type;
  }
  return {};
}

void Reader::set_null_test(size_t column, const std::vector<std::string>& words) {
  if (!words.empty()) {
    null_tests_[column] = std::make_unique<NullTest>(options_.nulls, words);
  }
}

void Reader::set_types(const std::vector<Guess>& guesses) {
  using Accept = ColumnBuilder::Accept;
  builders_.clear();
  fields_.assign(columns_.size(), {});
  spellings_.clear();
  type_notes_.clear();
  const FormRules rules = rules_of(options_);
  null_tests_.clear();
  null_tests_.resize(columns_.size());
  std::map<std::vector<std::string>, std::vector<std::string>> by_words;  // names of columns
  for (size_t c = 0; c < columns_.size(); ++c) {
    const ColumnType type = given_[c].value_or(guesses[c].type());
    const Spelling spelling =
        given_[c] ? given_spellings_[c].value_or(spelling_by(rules, type)) : guesses[c].spelling();
    const bool settled = knows_all_ || guesses[c].settled();
    columns_[c].type = type.type;
    columns_[c].nullable = !is_string(type.type);
    columns_[c].logical = type.logical;
    builders_.emplace_back(type,
                           given_[c] ? Accept::given
                           : settled ? Accept::guessed
                                     : Accept::nulls,
                           spelling);
    spellings_.push_back(spelling);
    if (!given_[c]) {
      set_null_test(c, guesses[c].null_words());
    } else if (options_.null_words && !is_string(type.type)) {
      set_null_test(c, null_words(type != ColumnType{DType::f64} && type != ColumnType{DType::f32}));
    }
    if (std::vector<std::string> words = given_[c] ? std::vector<std::string>() : guesses[c].null_words();
        !words.empty()) {
      std::ranges::sort(words);
      by_words[words].push_back(columns_[c].name);
    }
    if (!given_[c] && !guesses[c].ambiguous_options().empty()) {
      type_notes_.push_back(ambiguous_note(columns_[c].name, guesses[c]));
    } else if (!given_[c] && guesses[c].is_text_by_misfits()) {
      type_notes_.push_back(text_note(columns_[c].name, guesses[c], options_));
    } else if (!given_[c] && guesses[c].is_text_by_zones()) {
      type_notes_.push_back(zones_note(columns_[c].name, guesses[c]));
    }
  }
  for (const auto& [words, names] : by_words) {
    type_notes_.push_back(words_note(words, names));
  }
}

std::vector<Column> Reader::file_columns() const {
  std::vector<Column> all = columns_;
  for (size_t c = 0; c < fields_.size(); ++c) {
    if (fields_[c].keeps()) {
      all.push_back({.name = kept_name(c), .type = DType::binary});
    }
  }
  if (keeps_lines_) {
    all.push_back({.name = std::string(kLineEndsName), .type = DType::binary});
  }
  return all;
}

// Without what a writer writes by itself.
Surroundings Reader::surroundings() const {
  Surroundings text{.before = before_, .header = std::nullopt, .after_header = after_header_, .end = end_};
  const auto leave_out = [](std::optional<std::string>& part, const std::string& usual) {
    part = part == usual ? std::nullopt : part;
  };
  leave_out(text.before, "");
  leave_out(text.after_header, line_end_text(options_, false));
  const bool ends_row = read_rows_ > 0;
  leave_out(text.end, ends_row || has_names_ ? line_end_text(options_, ends_row) : "");
  if (has_names_) {
    text.header = header_text_;
    const size_t nameless = options_.row_names && columns_.size() > 1 ? 1 : 0;
    leave_out(text.header, names_text(std::span(columns_).subspan(nameless), quote_rule_));
  }
  return text;
}

std::vector<FieldForm> Reader::forms() const {
  std::vector<FieldForm> forms;
  std::ranges::transform(fields_, std::back_inserter(forms), &ColumnFields::form);
  return forms;
}

void Reader::use_given_types() {
  doubles_.assign(columns_.size(), {});
  set_types(std::vector<Guess>(columns_.size()));
}

std::vector<std::string> Reader::notes() const {
  std::vector<std::string> all = scanner_.encoding_notes();
  all.insert(all.end(), name_notes_.begin(), name_notes_.end());
  all.insert(all.end(), type_notes_.begin(), type_notes_.end());
  const std::vector<std::string> lost = losses();
  all.insert(all.end(), lost.begin(), lost.end());
  return all;
}

// What is not written back as it was.
std::vector<std::string> Reader::losses() const {
  std::vector<std::string> all;
  std::ranges::copy_if(change_notes_, std::back_inserter(all),
                       [](const auto& note) { return !note.empty(); });
  if (lost_lines_) {
    all.emplace_back(
        "some lines are not written back as they are: missing fields become empty ones, and more than 65536 "
        "bytes between rows are left out");
  }
  return all;
}

// Moves to the first row.
Status Reader::begin() {
  scanner_.rewind();
  read_rows_ = 0;
  lost_lines_ = false;
  change_notes_.clear();
  return options_.header ? read_header().error() : Status{};
}

// Whether some of the next records are not UTF-8 and their encoding was still open. Then it is found, and all
// of the text must be read again.
Result<bool> Reader::settles_encoding(size_t records) {
  if (!scanner_.may_settle_encodings() || is_utf8(scanner_.text_of(records))) {
    return false;
  }
  BOBBIN_TRY(scanner_.settle_encodings());
  BOBBIN_TRY(take_names_again());
  return true;
}

Status Reader::take_names_again() {
  scanner_.rewind();
  columns_.clear();
  given_.clear();
  name_notes_.clear();
  return take_names(schema_);
}

// Adds a column's values; `found`: receives new misfits.
void Reader::add_to_guess(Guess& guess, size_t column, size_t records, bool is_utf8,
                          std::vector<FoundMisfit>& found) {
  const bool keeps = scanner_.bytes_read() <= kMostKept;
  const Scanner::FieldColumn fields = scanner_.column(column, columns_.size());
  std::string scratch;
  double* kept = nullptr;
  for (size_t r = 0; r < records && !(is_utf8 && guess.is_text()); ++r) {
    const RawField field = fields[r];
    if (is_null_(field)) {
      continue;
    }
    if (guess.add(value_of(field, scanner_.marks(), scratch))) {
      guess.last_misfit().quoted = field.quoted;
      found.push_back({r, column, guess.misfits().size() - 1});
    }
    if (keeps && guess.may_be_float()) {
      if (kept == nullptr) {
        doubles_[column].resize(known_rows_ + records, std::numeric_limits<double>::quiet_NaN());
        kept = doubles_[column].data() + known_rows_;
      }
      kept[r] = guess.number();
    }
  }
}

void Reader::add_to_guesses(std::vector<Guess>& guesses, size_t records) {
  std::vector<FoundMisfit> found;
  const bool is_utf8 = bobbin::is_utf8(scanner_.text_of(records));
  for (size_t c = 0; c < guesses.size(); ++c) {
    if (!given_[c]) {
      add_to_guess(guesses[c], c, records, is_utf8, found);
    }
  }
  // Lines are counted once, from one record to the next.
  std::ranges::sort(found, {}, &FoundMisfit::record);
  uint64_t line = scanner_.line_of(0);
  size_t counted = 0;
  for (const FoundMisfit& misfit : found) {
    line += scanner_.lines_between(counted, misfit.record);
    counted = misfit.record;
    guesses[misfit.column].set_line(misfit.index, line);
  }
}

Status Reader::guess(uint64_t bytes) {
  BOBBIN_TRY(begin());
  doubles_.assign(columns_.size(), {});
  saw_marks_ = false;
  std::vector<Guess> guesses(columns_.size());
  known_rows_ = 0;
  while (true) {
    BOBBIN_ASSIGN(const size_t records, regular_records());
    if (records == 0) {
      knows_all_ = true;
      break;
    }
    BOBBIN_ASSIGN(const bool settled, settles_encoding(records));
    if (settled) {
      return guess(bytes);
    }
    add_to_guesses(guesses, records);
    saw_marks_ = saw_marks_ || scanner_.have_marks(records) || has_odd_lines(records, known_rows_ == 0);
    known_rows_ += records;
    scanner_.consume(records);
    if (scanner_.bytes_read() >= bytes) {
      break;
    }
  }
  BOBBIN_TRY(look_for_forms(guesses));
  set_types(guesses);
  return {};
}

void Reader::add_again(Guess& guess, size_t column, size_t records) {
  const Scanner::FieldColumn fields = scanner_.column(column, columns_.size());
  std::string scratch;
  for (size_t r = 0; r < records && !guess.is_text(); ++r) {
    if (const RawField field = fields[r]; !is_null_(field)) {
      (void)guess.add(value_of(field, scanner_.marks(), scratch));
    }
  }
}

// Reads the same records once more for columns whose values may have a form, which few texts have.
Status Reader::look_for_forms(std::vector<Guess>& guesses) {
  std::vector<size_t> columns;
  const FormRules rules = rules_of(options_);
  for (size_t c = 0; c < guesses.size(); ++c) {
    if (!given_[c] && guesses[c].look_for_forms(rules)) {
      columns.push_back(c);
      doubles_[c].clear();  // read from the texts as they are
    }
  }
  if (columns.empty()) {
    return {};
  }
  BOBBIN_TRY(begin());
  for (uint64_t row = 0; row < known_rows_ && !columns.empty();) {
    BOBBIN_ASSIGN(const size_t there, regular_records());
    BOBBIN_RETURN_IF(there == 0, StatusCode::io,
                     scanner_.name() + ": the file changed while it was being read");
    const size_t records = std::min<uint64_t>(there, known_rows_ - row);
    for (const size_t c : columns) {
      add_again(guesses[c], c, records);
    }
    std::erase_if(columns, [&](size_t c) { return guesses[c].is_text(); });
    scanner_.consume(records);
    row += records;
  }
  return {};
}

// Now the types are inferred from all values. Values that fitted before still do, because types are only
// ruled out.
Result<Reader::Step> Reader::guess_again() {
  BOBBIN_RETURN_IF(knows_all_, StatusCode::io,
                   scanner_.name() + ": the file changed while it was being read");
  constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();
  BOBBIN_TRY(guess(kAll));
  BOBBIN_TRY(examine(kAll));
  BOBBIN_TRY(begin());
  return Step::restart;
}

// With the encoding that was found, types may differ, too.
Result<Reader::Step> Reader::start_again() {
  if (guesses()) {
    BOBBIN_TRY(guess(options_.sample_bytes));
  } else {
    use_given_types();
  }
  BOBBIN_TRY(examine(options_.sample_bytes / kExaminedShare));
  BOBBIN_TRY(begin());
  return Step::restart;
}

// Records that have one field per column. Empty lines are skipped, unless there is one column: then they are
// its values. Empty at the end of the text.
Result<size_t> Reader::regular_records() {
  while (true) {
    BOBBIN_TRY(scanner_.fill());
    const size_t there = scanner_.num_records();
    if (there == 0) {
      if (!scanner_.next_source()) {
        return there;
      }
      BOBBIN_TRY(check_header());
      continue;
    }
    const size_t regular = columns_.empty() ? 0 : scanner_.num_regular(columns_.size());
    if (regular < there && scanner_.is_blank(regular)) {
      scanner_.drop_blanks();
      continue;
    }
    if (options_.trailing && regular < there && scanner_.has_trailing(regular, columns_.size())) {
      scanner_.drop_trailing(columns_.size());
      continue;
    }
    if (options_.ragged == Ragged::pad && regular < there && scanner_.num_fields(regular) < columns_.size()) {
      scanner_.pad_records(columns_.size());
      continue;
    }
    if (regular == 0) {
      return ragged();
    }
    return regular;
  }
}

Status Reader::ragged() const {
  const size_t fields = scanner_.num_fields(0);
  std::string hint;
  constexpr uint64_t kMostLines = 30;  // of other text before a table
  const uint64_t line = scanner_.line_of(0);
  if (columns_.size() == 1 && fields > 1 && line <= kMostLines && line > header_line_ + 1) {
    hint = fmt::format(" (--skip {} if the table begins here)", line - 1);
  } else if (options_.ragged == Ragged::error && fields < columns_.size()) {
    hint = " (--ragged pad reads missing fields as nulls)";
  } else if (options_.ragged == Ragged::error && has_names_ && line == header_line_ + 1) {
    hint = " (--ragged pad adds columns that the header lacks)";
  }
  return scanner_.error_in(0, std::min(fields - 1, columns_.size()),
                           fmt::format("expected {} field{}, found {}{}", columns_.size(),
                                       columns_.size() == 1 ? "" : "s", fields, hint));
}

Status Reader::misfit(size_t row, size_t column) const {
  std::string scratch;
  const std::string_view text = value_of(scanner_.field(row, column), scanner_.marks(), scratch);
  const ColumnType type = type_of(columns_[column]);
  Scalar value;
  const Spelling& spelling = spellings_[column];
  const std::string reason =
      is_string(type.type) ? "is not UTF-8"
      : spelling.has_form()
          ? fmt::format("is not a valid {} with the form {}", to_string(type), spelling_text(type, spelling))
          : explain(parse_value(type, text, value), type);
  return scanner_.error_in(row, column,
                           fmt::format("{}: {} {}", place_of(columns_, column), quoted_text(text), reason));
}

// Adds all values of a column.
Status Reader::read_forms(FormGuess& forms, size_t column) {
  BOBBIN_TRY(begin());
  std::string scratch;
  while (true) {
    BOBBIN_ASSIGN(const size_t records, regular_records());
    if (records == 0) {
      return {};
    }
    const Scanner::FieldColumn fields = scanner_.column(column, columns_.size());
    for (size_t r = 0; r < records && !forms.is_done(); ++r) {
      if (const RawField field = fields[r]; !null_test(column)(field)) {
        forms.add(value_of(field, scanner_.marks(), scratch));
      }
    }
    scanner_.consume(records);
  }
}

// A value of a given type is not written as usual. Whether the column has a form, which is found from all of
// its values; the first record is the next one then.
bool Reader::find_given_form(size_t row, size_t column) {
  const ColumnType type = *given_[column];
  if (given_spellings_[column] || is_string(type.type) || !scanner_.can_rewind()) {
    return false;
  }
  std::string scratch;
  const std::string example(value_of(scanner_.field(row, column), scanner_.marks(), scratch));
  FormGuess forms(example, rules_of(options_));
  given_spellings_[column] = spellings_[column];
  if (!read_forms(forms, column).ok()) {
    return false;
  }
  hints_[column] = forms.is_ambiguous() ? fmt::format(" ({})", forms.options()) : "";
  if (!forms.is_found() || !forms.spelling().has_form() || !is_alike(type, forms.type())) {
    return false;
  }
  spellings_[column] = forms.spelling();
  given_spellings_[column] = spellings_[column];
  builders_[column] = ColumnBuilder(type, ColumnBuilder::Accept::given, spellings_[column]);
  return begin().ok();
}

// Converts records, up to the first one with a value that does not fit: `wrong` is then its column.
Rows Reader::convert(size_t records, std::optional<size_t>& wrong) {
  Rows rows{.scanner = scanner_, .fields = columns_.size(), .count = std::min(records, options_.batch_rows)};
  rows.is_utf8 = is_utf8(scanner_.text_of(rows.count));
  rows.has_marks = scanner_.have_marks(rows.count);
  rows.is_known = read_rows_ + rows.count <= known_rows_;
  for (size_t c = 0; c < builders_.size(); ++c) {
    rows.doubles = rest_of(doubles_[c], read_rows_);
    const size_t fine = builders_[c].convert(rows, c, null_test(c));
    if (fine < rows.count) {
      wrong = c;
      rows.count = fine;
    }
  }
  return rows;
}

// As far as types were inferred: fields that are not as a writer writes them by itself.
bool Reader::may_have_odd_fields() const {
  return saw_marks_ || !is_null_.only_empty() ||
         std::ranges::any_of(null_tests_, [](const auto& test) { return test != nullptr; }) ||
         std::ranges::any_of(builders_, [](const ColumnBuilder& builder) { return !builder.is_exact(); });
}

// Finds how fields are written, from this much of the text or until a value does not fit its type.
Status Reader::examine(uint64_t bytes) {
  fields_.assign(columns_.size(), {});
  keeps_lines_ = false;
  if (!may_have_odd_fields()) {
    return {};
  }
  BOBBIN_TRY(begin());
  std::optional<size_t> wrong;
  uint64_t seen = 0;
  while (!wrong && seen < bytes) {
    BOBBIN_ASSIGN(const size_t records, regular_records());
    if (records == 0) {
      break;
    }
    const Rows rows = convert(records, wrong);
    keeps_lines_ = keeps_lines_ || has_odd_lines(rows.count, read_rows_ == 0);
    for (size_t c = 0; c < fields_.size() && !wrong; ++c) {
      fields_[c].count(rows, c, builders_[c], null_test(c), quote_rule_);
    }
    seen += scanner_.text_of(rows.count).size();
    scanner_.consume(rows.count);
    read_rows_ += rows.count;
  }
  if (wrong && given_[*wrong] && find_given_form(0, *wrong)) {
    return examine(bytes);
  }
  if (wrong && !given_[*wrong] && !knows_all_) {
    BOBBIN_TRY(guess(std::numeric_limits<uint64_t>::max()));
    return examine(bytes);
  }
  std::ranges::for_each(fields_, &ColumnFields::choose_form);
  return {};
}

// A field of this column, which keeps no texts, is not written as the others, or a line does not end as
// usual.
Result<Reader::Step> Reader::examine_again(std::optional<size_t> column) {
  saw_marks_ = true;
  BOBBIN_TRY(examine(std::numeric_limits<uint64_t>::max()));
  if (column) {
    fields_[*column].set_keeps();
  } else {
    keeps_lines_ = true;
  }
  BOBBIN_TRY(begin());
  return Step::restart;
}

// Whether some text between rows is known and not a usual line end. What is before the first row is not
// asked.
bool Reader::has_odd_lines(size_t records, bool at_first_row) const {
  const std::string usual = line_end_text(options_, true);
  if (!at_first_row && scanner_.text_before(0).value_or(usual) != usual) {
    return true;
  }
  if (scanner_.are_apart_by(usual, records)) {
    return false;
  }
  for (size_t r = 1; r < records; ++r) {
    if (scanner_.text_before(r).value_or(usual) != usual) {
      return true;
    }
  }
  return false;
}

// Keeps texts between rows that are not usual line ends. False: a hidden column for them is missing.
bool Reader::keep_lines(size_t records) {
  const bool at_first_row = read_rows_ == 0;
  if (at_first_row) {
    (options_.header ? after_header_ : before_) = scanner_.text_before(0);
  }
  lines_.begin(records);
  const std::string usual = line_end_text(options_, true);
  const bool is_first = scanner_.is_first_source();
  lost_lines_ = lost_lines_ || (is_first && !scanner_.text_before(0));
  if (scanner_.are_apart_by(usual, records) &&
      (at_first_row || scanner_.text_before(0).value_or(usual) == usual)) {
    return true;
  }
  for (size_t r = at_first_row ? 1 : 0; r < records; ++r) {
    const std::optional<std::string> text = scanner_.text_before(r);
    lost_lines_ = lost_lines_ || (!text && (r > 0 || is_first));
    if (!text || *text == usual) {
      continue;
    }
    if (!keeps_lines_ && can_restart_) {
      return false;
    }
    lost_lines_ = lost_lines_ || !keeps_lines_;
    lines_.add(r, *text);
  }
  return true;
}

// Keeps the texts of fields that would not come back. Returns a column that should do so and does not.
std::optional<size_t> Reader::keep_fields(const Rows& rows) {
  std::optional<size_t> lacks;
  change_notes_.resize(columns_.size());
  for (size_t c = 0; c < fields_.size(); ++c) {
    const auto odd = fields_[c].keep(rows, c, builders_[c], null_test(c), quote_rule_);
    if (!odd || fields_[c].keeps()) {
      continue;
    }
    lacks = c;
    if (change_notes_[c].empty()) {
      change_notes_[c] = fmt::format("column {}: some fields are not written back as they are: {} at line {}",
                                     printable(columns_[c].name),
                                     quoted_text(raw_text(scanner_.field(*odd, c))), scanner_.line_of(*odd));
    }
  }
  return can_restart_ ? lacks : std::nullopt;
}

Result<Reader::Step> Reader::next() {
  batch_.columns.clear();
  scanner_.consume(batch_.rows);
  batch_.rows = 0;
  BOBBIN_ASSIGN(const size_t records, regular_records());
  if (records == 0) {
    end_ = scanner_.text_after();
    lost_lines_ = lost_lines_ || (!end_ && scanner_.is_first_source());
    return Step::end;
  }
  BOBBIN_ASSIGN(const bool settled, settles_encoding(records));
  if (settled) {
    return start_again();
  }
  // If several values do not fit, the first one in the text is reported.
  std::optional<size_t> wrong;
  const Rows rows = convert(records, wrong);
  if (wrong && !given_[*wrong]) {
    return guess_again();
  }
  if (wrong) {
    const Status error = misfit(rows.count, *wrong);
    return find_given_form(rows.count, *wrong)
               ? Result<Step>(Step::restart)
               : Result<Step>(Status(error.code(), error.message() + hints_[*wrong]));
  }
  const std::optional<size_t> lacks = keep_fields(rows);
  if (lacks || !keep_lines(rows.count)) {
    return examine_again(lacks);
  }
  for (const ColumnBuilder& builder : builders_) {
    batch_.columns.push_back(builder.data());
  }
  for (ColumnFields& fields : fields_) {
    if (fields.keeps()) {
      batch_.columns.push_back(fields.kept());
    }
  }
  if (keeps_lines_) {
    batch_.columns.push_back(lines_.data());
  }
  batch_.rows = rows.count;
  read_rows_ += rows.count;
  return Step::rows;
}

}  // namespace bobbin::csv
