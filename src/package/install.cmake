# Installs the library, its headers, the schemas, and packages for find_package(mlf) and pkg-config.
include(CMakePackageConfigHelpers)

set(MLF_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mlf)

# As Debian splits it: the program; the library that it runs with, where it is shared; and what
# building with it takes.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS mlf EXPORT mlf-targets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development)
if(TARGET mlf_drawing)
  install(TARGETS mlf_drawing EXPORT mlf-targets ARCHIVE COMPONENT development)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mlf DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/schemas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/mlf/schemas
        COMPONENT program)
install(EXPORT mlf-targets NAMESPACE mlf:: DESTINATION ${MLF_PACKAGE_DIR})

set(MLF_HEADERS_DIR ${CMAKE_INSTALL_DATADIR}/mlf/include)
# Those of CMSIS-NN are for analysis: a program has to find the real ones.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/compile/include/ DESTINATION ${MLF_HEADERS_DIR}
        PATTERN "arm_*" EXCLUDE)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/mlf-config.cmake.in ${PROJECT_BINARY_DIR}/mlf-config.cmake
  INSTALL_DESTINATION ${MLF_PACKAGE_DIR} PATH_VARS CMAKE_INSTALL_BINDIR MLF_HEADERS_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mlf-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
# Firmware does not link the library, and takes it for whatever computer it is.
file(APPEND ${PROJECT_BINARY_DIR}/mlf-config-version.cmake [[
if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
  set(PACKAGE_VERSION_UNSUITABLE FALSE)
endif()
]])
install(FILES ${PROJECT_BINARY_DIR}/mlf-config.cmake ${PROJECT_BINARY_DIR}/mlf-config-version.cmake
              ${CMAKE_CURRENT_LIST_DIR}/mlf-network.cmake
        DESTINATION ${MLF_PACKAGE_DIR})

# The prefix as seen from the directory of the file, so that an installation can be moved.
file(RELATIVE_PATH MLF_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
if(BUILD_SHARED_LIBS)
  set(MLF_PC_PRIVATE "")
else()
  # What a static library leaves to its users to link.
  set(MLF_PC_PRIVATE "Requires: fmt libarchive nettle zlib libelf")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/mlf.pc.in ${PROJECT_BINARY_DIR}/mlf.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/mlf.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
