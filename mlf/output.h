// What the program says: errors and notes to people on standard error, results on standard output.
#pragma once

#include <memory>
#include <string_view>

#include "mlf/diagnostics.h"
#include "table.h"

namespace spdlog {
class logger;
}

namespace mlf::program {

enum class Verbosity { quiet, normal, verbose };

/// Standard error. Coloured on a terminal, never with NO_COLOR set. Safe to use from several
/// threads.
class Console {
 public:
  explicit Console(Verbosity verbosity);
  ~Console();

  /// Says what went wrong, and returns the exit code for it.
  int fail(const Diagnostic& diagnostic) const;
  int fail(ErrorKind kind, std::string_view message) const;
  /// Done, but not all of it as it should be; not with -q.
  void warn(std::string_view message) const;
  /// Worth knowing; not with -q.
  void note(std::string_view message) const;
  bool is_verbose() const { return verbosity_ == Verbosity::verbose; }
  /// What is being done; only with -v.
  void detail(std::string_view message) const;

 private:
  Verbosity verbosity_;
  std::shared_ptr<spdlog::logger> log_;
};

/// Standard output, with the errors that a plain stream swallows. Writes part by part. After a
/// failure nothing more is written; `finish` throws what happened.
class OutputStream {
 public:
  void write(std::string_view bytes);
  /// Throws `Error` of kind `io`: what the system refused first.
  void finish();

 private:
  int error_ = 0;
};

/// Writes everything. Throws `Error` of kind `io`.
void print(std::string_view text);

bool standard_output_is_terminal();

/// On a terminal: its width, numbers in groups of three digits, and colours, unless TERM is "dumb"
/// or NO_COLOR is set. Elsewhere plain text of any width.
Screen screen_of_standard_output();

}  // namespace mlf::program
