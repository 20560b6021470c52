// Output of the program: errors and notes on standard error, results on standard output.
#pragma once

#include <string_view>

#include "mlf/diagnostics.h"
#include "table.h"

namespace mlf::program {

enum class Verbosity { quiet, normal, verbose };

/// Standard error. Coloured on a terminal unless NO_COLOR is set. Safe to use from several threads.
class Console {
 public:
  explicit Console(Verbosity verbosity) : verbosity_(verbosity) {}

  /// Prints an error and returns its exit code.
  int fail(const Diagnostic& diagnostic) const;
  int fail(ErrorKind kind, std::string_view message) const;
  /// Prints a warning: the command succeeded with restrictions. Not with -q.
  void warn(std::string_view message) const;
  /// Prints information; not with -q.
  void note(std::string_view message) const;
  bool is_verbose() const { return verbosity_ == Verbosity::verbose; }
  /// Prints the present activity; only with -v.
  void detail(std::string_view message) const;

 private:
  Verbosity verbosity_;
};

/// Writes a result to standard output, once it is whole: an error before leaves no part of it
/// there. Throws `Error` of kind `io`.
void print(std::string_view text);

/// Closes standard output, at the end of the program: a network file system may report a full disk
/// only then. Throws `Error` of kind `io`.
void close_standard_output();

bool standard_output_is_terminal();

/// Prints text of an archive that may have any bytes: unchanged into a file or pipe. A terminal
/// gets its lines `printable`, with tabs.
void print_source(std::string_view text);

/// On a terminal: its width, numbers in groups of three digits, and colours, unless TERM is "dumb"
/// or NO_COLOR is set. Elsewhere plain text of any width.
Screen screen_of_standard_output();

}  // namespace mlf::program
