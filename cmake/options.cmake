# SPDX-License-Identifier: Apache-2.0
# Compiler options shared by all targets of the project: link it as bobbin_options.
add_library(bobbin_options INTERFACE)
target_compile_options(bobbin_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror>)
# GCC 12 and 13 report overflows in growing vectors and overlaps in std::string's operator+ that do not exist.
target_compile_options(bobbin_options INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow -Wno-array-bounds -Wno-restrict>)
if(BOBBIN_SANITIZE)
  target_compile_options(bobbin_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${BOBBIN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(bobbin_options INTERFACE -fsanitize=${BOBBIN_SANITIZE})
endif()

# For code that runs once, or checks other code: takes half the time to compile. (Release is -O3.)
add_library(bobbin_light_options INTERFACE)
target_link_libraries(bobbin_light_options INTERFACE bobbin_options)
target_compile_options(bobbin_light_options INTERFACE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
