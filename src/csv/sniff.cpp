// SPDX-License-Identifier: Apache-2.0
#include "csv/sniff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "csv/convert.hpp"
#include "csv/guess.hpp"
#include "csv/scanner.hpp"

namespace bobbin::csv {
namespace {

constexpr size_t kSniffBytes = size_t{1} << 17;
constexpr size_t kSniffRecords = 1000;
constexpr std::array<char, 4> kDelimiters{',', '\t', ';', '|'};
constexpr double kEnoughAlike = 0.6;
constexpr size_t kMostTitles = 30;

using Record = std::vector<std::string>;

// Some records of a text; a quoted field keeps its opening quote, which no typed value has.
struct Sample {
  std::vector<Record> records;
  std::vector<uint64_t>
      lines;  // where the first ones begin, counted from 1: titles and the record after them
  size_t quoted_fields = 0;
  bool failed = false;
};

Record take_record(const Scanner& scanner, size_t index, Sample& sample) {
  Record record;
  std::string scratch;
  for (size_t i = 0; i < scanner.num_fields(index); ++i) {
    const RawField field = scanner.field(index, i);
    sample.quoted_fields += field.quoted ? 1 : 0;
    record.emplace_back(value_of(field, scanner.marks(), scratch));
  }
  return record;
}

Sample take_sample(std::string_view text, bool is_whole, const Options& options) {
  Sample sample;
  Options small = options;
  small.buffer_bytes = std::min(options.buffer_bytes, std::max<size_t>(text.size(), 1));
  Scanner scanner(Source::from_memory(text, ""), small);
  while (sample.records.size() < kSniffRecords) {
    // Quotes that are open at the end of a part of a text may be closed in the rest of it.
    const bool fails = !scanner.fill().ok();
    sample.failed = fails && (is_whole || !scanner.ends_in_quotes());
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
  const bool reached_end = sample.records.size() < kSniffRecords;
  if (!is_whole && reached_end && sample.records.size() > 1) {
    sample.records.pop_back();  // it may be truncated
  }
  return sample;
}

// The most frequent number of fields, and the share of records that have it.
struct Shape {
  size_t fields = 0;
  double share = 0;
};

Shape shape_of(const Sample& sample) {
  std::map<size_t, size_t> counts;
  for (const Record& record : sample.records) {
    ++counts[record.size()];
  }
  Shape shape;
  for (const auto& [fields, count] : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(sample.records.size());
    shape = share >= shape.share ? Shape{fields, share} : shape;
  }
  shape.share *= sample.failed ? 0.5 : 1;
  return shape;
}

struct Candidate {
  Options options;
  Sample sample;
  Shape shape;
};

bool is_better(const Shape& a, const Shape& b) {
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

// Quotes are ordinary characters if a text can only be split into fields that way.
bool prefers_no_quotes(const Candidate& with, const Candidate& without) {
  if (mends(without, with)) {
    return true;
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

bool is_preferred(const Candidate& candidate, const Candidate& best, std::string_view text) {
  if (candidate.options.quote == best.options.quote) {
    return is_better(candidate.shape, best.shape);
  }
  return candidate.options.quote == '\0' ? prefers_no_quotes(best, candidate)
                                         : prefers_apostrophes(candidate, best, text);
}

// Whether other marks could be preferred to the best ones so far, as far as the marks that the text contains
// show: most texts need to be split only once.
bool may_be_preferred(char delimiter, char quote, const Candidate& best, std::string_view text) {
  if (best.shape.fields <= 1 || best.shape.share < 1) {
    return true;
  }
  const bool other_quote = quote != best.options.quote;
  if (other_quote && (quote == '\0' || text.find('"') != std::string_view::npos)) {
    return false;
  }
  return text.find(delimiter) != std::string_view::npos;
}

Candidate find_marks(std::string_view text, bool is_whole, const Options& options, const Known& known) {
  std::optional<Candidate> best;
  char escape = options.escape;
  const auto consider = [&](char delimiter, char quote) {
    Options tried = options;
    tried.delimiter = delimiter;
    tried.quote = quote;
    tried.escape = escape;
    if (!check(tried).ok() || (best && !may_be_preferred(delimiter, quote, *best, text))) {
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
  const bool is_split = best && best->shape.fields > 1 && best->shape.share == 1;
  if (!is_split && escape == '\0' && known.quote.value_or('"') == '"' && may_have_escapes(text)) {
    escape = '\\';
    consider_all('"');
    escape = '\0';
  }
  if (!known.quote && text.find('\'') != std::string_view::npos) {
    consider_all('\'');
  }
  if (!known.quote && text.find('"') != std::string_view::npos) {
    consider_all('\0');
  }
  return best ? std::move(*best) : Candidate{options, {}, {}};
}

// Lines before the table, a title or a note: they are one field each, where the table has several. Takes them
// out of the sample and returns how many lines to skip.
uint64_t take_titles(Sample& sample, size_t fields) {
  constexpr size_t kLeastFields = 3;  // with two, a line of one field may be a record cut short
  const auto table = std::ranges::find_if(sample.records, [](const Record& r) { return r.size() != 1; });
  const auto titles = table - sample.records.begin();
  const bool are_titles = fields >= kLeastFields && titles > 0 && titles <= ptrdiff_t{kMostTitles} &&
                          table != sample.records.end() && table->size() == fields;
  if (!are_titles) {
    return 0;
  }
  sample.records.erase(sample.records.begin(), table);
  return sample.lines[static_cast<size_t>(titles)] - 1;
}

// 1990, 1991, 1992: numbers that are column names.
bool are_steps(const std::vector<int64_t>& numbers) {
  for (size_t i = 2; i < numbers.size(); ++i) {
    if (numbers[i] - numbers[i - 1] != numbers[1] - numbers[0]) {
      return false;
    }
  }
  return numbers.size() >= 3 && numbers[1] != numbers[0];
}

// 2014-08-08, 18:00 or 1.5 are not column names.
bool is_data(const std::string& text) {
  Guess guess;
  (void)guess.add(text);
  const ColumnType type = guess.type();
  return type.type == DType::f64 ||
         (type.logical.kind != Logical::Kind::plain && type.logical.kind != Logical::Kind::boolean);
}

bool is_typed(const Guess& guess) {
  return guess.settled() && !is_string(guess.type().type);
}

// Whether the first record contains names: its types differ from those of the others, or no column has a
// type.
bool finds_header(const Sample& sample, size_t fields, const NullTest& is_null) {
  if (sample.records.empty() || sample.records[0].size() != fields) {
    return true;
  }
  bool any_typed = false;
  std::vector<int64_t> numbers;
  for (size_t c = 0; c < fields; ++c) {
    const std::string& first = sample.records[0][c];
    if (is_null(RawField{first.data(), first.size()})) {
      continue;
    }
    Guess guess;
    for (size_t r = 1; r < sample.records.size(); ++r) {
      const Record& record = sample.records[r];
      if (c < record.size() && !is_null(RawField{record[c].data(), record[c].size()})) {
        (void)guess.add(record[c]);
      }
    }
    const bool typed = is_typed(guess) || sample.records.size() == 1;
    (void)guess.add(first);
    if (typed && sample.records.size() > 1 && !is_typed(guess) && !is_data(first)) {
      return true;
    }
    any_typed = any_typed || (typed && is_typed(guess)) || is_data(first);
    if (int64_t number = 0; typed && read_long_signed(first, number)) {
      numbers.push_back(number);
    }
  }
  return !any_typed || are_steps(numbers);
}

Result<std::string> read_begin(Source& source, bool& is_whole) {
  std::string text(kSniffBytes, '\0');
  size_t size = 0;
  for (size_t got = 1; got > 0 && size < text.size(); size += got) {
    BOBBIN_ASSIGN(got, source.read(std::span(text).subspan(size)));
    is_whole = got == 0;
  }
  text.resize(size);
  source.rewind();
  return text;
}

std::string mark_name(char mark) {
  return mark == '\t' ? "tab" : mark == '\0' ? "none" : fmt::format("'{}'", mark);
}

}  // namespace

Result<Sniffed> sniff(Source& source, const Options& options, const Known& known) {
  BOBBIN_TRY(check(options));
  bool is_whole = false;
  BOBBIN_ASSIGN(const std::string text, read_begin(source, is_whole));
  Options basis = options;
  basis.header = false;
  basis.line_end = find_line_end(text, is_whole);
  Candidate found = find_marks(text, is_whole, basis, known);
  Sniffed sniffed{found.options, found.shape.fields};
  if (!known.skips) {
    sniffed.options.skip_lines = take_titles(found.sample, found.shape.fields);
  }
  sniffed.options.header =
      known.header.value_or(finds_header(found.sample, found.shape.fields, NullTest(options.nulls)));
  return sniffed;
}

std::string describe(const Sniffed& sniffed) {
  const Options& options = sniffed.options;
  const std::string skipped = options.skip_lines == 0 ? ""
                                                      : fmt::format(", {} line{} skipped", options.skip_lines,
                                                                    options.skip_lines == 1 ? "" : "s");
  const std::string escape =
      options.escape == '\0' ? "" : fmt::format("escape {}, ", mark_name(options.escape));
  return fmt::format("delimiter {}, quote {}, {}{}, {} column{}{}{}", mark_name(options.delimiter),
                     mark_name(options.quote), escape, options.header ? "header row" : "no header row",
                     sniffed.columns, sniffed.columns == 1 ? "" : "s",
                     options.line_end == LineEnd::cr ? ", lines end in CR" : "", skipped);
}

}  // namespace bobbin::csv
