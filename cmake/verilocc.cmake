# Language settings and the functions that folders use:
#   verilocc_library(NAME SOURCES... DEPENDS libraries... [LLVM])   one static library a folder; its links are its permissions
#   verilocc_unit_tests(NAME SOURCES... DEPENDS libraries... [LLVM]) one GoogleTest program a folder, ctest label "unit"
#   verilocc_llvm(TARGET)                                            compile against LLVM's headers, link its shared library
#   verilocc_z3(TARGET SOURCE)                                       Z3 for one source, where it is installed
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2")          # asserts stay on
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
if(VERILOCC_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(GTest REQUIRED)
include(GoogleTest)

if(VERILOCC_LLVM)
  # Plain paths instead of find_package(LLVM), which would ask for the static archives' dependencies as well.
  set(VERILOCC_LLVM_ROOT /usr/lib/llvm-19 CACHE PATH "LLVM 19's prefix")
  find_path(LLVM_INCLUDE llvm/IR/Module.h PATHS ${VERILOCC_LLVM_ROOT}/include NO_DEFAULT_PATH REQUIRED)
  find_library(LLVM_SHARED LLVM-19 PATHS ${VERILOCC_LLVM_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
  add_library(llvm19 INTERFACE)
  target_include_directories(llvm19 SYSTEM INTERFACE ${LLVM_INCLUDE})
  target_compile_definitions(llvm19 INTERFACE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
  # LLVM is built without run-time type information: classes derived from its own must be too.
  target_compile_options(llvm19 INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
  if(VERILOCC_SANITIZE)
    target_compile_options(llvm19 INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr>)
  endif()
  target_link_libraries(llvm19 INTERFACE ${LLVM_SHARED})
endif()

function(verilocc_common target)
  # libstdc++ 12's stable_sort uses what C++17 deprecates; clang 19 says so where it is instantiated.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Werror
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
endfunction()

function(verilocc_llvm target)
  target_link_libraries(${target} PUBLIC llvm19)
endfunction()

function(verilocc_library name)
  cmake_parse_arguments(A "LLVM" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(verilocc_${name} STATIC ${A_SOURCES})
  verilocc_common(verilocc_${name})
  target_include_directories(verilocc_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(verilocc_${name} PUBLIC fmt::fmt ${A_DEPENDS})
  if(A_LLVM)
    verilocc_llvm(verilocc_${name})
  endif()
endfunction()

# Z3 for one source of a library, where it is installed (libz3-dev): there it finds VERILOCC_Z3 defined.
function(verilocc_z3 target source)
  find_path(Z3_INCLUDE z3++.h)
  find_library(Z3_LIBRARY z3)
  if(Z3_INCLUDE AND Z3_LIBRARY)
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS VERILOCC_Z3)
    target_include_directories(${target} SYSTEM PRIVATE ${Z3_INCLUDE})
    target_link_libraries(${target} PRIVATE ${Z3_LIBRARY})
  endif()
endfunction()

function(verilocc_unit_tests name)
  cmake_parse_arguments(A "LLVM" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name}_tests ${A_SOURCES})
  verilocc_common(${name}_tests)
  target_link_libraries(${name}_tests PRIVATE GTest::gtest GTest::gtest_main fmt::fmt ${A_DEPENDS})
  target_include_directories(${name}_tests PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name}_tests PRIVATE VERILOCC_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(A_LLVM)
    verilocc_llvm(${name}_tests)
  endif()
  gtest_discover_tests(${name}_tests TEST_PREFIX "${name}." PROPERTIES LABELS unit DISCOVERY_TIMEOUT 60)
endfunction()
