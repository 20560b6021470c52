// Calls of the library: without the GIL, and errors as Python exceptions.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

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

/// Releases the GIL, and takes it again at the end of the scope. A daemon thread that does so after
/// the interpreter ended waits until the process ends. Before Python 3.14, `PyEval_RestoreThread`
/// would end the thread, by an exception that nanobind turns into the end of the process.
class ReleasedGil {
 public:
  ReleasedGil() : thread_(PyEval_SaveThread()) {}
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;
  ~ReleasedGil() {
    try {
      PyEval_RestoreThread(thread_);
    } catch (...) {
      // Leaving this block would go on with the end of the thread.
      for (;;) ::pause();
    }
  }

 private:
  PyThreadState* thread_;
};

/// Returns the result of `call`, which runs without the GIL and must not use Python.
template <class Call>
auto without_gil(Call&& call) {
  const ReleasedGil released;
  return call();
}

}  // namespace mlf::python
