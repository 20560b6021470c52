# Installs mlf, then builds and runs the examples of include/mlf/README.md and mlf/guide/library.md
# against it.
# cmake -DMLF_BUILD=… -DARCHIVE=… -DWORK=… -DGENERATOR=… -DCOMPILER=… -P check.cmake
function(run)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE output ERROR_VARIABLE output
                  RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    string(JOIN " " command ${ARGV})
    message(FATAL_ERROR "${command}: ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../../include/mlf/README.md readme)
string(REGEX MATCH "```cpp\n([^`]+)```" example "${readme}")
file(WRITE ${WORK}/main.cpp "${CMAKE_MATCH_1}")
# The guide has the inside of a function, which opens a file of this name.
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../../mlf/guide/library.md readme)
string(REGEX MATCH "```cpp\n(#include <[^>]+>\n)([^`]+)```" example "${readme}")
file(WRITE ${WORK}/inside.cpp "${CMAKE_MATCH_1}#include <iostream>
static int fail(const std::string& message) { std::cerr << message; return 1; }
static void visit(std::string_view name, const mlf::tir::Node&) { std::cout << name << ' '; }
int main() {
${CMAKE_MATCH_2}
  return networks ? 0 : 1;
}
")
file(COPY_FILE ${ARCHIVE} ${WORK}/module.tar)
run(${CMAKE_COMMAND} --install ${MLF_BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build
    -DEXAMPLE=${WORK}/main.cpp -DINSIDE=${WORK}/inside.cpp -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer ${ARCHIVE})
if(NOT output MATCHES "__tvm_main__")
  message(FATAL_ERROR "the consumer did not find the main function:\n${output}")
endif()
run(${CMAKE_COMMAND} -E chdir ${WORK} build/inside)
if(NOT output MATCHES "__tvm_main__")
  message(FATAL_ERROR "the example of mlf/guide/library.md did not find the main function:\n${output}")
endif()
run(${WORK}/prefix/bin/mlf --version)
