# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs: the library with its headers, a CMake package, a pkg-config file, the command.
include(CMakePackageConfigHelpers)

# For BUILD_SHARED_LIBS. Until 1.0 a minor version may break programs; the command finds the library next to itself.
set_target_properties(bobbin PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
get_target_property(library_type bobbin TYPE)
if(BOBBIN_CLI)
  # Without a shared library, a path to search would only slow down every start.
  if(library_type STREQUAL "SHARED_LIBRARY")
    set_target_properties(bobbin_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  endif()
  install(TARGETS bobbin_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(TARGETS bobbin EXPORT bobbin-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/bobbin ${PROJECT_BINARY_DIR}/include/bobbin
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
# For authors of kernels: docs/assist.md, docs/kernels.md.
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DSOURCE_DIR=${PROJECT_SOURCE_DIR}\" -DROOTS=assist/device.cuh,plan/device.cuh
  \"-DOUTPUT=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/bobbin/device\"
  -P \"${PROJECT_SOURCE_DIR}/cmake/device_headers.cmake\" COMMAND_ERROR_IS_FATAL ANY)")

set(BOBBIN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/bobbin)
install(EXPORT bobbin-targets NAMESPACE bobbin:: DESTINATION ${BOBBIN_CMAKE_DIR})

# Users of the static library also link its dependencies.
set(BOBBIN_NEEDS_CUDART OFF)
set(BOBBIN_NEEDS_BOOST OFF)
set(BOBBIN_NEEDS_ZLIB OFF)
set(BOBBIN_PC_LIBS "")
set(BOBBIN_PC_REQUIRES Requires.private)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(BOBBIN_PC_REQUIRES Requires)
  string(APPEND BOBBIN_PC_LIBS " -ldl") # loads libnvrtc
  if(BOBBIN_EMULATOR)
    set(BOBBIN_NEEDS_BOOST ON)
    string(APPEND BOBBIN_PC_LIBS " -lboost_context")
  endif()
  if(ZLIB_FOUND)
    set(BOBBIN_NEEDS_ZLIB ON)
    string(APPEND BOBBIN_PC_LIBS " -lz")
  endif()
  if(BOBBIN_ZSTD_LIBRARY AND BOBBIN_ZSTD_INCLUDE)
    string(APPEND BOBBIN_PC_LIBS " -lzstd")
  endif()
  if(BOBBIN_HAVE_CUDA)
    set(BOBBIN_NEEDS_CUDART ON)
    string(APPEND BOBBIN_PC_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl -lpthread")
  endif()
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/bobbin-config.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/bobbin-config.cmake INSTALL_DESTINATION ${BOBBIN_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/bobbin-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/bobbin-config.cmake ${PROJECT_BINARY_DIR}/cmake/bobbin-config-version.cmake
  DESTINATION ${BOBBIN_CMAKE_DIR})

# The prefix is relative to the file, so that an installed tree can be moved.
set(BOBBIN_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH BOBBIN_PC_PREFIX ${CMAKE_INSTALL_PREFIX}/${BOBBIN_PC_DIR} ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/bobbin.pc.in ${PROJECT_BINARY_DIR}/cmake/bobbin.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/bobbin.pc DESTINATION ${BOBBIN_PC_DIR})
