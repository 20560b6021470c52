// A user's compiler, and the headers that an archive's C includes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/run_program.h"
#include "compile/work_directory.h"
#include "mlf/archive.h"
#include "mlf/compile.h"
#include "mlf/model_library.h"

namespace mlf::compile {

/// The fault of a compiler that does not write its output.
inline constexpr const char* kWroteNothing = "wrote no object file or program";

/// A command of several words, such as "ccache gcc"; one word if a file has this name. Throws
/// `Error` of kind `usage` if it is empty.
std::vector<std::string> command_words(const std::string& command);

/// How a compiler ended if it says nothing, or its first error: later ones are usually its
/// consequences. For an error in a file outside of `directory`, returns only the place: C may
/// include any file of this computer.
std::string why_it_failed(const ProgramResult& result, const std::filesystem::path& directory);

/// Runs the compiler with limits, in a directory with the headers of one module and mlf's
/// declarations of TVM's runtime.
class CCompiler {
 public:
  /// Throws `Error`. The compiler must outlive this.
  CCompiler(const archive::Archive& archive, const Module& module, const Compiler& compiler);

  const WorkDirectory& directory() const { return directory_; }
  /// Of a file in the directory.
  std::string path(std::string_view name) const { return (directory_.path() / name).string(); }
  const SectionPlaces& sections() const { return compiler_.sections; }
  /// Runs it with the user's flags, the directories of headers and `arguments`, to write an object
  /// file or a program; that it writes nothing is no fault here. Throws `Error` of kind `usage` if
  /// it cannot be run.
  ProgramResult start(const std::vector<std::string>& arguments, const std::string& output) const;
  /// Writes a source, `stem` and `end`, into the directory and compiles it to `stem`.o, as `start`
  /// does.
  ProgramResult compile(const std::string& stem, const std::string& end, std::string_view text,
                        std::vector<std::string> flags) const;
  /// Throws `Error` of kind `invalid_input` about `where` with its first error, if there is one.
  void require(const ProgramResult& result, const Location& where) const;

 private:
  const Compiler& compiler_;
  std::chrono::seconds time_{};  ///< more for much C
  WorkDirectory directory_;
  std::vector<std::string> searched_;  ///< for headers
};

}  // namespace mlf::compile
