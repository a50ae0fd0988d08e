# SPDX-License-Identifier: GPL-2.0-only
# What every target of the project shares: warnings, sanitizers, coverage, include root.

find_program(FLUSHLAB_CCACHE ccache)
if(FLUSHLAB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FLUSHLAB_CCACHE})
endif()

add_library(flushlab_options INTERFACE)
target_include_directories(flushlab_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(flushlab_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wpedantic)
if(FLUSHLAB_WERROR)
  target_compile_options(flushlab_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(flushlab_options INTERFACE -fcoroutines)
endif()
if(FLUSHLAB_SANITIZE)
  target_compile_options(flushlab_options INTERFACE -fsanitize=${FLUSHLAB_SANITIZE} -fno-sanitize-recover=all
                                                    -fno-omit-frame-pointer)
  target_link_options(flushlab_options INTERFACE -fsanitize=${FLUSHLAB_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers gcc 12 sees uninitialised members in the standard library's own std::function.
    target_compile_options(flushlab_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(FLUSHLAB_COVERAGE)
  target_compile_options(flushlab_options INTERFACE --coverage)
  target_link_options(flushlab_options INTERFACE --coverage)
endif()

# flushlab_library(NAME ROOM...): a static library of every source file in the named folders of this directory.
function(flushlab_library name)
  set(sources)
  foreach(room IN LISTS ARGN)
    file(GLOB found CONFIGURE_DEPENDS ${room}/*.cpp ${room}/*.hpp)
    list(APPEND sources ${found})
  endforeach()
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PUBLIC flushlab_options)
endfunction()
