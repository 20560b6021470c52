// mlf._core: the library for Python. The package around it adds a Python interface; the library
// makes all computations.
#include <nanobind/nanobind.h>

#include "bindings.h"
#include "mlf/formats.h"

NB_MODULE(_core, module) {
  // Daemon threads that are in the library when the interpreter ends keep their objects.
  nanobind::set_leak_warnings(false);
  module.attr("version") = mlf::version().data();
  mlf::python::bind_model_library(module);
  mlf::python::bind_kinds(module);
  mlf::python::bind_document(module);
  mlf::python::bind_archive(module);
  mlf::python::bind_run(module);
}
