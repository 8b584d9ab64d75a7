// SPDX-License-Identifier: Apache-2.0
#include "select/select.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "array/array.hpp"
#include "codecs/nesting.hpp"
#include "codecs/registry.hpp"
#include "core/bits.hpp"
#include "core/lanes.hpp"
#include "select/sample.hpp"

namespace bobbin::select {
namespace {

constexpr size_t kDepth = 3;  // codecs inside each other
// What a file spends on a buffer: it is filled up to a multiple of 128 bytes, by half of it as a rule, and
// has an entry in the table of segments.
constexpr double kFilling = 64 + 24;
constexpr uint64_t kNodeBytes = 64;  // and on a node, in the footer
// An encoding this much larger than expected makes it worth trying the next one.
constexpr double kSurprise = 1.05;

// Values of the sample, or what a codec made of them, and how many of them all rows will make.
struct Part {
  Values values;
  double all = 0;
  double runs = 0;     // of equal values, in all
  bool known = false;  // that number is no estimate
  uint64_t piece = 0;  // how many values stood side by side; 0: all of them

  [[nodiscard]] double scale() const {
    return values.length == 0 ? 1 : all / static_cast<double>(values.length);
  }
};

Part part_of(const Values& values, double all) {
  Part part{.values = values, .all = all};
  part.runs = static_cast<double>(count_runs(values)) * part.scale();
  part.known = static_cast<double>(values.length) >= all;
  return part;
}

// The least bytes in which so many places among all can be told.
double least_bytes(double places, double all) {
  return places <= 0 || places >= all ? 0 : places * std::log2(all / places) / 8;
}

void sort_by_bytes(std::vector<Candidate>& candidates) {
  std::ranges::stable_sort(candidates, {}, &Candidate::bytes);
}

// Bytes that numbers of `rows` values take more when there are not `entries` of them but `all`.
uint64_t wider_codes(uint64_t entries, uint64_t all, double rows) {
  const auto more = static_cast<double>(std::bit_width(all)) - static_cast<double>(std::bit_width(entries));
  return static_cast<uint64_t>(std::max(more, 0.0) * rows / 8);
}

// Tries codecs on a sample, and codecs on what they make of it.
class Trial {
 public:
  // All that can encode the part, the smallest first.
  std::vector<Candidate> candidates(const Part& part) {
    std::vector<Candidate> found;
    const auto try_codecs = [&](bool splitting, auto&& attempt) {
      for (const Codec* codec : value_codecs()) {
        const bool inside_itself = std::ranges::find(chain_, codec->id) != chain_.end();
        if ((codec->split != nullptr) != splitting || !codec->takes(part.values.type) || inside_itself) {
          continue;
        }
        if (std::optional<Candidate> candidate = attempt(*codec); candidate.has_value()) {
          found.push_back(std::move(*candidate));
        }
      }
    };
    try_codecs(false, [&](const Codec& codec) { return whole(codec, part); });
    sort_by_bytes(found);
    const uint64_t least = found.empty() ? UINT64_MAX : found[0].bytes;
    try_codecs(true, [&](const Codec& codec) { return in_parts(codec, part, least); });
    sort_by_bytes(found);
    return found;
  }

 private:
  // Where pieces of a sample meet there is a step that the values do not have.
  static uint64_t estimate(const Codec& codec, const Part& part) {
    if (!codec.looks_back || part.piece == 0) {
      return codec.estimate(part.values);
    }
    uint64_t bytes = 0;
    const size_t size = size_bytes(part.values.type);
    for (uint64_t first = 0; first < part.values.length; first += part.piece) {
      bytes +=
          codec.estimate({part.values.type, static_cast<const std::byte*>(part.values.data) + first * size,
                          std::min(part.piece, part.values.length - first)});
    }
    return bytes;
  }

  static std::optional<Candidate> whole(const Codec& codec, const Part& part) {
    // That a sample is all one value does not say that all values are.
    const bool unproven = codec.all_alike && (part.runs > 1 || !part.known);
    const uint64_t bytes = unproven ? kNoEncoding : estimate(codec, part);
    if (bytes == kNoEncoding) {
      return std::nullopt;
    }
    const double all = static_cast<double>(bytes) * (codec.all_alike ? 1 : part.scale());
    return Candidate{{codec.id},
                     static_cast<uint64_t>(all + codec.tree_buffers * kFilling) + kNodeBytes,
                     codec.device_cost};
  }

  // Nothing where it cannot be smaller than `most`, or not by much.
  std::optional<Candidate> in_parts(const Codec& codec, const Part& part, uint64_t most) {
    const bool no_signs = codec.signed_only && !has_both_signs(part.values);
    if (chain_.size() + 1 >= kDepth || part.values.length == 0 || no_signs) {
      return std::nullopt;
    }
    const Result<Split> split = codec.split(part.values);
    if (!split.has_value()) {
      return std::nullopt;
    }
    std::vector<Part> children;
    for (size_t i = 0; i < split->children.size(); ++i) {
      children.push_back(child_part(codec, part, *split, i));
      const Follows follows = codec.parts()[i].follows;
      const bool tells_places = follows == Follows::runs || follows == Follows::exceptions;
      const double least = tells_places ? least_bytes(children.back().all, part.all) : 0;
      if (children.back().all == 0 || least > static_cast<double>(most)) {
        return std::nullopt;
      }
    }
    Candidate candidate{{codec.id}, split->node.metadata.size() + kNodeBytes, codec.device_cost};
    chain_.push_back(codec.id);
    bool fits = true;
    for (size_t i = 0; i < children.size() && fits; ++i) {
      fits = add_child(candidate, part, children[i], candidates(children[i]));
      candidate.bytes += wider_codes(codec, part, *split, i);
    }
    chain_.pop_back();
    return fits ? std::optional(std::move(candidate)) : std::nullopt;
  }

  // The best cascade for a child that may be inside the codec; false where there is none.
  static bool add_child(Candidate& candidate, const Part& parent, const Part& child,
                        const std::vector<Candidate>& best) {
    std::vector<Cascade>& children = candidate.cascade.children;
    for (const Candidate& choice : best) {
      children.push_back(choice.cascade);
      if (!nesting_fault(candidate.cascade, parent.values.type).has_value()) {
        candidate.bytes += choice.bytes;
        candidate.cost += choice.cost * child.all / std::max(parent.all, 1.0);
        return true;
      }
      children.pop_back();
    }
    return false;
  }

  // A child that is not worth it has none of its values in all.
  static Part child_part(const Codec& codec, const Part& part, const Split& split, size_t i) {
    const Values values = split.children[i].view();
    const double all = [&] {
      switch (codec.parts()[i].follows) {
        case Follows::runs:
          return std::max(part.runs, static_cast<double>(values.length));
        case Follows::distinct:
          return distinct_in(part, split, values.length);
        case Follows::rows:
        case Follows::exceptions:
        case Follows::other:
          break;
      }
      return static_cast<double>(values.length) * part.scale();
    }();
    const bool worth = codec.parts()[i].follows == Follows::rows || 2 * all <= part.all;
    return worth ? part_of(values, std::max(all, 1.0)) : Part{};
  }

  // A codec that keeps distinct values has numbers of them as its first child.
  static double distinct_in(const Part& part, const Split& split, uint64_t entries) {
    return static_cast<double>(
        estimate_distinct(split.children[0].view(), entries, static_cast<uint64_t>(part.all)));
  }

  // Numbers of distinct values get wider with those that the sample lacks.
  static uint64_t wider_codes(const Codec& codec, const Part& part, const Split& split, size_t i) {
    if (codec.parts()[i].follows != Follows::distinct) {
      return 0;
    }
    const uint64_t entries = split.children[i].length;
    return select::wider_codes(entries, static_cast<uint64_t>(distinct_in(part, split, entries)), part.all);
  }

  std::vector<CodecId> chain_;  // those around the part that is tried
};

// What all strings share, the symbols, is the first buffer of an array of strings.
uint64_t shared_bytes(const Array& array) {
  return array.buffers.empty() ? 0 : array.buffers[0].bytes.size();
}

// A sample of strings, encoded; `scale` is how many times as much there is in all.
std::optional<Candidate> whole_strings(const Codec& codec, const StringsView& sample, double scale) {
  const Result<Array> array = codec.strings->encode(sample, nullptr);
  if (!array.has_value()) {
    return std::nullopt;
  }
  const uint64_t shared = shared_bytes(*array);
  const double grows = static_cast<double>(array::encoded_bytes(*array) - shared) * scale;
  const double bytes = grows + static_cast<double>(shared) + codec.tree_buffers * kFilling;
  return Candidate{{codec.id}, static_cast<uint64_t>(bytes), codec.device_cost};
}

std::optional<Candidate> strings_in_parts(const Codec& codec, const StringsView& sample, double rows) {
  const Result<StringSplit> split = codec.strings->split(sample);
  if (!split.has_value() || split->children.empty()) {
    return std::nullopt;
  }
  const uint64_t entries = split->strings.length();
  const Values codes = split->children[0].view();
  const uint64_t all = std::max<uint64_t>(estimate_distinct(codes, entries, static_cast<uint64_t>(rows)), 1);
  if (2 * static_cast<double>(all) > rows) {
    return std::nullopt;
  }
  const auto inner = whole_strings(*find_codec(CodecId::fsst), split->strings.view(),
                                   static_cast<double>(all) / static_cast<double>(entries));
  const std::vector<Candidate> numbers = Trial().candidates(part_of(codes, rows));
  if (!inner.has_value()) {
    return std::nullopt;
  }
  return Candidate{{codec.id, {numbers[0].cascade, inner->cascade}},
                   numbers[0].bytes + inner->bytes + wider_codes(entries, all, rows) + kNodeBytes,
                   codec.device_cost + numbers[0].cost};
}

// Strings that are encoded one by one take a code for every eight bytes, or more. Where another way takes
// less than that, learning symbols from them would be in vain.
double least_bytes_of(const StringsView& strings) {
  uint64_t codes = 0;
  for (uint64_t i = 0; i < strings.length; ++i) {
    codes += ceil_div<uint64_t>(strings.size(i), 8);
  }
  return static_cast<double>(codes);
}

// How many times as many bytes there are as in a sample.
double scale_of(const StringsView& sample, const StringsView& strings) {
  return (static_cast<double>(strings.num_bytes()) + static_cast<double>(strings.length)) /
         std::max<double>(static_cast<double>(sample.num_bytes()) + static_cast<double>(sample.length), 1);
}

void order(std::vector<Candidate>& candidates, const Goal& goal) {
  sort_by_bytes(candidates);
  if (goal.kind == Goal::Kind::fastest && !candidates.empty()) {
    const double most = static_cast<double>(candidates[0].bytes) * (1 + goal.slack);
    const auto end = std::ranges::find_if(
        candidates, [&](const Candidate& candidate) { return static_cast<double>(candidate.bytes) > most; });
    std::stable_sort(candidates.begin(), end,
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  }
}

// Goes through the candidates as long as they may be better than the best so far.
template <class Encode>
Result<Array> encode_best(const std::vector<Candidate>& candidates, Encode&& encode_with) {
  std::optional<Array> best;
  uint64_t least = UINT64_MAX;
  Status failure(StatusCode::unsupported, "no codec takes these values");
  for (const Candidate& candidate : candidates) {
    if (candidate.bytes >= least) {
      break;
    }
    Result<Array> array = encode_with(candidate.cascade);
    if (!array.has_value()) {
      failure = array.error();
      continue;
    }
    const uint64_t bytes = array::encoded_bytes(*array);
    if (bytes < least) {
      least = bytes;
      best = std::move(*array);
    }
    if (static_cast<double>(bytes) <= kSurprise * static_cast<double>(candidate.bytes)) {
      break;
    }
  }
  return best.has_value() ? Result<Array>(std::move(*best)) : Result<Array>(failure);
}

}  // namespace

Choice choose(const Values& values, const Goal& goal) {
  const OwnedValues sample = sample_of(values, sampled_vectors(values.length));
  Choice choice{
      .rows = values.length, .sampled = sample.length, .runs = count_runs(values), .candidates = {}};
  const Part part{.values = sample.view(),
                  .all = static_cast<double>(values.length),
                  .runs = static_cast<double>(choice.runs),
                  .known = true,
                  .piece = sample.length == values.length ? 0 : uint64_t{kVectorLength}};
  choice.candidates = Trial().candidates(part);
  order(choice.candidates, goal);
  return choice;
}

Result<Array> encode(const Values& values, const Goal& goal, Backend backend) {
  return encode_best(choose(values, goal).candidates,
                     [&](const Cascade& cascade) { return encode(cascade, values, backend); });
}

Choice choose_strings(const StringsView& strings, const Goal& goal) {
  const Strings sample = sample_of(strings, sampled_vectors(strings.length));
  Choice choice{.rows = strings.length, .sampled = sample.length(), .runs = 0, .candidates = {}};
  const double scale = scale_of(sample.view(), strings);
  const auto try_codecs = [&](bool splitting, auto&& attempt) {
    for (const Codec* codec : all_codecs()) {
      if (codec->strings == nullptr || (codec->strings->split != nullptr) != splitting) {
        continue;
      }
      if (std::optional<Candidate> candidate = attempt(*codec); candidate.has_value()) {
        choice.candidates.push_back(std::move(*candidate));
      }
    }
  };
  try_codecs(true, [&](const Codec& codec) {
    return strings_in_parts(codec, sample.view(), static_cast<double>(strings.length));
  });
  const double least = least_bytes_of(sample.view()) * scale;
  if (choice.candidates.empty() || static_cast<double>(choice.candidates[0].bytes) > least) {
    try_codecs(false, [&](const Codec& codec) { return whole_strings(codec, sample.view(), scale); });
  }
  order(choice.candidates, goal);
  return choice;
}

Result<Array> encode_strings(const StringsView& strings, const Array* previous, const Goal& goal,
                             Backend backend) {
  return encode_best(choose_strings(strings, goal).candidates, [&](const Cascade& cascade) {
    return encode_strings(cascade, strings, previous, backend);
  });
}

}  // namespace bobbin::select
