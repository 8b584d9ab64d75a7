// SPDX-License-Identifier: Apache-2.0
// Why our numbers differ from the paper's, as far as experiments say.
#include "sim/report.hpp"

namespace bobbin::sim {
namespace {

struct Remark {
  std::string_view claim;
  std::string_view text;
};

// The numbers are means over the 20 proxies in full sizes with seed 1; docs/sim.md has the experiments.
constexpr std::string_view kLessSaved =
    "Two causes. Compression saves less traffic than in the paper (see there), and the proxies are less "
    "bound by DRAM: with half of its bandwidth CABA-BDI is 1.25 times as fast as Base instead of 1.135. In "
    "quick sizes Base uses DRAM less, and CABA-BDI is only 1.086 times as fast. The crossbar is not a "
    "cause: with flits four times as wide Base is 1.26 times as fast, and HW-BDI gains less over it (1.16 "
    "instead of 1.24), since compressed lines also take fewer flits.";
constexpr std::string_view kAssistCost =
    "The assist instructions: if they cost nothing (caba.free=on), CABA-BDI is as fast as HW-BDI (1.240 and "
    "1.242 times Base), instead of 1.135 times.";
constexpr std::string_view kFollows =
    "Follows from the energy and the speed-up, whose remarks apply: the product is their quotient.";
constexpr std::string_view kDirect =
    "The assist instructions: each load that finds a compressed line in the L1 runs a routine again, so that "
    "there are 1.33 times as many expansions. If instructions cost nothing (caba.free=on), Direct-Load "
    "changes nothing (1.003). If the coalescer extracts the values by itself (caba.direct_load=coalescer), "
    "as the paper's text can also be read, it is 1.059 times as fast as CABA-BDI, and 1.47 times on MM: the "
    "paper's number is between the two readings.";

constexpr Remark kRemarks[] = {
    {"caba", kLessSaved},
    {"hw", kLessSaved},
    {"hw-mem", kLessSaved},
    {"ideal", kLessSaved},
    {"caba-most", kLessSaved},
    {"util-base", "In quick sizes more of the data fits into the L2: 37 % instead of 49 %."},
    {"traffic",
     "Three causes. Assist instructions: if they cost nothing (caba.free=on) the ratio is 1.66 instead of "
     "1.47, as with HW-BDI (1.67). With their cost, compression of low priority comes too late and most "
     "whole lines of CONS, hs, KM and LPS leave the store buffer raw; and MM reads 4.4 times as many lines, "
     "because it hits less in the L2. Partial writes, which leave lines raw: Ideal-BDI merges them and has "
     "1.81, without merging (ideal.merges=off) 1.67. The rest is the proxies' data."},
    {"caba-hw", kAssistCost},
    {"caba-ideal",
     "A part is the cost of assist instructions (see CABA-BDI over HW-BDI). The rest is that Ideal-BDI "
     "merges partial writes into compressed lines: if it does not (ideal.merges=off), it is 1.246 times as "
     "fast as Base, like HW-BDI."},
    {"energy",
     "Three quarters of the energy of Base is static power of the chip, which follows the time, and the "
     "speed-up is smaller than the paper's. If assist instructions cost nothing (caba.free=on), it is 0.81."},
    {"energy-hw",
     "The assist instructions: if they cost nothing (caba.free=on), CABA-BDI takes as much energy as HW-BDI "
     "(1.002)."},
    {"energy-ideal",
     "The assist instructions: if they cost nothing (caba.free=on), it is 1.07. The rest is that Ideal-BDI "
     "merges partial writes."},
    {"dram-power",
     "Static power of DRAM: without it (dram_watts of 0) the ratio is 0.80 instead of 0.91, in quick sizes "
     "0.69 instead of 0.86. The rest follows the use of DRAM, which falls to 0.77 of Base's because less "
     "traffic is saved; the paper's falls to 0.66 (35.6 of 53.6 %), and its power nearly as much."},
    {"edp", kFollows},
    {"edp-ideal", kFollows},
    {"power",
     "The paper's energy, power and time do not compose: 1.029 times 0.706 is not 0.778. Ours do, per "
     "workload."},
    {"fpc",
     "The assist instructions: our routines have up to 48 to expand a line and 71 to compress one. If they "
     "cost nothing (caba.free=on), CABA-FPC is 1.16 times as fast as Base; if two are deployed per cycle, "
     "0.85 times. The paper does not state the lengths of its routines."},
    {"cpack",
     "The assist instructions: if they cost nothing (caba.free=on), CABA-C-Pack is 1.20 times as fast as "
     "Base; if two are deployed per cycle, 1.06 times. The rest is as for CABA-BDI."},
    {"direct", kDirect},
    {"direct-mm", kDirect},
    {"md-hits",
     "The metadata cache covers 4 MB per controller, more than the proxies touch: most misses are the first "
     "access to a line of it."},
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
