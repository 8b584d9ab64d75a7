// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over a folder of inputs, and over small variations of each input, without libFuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/drawn.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

Bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Cheap variations of an input: truncated, or with one byte changed.
void run_with_neighbours(const Bytes& bytes) {
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  const size_t step = bytes.size() / 16 + 1;
  for (const uint64_t neighbour : bobbin::testing::drawn((bytes.size() + step - 1) / step)) {
    const size_t i = neighbour * step;
    LLVMFuzzerTestOneInput(bytes.data(), i);
    Bytes changed = bytes;
    changed[i] = static_cast<uint8_t>(changed[i] ^ (1U << (i % 8)));
    LLVMFuzzerTestOneInput(changed.data(), changed.size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  int inputs = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      run_with_neighbours(read(entry.path()));
      ++inputs;
    }
  }
  std::printf("replayed %d inputs and their neighbours\n", inputs);
  return inputs == 0 ? 1 : 0;
}
