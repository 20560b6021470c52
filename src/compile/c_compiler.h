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

/// What a compiler says after its first error mostly follows from it. Of a file that is not in
/// `directory` only the place is told: C may include any file of this computer.
std::string first_error(std::string_view errors, const std::filesystem::path& directory);

/// Runs the compiler with limits, in a directory that has the headers of one module and mlf's own
/// declarations of TVM's runtime.
class CCompiler {
 public:
  /// Throws `Error`. The compiler must outlive this.
  CCompiler(const archive::Archive& archive, const Module& module, const Compiler& compiler);

  const WorkDirectory& directory() const { return directory_; }
  /// Runs it with the user's flags, directories of headers and `arguments`. Throws `Error` of kind
  /// `usage` where it cannot be run.
  ProgramResult start(const std::vector<std::string>& arguments) const;
  /// The same; throws `Error` of kind `invalid_input` about `where` with its first error.
  void run(const std::vector<std::string>& arguments, const Location& where) const;

 private:
  const Compiler& compiler_;
  WorkDirectory directory_;
};

}  // namespace mlf::compile
