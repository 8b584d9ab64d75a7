// SPDX-License-Identifier: Apache-2.0
#include "csv/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <span>

#include "core/text.hpp"

namespace bobbin::csv {
namespace {

constexpr std::string_view kDelimiterKey = "bobbin.csv.delimiter";
constexpr std::string_view kHeaderKey = "bobbin.csv.header";
constexpr std::string_view kNullKey = "bobbin.csv.null";
constexpr std::string_view kQuotedKey = "bobbin.csv.quoted";  // other texts that mean null, by line
constexpr std::string_view kQuoteKey = "bobbin.csv.quote";
constexpr std::string_view kEscapeKey = "bobbin.csv.escape";
constexpr std::string_view kCommentKey = "bobbin.csv.comment";
constexpr std::string_view kEncodingKey = "bobbin.csv.encoding";
constexpr std::string_view kLineEndKey = "bobbin.csv.line_end";
constexpr std::array<std::string_view, 3> kLineEnds{"lf", "crlf", "cr"};
constexpr std::string_view kSpellingsKey = "bobbin.csv.spellings";
constexpr std::string_view kFormsKey = "bobbin.csv.forms";
constexpr std::string_view kTabsKey = "bobbin.csv.tabs_in_csv";
constexpr std::string_view kTrailingKey = "bobbin.csv.trailing";
constexpr std::string_view kBeforeKey = "bobbin.csv.before";
constexpr std::string_view kNamesKey = "bobbin.csv.names";
constexpr std::string_view kAfterNamesKey = "bobbin.csv.after_names";
constexpr std::string_view kEndKey = "bobbin.csv.end";
constexpr std::string_view kKeptPrefix = "bobbin.csv.kept.";
constexpr std::string_view kSourceBytesKey = "bobbin.source_bytes";
constexpr uint64_t kMostRecordBytes = uint64_t{1} << 29;
constexpr size_t kMostNotedBytes = size_t{1} << 16;  // for a value of a file's metadata

bool is_delimiter(char c) {
  return c > 0 && c != '"' && c != '\r' && c != '\n';
}

// A quote, an escape or a comment character; characters that values consist of would be ambiguous.
bool is_mark(char c) {
  const auto within = [&](char first, char last) { return c >= first && c <= last; };
  return c > 0 && c != '\r' && c != '\n' && !within('0', '9') && !within('a', 'z') && !within('A', 'Z');
}

// The special characters of a text must be distinct.
bool are_different(const Options& options) {
  const std::array<char, 4> marks{options.delimiter, options.quote, options.escape, options.comment};
  for (size_t i = 0; i < marks.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (marks[i] != '\0' && marks[i] == marks[j]) {
        return false;
      }
    }
  }
  return true;
}

std::optional<std::string> find(const Metadata& metadata, std::string_view key) {
  const auto found = std::ranges::find(metadata, key, &Metadata::value_type::first);
  return found == metadata.end() ? std::nullopt : std::optional(found->second);
}

std::string mark_text(char mark) {
  return mark == '\0' ? "none" : std::string(1, mark);
}

char noted_mark(const Metadata& metadata, std::string_view key, char usual) {
  const std::optional<std::string> text = find(metadata, key);
  return text ? parse_mark(*text).value_or(usual) : usual;
}

// "3" or "3-17", within the number of columns.
struct Range {
  size_t begin = 0;
  size_t end = 0;
};

std::optional<Range> parse_range(std::string_view text, size_t columns) {
  Range range;
  const char* const end = text.data() + text.size();
  std::from_chars_result read = std::from_chars(text.data(), end, range.begin);
  range.end = range.begin;
  if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-') {
    read = std::from_chars(read.ptr + 1, end, range.end);
  }
  const bool fine =
      read.ec == std::errc{} && read.ptr == end && range.begin <= range.end && range.end < columns;
  ++range.end;
  return fine ? std::optional(range) : std::nullopt;
}

// "0-5,8=trimmed;6=point", for what columns have in common; those without a text are left out.
template <class TextOf>
std::string text_by_ranges(size_t columns, char separator, const TextOf& text_of) {
  std::map<std::string, std::string> ranges;
  for (size_t c = 0; c < columns;) {
    const std::string own = text_of(c);
    const size_t first = c;
    while (++c < columns && text_of(c) == own) {
    }
    if (!own.empty()) {
      std::string& list = ranges[own];
      list += (list.empty() ? "" : ",") + std::to_string(first) +
              (c - first > 1 ? "-" + std::to_string(c - 1) : "");
    }
  }
  std::string text;
  for (const auto& [own, list] : ranges) {
    text += (text.empty() ? "" : std::string(1, separator)) + list + "=" + own;
  }
  return text;
}

// Calls apply(column, text) for all columns named. The metadata may contain anything: what makes no sense is
// ignored.
template <class Apply>
void for_each_range(std::string_view text, char separator, size_t columns, const Apply& apply) {
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
    const size_t equals = std::min(entry.find('='), entry.size());
    std::string_view ranges = entry.substr(0, equals);
    while (!ranges.empty()) {
      const std::string_view own = ranges.substr(0, ranges.find(','));
      ranges.remove_prefix(std::min(own.size() + 1, ranges.size()));
      const Range range = parse_range(own, columns).value_or(Range{});
      for (size_t c = range.begin; c < range.end; ++c) {
        apply(c, entry.substr(std::min(equals + 1, entry.size())));
      }
    }
  }
}

constexpr std::string_view kQuotedForm = "quoted";
constexpr std::string_view kNullForm = "null=";

// "quoted null=\"\"".
std::string form_text(const FieldForm& form, const std::string& usual_null) {
  const std::string null = form.null.value_or(usual_null);
  return std::string(form.quoted ? kQuotedForm : "") + (form.quoted && null != usual_null ? " " : "") +
         (null == usual_null ? "" : std::string(kNullForm) + null);
}

FieldForm parse_form(std::string_view text) {
  FieldForm form;
  form.quoted = text.starts_with(kQuotedForm);
  text.remove_prefix(form.quoted ? std::min(kQuotedForm.size() + 1, text.size()) : 0);
  if (text.starts_with(kNullForm)) {
    form.null = text.substr(kNullForm.size());
  }
  return form;
}

// Unless it is empty.
Result<bool> note_if_short(bobbin::Writer& writer, std::string_view key, std::string text) {
  if (text.size() > kMostNotedBytes) {
    return false;
  }
  BOBBIN_TRY(text.empty() ? Status() : writer.set_metadata(std::string(key), std::move(text)));
  return true;
}

}  // namespace

Status check(const Options& options) {
  BOBBIN_RETURN_IF(!is_delimiter(options.delimiter), StatusCode::invalid_argument,
                   "a delimiter must be one ASCII character other than NUL, a quote or a line end");
  for (const char mark : {options.quote, options.escape, options.comment}) {
    BOBBIN_RETURN_IF(
        mark != '\0' && !is_mark(mark), StatusCode::invalid_argument,
        "a quote, escape or comment must be one ASCII character other than a letter, digit or line end");
  }
  BOBBIN_RETURN_IF(!are_different(options), StatusCode::invalid_argument,
                   "delimiter, quote, escape and comment must be different characters");
  const std::string special{'\r', '\n', options.delimiter, options.quote == '\0' ? '\n' : options.quote};
  for (const std::string& text : options.nulls) {
    BOBBIN_RETURN_IF(
        text.find_first_of(special) != std::string::npos, StatusCode::invalid_argument,
        fmt::format("{} cannot mean null: it contains a delimiter, quote or line end", quoted_text(text)));
    BOBBIN_RETURN_IF(begins_comment(text, options), StatusCode::invalid_argument,
                     fmt::format("{} cannot mean null: it begins a comment", quoted_text(text)));
  }
  BOBBIN_RETURN_IF(options.nulls.empty(), StatusCode::invalid_argument,
                   "there must be a text that means null");
  if (!options.date_format.empty()) {
    const std::string wrong = check_date_format(options.date_format);
    BOBBIN_RETURN_IF(!wrong.empty(), StatusCode::invalid_argument, "the date format " + wrong);
  }
  BOBBIN_RETURN_IF(!NumberForm::is_group_mark(options.thousands), StatusCode::invalid_argument,
                   fmt::format("{} cannot be the thousands mark", quoted_text(options.thousands)));
  BOBBIN_RETURN_IF(options.decimal != '\0' && options.decimal != '.' && options.decimal != ',',
                   StatusCode::invalid_argument, "the decimal mark must be '.' or ','");
  BOBBIN_RETURN_IF(options.decimal != '\0' && options.thousands == std::string(1, options.decimal),
                   StatusCode::invalid_argument, "the thousands mark cannot be the decimal mark");
  BOBBIN_RETURN_IF(options.max_record_bytes == 0 || options.max_record_bytes > kMostRecordBytes,
                   StatusCode::invalid_argument,
                   fmt::format("a record limit of {} bytes is not possible; expected 1 to {}",
                               options.max_record_bytes, kMostRecordBytes));
  BOBBIN_RETURN_IF(
      options.buffer_bytes == 0 || options.buffer_bytes > kMostRecordBytes || options.batch_rows == 0,
      StatusCode::invalid_argument, "buffer and batch sizes must not be zero");
  return {};
}

std::string check_date_format(std::string_view text) {
  std::string wrong;
  return DatePattern::parse(text, &wrong) ? "" : fmt::format("{} {}", quoted_text(text), wrong);
}

FormRules rules_of(const Options& options) {
  // A mark that separates groups is not the decimal mark.
  const char point = options.decimal != '\0'    ? options.decimal
                     : options.thousands == "." ? ','
                     : options.thousands == "," ? '.'
                                                : '\0';
  return {.date = DatePattern::parse(options.date_format).value_or(DatePattern()),
          .marks = {.group = options.thousands, .point = point},
          .words = options.null_words};
}

std::optional<char> parse_delimiter(std::string_view text) {
  if (text == "tab" || text == "\\t") {
    return '\t';
  }
  return text.size() == 1 && is_delimiter(text[0]) ? std::optional(text[0]) : std::nullopt;
}

std::optional<char> stated_delimiter(std::string_view text) {
  constexpr std::string_view kKey = "sep=";
  std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  if (line.size() > 2 && line.front() == '"' && line.back() == '"') {
    line = line.substr(1, line.size() - 2);
  }
  return line.size() == kKey.size() + 1 && line.starts_with(kKey) ? parse_delimiter(line.substr(kKey.size()))
                                                                  : std::nullopt;
}

std::optional<char> delimiter_by_name(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    path.remove_suffix(path.ends_with(packed) ? packed.size() : 0);
  }
  return path.ends_with(".csv")   ? std::optional(',')
         : path.ends_with(".tsv") ? std::optional('\t')
         : path.ends_with(".tbl") ? std::optional('|')
                                  : std::nullopt;
}

std::optional<char> parse_mark(std::string_view text) {
  if (text == "none") {
    return '\0';
  }
  return text.size() == 1 && is_mark(text[0]) ? std::optional(text[0]) : std::nullopt;
}

bool begins_comment(std::string_view text, const Options& options) {
  if (options.comment == '\0') {
    return false;
  }
  const Marks marks = marks_of(options);
  size_t at = 0;
  while (at < text.size() && text[at] != options.comment && marks.is_blank(text[at])) {
    ++at;
  }
  return at < text.size() && text[at] == options.comment;
}

Marks marks_of(const Options& options) {
  return {.delimiter = options.delimiter,
          .quote = options.quote == '\0' ? options.delimiter : options.quote,
          .line_end = options.line_end == LineEnd::cr ? '\r' : '\n',
          .escape = options.escape == '\0' ? options.delimiter : options.escape,
          .skips_blanks = options.skip_blanks};
}

Status note_options(bobbin::Writer& writer, const Options& options) {
  // What most texts have is not stored.
  const Options usual;
  if (options.delimiter != usual.delimiter) {
    BOBBIN_TRY(writer.set_metadata(std::string(kDelimiterKey), std::string(1, options.delimiter)));
  }
  if (!options.header || options.row_names) {
    BOBBIN_TRY(writer.set_metadata(std::string(kHeaderKey), options.header ? "short" : "false"));
  }
  if (options.trailing) {
    BOBBIN_TRY(writer.set_metadata(std::string(kTrailingKey), "true"));
  }
  if (!options.nulls.front().empty()) {
    BOBBIN_TRY(writer.set_metadata(std::string(kNullKey), options.nulls.front()));
  }
  if (options.nulls.size() > 1) {
    const std::span<const std::string> others = std::span(options.nulls).subspan(1);
    BOBBIN_TRY(note_if_short(writer, kQuotedKey, fmt::format("{}", fmt::join(others, "\n"))).error());
  }
  if (options.quote != usual.quote) {
    BOBBIN_TRY(writer.set_metadata(std::string(kQuoteKey), mark_text(options.quote)));
  }
  if (options.escape != usual.escape) {
    BOBBIN_TRY(writer.set_metadata(std::string(kEscapeKey), mark_text(options.escape)));
  }
  if (options.comment != usual.comment) {
    BOBBIN_TRY(writer.set_metadata(std::string(kCommentKey), mark_text(options.comment)));
  }
  if (options.encoding != usual.encoding) {
    BOBBIN_TRY(writer.set_metadata(std::string(kEncodingKey), std::string(to_string(options.encoding))));
  }
  return options.line_end == usual.line_end
             ? Status()
             : writer.set_metadata(std::string(kLineEndKey),
                                   std::string(kLineEnds[static_cast<size_t>(options.line_end)]));
}

std::optional<Options> noted_options(const Metadata& metadata) {
  const Options usual;
  const std::optional<std::string> delimiter = find(metadata, kDelimiterKey);
  // A file made from CSV records the size of the text, and its delimiter unless it is the usual one.
  if (delimiter ? delimiter->size() != 1 : !noted_source_bytes(metadata)) {
    return std::nullopt;
  }
  Options options;
  options.delimiter = delimiter ? delimiter->front() : usual.delimiter;
  options.header = find(metadata, kHeaderKey) != "false";
  options.row_names = find(metadata, kHeaderKey) == "short";
  options.trailing = find(metadata, kTrailingKey) == "true";
  options.nulls = {find(metadata, kNullKey).value_or("")};
  const std::string quoted = find(metadata, kQuotedKey).value_or("");
  for (size_t at = 0, end = 0; at < quoted.size(); at = end + 1) {
    end = std::min(quoted.find('\n', at), quoted.size());
    options.nulls.push_back(quoted.substr(at, end - at));
  }
  options.quote = noted_mark(metadata, kQuoteKey, usual.quote);
  options.escape = noted_mark(metadata, kEscapeKey, usual.escape);
  options.comment = noted_mark(metadata, kCommentKey, usual.comment);
  options.encoding = parse_encoding(find(metadata, kEncodingKey).value_or("")).value_or(usual.encoding);
  const auto* const line_end = std::ranges::find(kLineEnds, find(metadata, kLineEndKey).value_or("lf"));
  options.line_end =
      line_end == kLineEnds.end() ? usual.line_end : static_cast<LineEnd>(line_end - kLineEnds.begin());
  // The metadata may contain anything.
  return check(options).ok() ? std::optional(std::move(options)) : std::nullopt;
}

Status note_tabs_in_csv(bobbin::Writer& writer) {
  return writer.set_metadata(std::string(kTabsKey), "true");
}

bool has_tabs_in_csv(const Metadata& metadata) {
  return find(metadata, kTabsKey) == "true";
}

Status note_source_bytes(bobbin::Writer& writer, uint64_t bytes) {
  return writer.set_metadata(std::string(kSourceBytesKey), std::to_string(bytes));
}

std::optional<uint64_t> noted_source_bytes(const Metadata& metadata) {
  const std::string text = find(metadata, kSourceBytesKey).value_or("");
  uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(bytes) : std::nullopt;
}

std::string kept_name(size_t column) {
  return std::string(kKeptPrefix) + std::to_string(column);
}

std::optional<size_t> column_of_kept(std::string_view name) {
  if (!name.starts_with(kKeptPrefix)) {
    return std::nullopt;
  }
  const std::string_view digits = name.substr(kKeptPrefix.size());
  size_t column = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), column);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(column) : std::nullopt;
}

bool is_kept_name(std::string_view name) {
  return name == kLineEndsName || column_of_kept(name).has_value();
}

std::string line_end_text(const Options& options, bool after_row) {
  const std::string end = options.line_end == LineEnd::lf   ? "\n"
                          : options.line_end == LineEnd::cr ? "\r"
                                                            : "\r\n";
  return options.trailing && after_row ? options.delimiter + end : end;
}

Result<bool> note_surroundings(bobbin::Writer& writer, const Surroundings& text) {
  const std::array<std::pair<std::string_view, const std::optional<std::string>*>, 4> parts{
      {{kBeforeKey, &text.before},
       {kNamesKey, &text.header},
       {kAfterNamesKey, &text.after_header},
       {kEndKey, &text.end}}};
  bool fit = true;
  for (const auto& [key, part] : parts) {
    if (*part && (*part)->size() > kMostNotedBytes) {
      fit = false;
    } else if (*part) {
      BOBBIN_TRY(writer.set_metadata(std::string(key), **part));
    }
  }
  return fit;
}

Surroundings noted_surroundings(const Metadata& metadata) {
  return {.before = find(metadata, kBeforeKey),
          .header = find(metadata, kNamesKey),
          .after_header = find(metadata, kAfterNamesKey),
          .end = find(metadata, kEndKey)};
}

bool is_same_dialect(const Options& a, const Options& b) {
  return a.delimiter == b.delimiter && a.quote == b.quote && a.escape == b.escape && a.comment == b.comment &&
         a.line_end == b.line_end && a.nulls == b.nulls && a.skip_blanks == b.skip_blanks;
}

Result<bool> note_spellings(bobbin::Writer& writer, const std::vector<Column>& columns,
                            const std::vector<Spelling>& spellings) {
  return note_if_short(writer, kSpellingsKey, text_by_ranges(columns.size(), ';', [&](size_t c) {
                         return spelling_text(type_of(columns[c]), spellings[c]);
                       }));
}

std::vector<Spelling> noted_spellings(const Metadata& metadata, const std::vector<Column>& columns) {
  std::vector<Spelling> spellings(columns.size());
  const std::string noted = find(metadata, kSpellingsKey).value_or("");
  for_each_range(noted, ';', columns.size(), [&](size_t c, std::string_view text) {
    spellings[c] = parse_spelling(type_of(columns[c]), text).value_or(Spelling{});
  });
  return spellings;
}

Result<bool> note_forms(bobbin::Writer& writer, const Options& options, const std::vector<FieldForm>& forms) {
  return note_if_short(writer, kFormsKey, text_by_ranges(forms.size(), '\n', [&](size_t c) {
                         return form_text(forms[c], options.nulls.front());
                       }));
}

std::vector<FieldForm> noted_forms(const Metadata& metadata, size_t columns) {
  std::vector<FieldForm> forms(columns);
  const std::string noted = find(metadata, kFormsKey).value_or("");
  for_each_range(noted, '\n', columns, [&](size_t c, std::string_view text) { forms[c] = parse_form(text); });
  return forms;
}

}  // namespace bobbin::csv
