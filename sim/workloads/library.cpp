// SPDX-License-Identifier: Apache-2.0
// Kernels of the library, recorded in the emulator: no proxies.
#include "sim/workloads/library.hpp"

#include <array>

namespace bobbin::sim {
namespace {

// A description that is in every build, even if the kernel is not.
struct Entry {
  std::string_view name;
  std::string_view represents;
  std::string_view description;
};
constexpr std::array kEntries = {
    Entry{"ffor-decode", "codecs/ffor", "unpacks 32-bit values, each vector of 1024 with a width of its own"},
    Entry{"delta-decode", "codecs/delta", "unpacks residuals of 32-bit timestamps and scans them"},
    Entry{"dict-decode", "codecs/dict", "unpacks 8-bit codes and looks up 32-bit entries"},
    Entry{"dict-strings", "codecs/dict", "strings of 4 to 24 bytes from 16-bit codes, in three launches"},
    Entry{"patched-sum", "plan", "sums the small values of a packed 32-bit column with 1 % exceptions"},
};

constexpr auto kLibraryNames = [] {
  std::array<std::string_view, kEntries.size()> names;
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = kEntries[i].name;
  }
  return names;
}();

#ifdef BOBBIN_SIM_RECORDS
[[nodiscard]] std::vector<Workload> make_workloads() {
  constexpr std::array kRecorders = {&record_ffor_decode, &record_delta_decode, &record_dict_decode,
                                     &record_dict_strings, &record_patched_sum};
  static_assert(kRecorders.size() == kEntries.size());
  std::vector<Workload> all;
  for (size_t i = 0; i < kEntries.size(); ++i) {
    const Entry& entry = kEntries[i];
    all.push_back({entry.name, WorkloadClass::library, entry.represents, entry.description,
                   [record = kRecorders[i]](Memory& memory, uint64_t seed, bool quick) {
                     return recorded_run(
                         memory, {}, [=](Recording& recording) { return record(recording, seed, quick); });
                   }});
  }
  return all;
}
#else
[[nodiscard]] std::vector<Workload> make_workloads() {
  return {};
}
#endif

}  // namespace

std::span<const Workload> library_workloads() {
  static const std::vector<Workload> kAll = make_workloads();
  return kAll;
}

std::span<const std::string_view> library_workload_names() {
  return kLibraryNames;
}

WorkloadRun recorded_run(Memory& memory, const RecordingParameters& parameters,
                         const std::function<Status(Recording&)>& record) {
  auto recording = std::make_shared<Recording>(parameters);
  const Status status = record(*recording);
  if (status.ok()) {
    return replay(std::move(recording), memory);
  }
  return {.launch = [](uint32_t, const Memory&) { return std::optional<Launch>(); },
          .check = [status](const Memory&) { return status; }};
}

}  // namespace bobbin::sim
