// SPDX-License-Identifier: Apache-2.0
#include "cli/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>

namespace bobbin::cli {

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "bobbin-XXXXXX").string();
  BOBBIN_RETURN_IF(error || ::mkdtemp(path.data()) == nullptr, StatusCode::io,
                   path + ": cannot create a temporary folder");
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
}

}  // namespace bobbin::cli
