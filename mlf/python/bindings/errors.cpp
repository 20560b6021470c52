#include "errors.h"

#include "strings.h"

namespace mlf::python {

void raise(const Diagnostic& diagnostic) {
  namespace nb = nanobind;
  const nb::module_ module = nb::module_::import_("mlf.errors");
  const Location& where = diagnostic.where;
  // In the order of the fields of mlf.errors.Diagnostic, for messages and tables.
  const nb::object found =
      module.attr("Diagnostic")(str(printable(diagnostic.message)), exit_code(diagnostic.kind),
                                str(where.file), str(where.member), str(where.json_pointer),
                                where.line, where.column, str(to_string(diagnostic)));
  const nb::object error = module.attr("Error")(nb::make_tuple(found));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

}  // namespace mlf::python
