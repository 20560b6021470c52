#include "mlf/diagnostics.h"

#include <fmt/core.h>

namespace mlf {

// The codes of sysexits.h, and 1 for a check that failed.
int exit_code(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::check_failed:
      return 1;
    case ErrorKind::usage:
      return 64;
    case ErrorKind::invalid_input:
      return 65;
    case ErrorKind::internal:
      return 70;
    case ErrorKind::io:
      return 74;
  }
  return 70;
}

// As compilers print it, so that editors jump to the place: file:member:line:column: message, then
// the line and a caret.
std::string to_string(const Diagnostic& diagnostic) {
  const Location& where = diagnostic.where;
  std::string text;
  const auto part = [&text](std::string_view name) {
    if (name.empty()) return;
    text += name;
    text += ':';
  };
  part(where.file);
  part(where.member);
  if (where.line != 0) part(fmt::format("{}:{}", where.line, where.column));
  part(where.json_pointer);
  if (!text.empty()) text += ' ';
  text += diagnostic.message;
  if (where.line != 0 && !where.source_line.empty()) {
    text +=
        fmt::format("\n  {}\n  {:{}}{:^<{}}", where.source_line, "", where.caret, "", where.length);
  }
  return text;
}

// Readers know places in a text, not the file that it is from.
Diagnostics in_file(Diagnostics diagnostics, std::string_view file) {
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.where.file.empty()) diagnostic.where.file = file;
  }
  return diagnostics;
}

}  // namespace mlf
