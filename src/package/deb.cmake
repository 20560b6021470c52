# Debian packages: `cpack --preset deb` after `cmake --build --preset deb`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mlf)
set(CPACK_PACKAGE_CONTACT "mlf maintainers <mlf@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What other packages it needs, from the libraries that it was linked with.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(about "mlf reads the archives in Apache TVM's Model Library Format that a build with
microTVM ends in, without TVM. It gives them their TIR and their network as
JSON, and says what a network needs and why: memory, flash, arithmetic.")
set(release "= ${PROJECT_VERSION}")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME mlf)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "${about}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libmlf${PROJECT_VERSION_MAJOR} (${release})")
if(TARGET mlf_drawing)
  # Loaded with the first picture, so no library that the program is linked with says it.
  get_target_property(graphviz mlf_drawing MLF_GRAPHVIZ_PACKAGE)
  string(APPEND CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS ", ${graphviz}")
endif()

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libmlf${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
# dpkg runs ldconfig; CPack would write scripts that do.
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "${about}

This is the library that programs are linked with.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmlf-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "${about}

These are the headers, and what CMake and pkg-config need to find them.")
# mlf_add_network runs it.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "mlf (${release})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libmlf${PROJECT_VERSION_MAJOR} (${release}), libexpected-dev")

# What Debian wants to find in each package.
set(doc ${PROJECT_BINARY_DIR}/doc)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/changelog DESTINATION ${doc})
execute_process(COMMAND gzip --best --no-name --force ${doc}/changelog COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN ITEMS PROGRAM LIBRARY DEVELOPMENT)
  string(TOLOWER ${component} name)
  install(FILES ${doc}/changelog.gz ${CMAKE_CURRENT_LIST_DIR}/copyright
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${component}_PACKAGE_NAME}
          COMPONENT ${name})
endforeach()
include(CPack)
