// Text for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace mlf::python {

/// Names of files and members may not be UTF-8: `os.fsencode` restores such bytes.
inline nanobind::str str(std::string_view text) {
  const auto size = static_cast<Py_ssize_t>(text.size());
  PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), size, "surrogateescape");
  if (decoded == nullptr) throw nanobind::python_error();
  return nanobind::steal<nanobind::str>(decoded);
}

}  // namespace mlf::python
