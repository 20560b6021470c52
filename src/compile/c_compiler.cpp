#include "compile/c_compiler.h"

#include <filesystem>

#include "compile/stand_in_headers.h"
#include "support/error.h"

namespace mlf::compile {
namespace {

namespace fs = std::filesystem;
using support::get_or_throw;

// A network with 100 MB of constants has 500 MB of C.
constexpr std::uint64_t kMostMemory = std::uint64_t{8} << 30;
constexpr std::uint64_t kMostFile = std::uint64_t{1} << 30;

/// File names consist of a number and the last part of the archive's name, because names in the
/// archive are untrusted.
void write_headers(const WorkDirectory& directory, const archive::Archive& archive,
                   const Module& module) {
  for (const FileRef& header : module.files.headers) {
    const std::string name = fs::path(header.name).filename().string();
    const std::string_view text = get_or_throw(archive.read(*archive.find(header.name)));
    const fs::path path = fs::path("archive") / name;
    if (!fs::exists(directory.path() / path)) directory.write(path, text);
  }
  for (const StandInHeader& header : stand_in_headers()) {
    directory.write(fs::path("runtime") / header.path, header.text);
  }
}

std::string first_error(std::string_view errors, const std::filesystem::path& directory) {
  std::size_t at = errors.find("error:");
  // The assembler's form.
  if (at == errors.npos) at = errors.find("Error:");
  if (at == errors.npos) return std::string(errors.substr(0, errors.find('\n')));
  const std::size_t line = errors.rfind('\n', at) + 1;
  const std::string_view place = errors.substr(line, at - line);
  const bool is_elsewhere = place.find('/') != place.npos && !place.starts_with(directory.string());
  if (is_elsewhere) return std::string(place) + "error in a file that is not in the archive";
  return std::string(errors.substr(at, errors.find('\n', at) - at));
}

}  // namespace

std::string why_it_failed(const ProgramResult& result, const std::filesystem::path& directory) {
  if (!result.exceeded.empty()) return result.exceeded;
  return "says: " + first_error(result.errors, directory);
}

CCompiler::CCompiler(const archive::Archive& archive, const Module& module,
                     const Compiler& compiler)
    : compiler_(compiler) {
  write_headers(directory_, archive, module);
}

ProgramResult CCompiler::start(const std::vector<std::string>& arguments) const {
  std::vector<std::string> all{compiler_.command};
  all.insert(all.end(), compiler_.flags.begin(), compiler_.flags.end());
  // -idirafter: directories in the user's flags, which may have TVM's own headers, come first.
  for (const char* include : {"archive", "runtime"}) {
    all.insert(all.end(), {"-idirafter", (directory_.path() / include).string()});
  }
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program(
      {.arguments = all,
       .limits = {.time = compiler_.timeout, .memory = kMostMemory, .file = kMostFile}},
      directory_);
}

void CCompiler::run(const std::vector<std::string>& arguments, const Location& where) const {
  const ProgramResult result = start(arguments);
  if (is_success(result)) return;
  throw support::Error(ErrorKind::invalid_input,
                       "this C was not compiled: " + compiler_.command + " " +
                           why_it_failed(result, directory_.path()),
                       where);
}

}  // namespace mlf::compile
