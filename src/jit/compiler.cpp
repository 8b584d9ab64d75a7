// SPDX-License-Identifier: Apache-2.0
#include "jit/compiler.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "jit/headers.hpp"
#include "jit/nvrtc.hpp"

namespace bobbin::jit {
namespace {

// As in the build: no fused multiply-add, so that all machines round alike. Functions without a mark are for
// the device: that includes constexpr functions.
constexpr std::array kOptions = {"--std=c++20", "-default-device", "--fmad=false", "-device-int128"};

// nvrtcResult's values that are errors of the caller.
constexpr int kInvalidOption = 5;
constexpr int kCompilation = 6;

class Program {
 public:
  explicit Program(const Nvrtc& api) : api_(api) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (program_ != nullptr) {
      api_.destroy(&program_);
    }
  }

  [[nodiscard]] Status create(const std::string& source) {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const Header& header : headers()) {
      names.push_back(header.name);
      texts.push_back(header.text);
    }
    return status(api_.create(&program_, source.c_str(), "kernel.cu", static_cast<int>(names.size()),
                              texts.data(), names.data()));
  }
  [[nodiscard]] Status compile(int sm) {
    const std::string architecture = fmt::format("--gpu-architecture=sm_{}", sm);
    std::vector<const char*> options(kOptions.begin(), kOptions.end());
    options.push_back(architecture.c_str());
    const int result = api_.compile(program_, static_cast<int>(options.size()), options.data());
    if (result == kCompilation) {
      return {StatusCode::invalid_argument, "the kernel does not compile:\n" + log()};
    }
    if (result == kInvalidOption) {
      return {StatusCode::unsupported, fmt::format("{} cannot compile for sm_{}: {}", api_.name, sm, log())};
    }
    return status(result);
  }
  [[nodiscard]] Result<std::vector<std::byte>> cubin() const {
    size_t size = 0;
    BOBBIN_TRY(status(api_.cubin_size(program_, &size)));
    std::vector<std::byte> bytes(size);
    BOBBIN_TRY(status(api_.cubin(program_, reinterpret_cast<char*>(bytes.data()))));
    return bytes;
  }

 private:
  // Other errors: of the library, or out of memory.
  [[nodiscard]] Status status(int result) const {
    if (result == 0) {
      return {};
    }
    return {StatusCode::device, fmt::format("{}: {}", api_.name, api_.error_string(result))};
  }
  [[nodiscard]] std::string log() const {
    size_t size = 0;
    if (api_.log_size(program_, &size) != 0 || size == 0) {
      return {};
    }
    std::string text(size, '\0');
    api_.log(program_, text.data());
    text.resize(std::strlen(text.c_str()));  // the size includes the terminator
    return text;
  }

  const Nvrtc& api_;
  Nvrtc::Program program_ = nullptr;
};

uint64_t hash_headers() {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (const Header& header : headers()) {
    XXH3_64bits_update(&state, header.name, std::strlen(header.name) + 1);
    XXH3_64bits_update(&state, header.text, std::strlen(header.text) + 1);
  }
  return XXH3_64bits_digest(&state);
}

}  // namespace

Result<std::vector<std::byte>> compile(std::string_view source, int sm) {
  BOBBIN_ASSIGN(const Nvrtc* const api, nvrtc());
  Program program(*api);
  BOBBIN_TRY(program.create(std::string(source)));
  BOBBIN_TRY(program.compile(sm));
  return program.cubin();
}

std::string compiler_identity(std::string_view version, int sm) {
  static const uint64_t hash = hash_headers();
  return fmt::format("nvrtc {} sm_{} {} headers {:016x}", version, sm, fmt::join(kOptions, " "), hash);
}

}  // namespace bobbin::jit
