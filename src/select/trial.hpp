// SPDX-License-Identifier: Apache-2.0
// Tries codecs on a sample, and further codecs on the parts they split it into.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "codecs/codec.hpp"
#include "select/select.hpp"

namespace bobbin::select {

// Values of a sample, or a part that a codec split them into, and the estimated number for all rows.
struct Part {
  Values values;
  double all = 0;
  double runs = 0;     // of equal values, among all rows
  double steps = 0;    // runs of equal differences among all rows; 0: not counted
  bool known = false;  // the number of runs is exact
  uint64_t piece = 0;  // number of contiguous values; 0: all of them
  // Are already differences, and taking them again is left to codecs of higher order; or differences of them
  // were found to be useless.
  bool differences = false;

  // Whether these are all values, in their order, not a sample.
  [[nodiscard]] bool is_all() const { return piece == 0 && static_cast<double>(values.length) == all; }
  [[nodiscard]] double scale() const {
    return values.length == 0 ? 1 : all / static_cast<double>(values.length);
  }
};
[[nodiscard]] Part part_of(const Values& values, double all);
// The same for codes of a dictionary's strings, of which few have useful differences.
[[nodiscard]] Part part_of_codes(const Values& codes, double all);

// Size of an array in a file, including its nodes and segments.
[[nodiscard]] uint64_t stored_bytes(const Array& array);
// The same, estimated, for an array without children: `bytes` in `buffers` buffers, for `values` values of
// `size` bytes.
[[nodiscard]] uint64_t stored_estimate(double bytes, uint32_t buffers, double values, size_t size);
inline constexpr uint64_t kNodeBytes = 4;

void sort_by_bytes(std::vector<Candidate>& candidates);

// Additional bytes for the codes of `rows` values if there are `all` entries instead of `entries`.
[[nodiscard]] uint64_t wider_codes(uint64_t entries, uint64_t all, double rows);

class Trial {
 public:
  // `chain`: the codecs that enclose the part. None of them is nested in itself.
  explicit Trial(std::vector<CodecId> chain = {}) : chain_(std::move(chain)), depth_(chain_.size()) {}

  // All cascades that can encode the part, smallest first.
  [[nodiscard]] std::vector<Candidate> candidates(const Part& part) {
    lists_ = true;
    return candidates(part, UINT64_MAX);
  }
  // The first of them, which is found faster.
  [[nodiscard]] Candidate best(const Part& part) {
    lists_ = false;
    return candidates(part, UINT64_MAX).front();
  }

 private:
  [[nodiscard]] std::vector<const Codec*> codecs_for(const Part& part, bool splitting) const;
  // Without those that split and take more than `most`.
  std::vector<Candidate> candidates(const Part& part, uint64_t most);
  static std::optional<Candidate> whole(const Codec& codec, const Part& part);
  static std::optional<Candidate> encoded(const Codec& codec, const Part& part);
  std::optional<Candidate> in_parts(const Codec& codec, const Part& part, uint64_t most);

  std::vector<CodecId> chain_;  // the codecs that enclose the current part
  size_t depth_;                // how many of them were given
  bool lists_ = false;          // candidates that are not the best are wanted too
};

}  // namespace bobbin::select
