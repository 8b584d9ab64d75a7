// SPDX-License-Identifier: Apache-2.0
#include "csv/sniff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "core/text.hpp"
#include "csv/convert.hpp"
#include "csv/header.hpp"
#include "csv/scanner.hpp"

namespace bobbin::csv {
namespace {

constexpr size_t kSniffBytes = size_t{1} << 17;
constexpr size_t kSniffRecords = 1000;
constexpr std::array<char, 4> kDelimiters{',', '\t', ';', '|'};
constexpr double kEnoughAlike = 0.6;
constexpr size_t kMostTitles = 30;

// Some records of a text; a quoted field keeps its opening quote, which no typed value has.
struct Sample {
  std::vector<Record> records;
  std::vector<uint64_t>
      lines;  // where the first ones begin, counted from 1: titles and the record after them
  size_t quoted_fields = 0;
  size_t after_blanks = 0;     // fields in quotes that blanks precede
  bool has_bare_feed = false;  // where lines end in CR: an LF that is not in quotes
  bool failed = false;
  std::unique_ptr<char[]> text;  // of the fields: no more than the records have
  size_t text_bytes = 0;
};

// Copies a field's value.
std::string_view take_value(const RawField& field, const Marks& marks, Sample& sample) {
  char* const begin = sample.text.get() + sample.text_bytes;
  char* const end =
      field.escaped ? unescape(field, marks, begin) : std::ranges::copy(field.text(), begin).out;
  sample.text_bytes += static_cast<size_t>(end - begin);
  return {begin, end};
}

Record take_record(const Scanner& scanner, size_t index, Sample& sample) {
  Record record;
  record.reserve(scanner.num_fields(index));
  const Marks& marks = scanner.marks();
  for (size_t i = 0; i < scanner.num_fields(index); ++i) {
    const RawField field = scanner.field(index, i);
    sample.quoted_fields += field.quoted ? 1 : 0;
    if (marks.line_end == '\r' && !field.quoted && !field.escaped) {
      sample.has_bare_feed = sample.has_bare_feed || field.text().find('\n') != std::string_view::npos;
    }
    if (marks.skips_blanks && field.escaped && !field.quoted && marks.is_blank(field.text().front())) {
      ++sample.after_blanks;
      sample.failed = sample.failed || !field.text().ends_with(marks.quote);
    }
    record.push_back(take_value(field, marks, sample));
  }
  return record;
}

Sample take_sample(std::string_view text, bool is_whole, const Options& options) {
  constexpr size_t kRoom = 16;  // parsers read words
  Sample sample;
  sample.text = std::make_unique_for_overwrite<char[]>(text.size() + kRoom);
  Options small = options;
  small.buffer_bytes = std::min(options.buffer_bytes, std::max<size_t>(text.size(), 1));
  Scanner scanner(Source::of_text(text), small);
  while (sample.records.size() < kSniffRecords) {
    // Quotes that are open at the end of a part of a text may be closed in the rest of it.
    const bool fails = !scanner.fill().ok();
    sample.failed = sample.failed || (fails && (is_whole || !scanner.ends_in_quotes()));
    if (fails || scanner.num_records() == 0) {
      break;
    }
    const size_t there = scanner.num_records();
    for (size_t i = 0; i < there && sample.records.size() < kSniffRecords; ++i) {
      if (scanner.is_blank(i)) {
        continue;
      }
      sample.records.push_back(take_record(scanner, i, sample));
      if (sample.lines.size() <= kMostTitles) {
        sample.lines.push_back(scanner.line_of(i));
      }
    }
    scanner.consume(there);
  }
  std::fill_n(sample.text.get() + sample.text_bytes, kRoom, '\0');
  const bool reached_end = sample.records.size() < kSniffRecords;
  if (!is_whole && reached_end && sample.records.size() > 1) {
    sample.records.pop_back();  // it may be truncated
  }
  return sample;
}

// The most frequent number of fields, and the share of records that have it.
struct RecordShape {
  size_t fields = 0;
  double share = 0;
};

RecordShape shape_of(const Sample& sample) {
  std::map<size_t, size_t> counts;
  for (const Record& record : sample.records) {
    ++counts[record.size()];
  }
  RecordShape shape;
  for (const auto& [fields, count] : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(sample.records.size());
    shape = share >= shape.share ? RecordShape{fields, share} : shape;
  }
  shape.share *= sample.failed ? 0.5 : 1;
  return shape;
}

struct Candidate {
  Options options;
  Sample sample;
  RecordShape shape;
};

bool is_better(const RecordShape& a, const RecordShape& b) {
  if ((a.fields > 1) != (b.fields > 1)) {
    return a.fields > 1 && a.share >= kEnoughAlike;
  }
  return a.share > b.share || (a.share == b.share && a.fields > b.fields);
}

Candidate try_options(std::string_view text, bool is_whole, const Options& options) {
  Candidate candidate{options, take_sample(text, is_whole, options), {}};
  candidate.shape = shape_of(candidate.sample);
  return candidate;
}

LineEnd find_line_end(std::string_view text, bool is_whole) {
  const size_t feed = text.find('\n');
  const size_t back = text.find('\r');
  if (feed == std::string_view::npos) {
    // A CR at the very end of a text is not the line end.
    const bool within = back != std::string_view::npos && (back + 1 < text.size() || !is_whole);
    return within ? LineEnd::cr : LineEnd::lf;
  }
  return feed > 0 && text[feed - 1] == '\r' ? LineEnd::crlf : LineEnd::lf;
}

// Whether all records have the same number of fields, which most have with other marks too.
bool mends(const Candidate& candidate, const Candidate& other) {
  return !candidate.sample.failed && candidate.shape.fields > 1 && candidate.shape.share == 1 &&
         other.shape.share < 1 && candidate.shape.fields == other.shape.fields;
}

// Apostrophes are ordinary characters, unless they enclose fields in most records, and are used only for
// that, or records are alike only with them.
bool prefers_apostrophes(const Candidate& with, const Candidate& without, std::string_view text) {
  if (text.find('"') != std::string_view::npos || with.sample.failed || with.shape.fields <= 1) {
    return false;
  }
  return mends(with, without) || (2 * with.sample.quoted_fields > with.sample.records.size() &&
                                  !is_better(without.shape, with.shape));
}

// Whether all lines that could be split without quotes are in quotes as a whole: values of one column.
bool quotes_lines(const Candidate& with, const Candidate& without) {
  const auto split = static_cast<size_t>(
      std::ranges::count_if(without.sample.records, [](const Record& record) { return record.size() > 1; }));
  return with.shape.fields == 1 && with.shape.share == 1 && !with.sample.failed &&
         with.sample.records.size() == without.sample.records.size() && with.sample.quoted_fields >= split;
}

// Quotes are ordinary characters if a text can only be split into fields that way.
bool prefers_no_quotes(const Candidate& with, const Candidate& without) {
  if (mends(without, with)) {
    return true;
  }
  if (quotes_lines(with, without)) {
    return false;
  }
  const double enough = with.shape.fields <= 1 ? 0.9 : 1;  // with an error in some quotes: all records
  return (with.shape.fields <= 1 || with.sample.failed) && without.shape.fields > 1 &&
         without.shape.share >= enough;
}

// Whether a quote follows a backslash somewhere, and every backslash is one that an escape could be.
bool may_have_escapes(std::string_view text) {
  bool any = false;
  for (size_t at = text.find('\\'); at < text.size() - 1; at = text.find('\\', at + 2)) {
    any = any || text[at + 1] == '"';
    if (text[at + 1] != '"' && text[at + 1] != '\\') {
      return false;
    }
  }
  return any;
}

// Blanks before an opening quote are skipped if records are alike only that way, or if most have such quotes.
bool prefers_no_blanks(const Candidate& candidate, const Candidate& best) {
  // The number of fields does not matter: where quotes are not recognised, delimiters in them make more
  // fields.
  return mends(candidate, best) ||
         (!candidate.sample.failed && 2 * candidate.sample.after_blanks > candidate.sample.records.size() &&
          candidate.shape.fields > 1 &&
          (candidate.shape.share >= best.shape.share || best.shape.fields <= 1));
}

// Lines are comments if all others are alike, and none of them is: also a header row may begin with the mark.
bool prefers_comments(const Candidate& candidate, const Candidate& best) {
  return !candidate.sample.failed && candidate.shape.fields > 1 && candidate.shape.share == 1 &&
         candidate.sample.records.size() > 1 &&
         std::ranges::none_of(best.sample.records, [&](const Record& record) {
           return record.size() == candidate.shape.fields && begins_comment(record[0], candidate.options);
         });
}

bool is_preferred(const Candidate& candidate, const Candidate& best, std::string_view text) {
  if (candidate.options.skip_blanks != best.options.skip_blanks) {
    return prefers_no_blanks(candidate, best);
  }
  if (candidate.options.comment != best.options.comment) {
    return prefers_comments(candidate, best);
  }
  if (candidate.options.quote == best.options.quote) {
    return is_better(candidate.shape, best.shape);
  }
  return candidate.options.quote == '\0' ? prefers_no_quotes(best, candidate)
                                         : prefers_apostrophes(candidate, best, text);
}

// Whether a quote is where a field may begin.
bool begins_fields(std::string_view text, char delimiter, char quote) {
  for (size_t at = text.find(quote); at != std::string_view::npos; at = text.find(quote, at + 1)) {
    const char before = at == 0 ? delimiter : text[at - 1];
    if (before == delimiter || before == '\n' || before == '\r' || before == ' ' || before == '\t') {
      return true;
    }
  }
  return false;
}

// Whether other marks could be preferred to the best ones so far, as far as the marks that the text contains
// show: most texts need to be split only once.
bool may_be_preferred(char delimiter, char quote, const Candidate& best, std::string_view text) {
  if (best.shape.fields <= 1 || best.shape.share < 1) {
    return true;
  }
  const bool other_quote = quote != best.options.quote;
  if (other_quote &&
      (quote == '\0' || text.find('"') != std::string_view::npos || !begins_fields(text, delimiter, quote))) {
    return false;
  }
  return text.find(delimiter) != std::string_view::npos;
}

// Whether a line after the first one that is not a comment begins with blanks and this mark: before the table
// they are skipped as notes.
bool has_comments(std::string_view text, char mark, char line_end) {
  bool any_other = false;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(line_end, begin), text.size());
    const size_t first = text.find_first_not_of(" \t", begin);
    const bool is_comment = first < end && text[first] == mark;
    if (is_comment && any_other) {
      return true;
    }
    any_other = any_other || !is_comment;
    begin = end + 1;
  }
  return false;
}

// Whether a quote comes after blanks that begin a field, by any delimiter.
bool has_blanks_before_quotes(std::string_view text, const Marks& marks) {
  const std::string before{',', ';', '|', marks.delimiter, marks.line_end};
  for (size_t at = text.find(marks.quote, 1); at < text.size(); at = text.find(marks.quote, at + 1)) {
    size_t begin = at;
    while (begin > 0 && marks.is_blank(text[begin - 1])) {
      --begin;
    }
    if (begin < at && (begin == 0 || before.find(text[begin - 1]) != std::string::npos)) {
      return true;
    }
  }
  return false;
}

constexpr char kComment = '#';

bool is_split(const Candidate& candidate) {
  return candidate.shape.fields > 1 && candidate.shape.share == 1;
}

// Whether records are alike if only blanks before quotes are skipped: then a backslash before a quote is a
// value's last character.
bool is_split_without_blanks(std::string_view text, bool is_whole, Options options, const Known& known) {
  options.skip_blanks = true;
  if (!has_blanks_before_quotes(text, marks_of(options))) {
    return false;
  }
  const auto splits = [&](char delimiter) {
    options.delimiter = delimiter;
    return check(options).ok() && is_split(try_options(text, is_whole, options));
  };
  return known.delimiter ? splits(*known.delimiter) : std::ranges::any_of(kDelimiters, splits);
}

// Whether a backslash is tried as the escape.
bool tries_escape(std::string_view text, bool is_whole, const Options& options, const Known& known) {
  Options quoted = options;
  quoted.quote = '"';
  return !known.escape && options.escape == '\0' && known.quote.value_or('"') == '"' &&
         may_have_escapes(text) && !is_split_without_blanks(text, is_whole, quoted, known);
}

Candidate find_marks(std::string_view text, bool is_whole, const Options& options, const Known& known) {
  std::optional<Candidate> best;
  Options basis = options;
  const auto consider = [&](char delimiter, char quote) {
    Options tried = basis;
    tried.delimiter = delimiter;
    tried.quote = quote;
    const bool same = tried.skip_blanks == options.skip_blanks && tried.comment == options.comment;
    if (!check(tried).ok() || (best && same && !may_be_preferred(delimiter, quote, *best, text))) {
      return;
    }
    Candidate candidate = try_options(text, is_whole, tried);
    if (!best || is_preferred(candidate, *best, text)) {
      best = std::move(candidate);
    }
  };
  const auto consider_all = [&](char quote) {
    consider(known.delimiter.value_or(known.likely_delimiter), quote);
    for (size_t i = 0; i < kDelimiters.size() && !known.delimiter; ++i) {
      if (kDelimiters[i] != known.likely_delimiter) {
        consider(kDelimiters[i], quote);
      }
    }
  };
  consider_all(known.quote.value_or(options.quote));
  const auto splits = [&] { return best && is_split(*best); };
  const bool may_escape = !splits() && tries_escape(text, is_whole, options, known);
  if (may_escape) {
    basis.escape = '\\';
    consider_all('"');
    basis.escape = '\0';
  }
  if (!known.quote && text.find('\'') != std::string_view::npos) {
    consider_all('\'');
  }
  if (!known.quote && text.find('"') != std::string_view::npos) {
    consider_all('\0');
  }
  if (best && best->options.quote != '\0' && has_blanks_before_quotes(text, marks_of(best->options))) {
    basis = best->options;
    basis.skip_blanks = true;
    consider(basis.delimiter, basis.quote);
    if (!splits()) {
      consider_all(basis.quote);
    }
    if (!splits() && may_escape) {
      basis.escape = '\\';
      consider_all(basis.quote);
    }
  }
  if (best && !splits() && options.comment == '\0' &&
      has_comments(text, kComment, marks_of(options).line_end)) {
    basis = best->options;
    basis.comment = kComment;
    consider_all(basis.quote);
  }
  return best ? std::move(*best) : Candidate{options, {}, {}};
}

Candidate find_ends_and_marks(std::string_view text, bool is_whole, Options options, const Known& known) {
  options.line_end = find_line_end(text, is_whole);
  Candidate found = find_marks(text, is_whole, options, known);
  const auto is_table = [](const Candidate& candidate) {
    return is_split(candidate) && !candidate.sample.failed && candidate.sample.records.size() > 1;
  };
  if (options.line_end == LineEnd::cr || is_table(found) || text.find('\r') == std::string_view::npos) {
    return found;
  }
  // LFs may be in quotes, or one was added at the end of a text of lines that end in CR.
  options.line_end = LineEnd::cr;
  Candidate other = find_marks(text, is_whole, options, known);
  return is_table(other) && !other.sample.has_bare_feed ? std::move(other) : std::move(found);
}

// All records but the first one, which has the names, end in a delimiter. Removes the empty fields after it.
bool take_trailing(Candidate& found) {
  std::vector<Record>& records = found.sample.records;
  if (records.size() < 2 || found.options.ragged == Ragged::pad) {
    return false;
  }
  const size_t fields = records[0].size();
  const bool all = std::all_of(records.begin() + 1, records.end(), [&](const Record& record) {
    return record.size() == fields + 1 && record.back().empty();
  });
  for (size_t r = 1; r < records.size() && all; ++r) {
    records[r].pop_back();
  }
  found.shape.fields = all ? fields : found.shape.fields;
  return all;
}

// All records but the first one have one field more than it: as R and pandas write tables, the names of the
// rows have no name themselves. Adds an empty one.
bool take_row_names(Candidate& found, const NullTest& is_null) {
  std::vector<Record>& records = found.sample.records;
  if (records.size() < 2) {
    return false;
  }
  const size_t fields = records[0].size() + 1;
  const bool all = std::all_of(records.begin() + 1, records.end(),
                               [&](const Record& record) { return record.size() == fields; });
  if (!all) {
    return false;
  }
  records[0].insert(records[0].begin(), std::string_view());
  // Other lines of text are shorter than the table, too: some name must be above numbers, or rows be counted.
  const HeaderVerdict verdict = judge_header(records, fields, is_null);
  const bool has_names = verdict.is_header && (verdict.by_types || records[1][0] == "1");
  if (!has_names) {
    records[0].erase(records[0].begin());
  }
  found.shape.fields = has_names ? fields : found.shape.fields;
  return has_names;
}

// The number of records before the table, titles or notes: one field each, where the table has several; or
// fewer than the table has, if all after them are alike and begin with names.
size_t count_titles(const std::vector<Record>& records, size_t fields, const NullTest& is_null) {
  constexpr size_t kLeastFields = 3;  // with two, a line of one field may be a record cut short
  const auto short_ones = [](auto begin, auto end, size_t most) {
    return static_cast<size_t>(
        std::find_if(begin, end, [&](const Record& record) { return record.size() > most; }) - begin);
  };
  const size_t titles = short_ones(records.begin(), records.end(), 1);
  if (fields < kLeastFields || titles == records.size()) {
    return 0;
  }
  if (titles > 0 && records[titles].size() == fields) {
    return titles;
  }
  const size_t notes = short_ones(records.begin(), records.end(), fields - 1);
  const auto table = std::span(records).subspan(notes);
  const bool alike = std::ranges::all_of(table, [&](const Record& r) { return r.size() == fields; });
  return alike && judge_header(table, fields, is_null).by_types ? notes : 0;
}

// Takes them out of the sample and returns how many lines to skip.
uint64_t take_titles(Sample& sample, size_t fields, const NullTest& is_null) {
  const size_t titles = count_titles(sample.records, fields, is_null);
  if (titles == 0 || titles > kMostTitles) {
    return 0;
  }
  sample.records.erase(sample.records.begin(), sample.records.begin() + static_cast<ptrdiff_t>(titles));
  return sample.lines[titles] - 1;
}

// At least the first line, within limits.
Result<std::string> read_begin(Source& source, bool& is_whole) {
  constexpr size_t kMostBytes = 64 * kSniffBytes;
  std::string text;
  size_t size = 0;
  while (!is_whole && size < kMostBytes && text.find_first_of("\r\n") == std::string::npos) {
    text.resize(size == 0 ? kSniffBytes : 4 * size);
    for (size_t got = 1; got > 0 && size < text.size(); size += got) {
      BOBBIN_ASSIGN(got, source.read(std::span(text).subspan(size)));
      is_whole = got == 0;
    }
    text.resize(size);
  }
  source.rewind();
  return text;
}

// A few fields, shortened: for people to recognise.
std::string list_fields(const std::vector<std::string>& fields) {
  constexpr size_t kMostFields = 5;
  constexpr size_t kMostBytes = 24;
  std::string list;
  for (size_t i = 0; i < std::min(fields.size(), kMostFields); ++i) {
    const std::string& field = fields[i];
    const bool is_long = field.size() > kMostBytes;
    list += (i == 0 ? "" : ", ") +
            printable(is_long ? field.substr(0, character_start(field, kMostBytes)) + "..." : field);
  }
  return list + (fields.size() > kMostFields ? ", ..." : "");
}

// So that a wrong verdict is seen, and how to change it.
std::string describe_first(const Sniffed& sniffed) {
  if (sniffed.first_record.empty()) {
    return "";
  }
  const std::string fields = list_fields(sniffed.first_record);
  if (sniffed.options.header) {
    return fmt::format("; names: {} (--no-header reads them as values)", fields);
  }
  return fmt::format("; names: c0{}; first record: {} (--header reads it as names)",
                     sniffed.columns > 1 ? fmt::format(" to c{}", sniffed.columns - 1) : "", fields);
}

std::string mark_name(char mark) {
  return mark == '\t' ? "tab" : mark == '\0' ? "none" : fmt::format("'{}'", mark);
}

}  // namespace

Result<Sniffed> sniff(Source& source, const Options& options, const Known& known) {
  BOBBIN_TRY(check(options));
  Known marks = known;
  bool is_whole = false;
  BOBBIN_ASSIGN(const std::string text, read_begin(source, is_whole));
  Options basis = options;
  basis.header = false;
  if (const auto stated = stated_delimiter(text); stated && !known.skips) {
    marks.delimiter = known.delimiter.value_or(*stated);
    basis.skip_lines = 1;
  }
  Candidate found = find_ends_and_marks(text, is_whole, basis, marks);
  const NullTest is_null(options.nulls);
  found.options.trailing = take_trailing(found);
  Sniffed sniffed{found.options, found.shape.fields};
  if (!known.skips) {
    sniffed.options.skip_lines =
        std::max(basis.skip_lines, take_titles(found.sample, found.shape.fields, is_null));
  }
  sniffed.options.row_names = known.header.value_or(true) && take_row_names(found, is_null);
  sniffed.columns = found.shape.fields;
  const HeaderVerdict verdict = judge_header(found.sample.records, found.shape.fields, is_null);
  sniffed.options.header = known.header.value_or(verdict.is_header);
  if (!known.header && !found.sample.records.empty() && (verdict.is_close || !verdict.is_header)) {
    const Record& first = found.sample.records.front();
    sniffed.first_record.assign(first.begin(), first.end());
  }
  return sniffed;
}

std::string describe(const Sniffed& sniffed) {
  const Options& options = sniffed.options;
  const std::string skipped = options.skip_lines == 0 ? ""
                                                      : fmt::format(", {} line{} skipped", options.skip_lines,
                                                                    options.skip_lines == 1 ? "" : "s");
  const std::string escape =
      options.escape == '\0' ? "" : fmt::format("escape {}, ", mark_name(options.escape));
  const std::string comment =
      options.comment == '\0' ? "" : fmt::format("comment {}, ", mark_name(options.comment));
  return fmt::format("delimiter {}, quote {}, {}{}{}, {} column{}{}{}{}{}{}", mark_name(options.delimiter),
                     mark_name(options.quote), escape, comment,
                     !options.header     ? "no header row"
                     : options.row_names ? "header row without the first column's name"
                                         : "header row",
                     sniffed.columns, sniffed.columns == 1 ? "" : "s",
                     options.line_end == LineEnd::cr ? ", lines end in CR" : "",
                     options.skip_blanks ? ", blanks before quotes skipped" : "",
                     options.trailing ? ", delimiter after the last column" : "", skipped,
                     describe_first(sniffed));
}

}  // namespace bobbin::csv
