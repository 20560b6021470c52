#include "mlf/compile.h"

#include <filesystem>
#include <utility>

#include "compile/object_file.h"
#include "compile/run_program.h"
#include "compile/stand_in_headers.h"
#include "compile/work_folder.h"
#include "support/error.h"
#include "support/file.h"

namespace mlf {
namespace compile {
namespace {

namespace fs = std::filesystem;
using support::get_or_throw;

// A network with 100 MB of constants has 500 MB of C.
constexpr std::uint64_t kMostMemory = std::uint64_t{8} << 30;
constexpr std::uint64_t kMostFile = std::uint64_t{1} << 30;

/// Files go by numbers and the last part of their names: names come from the archive.
void write_headers(const WorkFolder& folder, const archive::Archive& archive,
                   const Module& module) {
  for (const FileRef& header : module.files.headers) {
    const std::string name = fs::path(header.name).filename().string();
    const std::string_view text = get_or_throw(archive.read(*archive.find(header.name)));
    const fs::path path = fs::path("archive") / name;
    if (!fs::exists(folder.path() / path)) folder.write(path, text);
  }
  for (const StandInHeader& header : stand_in_headers()) {
    folder.write(fs::path("runtime") / header.path, header.text);
  }
}

/// What a compiler says after its first error mostly follows from it. Of a file that is not in
/// `folder` only the place is told: C may include any file of this computer.
std::string first_error(std::string_view errors, const fs::path& folder) {
  std::size_t at = errors.find("error:");
  // That of the assembler.
  if (at == errors.npos) at = errors.find("Error:");
  if (at == errors.npos) return std::string(errors.substr(0, errors.find('\n')));
  const std::size_t line = errors.rfind('\n', at) + 1;
  const std::string_view place = errors.substr(line, at - line);
  const bool is_elsewhere = place.find('/') != place.npos && !place.starts_with(folder.string());
  if (is_elsewhere) return std::string(place) + "error in a file that is not in the archive";
  return std::string(errors.substr(at, errors.find('\n', at) - at));
}

void compile_file(const FileRef& file, std::string_view text, const WorkFolder& folder,
                  std::size_t number, const Compiler& compiler, CompiledCode& code,
                  ObjectSymbols& symbols) {
  const std::string stem = std::to_string(number);
  const fs::path source = folder.path() / (stem + ".c");
  const fs::path object = folder.path() / (stem + ".o");
  folder.write(source.filename(), text);
  std::vector<std::string> arguments{compiler.command};
  arguments.insert(arguments.end(), compiler.flags.begin(), compiler.flags.end());
  // -idirafter: folders of the user's flags come first, and TVM's own headers with them.
  // -fstack-usage writes <number>.su beside the object; -w, because TVM's C has warnings that
  // users cannot fix.
  for (const char* include : {"archive", "runtime"}) {
    arguments.insert(arguments.end(), {"-idirafter", (folder.path() / include).string()});
  }
  arguments.insert(arguments.end(),
                   {"-fstack-usage", "-w", "-c", source.string(), "-o", object.string()});
  const ProgramResult result =
      run_program({.arguments = arguments,
                   .limits = {.time = compiler.timeout, .memory = kMostMemory, .file = kMostFile}},
                  folder);
  if (result.timed_out || result.status != 0) {
    const std::string why =
        result.timed_out ? "took longer than " + std::to_string(compiler.timeout.count()) + " s"
                         : "says: " + first_error(result.errors, folder.path());
    throw support::Error(ErrorKind::invalid_input,
                         "this C was not compiled: " + compiler.command + " " + why,
                         {.member = file.name});
  }
  add_object_file(object.string(), code, symbols);
  add_frames((folder.path() / (stem + ".su")).string(), code);
}

CompiledCode compile(const archive::Archive& archive, const Module& module,
                     const Compiler& compiler) {
  // Archives of LLVM targets have objects alone: their flags and symbols are not known here.
  if (module.files.sources.empty()) {
    throw support::Error(ErrorKind::invalid_input,
                         "there is no C to compile in module '" + module.name + "'");
  }
  const WorkFolder folder;
  write_headers(folder, archive, module);
  CompiledCode code;
  ObjectSymbols symbols;
  for (std::size_t i = 0; i < module.files.sources.size(); ++i) {
    const FileRef& file = module.files.sources[i];
    const std::string_view text = get_or_throw(archive.read(*archive.find(file.name)));
    compile_file(file, text, folder, i, compiler, code, symbols);
  }
  code.missing = symbols.missing();
  return code;
}

}  // namespace
}  // namespace compile

Result<CompiledCode> compile_module(const archive::Archive& archive, const Module& module,
                                    const Compiler& compiler) {
  return support::to_result([&]() -> CompiledCode {
           try {
             return compile::compile(archive, module, compiler);
           } catch (const std::filesystem::filesystem_error& error) {
             throw support::Error(ErrorKind::io, error.what());
           }
         })
      .map_error(
          [&](Diagnostic diagnostic) { return in_file(std::move(diagnostic), archive.path()); });
}

Result<std::optional<ObjectCode>> object_code(const archive::Archive& archive,
                                              const Module& module) {
  return support::to_result([&]() -> std::optional<ObjectCode> {
           if (module.files.objects.empty()) return std::nullopt;
           ObjectCode object;
           compile::ObjectSymbols symbols;
           for (const FileRef& file : module.files.objects) {
             const std::string_view bytes =
                 support::get_or_throw(archive.read(*archive.find(file.name)));
             compile::add_object(bytes, file.name, object, symbols);
           }
           object.code.missing = symbols.missing();
           return object;
         })
      .map_error(
          [&](Diagnostic diagnostic) { return in_file(std::move(diagnostic), archive.path()); });
}

}  // namespace mlf
