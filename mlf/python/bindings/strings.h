// Text for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace mlf::python {

inline nanobind::str str(std::string_view text) {
  return nanobind::str(text.data(), text.size());
}

}  // namespace mlf::python
