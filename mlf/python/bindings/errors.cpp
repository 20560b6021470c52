#include "errors.h"

#include "strings.h"

namespace mlf::python {

void raise(const Diagnostics& diagnostics) {
  namespace nb = nanobind;
  const nb::module_ module = nb::module_::import_("mlf.errors");
  nb::list found;
  for (const Diagnostic& diagnostic : diagnostics) {
    const Location& where = diagnostic.where;
    // In the order of the fields of mlf.errors.Diagnostic. Messages go into tables.
    found.append(module.attr("Diagnostic")(str(printable(diagnostic.message)),
                                           exit_code(diagnostic.kind), str(where.file),
                                           str(where.member), str(where.json_pointer), where.line,
                                           where.column, str(to_string(diagnostic))));
  }
  const nb::object error = module.attr("Error")(nb::tuple(found));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

}  // namespace mlf::python
