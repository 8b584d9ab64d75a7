// SPDX-License-Identifier: Apache-2.0
// Files, pipes and terminals, with the conventions of zstd's tool: "-" is stdin or stdout, nothing is
// overwritten without -f, no binary data goes to a terminal, and an output file appears complete or not at
// all.
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

// "-", nothing, or a name of the standard stream.
[[nodiscard]] bool is_stdin(const std::string& path);
[[nodiscard]] bool is_stdout(const std::string& path);

[[nodiscard]] bool is_folder(const std::string& path);

struct Input {
  file::Descriptor descriptor;
  std::string name;                    // for messages
  std::optional<uint64_t> length;      // bytes from here to the end, if known
  std::optional<file::Access> access;  // of a file
  int64_t end = 0;                     // of a file when it was opened
};

// Opens a file, or stdin. Fails if stdout is the same file.
[[nodiscard]] Result<Input> open_input(const std::string& path);
// Fills `bytes` unless the input ends before; returns the number of bytes read. Fails if a file became
// shorter.
[[nodiscard]] Result<size_t> read_full(const Input& input, std::span<std::byte> bytes);

// Refuses a size that is not a whole number of values.
[[nodiscard]] Status check_whole_values(const std::string& name, uint64_t bytes, DType type);

// A reader of a file, or of an unnamed temporary file: see table_input.hpp.
struct OpenReader {
  file::Descriptor descriptor;
  Reader reader;
  std::string name;
  std::optional<file::Access> access;  // as in Input
};

// The column of that name, or the only one when no name is given.
[[nodiscard]] Result<size_t> find_column(const OpenReader& file, const std::optional<std::string>& name);
// The same among the columns that hold strings, if there are any.
[[nodiscard]] Result<size_t> find_string_column(const OpenReader& file,
                                                const std::optional<std::string>& name);

// Where output goes. A stream is stdout, a device or a named pipe: written directly, never renamed.
struct Target {
  std::string path;
  std::string name;  // for messages
  bool stream = false;
  bool exists = false;          // there is a file that would be replaced
  file::Descriptor descriptor;  // for a stream
};

// Checks that `path` may be written: it is not a directory and not the input itself; not an existing file
// unless `force`; and if it is a stream, not a terminal unless `force`.
[[nodiscard]] Result<Target> open_target(const std::string& path, bool force, int input_descriptor);
// The stream itself, or a new file that gets its name at commit(), and that nobody may read who may not read
// `source`, where its content comes from. An interrupt removes its temporary file: see interrupt.hpp.
[[nodiscard]] Result<file::Output> open_output(const Target& target, bool force,
                                               const std::optional<file::Access>& source);
// Fails if the target is the file of this name, which is read: not even -f replaces it.
[[nodiscard]] Status check_not_input(const Target& target, const std::string& path);

}  // namespace bobbin::cli
