// A progress line on standard error for a long command. It appears only on a terminal, after one
// second, and disappears before any other output.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

namespace mlf::program {

/// Shows the line while it exists. Only one may exist at a time.
class Progress {
 public:
  /// `command` is the name of a command.
  explicit Progress(const std::string& command);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
};

/// Counts one of `all` archives as done. Safe to call from several threads.
void advance_progress(std::size_t all);

/// Ends the line, before results are written.
void end_progress();

/// Hides the line while the result exists, for other lines on standard error.
[[nodiscard]] std::unique_lock<std::mutex> pause_progress();

}  // namespace mlf::program
