// SPDX-License-Identifier: Apache-2.0
#include "cli/io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include "bobbin/io.hpp"
#include "bobbin/schema.hpp"
#include "cli/format.hpp"
#include "cli/interrupt.hpp"

namespace bobbin::cli {
namespace {

constexpr size_t kMaxRead = size_t{1} << 30;
constexpr size_t kMaxListed = 20;

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

Status refuse_terminal(int descriptor, const std::string& name, bool force) {
  BOBBIN_RETURN_IF(!force && isatty(descriptor) != 0, StatusCode::io,
                   name + ": refusing to write binary data to a terminal (use -f to do it anyway)");
  return {};
}

std::string list_columns(const std::vector<Column>& columns) {
  std::string names;
  for (size_t i = 0; i < std::min(columns.size(), kMaxListed); ++i) {
    names += (i == 0 ? "" : ", ") + columns[i].name;
  }
  return names + (columns.size() > kMaxListed ? ", ..." : "");
}

}  // namespace

bool is_stdin(const std::string& path) {
  return path.empty() || path == "-" || path == "/dev/stdin" || path == "/dev/fd/0" ||
         path == "/proc/self/fd/0";
}

bool is_stdout(const std::string& path) {
  return path.empty() || path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" ||
         path == "/proc/self/fd/1";
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Result<Input> open_input(const std::string& path) {
  const bool standard = is_stdin(path);
  Input input{.descriptor = {}, .name = standard ? "stdin" : path, .length = {}, .access = {}};
  const int number = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) {
    return file::io_error(input.name, errno);
  }
  input.descriptor = standard ? file::Descriptor::borrow(number) : file::Descriptor::own(number);
  struct stat info {};
  if (::fstat(number, &info) != 0) {
    return file::io_error(input.name, errno);
  }
  BOBBIN_RETURN_IF(S_ISDIR(info.st_mode), StatusCode::io, input.name + ": is a directory");
  input.access = file::Access::of(number);
  BOBBIN_RETURN_IF(isatty(number) != 0, StatusCode::io,
                   input.name + ": refusing to read data from a terminal");
  if (S_ISREG(info.st_mode)) {
    struct stat out {};
    BOBBIN_RETURN_IF(::fstat(STDOUT_FILENO, &out) == 0 && same_file(info, out), StatusCode::io,
                     input.name + ": stdout is this file");
    input.end = info.st_size;
    const off_t here = ::lseek(number, 0, SEEK_CUR);
    input.length = static_cast<uint64_t>(std::max<off_t>(0, info.st_size - std::max<off_t>(0, here)));
  }
  return input;
}

Result<size_t> read_full(const Input& input, std::span<std::byte> bytes) {
  size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got =
        ::read(input.descriptor.get(), bytes.data() + size, std::min(bytes.size() - size, kMaxRead));
    if (got == 0) {
      const off_t here = input.end == 0 ? 0 : ::lseek(input.descriptor.get(), 0, SEEK_CUR);
      BOBBIN_TRY(file::check_end(here, input.end).in(input.name));
      break;
    }
    if (got > 0) {
      size += static_cast<size_t>(got);
    } else if (errno != EINTR) {
      return file::io_error(input.name + ": read", errno);
    }
  }
  return size;
}

Status check_whole_values(const std::string& name, uint64_t bytes, DType type) {
  BOBBIN_RETURN_IF(bytes % size_bytes(type) != 0, StatusCode::invalid_argument,
                   fmt::format("{}: {} bytes is not a multiple of {} ({})", name, bytes, size_bytes(type),
                               to_string(type)));
  return {};
}

Result<size_t> find_column(const OpenReader& file, const std::optional<std::string>& name) {
  const std::vector<Column>& columns = file.reader.columns();
  if (!name) {
    BOBBIN_RETURN_IF(columns.size() != 1, StatusCode::invalid_argument,
                     fmt::format("{}: has {}, choose one with --column: {}", file.name,
                                 count(columns.size(), "column"), list_columns(columns)));
    return size_t{0};
  }
  const std::optional<size_t> found = file.reader.find_column(*name);
  if (!found) {
    return no_such_column(columns, *name).in(file.name);
  }
  return *found;
}

Result<size_t> find_string_column(const OpenReader& file, const std::optional<std::string>& name) {
  std::vector<Column> columns = file.reader.columns();
  std::erase_if(columns, [](const Column& column) { return !is_string(column.type); });
  BOBBIN_RETURN_IF(!name && columns.size() > 1, StatusCode::invalid_argument,
                   fmt::format("{}: has {} string columns, choose one with --column: {}", file.name,
                               columns.size(), list_columns(columns)));
  BOBBIN_RETURN_IF(!name && columns.empty() && file.reader.columns().size() > 1, StatusCode::invalid_argument,
                   fmt::format("{}: has no string column", file.name));
  return find_column(file, name || columns.empty() ? name : columns[0].name);
}

Result<Target> open_target(const std::string& path, bool force, int input_descriptor) {
  const bool standard = is_stdout(path);
  Target target{.path = path,
                .name = standard ? "stdout" : path,
                .stream = standard,
                .exists = false,
                .descriptor = {}};
  if (standard) {
    target.descriptor = file::Descriptor::borrow(STDOUT_FILENO);
    BOBBIN_TRY(refuse_terminal(STDOUT_FILENO, target.name, force));
    return target;
  }
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return target;  // a new name, or one for which creating the file will fail
  }
  BOBBIN_RETURN_IF(S_ISDIR(info.st_mode), StatusCode::io, path + ": is a directory");
  struct stat input_info {};
  const bool have_input = ::fstat(input_descriptor, &input_info) == 0;
  if (S_ISREG(info.st_mode)) {
    BOBBIN_RETURN_IF(have_input && same_file(info, input_info), StatusCode::io,
                     path + ": is the input itself");
    BOBBIN_RETURN_IF(!force, StatusCode::io, path + ": already exists (use -f to overwrite)");
    target.exists = true;
    return target;
  }
  const int number = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (number < 0) {
    return file::io_error(path, errno);
  }
  target.descriptor = file::Descriptor::own(number);
  target.stream = true;
  BOBBIN_TRY(refuse_terminal(number, path, force));
  return target;
}

Status check_not_input(const Target& target, const std::string& path) {
  struct stat input {};
  struct stat output {};
  const bool same = target.exists && ::stat(path.c_str(), &input) == 0 &&
                    ::stat(target.path.c_str(), &output) == 0 && same_file(input, output);
  BOBBIN_RETURN_IF(same, StatusCode::io, target.path + ": is one of the inputs");
  return {};
}

Result<file::Output> open_output(const Target& target, bool force,
                                 const std::optional<file::Access>& source) {
  if (target.stream) {
    return file::Output::borrow(target.descriptor.get());
  }
  catch_interrupts();  // from here on there is a temporary file to remove
  Result<file::Output> created = file::Output::create(target.path, force);
  if (!created.has_value()) {
    return created.error().in(target.name);
  }
  if (source.has_value()) {
    created->restrict_to(*source);
  }
  return created;
}

}  // namespace bobbin::cli
