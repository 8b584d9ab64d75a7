// SPDX-License-Identifier: Apache-2.0
// Files, pipes and terminals, with the manners of zstd's tool: "-" is stdin or stdout, nothing is overwritten
// without -f, no binary goes to a terminal, and an output file appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bobbin/file.hpp"
#include "bobbin/io.hpp"
#include "bobbin/status.hpp"

namespace bobbin::cli {

[[nodiscard]] bool is_standard(const std::string& path);  // "-" or nothing

struct Input {
  file::Descriptor descriptor;
  std::string name;                // for messages
  std::optional<uint64_t> length;  // bytes from here to the end, when known
};

// Opens a file, or stdin.
[[nodiscard]] Result<Input> open_input(const std::string& path);
// Puts a nameless temporary file in the place of an input that cannot be read twice.
[[nodiscard]] Status make_seekable(Input& input);
// Fills `bytes` unless the input ends before; returns how many came.
[[nodiscard]] Result<size_t> read_full(const Input& input, std::span<std::byte> bytes);

// Refuses a size that is no whole number of values.
[[nodiscard]] Status check_whole_values(const std::string& name, uint64_t bytes, DType type);

// A reader over a file, or over a pipe by way of a temporary file without a name.
struct OpenReader {
  file::Descriptor descriptor;
  Reader reader;
  std::string name;
};
[[nodiscard]] Result<OpenReader> open_reader(const std::string& path);

// The column of that name, or the only one when no name is given.
[[nodiscard]] Result<size_t> find_column(const OpenReader& file, const std::optional<std::string>& name);

// Where output goes. A stream is stdout, or a device or a pipe with a name: written as it comes, never
// renamed.
struct Target {
  std::string path;
  std::string name;  // for messages
  bool stream = false;
  bool exists = false;          // a file that would be replaced
  file::Descriptor descriptor;  // of a stream
};

// Checks that `path` may be written: it is no directory, not the input itself, no existing file unless
// `force`, and when a stream no terminal unless `force`.
[[nodiscard]] Result<Target> open_target(const std::string& path, bool force, int input_descriptor);
// The stream itself, or a new file that gets its name at commit().
[[nodiscard]] Result<file::Output> open_output(const Target& target, bool force);

}  // namespace bobbin::cli
