// The parts of the extension module `mlf._core`, one for each file.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cmath>

namespace mlf::python {

void bind_model_library(nanobind::module_& module);  ///< metadata.json
void bind_archive(nanobind::module_& module);        ///< an archive and what follows from it
void bind_run(nanobind::module_& module);            ///< a network as a process
void bind_kinds(nanobind::module_& module);          ///< the table of node kinds
void bind_document(nanobind::module_& module);       ///< TIR and its nodes

/// A limit of time. Raises ValueError for what is no time.
inline std::chrono::duration<double> seconds_above_0(double seconds) {
  if (!(seconds > 0) || !std::isfinite(seconds)) {
    throw nanobind::value_error("seconds is a number above 0, such as 1.5");
  }
  return std::chrono::duration<double>(seconds);
}

}  // namespace mlf::python
