# SPDX-License-Identifier: Apache-2.0
# Writes OUT: a header with a hash of the FILES.
set(all "")
foreach(file ${FILES})
  file(SHA256 ${file} hash)
  string(APPEND all "${hash}\n")
endforeach()
string(SHA256 build "${all}")
string(SUBSTRING ${build} 0 16 build)
file(WRITE ${OUT} "// Made by hash_sources.cmake.\n#pragma once\n#include <string_view>\n"
  "namespace bobbin::sim {\ninline constexpr std::string_view kSimulatorBuild = \"${build}\";\n}\n")
