// Errors of the public API: what went wrong and where, as data; nothing throws across the API.
//
//     const mlf::Diagnostic error{.message = "the file is not an archive"};
//     print(to_string(in_file(error, "module.tar")), exit_code(error.kind));
//
// Threads: plain values; functions have no shared state and may be called from any number of
// threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "mlf/export.h"

namespace mlf {

/// What kind of failure a diagnostic reports. It decides the exit code of the program.
enum class ErrorKind : std::uint8_t {
  check_failed,   ///< a check failed or something required is missing (exit 1)
  usage,          ///< the caller's arguments are wrong (exit 64)
  invalid_input,  ///< an input is malformed, hostile or over a limit (exit 65)
  out_of_memory,  ///< an input needs more memory than there is (exit 65)
  internal,       ///< a defect of mlf itself (exit 70)
  io,             ///< the operating system refused something (exit 74)
};

/// The sysexits-style exit code of a failure: 1, 64, 65, 70 or 74.
MLF_API int exit_code(ErrorKind kind) noexcept;

/// A place in an input. Every part may be unknown (empty or 0).
struct Location {
  std::string file{};          ///< the archive, or the bare file; "-" is standard input
  std::string member{};        ///< the archive member, without the archive's "./" prefix
  std::string json_pointer{};  ///< RFC 6901 pointer of a malformed JSON value
  std::uint32_t line = 0;      ///< 1-based
  std::uint32_t column = 0;    ///< 1-based, counted in bytes
  std::string source_line{};   ///< the line as it is, clipped around the column
  std::uint32_t caret = 0;     ///< 0-based offset of the column inside `source_line`, in bytes
  std::uint32_t length = 1;    ///< bytes to underline, at least 1
};

struct Diagnostic {
  ErrorKind kind = ErrorKind::invalid_input;
  std::string message{};  ///< one sentence, without place, prefix or final full stop
  Location where{};
};

template <class T>
using Result = tl::expected<T, Diagnostic>;

/// Returns `text` for a terminal, on one line: control characters (C0, DEL, C1), bytes that are not
/// UTF-8, and marks that change the direction of text become \xNN or \u{N}. Idempotent.
MLF_API std::string printable(std::string_view text);

/// Returns `file:member:line:column: message`, then the source line and a caret if they are known.
/// Every part is `printable`.
MLF_API std::string to_string(const Diagnostic& diagnostic);

/// Sets the file of the place, if it has none.
MLF_API Diagnostic in_file(Diagnostic diagnostic, std::string_view file);

}  // namespace mlf
