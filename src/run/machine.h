// Where a network runs: this computer, or a board that QEMU emulates.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "mlf/compile.h"
#include "run/boards.h"
#include "run/build.h"
#include "run/plan.h"

namespace mlf::run {

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

  struct Limits {
    std::chrono::milliseconds time{};
    std::uint64_t memory = 0;  ///< bytes of addresses of the process
  };
  /// Runs the program in the directory, and returns the `bytes` of its results. Throws `Error`.
  std::string results(const compile::WorkDirectory& directory, const Limits& limits,
                      std::uint64_t bytes) const;

 private:
  std::vector<std::string> command(const compile::WorkDirectory& directory) const;

  const Board* board_;
  Compiler compiler_;
};

}  // namespace mlf::run
