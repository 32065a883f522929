# How every target of the project is made: C++20, our warnings, hardening, sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
# -O3 makes nothing of ours faster that was measured, and every build slower.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(ASYNCOPS_CCACHE ccache)
  if(ASYNCOPS_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${ASYNCOPS_CCACHE}")
  endif()
endif()

add_library(asyncops_options INTERFACE)
target_include_directories(asyncops_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_link_libraries(asyncops_options INTERFACE Threads::Threads)
target_compile_options(asyncops_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wextra-semi
  -fstack-protector-strong)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overlaps in std::string's own replace and operator+ that are none (GCC PR 105329, 105651).
  target_compile_options(asyncops_options INTERFACE
    -Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wno-restrict)
else()
  # libstdc++ 12's own std::stable_sort uses what C++17 deprecates, and clang 19 says so at its users.
  target_compile_options(asyncops_options INTERFACE -Wthread-safety -Wno-deprecated-declarations)
endif()
target_compile_definitions(asyncops_options INTERFACE _GLIBCXX_ASSERTIONS
  $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
if(ASYNCOPS_WERROR)
  target_compile_options(asyncops_options INTERFACE -Werror)
endif()
if(ASYNCOPS_SANITIZE)
  target_compile_options(asyncops_options INTERFACE
    -fsanitize=${ASYNCOPS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(asyncops_options INTERFACE -fsanitize=${ASYNCOPS_SANITIZE})
endif()
if(ASYNCOPS_FUZZ)
  target_compile_options(asyncops_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# asyncops_library(NAME SOURCES a.cc ... [DEPS target ...] [PRIVATE_DEPS target ...])
# One static library per folder. DEPS are the rooms that its headers use; PRIVATE_DEPS are what only
# its .cc files use, third-party libraries above all.
function(asyncops_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC asyncops_options ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
endfunction()

# asyncops_test(NAME LABEL unit SOURCES a_test.cc ... [DEPS target ...])
# One GoogleTest binary per folder and layer; every case becomes a ctest entry with the label.
function(asyncops_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;DEPS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  if(ASYNCOPS_SANITIZE)
    # Sanitized code is up to ten times slower (TSan), and runs on few cores.
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 5")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE asyncops_options ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 at -O2 takes the members of a moved std::variant for uninitialized in tests' temporaries.
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT})
endfunction()
