# SPDX-License-Identifier: Apache-2.0
# Installs the headers that kernels on compressed arrays include: the roots and what these include, as bobbin/device/...
#
# usage: cmake -DSOURCE_DIR=... -DROOTS=a.hpp,b.hpp -DOUTPUT=.../include/bobbin/device -P device_headers.cmake
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" pending "${ROOTS}")
set(seen "")
while(pending)
  list(POP_FRONT pending name)
  if(name IN_LIST seen)
    continue()
  endif()
  list(APPEND seen ${name})
  file(READ ${SOURCE_DIR}/src/${name} text)
  # Those of the library's layers; public headers and the standard library's are where they are.
  string(REGEX MATCHALL "\n#include \"[^\"]+" includes "\n${text}")
  foreach(include ${includes})
    string(REGEX REPLACE "\n#include \"" "" included "${include}")
    if(NOT included MATCHES "^bobbin/")
      list(APPEND pending ${included})
      string(REPLACE "#include \"${included}\"" "#include \"bobbin/device/${included}\"" text "${text}")
    endif()
  endforeach()
  file(WRITE ${OUTPUT}/${name} "${text}")
endwhile()
