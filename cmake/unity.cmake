# SPDX-License-Identifier: Apache-2.0
# With BOBBIN_UNITY, sources of one folder are compiled together: headers are read, and templates instantiated, once for
# all of them. Names in anonymous namespaces are therefore unique in their folder. CMake leaves out sources with options
# of their own.

# bobbin_unity(TARGET LIMIT): at most LIMIT sources at once, so that a compiler needs less than 1.5 GB and all cores are
# busy to the end. Sources that are in a group already stay there.
function(bobbin_unity target limit)
  if(NOT BOBBIN_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source ${sources})
    get_source_file_property(group ${source} UNITY_GROUP)
    if(NOT group)
      get_filename_component(folder ${source} DIRECTORY)
      string(REPLACE "${CMAKE_CURRENT_SOURCE_DIR}" "" folder "${folder}")
      string(MAKE_C_IDENTIFIER "in${folder}" folder)
      math(EXPR part "0${count_${folder}} / ${limit}")
      math(EXPR count_${folder} "0${count_${folder}} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
    endif()
  endforeach()
endfunction()
