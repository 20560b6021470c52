// The archive's C and a program around it, compiled and linked with the user's compiler, and where
// they run: this computer, or a board that QEMU emulates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/c_compiler.h"
#include "mlf/compile.h"
#include "mlf/deployment.h"
#include "run/boards.h"
#include "run/plan.h"

namespace mlf::run {

struct Machine {
  const Board* board = nullptr;  ///< null: this computer
  Compiler compiler;
};

/// `options.cpu` is a name of `processors`. An empty command of the compiler means Debian's
/// compiler for it. Throws `Error` (usage) for other names, and for programs that are not
/// installed.
Machine machine_for(const RunOptions& options);

/// Options of the compiler.
struct Toolchain {
  /// Before those of the user, which override them. A board has its own.
  std::vector<std::string> host_flags{};
  std::vector<std::string> program_flags{};  ///< only for the program, behind those of the user
};

/// Is compiled in a directory of its own, which is removed with this object.
class NetworkProgram {
 public:
  /// The deployment and the machine must outlive this. Throws `Error`.
  NetworkProgram(const Deployment& deployment, const Network& network, const Machine& machine,
                 const Toolchain& toolchain);

  /// All flags of the compiler.
  const std::vector<std::string>& flags() const { return compiler_.flags; }

  /// Builds the program, or what differs from the run before, and runs it with the limits of the
  /// options. Returns the `bytes` of its results. Throws `Error`.
  std::string run(const RunPlan& plan, std::uint64_t timed_runs, const RunOptions& options,
                  std::uint64_t bytes);

 private:
  /// C in front of the program.
  std::string runtime(bool is_timed) const;
  void compile_program(const std::string& program);
  /// Compiles the C of the network's module after the program.
  void compile_module(bool has_hooks);
  /// Returns the stem of its file.
  std::string add_object();
  /// On a board, tries each layout of its memory.
  void link() const;
  compile::ProgramResult link_with(const std::vector<std::string>& arguments) const;
  /// Throws `Error` with what the linker says.
  [[noreturn]] void fail_link(const compile::ProgramResult& result) const;
  std::vector<std::string> command() const;

  const Deployment& deployment_;
  const Network& network_;
  const Module& module_;
  const Machine& machine_;
  const std::vector<std::string> program_flags_;
  Compiler compiler_;
  compile::CCompiler c_compiler_;
  std::vector<std::string> objects_;  ///< of the module
  bool is_built_ = false;
};

}  // namespace mlf::run
