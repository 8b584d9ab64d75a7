# SPDX-License-Identifier: Apache-2.0
# Release builds. Programs detect a stack or a buffer that was written past its end, and what the dynamic linker fills in
# is read-only. No file names a folder of the machine: two builds in different folders have the same bytes. Sanitizers
# replace the functions that FORTIFY checks, and find more.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
if(BOBBIN_SANITIZE OR BOBBIN_FUZZ)
  return()
endif()
include(CheckCXXCompilerFlag)
set(hardening -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
# Each knows the jumps of one kind of machine.
foreach(flag -fcf-protection=full -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "BOBBIN_HAVE${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    list(APPEND hardening ${flag})
  endif()
endforeach()
# The last one that fits counts, or the longest: a build folder may be inside the source folder.
list(APPEND hardening -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/)
list(JOIN hardening "," for_nvcc)
set(released $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
add_compile_options("$<$<AND:${released},$<COMPILE_LANGUAGE:C,CXX>>:${hardening}>"
                    "$<$<AND:${released},$<COMPILE_LANGUAGE:CUDA>>:-Xcompiler=${for_nvcc}>")
add_link_options("$<${released}:LINKER:-z,relro,-z,now>")
# A program of the build tree finds a shared library next to itself.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
# Without the time and the user in archives.
set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "<CMAKE_AR> qD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "<CMAKE_RANLIB> -D <TARGET>")
