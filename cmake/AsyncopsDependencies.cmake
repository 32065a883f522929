# Third-party libraries, all from Debian packages (scripts/install-deps.sh names them). Each is
# reached through one target and used by the one adapter that knows its headers, which are SYSTEM
# includes, so that our warnings speak of our own code only.
find_package(PkgConfig REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS system url)
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(simdjson 3.0 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(prometheus-cpp REQUIRED)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
find_package(ZLIB REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
if(ASYNCOPS_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  pkg_check_modules(PISTACHE REQUIRED IMPORTED_TARGET libpistache)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # A template in pistache/async.h, never instantiated, names a member that does not exist: clang 19
    # refuses it unless it looks at templates only when they are used.
    target_compile_options(PkgConfig::PISTACHE INTERFACE
      -fdelayed-template-parsing -Wno-delayed-template-parsing-in-cxx20)
  endif()
endif()
