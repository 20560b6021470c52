#include "mlf/compile.h"

#include <stdlib.h>

#include <filesystem>
#include <utility>

#include "compile/object_file.h"
#include "compile/run_program.h"
#include "compile/stand_in_headers.h"
#include "support/error.h"
#include "support/file.h"

namespace mlf {
namespace compile {
namespace {

namespace fs = std::filesystem;
using support::get_or_throw;

/// A folder of our own in $TMPDIR or /tmp, gone with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "mlf-compile-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) support::fail_io("create", name, errno);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  support::File::create(path.string()).write(text);
}

/// Files go by numbers and the last part of their names: names come from the archive.
void write_headers(const fs::path& folder, const archive::Archive& archive, const Module& module) {
  for (const FileRef& header : module.files.headers) {
    const std::string name = fs::path(header.name).filename().string();
    const std::string_view text = get_or_throw(archive.read(*archive.find(header.name)));
    if (!fs::exists(folder / "archive" / name)) write_file(folder / "archive" / name, text);
  }
  for (const StandInHeader& header : stand_in_headers()) {
    write_file(folder / "runtime" / header.path, header.text);
  }
}

/// What a compiler says after its first error mostly follows from it.
std::string first_error(const std::string& errors) {
  const std::size_t at = errors.find("error:");
  const std::size_t begin = at == errors.npos ? 0 : at;
  return errors.substr(begin, errors.find('\n', begin) - begin);
}

void compile_file(const FileRef& file, std::string_view text, const fs::path& folder,
                  std::size_t number, const Compiler& compiler, CompiledCode& code,
                  ObjectSymbols& symbols) {
  const fs::path source = folder / (std::to_string(number) + ".c");
  const fs::path object = folder / (std::to_string(number) + ".o");
  write_file(source, text);
  std::vector<std::string> arguments{compiler.command};
  arguments.insert(arguments.end(), compiler.flags.begin(), compiler.flags.end());
  // -idirafter: folders of the user's flags come first, and TVM's own headers with them.
  // -fstack-usage writes <number>.su beside the object; -w, because TVM's C has warnings that
  // users cannot fix.
  for (const char* include : {"archive", "runtime"}) {
    arguments.insert(arguments.end(), {"-idirafter", (folder / include).string()});
  }
  arguments.insert(arguments.end(),
                   {"-fstack-usage", "-w", "-c", source.string(), "-o", object.string()});
  const ProgramResult result = run_program(arguments, compiler.timeout);
  if (result.timed_out || result.status != 0) {
    const std::string why =
        result.timed_out ? "took longer than " + std::to_string(compiler.timeout.count()) + " s"
                         : "says: " + first_error(result.errors);
    throw support::Error(ErrorKind::invalid_input,
                         "this C was not compiled: " + compiler.command + " " + why,
                         {.member = file.name});
  }
  add_object_file(object.string(), code, symbols);
  add_frames((folder / (std::to_string(number) + ".su")).string(), code);
}

CompiledCode compile(const archive::Archive& archive, const Module& module,
                     const Compiler& compiler) {
  // Archives of LLVM targets have objects alone: their flags and symbols are not known here.
  if (module.files.sources.empty()) {
    throw support::Error(ErrorKind::invalid_input,
                         "there is no C to compile in module '" + module.name + "'");
  }
  const TemporaryFolder folder;
  write_headers(folder.path(), archive, module);
  CompiledCode code;
  ObjectSymbols symbols;
  for (std::size_t i = 0; i < module.files.sources.size(); ++i) {
    const FileRef& file = module.files.sources[i];
    const std::string_view text = get_or_throw(archive.read(*archive.find(file.name)));
    compile_file(file, text, folder.path(), i, compiler, code, symbols);
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
