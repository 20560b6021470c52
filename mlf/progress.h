// A line on standard error that says that a long command is at work. It is there on a terminal
// only, from the first second on, and is gone before anything else is written.
#pragma once

#include <cstddef>
#include <string>

namespace mlf::program {

/// Shows the line while it exists. There is one at a time.
class Progress {
 public:
  /// `command` is the name of a command.
  explicit Progress(const std::string& command);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
};

/// Counts one of `all` archives as done. Safe to use from several threads.
void advance_progress(std::size_t all);

/// Ends the line for good: results are written from now on.
void end_progress();

/// Keeps the line away while it exists: other lines are written to standard error.
class ProgressPause {
 public:
  ProgressPause();
  ~ProgressPause();
  ProgressPause(const ProgressPause&) = delete;
  ProgressPause& operator=(const ProgressPause&) = delete;
};

}  // namespace mlf::program
