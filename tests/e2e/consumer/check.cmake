# Installs mlf, then builds and runs the example of include/mlf/README.md against it.
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
run(${CMAKE_COMMAND} --install ${MLF_BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build
    -DEXAMPLE=${WORK}/main.cpp -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer ${ARCHIVE})
if(NOT output MATCHES "__tvm_main__")
  message(FATAL_ERROR "the consumer did not find the main function:\n${output}")
endif()
run(${WORK}/prefix/bin/mlf --version)
