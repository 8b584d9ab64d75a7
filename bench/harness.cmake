# SPDX-License-Identifier: Apache-2.0
# The bench harness as a library. Included by cli/ and by bench/, whichever comes first.
include_guard(GLOBAL)

find_path(BOBBIN_JSON_INCLUDE nlohmann/json.hpp REQUIRED)

add_library(bobbin_harness STATIC
  ${CMAKE_CURRENT_LIST_DIR}/codecs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/harness.cpp
  ${CMAKE_CURRENT_LIST_DIR}/peers.cpp
  ${CMAKE_CURRENT_LIST_DIR}/program.cpp
  ${CMAKE_CURRENT_LIST_DIR}/report.cpp
  ${CMAKE_CURRENT_LIST_DIR}/shapes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/tables.cpp
  ${CMAKE_CURRENT_LIST_DIR}/texts.cpp)
target_include_directories(bobbin_harness PUBLIC ${PROJECT_SOURCE_DIR})
target_include_directories(bobbin_harness SYSTEM PUBLIC ${BOBBIN_JSON_INCLUDE})
target_link_libraries(bobbin_harness PUBLIC bobbin fmt::fmt PRIVATE bobbin_options)

# The peers are optional: a table shows "-" for one that is not there.
function(bobbin_harness_peer name header library)
  find_path(BOBBIN_${name}_INCLUDE ${header})
  find_library(BOBBIN_${name}_LIBRARY ${library})
  if(BOBBIN_${name}_INCLUDE AND BOBBIN_${name}_LIBRARY)
    target_compile_definitions(bobbin_harness PRIVATE BOBBIN_HAVE_${name})
    target_include_directories(bobbin_harness SYSTEM PRIVATE ${BOBBIN_${name}_INCLUDE})
    target_link_libraries(bobbin_harness PRIVATE ${BOBBIN_${name}_LIBRARY})
  else()
    message(STATUS "no lib${library}: benchmarks run without this peer")
  endif()
endfunction()
bobbin_harness_peer(ZSTD zstd.h zstd)
bobbin_harness_peer(LZ4 lz4.h lz4)
