// The archive's own C, compiled by the user's compiler: how large its code is, what is in which
// section, how large the frames of its functions are. `--cc` of mlf report, check and diff. And the
// object files that archives of LLVM targets hold.
//
//     const mlf::Compiler compiler{.command = "arm-none-eabi-gcc", .flags = {"-Os"}};
//     for (const mlf::Module& module : deployment.library().modules) {
//       const auto code = mlf::compile_module(deployment.archive(), module, compiler);
//       if (code) print(code->text);
//     }
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/model_library.h"

namespace mlf {

/// A compiler with the options of gcc, such as "arm-none-eabi-gcc" or "clang".
struct Compiler {
  std::string command;                ///< a path, or a name that is looked for in $PATH
  std::vector<std::string> flags;     ///< go before those of mlf: "-Os", "-mcpu=cortex-m4"
  std::chrono::seconds timeout{120};  ///< for each file
};

/// Code of one function.
struct CompiledFunction {
  std::uint64_t bytes = 0;  ///< of its symbol
  /// Of -fstack-usage; of an object file, of its unwind tables. Nothing where it has no bound.
  std::optional<std::uint64_t> frame{};
};

/// What the object files of one module have in memory, in bytes, without padding between sections.
struct CompiledCode {
  std::uint64_t text = 0;    ///< sections that are executed
  std::uint64_t rodata = 0;  ///< sections that are only read: constants, strings
  std::uint64_t data = 0;    ///< sections that are written and have content
  std::uint64_t bss = 0;     ///< sections that are written and have none: pools
  std::map<std::string, CompiledFunction, std::less<>> functions{};
  /// Functions and data that no object file of the module defines, such as those of libm and of
  /// TVM's runtime; in alphabetical order.
  std::vector<std::string> missing{};
  // Bytes that a linker may add between sections for their alignment, at most.
  std::uint64_t read_padding = 0;     ///< between text, rodata and the content of data
  std::uint64_t written_padding = 0;  ///< between data and bss
};

/// Compiles the files of codegen/host/src of a module, each by itself, in a temporary directory
/// that is gone afterwards. Headers are looked for where the flags say, then among those of the
/// archive, then among mlf's own declarations of what generated C needs of TVM's runtime.
///
/// Errors: `usage` where the compiler cannot be run; `invalid_input` with its first error where C
/// does not compile or takes too long, where the object file is not ELF, and where the module has
/// no C; `io`.
MLF_API Result<CompiledCode> compile_module(const archive::Archive& archive, const Module& module,
                                            const Compiler& compiler);

/// What the object files that an archive of an LLVM target holds (codegen/host/lib) have in memory.
struct ObjectCode {
  CompiledCode code;  ///< nothing of the module's C
  /// The AOT main function among them, and the functions that its code refers to in the order of
  /// the code, those of TVM's runtime left out. Empty where no object file defines a main.
  std::string main{};
  std::vector<std::string> main_calls{};
};

/// Reads the object files of a module; nothing where it has none. Errors: `invalid_input` where one
/// is not ELF.
MLF_API Result<std::optional<ObjectCode>> object_code(const archive::Archive& archive,
                                                      const Module& module);

}  // namespace mlf
