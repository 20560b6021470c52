# mlf_add_network(NAME ARCHIVE [PREFIX PREFIX] [OPTIMIZE] [BUDGET FILE] [REPORT FILE]
#                 [CHECK_OPTIONS OPTION...])
#
# Makes a library of an archive in Model Library Format: its C and its objects, with the directories of its
# headers. The archive, a tar or a directory, exists when CMake runs; CMake runs again when it changes.
#
# PREFIX         stands for `tvmgen` in the names of functions, types, macros and headers, so that two networks
#                of one module name can be in one program: `kws` makes `kws_default_run` of
#                `tvmgen_default_run`, in `kws_default.h`. Not with the graph executor, which finds functions by
#                their names, not with operators, which have no such names, and not with objects.
# OPTIMIZE       builds what `mlf optimize` writes.
# BUDGET         builds NAME only if `mlf check --budget FILE` succeeds.
# REPORT         writes the page of `mlf report` when NAME is built.
# CHECK_OPTIONS  are options of `mlf check`, such as --library-stack, which it then has to pass.
#
# NAME is an object library. Of two static libraries with functions of one name, a linker takes those of the
# first without a word; of objects, it names each function.

# CMake takes `;` and brackets without a partner for parts of a list.
function(_mlf_require_name name)
  string(REGEX REPLACE "\\[[^][]*]" "" rest "${name}")
  if("${name}" MATCHES ";" OR rest MATCHES "[][]")
    message(FATAL_ERROR "mlf_add_network: CMake has no lists of names with ; or with [ or ] alone: ${name}")
  endif()
endfunction()

# The document of `mlf inspect --integration`.
function(_mlf_inspect archive output)
  execute_process(COMMAND ${MLF_PROGRAM} inspect --integration --json ${archive}
                  OUTPUT_VARIABLE document ERROR_VARIABLE errors RESULT_VARIABLE result)
  if(result)
    message(FATAL_ERROR "mlf_add_network: ${errors}")
  endif()
  set(${output} "${document}" PARENT_SCOPE)
endfunction()

# One value of each module, or all values of a list; null is no value.
function(_mlf_values document output)
  set(values "")
  string(JSON modules LENGTH "${document}" modules)
  set(module 0)
  while(module LESS modules)
    string(JSON value ERROR_VARIABLE ignored GET "${document}" modules ${module} ${ARGN})
    string(JSON type ERROR_VARIABLE ignored TYPE "${document}" modules ${module} ${ARGN})
    if(type STREQUAL "STRING")
      _mlf_require_name("${value}")
      list(APPEND values ${value})
    elseif(type STREQUAL "ARRAY")
      string(JSON count LENGTH "${value}")
      set(i 0)
      while(i LESS count)
        string(JSON one GET "${value}" ${i})
        _mlf_require_name("${one}")
        list(APPEND values ${one})
        math(EXPR i "${i} + 1")
      endwhile()
    endif()
    math(EXPR module "${module} + 1")
  endwhile()
  list(REMOVE_DUPLICATES values)
  set(${output} "${values}" PARENT_SCOPE)
endfunction()

# What file(GLOB) takes for this path alone.
function(_mlf_pattern path output)
  string(REGEX REPLACE "([[*?])" "[\\1]" pattern "${path}")
  set(${output} "${pattern}" PARENT_SCOPE)
endfunction()

# Where the files of an archive are. mlf names members as the format does, wherever they are stored
# (schemas/inspect.md): an archive may have one more directory, or leave out `codegen/host/`.
function(_mlf_find_files directory output)
  _mlf_pattern("${directory}" root)
  set(files "")
  foreach(name IN LISTS ARGN)
    set(rest ${name})
    set(found "")
    while(NOT found)
      _mlf_pattern("${rest}" pattern)
      file(GLOB found LIST_DIRECTORIES false "${root}/${pattern}" "${root}/*/${pattern}")
      if(NOT found AND NOT rest MATCHES "/")
        message(FATAL_ERROR "mlf_add_network: ${name} is not below ${directory}")
      endif()
      string(REGEX REPLACE "^[^/]*/" "" rest "${rest}")
    endwhile()
    list(APPEND files ${found})
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(${output} "${files}" PARENT_SCOPE)
endfunction()

# Copies of files with the prefix in place of `tvmgen`, also in their own names.
function(_mlf_rename prefix directory output)
  string(TOUPPER ${prefix} upper)
  set(files "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} text)
    string(REPLACE "tvmgen_" "${prefix}_" text "${text}")
    string(REPLACE "TVMGEN_" "${upper}_" text "${text}")
    cmake_path(GET file FILENAME name)
    string(REPLACE "tvmgen_" "${prefix}_" name "${name}")
    file(CONFIGURE OUTPUT ${directory}/${name} CONTENT "@text@" @ONLY)
    list(APPEND files ${directory}/${name})
  endforeach()
  set(${output} "${files}" PARENT_SCOPE)
endfunction()

# Runs mlf with --cflags of a file that CMake writes: one a line, quoted only behind SHELL:.
set(_MLF_WITH_FLAGS
    [=[f="$1" && shift && exec "$@" "--cflags=$(sed -e 's/^SHELL://' -e t -e 's/[^[:alnum:]]/\\&/g' "$f")"]=])

# Writes the flags of the C compiler for a target to a file of this name, which ends in the language. Options may depend
# on the language, and other commands of CMake do not know it.
function(_mlf_write_c_flags target output)
  set(flags "SHELL:${CMAKE_C_COMPILER_ARG1} ${CMAKE_C_FLAGS}")
  foreach(config IN LISTS CMAKE_CONFIGURATION_TYPES CMAKE_BUILD_TYPE)
    string(TOUPPER ${config} upper)
    string(APPEND flags " $<$<CONFIG:${config}>:${CMAKE_C_FLAGS_${upper}}>")
  endforeach()
  if(CMAKE_SYSROOT)
    string(APPEND flags "\n--sysroot=${CMAKE_SYSROOT}")
  endif()
  if(CMAKE_C_COMPILER_TARGET AND CMAKE_C_COMPILER_ID MATCHES "Clang")
    string(APPEND flags "\n--target=${CMAKE_C_COMPILER_TARGET}")
  endif()
  foreach(one IN ITEMS "COMPILE_DEFINITIONS -D" "INCLUDE_DIRECTORIES -I" "COMPILE_OPTIONS ")
    string(REGEX MATCH "(.*) (.*)" one ${one})
    set(values "$<TARGET_PROPERTY:${target},${CMAKE_MATCH_1}>")
    string(APPEND flags "$<$<BOOL:${values}>:\n${CMAKE_MATCH_2}$<JOIN:${values},\n${CMAKE_MATCH_2}>>")
  endforeach()
  file(GENERATE OUTPUT "${output}-$<COMPILE_LANGUAGE>" CONTENT "${flags}\n" TARGET ${target})
endfunction()

# Unpacks an archive again if it or its treatment has changed, so that nothing else is compiled again.
function(_mlf_unpack archive directory optimize output)
  file(SHA256 ${archive} digest)
  set(version "${digest} ${optimize} ${mlf_VERSION}")
  set(state "")
  if(EXISTS ${directory}/state)
    file(READ ${directory}/state state)
  endif()
  set(files ${directory}/files)
  set(optimized ${directory}/optimized.tar)
  if(NOT state STREQUAL version)
    file(REMOVE_RECURSE ${directory})
    file(MAKE_DIRECTORY ${files})
    if(optimize)
      execute_process(COMMAND ${MLF_PROGRAM} optimize -q -o ${optimized} ${archive}
                      OUTPUT_QUIET ERROR_VARIABLE errors RESULT_VARIABLE result)
      if(result)
        message(FATAL_ERROR "mlf_add_network: ${errors}")
      endif()
      set(archive ${optimized})
    endif()
    # The times of the archive's members may be before those of what was compiled from another archive.
    file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${files} TOUCH)
    file(WRITE ${directory}/state "${version}")
  endif()
  if(optimize)
    set(${output} ${optimized} PARENT_SCOPE)
  endif()
endfunction()

# Two networks of a build have symbols of different names. Whether one program links both is not asked: behind
# static libraries nothing would say that both call the functions of one.
function(_mlf_refuse_clashes name)
  get_property(networks GLOBAL PROPERTY MLF_NETWORKS)
  foreach(other IN LISTS networks)
    get_property(symbols GLOBAL PROPERTY MLF_SYMBOLS_${other})
    foreach(symbol IN LISTS ARGN)
      if(symbol IN_LIST symbols)
        set(way "build one of them as a project of its own")
        if(symbol MATCHES "^tvmgen_")
          set(way "give one of them a PREFIX")
        endif()
        message(FATAL_ERROR "mlf_add_network: ${name} and ${other} both define ${symbol}: ${way}")
      endif()
    endforeach()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY MLF_NETWORKS ${name})
  set_property(GLOBAL PROPERTY MLF_SYMBOLS_${name} ${ARGN})
endfunction()

function(mlf_add_network name archive)
  cmake_parse_arguments(PARSE_ARGV 2 arg "OPTIMIZE" "PREFIX;BUDGET;REPORT" "CHECK_OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "mlf_add_network: wrong use of ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES};"
      " it is mlf_add_network(NAME ARCHIVE [PREFIX PREFIX] [OPTIMIZE] [BUDGET FILE] [REPORT FILE]"
      " [CHECK_OPTIONS OPTION...])")
  endif()
  if(arg_PREFIX AND NOT arg_PREFIX MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "mlf_add_network: the prefix '${arg_PREFIX}' is no name in C")
  endif()
  if(NOT MLF_PROGRAM)
    message(FATAL_ERROR "mlf_add_network: there is no program mlf; set MLF_PROGRAM to its path on this computer")
  endif()
  cmake_path(ABSOLUTE_PATH archive NORMALIZE)
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/${name}.mlf")
  foreach(path IN ITEMS "${archive}" "${directory}" "${arg_BUDGET}" "${arg_REPORT}")
    _mlf_require_name("${path}")
  endforeach()
  _mlf_inspect(${archive} document)
  set(root ${archive})
  set(given ${archive})
  if(IS_DIRECTORY ${archive})
    if(arg_OPTIMIZE)
      message(FATAL_ERROR "mlf_add_network: OPTIMIZE needs a tar, and ${archive} is a directory")
    endif()
    _mlf_pattern(${archive} pattern)
    file(GLOB_RECURSE given LIST_DIRECTORIES false ${pattern}/*)
  else()
    _mlf_unpack(${archive} ${directory} ${arg_OPTIMIZE} archive)
    set(root ${directory}/files)
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${given})

  foreach(kind IN ITEMS sources objects headers)
    _mlf_values("${document}" names files ${kind})
    _mlf_find_files(${root} ${kind} ${names})
  endforeach()
  _mlf_values("${document}" graph files graph)
  _mlf_values("${document}" interface interface)
  _mlf_values("${document}" symbols defined)
  _mlf_values("${document}" definitions definitions)
  if(arg_PREFIX)
    if(objects OR graph OR interface MATCHES "graph|operators")
      message(FATAL_ERROR "mlf_add_network: PREFIX needs an archive of the AOT executor with C, and no objects")
    endif()
    foreach(kind IN ITEMS sources headers)
      _mlf_rename(${arg_PREFIX} ${directory}/${arg_PREFIX} ${kind} ${${kind}})
    endforeach()
    list(TRANSFORM symbols REPLACE "^tvmgen_" "${arg_PREFIX}_")
  endif()

  add_library(${name} OBJECT ${sources})
  if(NOT sources)
    # A library has a source.
    file(CONFIGURE OUTPUT ${directory}/objects.c CONTENT "typedef int archive_of_objects;" @ONLY)
    target_sources(${name} PRIVATE ${directory}/objects.c)
  endif()
  foreach(file IN LISTS headers)
    cmake_path(GET file PARENT_PATH include)
    target_include_directories(${name} PUBLIC ${include})
  endforeach()
  _mlf_pattern(${root} pattern)
  file(GLOB runtime ${pattern}/runtime/include ${pattern}/*/runtime/include)
  target_include_directories(${name} PUBLIC ${runtime})
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    # Behind all others, so that headers of TVM come first.
    target_compile_options(${name} PUBLIC -idirafter${MLF_RUNTIME_HEADERS})
    if(definitions)
      # It leaves a definition by the user as it is, which other options and targets may have.
      target_compile_options(${name} PRIVATE "SHELL:-include '${MLF_RUNTIME_HEADERS}/mlf/half.h'")
    endif()
  endif()
  target_link_libraries(${name} INTERFACE ${objects})
  _mlf_refuse_clashes(${name} ${symbols})

  # What these commands write is a source of the library: they come before it is compiled.
  set(mlf ${MLF_PROGRAM})
  set(compiler "")
  set(flags "")
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND sources)
    _mlf_write_c_flags(${name} "${directory}/flags$<CONFIG>")
    set(flags "${directory}/flags$<CONFIG>-C")
    set(mlf sh -c "${_MLF_WITH_FLAGS}" sh ${flags} ${MLF_PROGRAM})
    set(compiler --cc ${CMAKE_C_COMPILER})
  endif()
  if(arg_BUDGET OR arg_CHECK_OPTIONS)
    set(checked ${directory}/checked)
    set(limits ${arg_CHECK_OPTIONS})
    if(arg_BUDGET)
      cmake_path(ABSOLUTE_PATH arg_BUDGET NORMALIZE)
      list(PREPEND limits --budget ${arg_BUDGET})
    endif()
    add_custom_command(
      OUTPUT ${checked}
      COMMAND ${mlf} check ${archive} ${limits} ${compiler}
      COMMAND ${CMAKE_COMMAND} -E touch ${checked}
      DEPENDS ${given} ${arg_BUDGET} ${MLF_PROGRAM} ${flags}
      COMMENT "Checking the limits of ${name}"
      VERBATIM)
    target_sources(${name} PRIVATE ${checked})
  endif()
  if(arg_REPORT)
    cmake_path(ABSOLUTE_PATH arg_REPORT BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} NORMALIZE)
    add_custom_command(
      OUTPUT ${arg_REPORT}
      COMMAND ${mlf} report ${archive} --html ${arg_REPORT} ${compiler}
      DEPENDS ${given} ${MLF_PROGRAM} ${flags}
      COMMENT "Writing the page of ${name}"
      VERBATIM)
    target_sources(${name} PRIVATE ${arg_REPORT})
  endif()
endfunction()
