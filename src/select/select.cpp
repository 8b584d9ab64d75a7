// SPDX-License-Identifier: Apache-2.0
#include "select/select.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "array/array.hpp"
#include "codecs/registry.hpp"
#include "core/bits.hpp"
#include "select/sample.hpp"

namespace bobbin::select {
namespace {

constexpr size_t kDepth = 3;  // codecs inside each other
// Every buffer is filled up to a multiple of 128 bytes in a file, by half of it as a rule.
constexpr double kFilling = 64;
// An encoding this much larger than expected makes it worth trying the next one.
constexpr double kSurprise = 1.05;

// Values of the sample, or what a codec made of them, and how many of them all rows will make.
struct Part {
  Values values;
  double all = 0;
  double runs = 0;  // of equal values, in all

  [[nodiscard]] double scale() const {
    return values.length == 0 ? 1 : all / static_cast<double>(values.length);
  }
  [[nodiscard]] bool is_all() const { return static_cast<double>(values.length) >= all; }
};

Part part_of(const Values& values, double all) {
  const double share = values.length == 0 ? 1 : all / static_cast<double>(values.length);
  return {values, all, static_cast<double>(count_runs(values)) * share};
}

void sort_by_bytes(std::vector<Candidate>& candidates) {
  std::ranges::stable_sort(candidates, {}, &Candidate::bytes);
}

// Tries codecs on a sample, and codecs on what they make of it.
class Trial {
 public:
  // All that can encode the part, the smallest first. `rows` of the whole column are what costs count for.
  std::vector<Candidate> candidates(const Part& part) {
    std::vector<Candidate> found;
    for (const Codec* codec : value_codecs()) {
      if (!codec->takes(part.values.type) || std::ranges::find(chain_, codec->id) != chain_.end()) {
        continue;
      }
      std::optional<Candidate> candidate =
          codec->split == nullptr ? whole(*codec, part) : in_parts(*codec, part);
      if (candidate.has_value()) {
        found.push_back(std::move(*candidate));
      }
    }
    sort_by_bytes(found);
    return found;
  }

 private:
  static std::optional<Candidate> whole(const Codec& codec, const Part& part) {
    const uint64_t bytes = codec.estimate(part.values);
    if (bytes == kNoEncoding) {
      return std::nullopt;
    }
    const double all = static_cast<double>(bytes) * part.scale() + codec.buffers * kFilling;
    return Candidate{{codec.id}, static_cast<uint64_t>(all), codec.device_cost};
  }

  std::optional<Candidate> in_parts(const Codec& codec, const Part& part) {
    if (chain_.size() + 1 >= kDepth || part.values.length == 0) {
      return std::nullopt;
    }
    const Result<Split> split = codec.split(part.values);
    if (!split.has_value()) {
      return std::nullopt;
    }
    Candidate candidate{{codec.id}, split->node.metadata.size(), codec.device_cost};
    double bytes = codec.buffers * kFilling;
    chain_.push_back(codec.id);
    for (size_t i = 0; i < split->children.size() && candidate.cost > 0; ++i) {
      const Part child = child_part(codec, part, *split, i);
      const std::vector<Candidate> best = child.all > 0 ? candidates(child) : std::vector<Candidate>{};
      if (best.empty()) {
        chain_.pop_back();
        return std::nullopt;
      }
      bytes += static_cast<double>(best[0].bytes) + wider_codes(codec, part, *split, i);
      candidate.cost += best[0].cost * child.all / std::max(part.all, 1.0);
      candidate.cascade.children.push_back(best[0].cascade);
    }
    chain_.pop_back();
    candidate.bytes += static_cast<uint64_t>(bytes);
    return candidate;
  }

  // A child that is not worth it has none of its values in all.
  static Part child_part(const Codec& codec, const Part& part, const Split& split, size_t i) {
    const Values values = split.children[i].view();
    const double all = [&] {
      switch (codec.splits_into[i]) {
        case Follows::runs:
          return std::max(part.runs, static_cast<double>(values.length));
        case Follows::distinct:
          return distinct_in(part, split, values.length);
        case Follows::rows:
        case Follows::exceptions:
          break;
      }
      return static_cast<double>(values.length) * part.scale();
    }();
    const bool worth = codec.splits_into[i] == Follows::rows || 2 * all <= part.all;
    return worth ? part_of(values, all) : Part{};
  }

  // A codec that keeps distinct values has numbers of them as its first child.
  static double distinct_in(const Part& part, const Split& split, uint64_t entries) {
    return static_cast<double>(
        estimate_distinct(split.children[0].view(), entries, static_cast<uint64_t>(part.all)));
  }

  // Numbers of distinct values get wider with those that the sample lacks.
  static double wider_codes(const Codec& codec, const Part& part, const Split& split, size_t i) {
    if (codec.splits_into[i] != Follows::distinct) {
      return 0;
    }
    const uint64_t entries = split.children[i].length;
    const auto all = static_cast<uint64_t>(distinct_in(part, split, entries));
    const auto more = static_cast<double>(std::bit_width(all) - std::bit_width(entries));
    return std::max(more, 0.0) * part.all / 8;
  }

  std::vector<CodecId> chain_;  // those around the part that is tried
};

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
  const Part part{sample.view(), static_cast<double>(values.length), static_cast<double>(choice.runs)};
  choice.candidates = Trial().candidates(part);
  order(choice.candidates, goal);
  return choice;
}

Result<Array> encode(const Values& values, const Goal& goal, Backend backend) {
  return encode_best(choose(values, goal).candidates,
                     [&](const Cascade& cascade) { return encode(cascade, values, backend); });
}

Result<Array> encode_strings(const StringsView& strings, const Array* previous, const Goal& /*goal*/,
                             Backend backend) {
  return encode_strings(Cascade{CodecId::fsst}, strings, previous, backend);
}

}  // namespace bobbin::select
