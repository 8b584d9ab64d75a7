# SPDX-License-Identifier: Apache-2.0
# What benchmarks share beyond measure/. Included by bench/ and by examples/, whichever comes first.
include_guard(GLOBAL)

add_library(bobbin_harness STATIC
  ${CMAKE_CURRENT_LIST_DIR}/codecs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/program.cpp
  ${CMAKE_CURRENT_LIST_DIR}/tables.cpp
  ${CMAKE_CURRENT_LIST_DIR}/texts.cpp)
target_link_libraries(bobbin_harness PUBLIC bobbin_measure PRIVATE bobbin_options)
