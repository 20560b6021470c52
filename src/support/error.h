// The one exception that may unwind inside the library and the program, and what turns it into a
// Result.
#pragma once

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "mlf/diagnostics.h"

namespace mlf::support {

/// Thrown inside the library and inside the program: every public function runs in `to_result`,
/// which catches it, and so does `main`.
class Error : public std::exception {
 public:
  explicit Error(Diagnostic diagnostic) : diagnostic_(std::move(diagnostic)) {}
  Error(ErrorKind kind, std::string message, Location where = {})
      : diagnostic_{kind, std::move(message), std::move(where)} {}

  const char* what() const noexcept override { return diagnostic_.message.c_str(); }
  const Diagnostic& diagnostic() const noexcept { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

/// The value of a result, for code that runs inside `to_result` or is of the program.
/// @throws Error where there is none
template <class T>
T get_or_throw(Result<T> result) {
  if (!result) throw Error(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// Runs `body` and turns what it throws into a diagnostic. Every public function is one such call.
template <class Body>
auto to_result(Body&& body) -> Result<std::invoke_result_t<Body>> {
  const auto failure = [](ErrorKind kind, std::string message) {
    return tl::make_unexpected(Diagnostic{kind, std::move(message), {}});
  };
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      std::forward<Body>(body)();
      return {};
    } else {
      return std::forward<Body>(body)();
    }
  } catch (const Error& error) {
    return tl::make_unexpected(error.diagnostic());
  } catch (const std::system_error& error) {  // such as of std::filesystem
    return failure(ErrorKind::io, error.what());
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::out_of_memory, "the input needs more memory than there is");
  } catch (const std::exception& error) {
    return failure(ErrorKind::internal, std::string("internal error: ") + error.what());
  }
}

/// The same for the content of a file: a diagnostic without a file gets this one.
template <class Body>
auto to_result_in(std::string_view file, Body&& body) {
  return to_result(std::forward<Body>(body)).map_error([&](Diagnostic diagnostic) {
    return in_file(std::move(diagnostic), file);
  });
}

/// For callers that can do without an input which is wrong, such as captured TIR beside generated
/// C: a result that lacks what the machine could not give would look complete.
/// @throws Error where the diagnostic is about the machine or mlf, not about the input
inline void throw_unless_invalid(const Diagnostic& diagnostic) {
  const bool is_of_input =
      diagnostic.kind == ErrorKind::invalid_input || diagnostic.kind == ErrorKind::check_failed;
  if (!is_of_input) throw Error(diagnostic);
}

/// The value, or nothing where the input is wrong. Throws as `throw_unless_invalid` does.
template <class T>
std::optional<T> value_if_valid(Result<T> result) {
  if (result) return *std::move(result);
  throw_unless_invalid(result.error());
  return std::nullopt;
}

}  // namespace mlf::support
