// What the program says to people: everything here goes to standard error.
#pragma once

#include <memory>
#include <string_view>

#include "mlf/diagnostics.h"

namespace spdlog {
class logger;
}

namespace mlf::program {

enum class Verbosity { quiet, normal, verbose };

/// Coloured on a terminal, never with NO_COLOR set. Safe to use from several threads.
class Console {
 public:
  explicit Console(Verbosity verbosity);
  ~Console();

  /// Says what went wrong, and returns the exit code for it.
  int fail(const Diagnostics& diagnostics) const;
  int fail(ErrorKind kind, std::string_view message) const;
  /// Worth knowing; not with -q.
  void note(std::string_view message) const;
  bool is_verbose() const { return verbosity_ == Verbosity::verbose; }
  /// What is being done; only with -v.
  void detail(std::string_view message) const;

 private:
  Verbosity verbosity_;
  std::shared_ptr<spdlog::logger> log_;
};

}  // namespace mlf::program
