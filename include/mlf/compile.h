// Compiles the archive's C with the user's compiler, and measures code, sections and stack frames,
// for `--cc` of mlf report, check and diff. Also reads the object files of archives of LLVM
// targets.
//
//     const mlf::Compiler compiler{.command = "arm-none-eabi-gcc", .flags = {"-Os"}};
//     for (const mlf::Module& module : deployment.library().modules) {
//       const auto code = mlf::compile_module(deployment.archive(), module, compiler);
//       if (code) print(code->text);
//     }
//
// Threads: functions have no shared state; any number of threads may call them at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mlf/archive.h"
#include "mlf/diagnostics.h"
#include "mlf/export.h"
#include "mlf/model_library.h"

namespace mlf {

/// Where a linker script puts a section. Initialised data in RAM also takes flash, for its values.
enum class SectionMemory : std::uint8_t { ram, flash };
using SectionPlaces = std::map<std::string, SectionMemory, std::less<>>;  ///< by name

/// A compiler with the options of gcc, such as "arm-none-eabi-gcc" or "clang".
struct Compiler {
  std::string command;               ///< a path, or a command with names that are in $PATH
  std::vector<std::string> flags;    ///< go before those of mlf: "-Os", "-mcpu=cortex-m4"
  std::chrono::seconds timeout{60};  ///< for each file; and a second more for each MiB of C
  /// Of compiled C. Others go by their names, as linker scripts place `.text`, `.rodata`, `.data`,
  /// `.bss` and the like, then by their flags.
  SectionPlaces sections{};
};

/// Code of one function.
struct CompiledFunction {
  std::uint64_t bytes = 0;  ///< of its symbol
  /// From -fstack-usage, or from the unwind tables of an object file. Empty if the frame has no
  /// bound.
  std::optional<std::uint64_t> frame{};
};

/// A variable or a constant.
struct CompiledVariable {
  std::uint64_t bytes = 0;  ///< of its symbol
  bool is_written = false;  ///< it is in `data` or `bss`, and the program may write it
};

/// Bytes of one section of all object files.
struct SectionBytes {
  bool is_code = false;       ///< it is executed
  std::uint64_t bytes = 0;    ///< without padding
  std::uint64_t padding = 0;  ///< that a linker may add, at most
};

/// The memory that the object files of one module take, in bytes, without padding between sections.
struct CompiledCode {
  std::uint64_t text = 0;    ///< sections that are executed
  std::uint64_t rodata = 0;  ///< sections that are only read, and all with names `.rodata*`, which
                             ///< linker scripts place by name: constants, strings
  /// Bytes in `rodata` of sections that are written: constants that are not `const`, as TVM v0.9 to
  /// v0.17 declares pools.
  std::uint64_t writable_rodata = 0;
  std::uint64_t data = 0;  ///< sections that are written and have content
  std::uint64_t bss = 0;   ///< sections that are written and have none: pools
  std::map<std::string, SectionBytes, std::less<>> read_sections{};  ///< those of text and rodata
  /// Sections of other names than those that linker scripts know, and their bytes in `data`, and in
  /// `text` and `rodata`: only the linker script says whether they are in RAM.
  std::set<std::string, std::less<>> unplaced{};
  std::uint64_t unplaced_data = 0;
  std::uint64_t unplaced_read = 0;
  /// Bytes in members of static libraries that define nothing that the module's entry point needs:
  /// linkers leave them out unless the application refers to them.
  std::uint64_t unused_flash = 0;
  std::uint64_t unused_ram = 0;
  /// Bytes in each frame by unwind tables that the function may use below its frame or not.
  std::uint64_t red_zone = 0;
  bool may_recurse = false;  ///< a function may be called again before it has returned
  std::map<std::string, CompiledFunction, std::less<>> functions{};  ///< by symbol
  std::map<std::string, CompiledVariable, std::less<>> variables{};  ///< by symbol, static ones too
  /// Functions and data of which a program can have one, by symbol: not static, not weak.
  std::set<std::string, std::less<>> exported{};
  /// Functions and data that no object file of the module defines, such as those of libm and of
  /// TVM's runtime; in alphabetical order.
  std::vector<std::string> missing{};
  /// Files whose code is not in these numbers, because they do not compile: one sentence each.
  std::vector<std::string> uncompiled{};
  // Bytes that a linker may add between sections for their alignment, at most.
  std::uint64_t read_padding = 0;     ///< between text, rodata and the content of data
  std::uint64_t written_padding = 0;  ///< between data and bss

  /// The bytes of `data` and `bss` that are in RAM, whatever the linker script does.
  std::uint64_t least_ram() const {
    const std::uint64_t all = data + bss - unplaced_data;
    return all - std::min(all, unused_ram);
  }

  /// Null where it has no such function.
  const CompiledFunction* find(std::string_view symbol) const {
    const auto found = functions.find(symbol);
    return found == functions.end() ? nullptr : &found->second;
  }
};

using PredefinedMacros = std::map<std::string, std::string, std::less<>>;  ///< values by name

/// Returns the macros without parameters that the compiler defines before it reads C, by its option
/// -dM; none if it has no such option. Errors: `usage` if the compiler cannot be run; `io`.
MLF_API Result<PredefinedMacros> predefined_macros(const Compiler& compiler);

/// Compiles the files of codegen/host/src of a module, each by itself, in a temporary directory,
/// and removes the directory. Headers come from the directories of the flags, then from the
/// archive, then from mlf's own declarations of TVM's runtime. Adds the archive's object files, but
/// for those that define what the C defines.
///
/// Errors: `usage` if the compiler cannot be run; `invalid_input`, with its first error, if no file
/// compiles, if an object file is not ELF, or if the module has no C; `io`.
MLF_API Result<CompiledCode> compile_module(const archive::Archive& archive, const Module& module,
                                            const Compiler& compiler);

/// The object files of an archive of an LLVM target (codegen/host/lib).
struct ObjectCode {
  CompiledCode code;  ///< nothing of the module's C
  /// The AOT main function, and the functions that its code refers to, in the order of the code,
  /// without those of TVM's runtime. Empty if no object file defines a main.
  /// A kernel that the compiler put in line is not among them.
  std::string main{};
  std::vector<std::string> main_calls{};
};

/// Reads the object files of a module. Returns nullopt if it has none. Errors: `invalid_input` if a
/// file is not ELF.
MLF_API Result<std::optional<ObjectCode>> object_code(const archive::Archive& archive,
                                                      const Module& module);

}  // namespace mlf
