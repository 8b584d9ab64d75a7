// SPDX-License-Identifier: Apache-2.0
// bobbin devices: the available backends of this machine.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bobbin/stream.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "measure/timing.hpp"

namespace bobbin::cli {
namespace {

// What the emulator does, or why it is not available.
std::string describe_emulator() {
  const Result<Stream> stream = Stream::create(Backend::emulator);
  return stream.has_value() ? "runs the GPU kernels on the CPU, thread by thread, and checks them"
                            : "not available: " + stream.error().message();
}

std::string describe(const GpuInfo& gpu) {
  return fmt::format("{}, compute {}.{}, {} SMs, {} memory, {} L2 cache", gpu.name, gpu.compute_major,
                     gpu.compute_minor, gpu.num_sms, bench::human_bytes(gpu.memory_bytes),
                     bench::human_bytes(gpu.l2_bytes));
}

Json to_json(const GpuInfo& gpu) {
  return {{"name", gpu.name},
          {"compute", fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor)},
          {"num_sms", gpu.num_sms},
          {"memory_bytes", gpu.memory_bytes},
          {"l2_bytes", gpu.l2_bytes}};
}

int print_devices(bool as_json) {
  const bench::Machine machine = bench::describe_machine();
  const Result<std::vector<GpuInfo>> gpus = list_gpus();
  const std::vector<GpuInfo> found = gpus.has_value() ? *gpus : std::vector<GpuInfo>{};
  if (as_json) {
    Json list = Json::array();
    for (const GpuInfo& gpu : found) {
      list.push_back(to_json(gpu));
    }
    Json json{{"cpu", {{"name", machine.cpu}, {"cores", machine.cores}}},
              {"emulator", Stream::create(Backend::emulator).has_value()},
              {"gpus", list}};
    json["no_gpu"] = found.empty() ? Json(machine.no_gpu) : Json(nullptr);
    json["auto"] = found.empty() ? "cpu" : "cuda";
    print(bench::dump(json) + "\n");
    return kOk;
  }
  print(fmt::format("cpu       {}, {}\n", machine.cpu, count(machine.cores, "core")));
  print(fmt::format("emulator  {}\n", describe_emulator()));
  for (size_t i = 0; i < found.size(); ++i) {
    print(fmt::format("{:<10}{}\n", fmt::format("cuda:{}", i), describe(found[i])));
  }
  if (found.empty()) {
    print(fmt::format("cuda      not available: {}\n", machine.no_gpu));
  }
  return kOk;
}

}  // namespace

void add_devices(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("devices", "List the available backends: CPU, emulator, GPUs");
  auto as_json = std::make_shared<bool>(false);
  verb.add_flag("--json", *as_json, "Print JSON");
  verb.callback([as_json, &action] { action = [as_json] { return print_devices(*as_json); }; });
}

}  // namespace bobbin::cli
