// Parts of help and manual pages of a command beside its options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlf::program {

/// An example: a command line, and its meaning.
struct Example {
  std::string_view command;
  std::string_view effect;
};

struct CommandNotes {
  std::string_view command;  ///< "process"; "mlf" is the program
  std::vector<Example> examples;
  std::string_view exit_1;                 ///< when the exit code is 1; empty: never
  std::vector<std::string_view> see_also;  ///< commands, and files of the repository
  std::string (*details)() = nullptr;      ///< lines of the manual page only
};

/// Returns the notes of `command`; empty if the table has none.
CommandNotes notes_of(std::string_view command);

}  // namespace mlf::program
