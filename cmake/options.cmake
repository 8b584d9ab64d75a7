# SPDX-License-Identifier: Apache-2.0
# Compiler options of the project's targets: each links bobbin_options, bobbin_light_options or bobbin_check_options.
add_library(bobbin_warnings INTERFACE)
target_compile_options(bobbin_warnings INTERFACE
  # -Woverloaded-virtual is part of -Wall since g++ 13.
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Woverloaded-virtual -Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror>)
# GCC 12 and 13 report overflows in growing vectors, reads past strings and overlaps in std::string's operator+ that do not exist.
target_compile_options(bobbin_warnings INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-restrict>)
# bobbin_sanitize(TARGET SANITIZERS...): checks for code compiled with TARGET's options. A null pointer traps without
# UndefinedBehaviorSanitizer, AddressSanitizer knows the objects' sizes, and the checks for both double the compile time.
function(bobbin_sanitize target)
  if(BOBBIN_SANITIZE)
    list(JOIN ARGN "," sanitizers)
    target_compile_options(${target} INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${sanitizers}
      -fno-sanitize=null,object-size,vptr -fno-sanitize-recover=all -fno-omit-frame-pointer>)
    target_link_options(${target} INTERFACE -fsanitize=${BOBBIN_SANITIZE})
  endif()
endfunction()
string(REPLACE "," ";" sanitizers "${BOBBIN_SANITIZE}")
# Sanitized programs are large, and there are dozens: lld, where it is installed, takes half the time of ld.
find_program(BOBBIN_LLD ld.lld)
if(BOBBIN_SANITIZE AND BOBBIN_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_link_options(-fuse-ld=lld)
endif()

add_library(bobbin_options INTERFACE)
target_link_libraries(bobbin_options INTERFACE bobbin_warnings)
bobbin_sanitize(bobbin_options ${sanitizers})

# For code that runs once, or checks other code: takes half the time to compile. (Release is -O3.)
set(light $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
add_library(bobbin_light_options INTERFACE)
target_link_libraries(bobbin_light_options INTERFACE bobbin_options)
target_compile_options(bobbin_light_options INTERFACE ${light})

# For tests. UndefinedBehaviorSanitizer checks the library and the command only: it doubles the compile time.
add_library(bobbin_check_options INTERFACE)
target_link_libraries(bobbin_check_options INTERFACE bobbin_warnings)
target_compile_options(bobbin_check_options INTERFACE ${light})
list(REMOVE_ITEM sanitizers undefined)
bobbin_sanitize(bobbin_check_options ${sanitizers})
