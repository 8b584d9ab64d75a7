# SPDX-License-Identifier: Apache-2.0
# With BOBBIN_UNITY, and BOBBIN_UNITY_TESTS for the tests, sources of one folder are compiled together: headers are read,
# and templates instantiated, once for all of them. Names in anonymous namespaces are therefore unique in their folder.
# CMake leaves out sources with options of their own.

# Sources compiled together are not a scope whose names local ones hide, and not headers, whose types must not contain
# types of anonymous namespaces. As a library: its options come after those of the libraries that were linked before.
add_library(bobbin_united INTERFACE)
target_compile_options(bobbin_united INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)

# bobbin_unity(TARGET LIMIT [TOP_FOLDERS]): at most LIMIT sources at once, so that a compiler needs less than 1.5 GB and
# all cores are busy to the end. TOP_FOLDERS: folders inside of folders do not count. Sources that are in a group already
# stay there.
function(bobbin_unity target limit)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:bobbin_united>)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source ${sources})
    get_source_file_property(group ${source} UNITY_GROUP)
    if(NOT group)
      get_filename_component(folder ${source} DIRECTORY)
      string(REPLACE "${CMAKE_CURRENT_SOURCE_DIR}" "" folder "${folder}")
      string(REPLACE "${PROJECT_BINARY_DIR}" "" folder "${folder}") # names do not depend on where the build is
      if("TOP_FOLDERS" IN_LIST ARGN)
        string(REGEX REPLACE "^/?([^/]+).*" "\\1" folder "${folder}")
      endif()
      string(MAKE_C_IDENTIFIER "in${folder}" folder)
      math(EXPR part "0${count_${folder}} / ${limit}")
      math(EXPR count_${folder} "0${count_${folder}} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
    endif()
  endforeach()
endfunction()
