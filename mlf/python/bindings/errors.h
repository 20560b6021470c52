// Errors of the library as Python exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <type_traits>
#include <utility>

#include "mlf/diagnostics.h"

namespace mlf::python {

/// Throws `mlf.Error` with all facts of the diagnostics. Needs the GIL.
[[noreturn]] void raise(const Diagnostic& diagnostic);

/// The value of a result, or `raise`.
template <class T>
T value_or_raise(Result<T>&& result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Returns the result of `call`, which runs without the GIL and must not use Python.
template <class Call>
auto without_gil(Call&& call) {
  const nanobind::gil_scoped_release released;
  return call();
}

}  // namespace mlf::python
