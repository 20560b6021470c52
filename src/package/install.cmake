# Installs the library, its headers, the schemas, and a package for find_package(mlf).
include(CMakePackageConfigHelpers)

set(MLF_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mlf)

install(TARGETS mlf EXPORT mlf-targets)
if(TARGET mlf_drawing)
  install(TARGETS mlf_drawing EXPORT mlf-targets)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mlf DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/schemas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/mlf/schemas)
install(EXPORT mlf-targets NAMESPACE mlf:: DESTINATION ${MLF_PACKAGE_DIR})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/mlf-config.cmake.in ${PROJECT_BINARY_DIR}/mlf-config.cmake
  INSTALL_DESTINATION ${MLF_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mlf-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mlf-config.cmake ${PROJECT_BINARY_DIR}/mlf-config-version.cmake
        DESTINATION ${MLF_PACKAGE_DIR})
