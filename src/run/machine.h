// The archive's C and a program around it, compiled and linked with the user's compiler, and where
// they run: this computer, or a board that QEMU emulates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/c_compiler.h"
#include "compile/run_program.h"
#include "edit/edited_archive.h"
#include "mlf/compile.h"
#include "mlf/deployment.h"
#include "run/boards.h"
#include "run/plan.h"

namespace mlf::run {

/// Options of the compiler.
struct Toolchain {
  std::vector<std::string> flags{};          ///< before those of the user, which override them
  std::vector<std::string> program_flags{};  ///< only for the program, behind those of the user
};

/// Compiles in a directory of its own, which is removed with this object.
class Builder {
 public:
  /// The deployment and the compiler must outlive this. Throws `Error`.
  Builder(const Deployment& deployment, const Network& network, const Compiler& compiler,
          const Toolchain& toolchain);

  const compile::WorkDirectory& directory() const { return compiler_.directory(); }
  /// Compiles a program, which replaces the one before. Throws `Error`.
  void compile_program(const std::string& program);
  /// Compiles the C of the network's module after a program; `edited` has members with hooks.
  /// Throws `Error`.
  void compile_module(const edit::EditedMembers& edited);
  /// Links everything as `program` in the directory.
  compile::ProgramResult link(const std::vector<std::string>& arguments) const;
  /// Whether the compiler compiles for another processor than this computer's.
  bool is_for_another_processor() const;
  /// Throws `Error` with what the linker says.
  [[noreturn]] void fail_link(const compile::ProgramResult& result) const;

 private:
  std::string path(const std::string& name) const { return (directory().path() / name).string(); }
  /// What is compiled to `stem`.o.
  struct Source {
    std::string stem;
    std::string end;     ///< of the file name
    std::string member;  ///< of the archive; empty: none
  };
  void compile_file(const Source& source, std::string_view text,
                    const std::vector<std::string>& flags = {});
  /// Returns the stem of its file.
  std::string add_object();

  const archive::Archive& archive_;
  const Module& module_;
  const Compiler& user_;
  const std::vector<std::string> program_flags_;
  Compiler flags_;
  compile::CCompiler compiler_;
  std::vector<std::string> objects_;  ///< of the module
};

class Machine {
 public:
  /// `cpu` is a name of `processors`. An empty command of the compiler means Debian's compiler for
  /// it. Throws `Error` (usage) for other names, and for programs that are not installed.
  Machine(const std::string& cpu, const Compiler& compiler);

  /// Null: this computer.
  const Board* board() const { return board_; }
  const Compiler& compiler() const { return compiler_; }

  /// Writes what the program reads.
  static void write_inputs(const compile::WorkDirectory& directory, const RunPlan& plan);
  /// C in front of a program that is built in `directory`.
  std::string runtime(const compile::WorkDirectory& directory) const;
  /// Links what is compiled; on a board, tries each layout of its memory. Throws `Error`.
  void link(const Builder& builder) const;

  /// Runs the program in the directory with the limits of the options, and returns the `bytes` of
  /// its results. Throws `Error`.
  std::string results(const compile::WorkDirectory& directory, const RunOptions& options,
                      std::uint64_t bytes) const;

 private:
  std::vector<std::string> command(const compile::WorkDirectory& directory) const;

  const Board* board_;
  Compiler compiler_;
};

}  // namespace mlf::run
