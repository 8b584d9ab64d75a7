// SPDX-License-Identifier: Apache-2.0
// Why our numbers differ from the paper's, as far as experiments say.
#include "sim/report.hpp"

namespace bobbin::sim {
namespace {

struct Remark {
  std::string_view claim;
  std::string_view text;
};

constexpr Remark kRemarks[] = {
    {"power",
     "The paper's energy, power and time do not compose: 1.029 times 0.706 is not 0.778. Ours do, per "
     "workload."},
};

}  // namespace

std::string_view remark_on(std::string_view claim) {
  for (const Remark& remark : kRemarks) {
    if (remark.claim == claim) {
      return remark.text;
    }
  }
  return "";
}

}  // namespace bobbin::sim
