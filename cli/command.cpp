// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "bobbin/stream.hpp"
#include "cli/strings.hpp"
#include "file/text.hpp"

namespace bobbin::cli {

namespace {

const std::string kNumbers = "u8, u16, u32, u64, i8, i16, i32, i64, f32, f64";

bool is_number_type(const std::string& name) {
  const std::optional<DType> type = parse_dtype(name);
  return type && !is_string(*type);
}

}  // namespace

CLI::Option* add_type_option(CLI::App& verb, std::string& type) {
  const auto check = [](const std::string& name) -> std::string {
    return is_number_type(name) ? "" : "'" + name + "' is no type of numbers: " + kNumbers;
  };
  return verb.add_option("-t,--type", type, "Type of the values: " + kNumbers)
      ->check(CLI::Validator(check, "", "type"))
      ->type_name("TYPE");
}

CLI::Option* add_input_type_option(CLI::App& verb, std::string& type) {
  const auto check = [](const std::string& name) -> std::string {
    return is_number_type(name) || parse_form(name)
               ? ""
               : "'" + name + "' is no type: " + kNumbers + ", lines, strings";
  };
  return verb
      .add_option("-t,--type", type,
                  "Type of the values: " + kNumbers +
                      "; lines (a string each, any bytes), strings (each a u32 length, then bytes)")
      ->check(CLI::Validator(check, "", "type"))
      ->type_name("TYPE");
}

CLI::Option* add_backend_option(CLI::App& verb, std::string& backend) {
  const auto check = [](const std::string& name) -> std::string {
    return name == "auto" || parse_backend(name) ? ""
                                                 : "'" + name + "' is no backend: auto, cpu, cuda, emulator";
  };
  return verb
      .add_option("--backend", backend, "Where to run: auto (the GPU when there is one), cpu, cuda, emulator")
      ->check(CLI::Validator(check, "", "backend"))
      ->type_name("WHERE")
      ->capture_default_str();
}

CLI::Validator number_between(uint64_t least, uint64_t most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    uint64_t number = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    const bool fine = error == std::errc{} && end == last && number >= least && number <= most;
    return fine ? "" : fmt::format("'{}' is no number from {} to {}", text, least, most);
  };
  return {check, "", "number"};
}

Result<Backend> pick_backend(const std::string& name) {
  const std::optional<Backend> asked = parse_backend(name);
  if (asked && *asked != Backend::cuda) {
    return *asked;
  }
  const Result<std::vector<GpuInfo>> gpus = list_gpus();
  const bool there = gpus.has_value() && !gpus->empty();
  if (!asked) {
    return there ? Backend::cuda : Backend::cpu;
  }
  BOBBIN_RETURN_IF(!there, StatusCode::unavailable,
                   "cuda: " + (gpus.has_value() ? "no GPU found" : gpus.error().message()));
  return Backend::cuda;
}

int report(const Status& status) {
  if (status.ok()) {
    return kOk;
  }
  // Names come from outside: whatever they hold, the message stays one line.
  std::fputs(fmt::format("bobbin: {}\n", file::printable(status.message())).c_str(), stderr);
  return kFailure;
}

}  // namespace bobbin::cli
