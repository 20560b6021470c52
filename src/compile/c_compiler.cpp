#include "compile/c_compiler.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "compile/stand_in_headers.h"
#include "model_library/files.h"
#include "support/c_files.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/lines.h"
#include "support/lookup.h"

namespace mlf::compile {
namespace {

namespace fs = std::filesystem;
using support::get_or_throw;

// A network with 100 MB of constants has 500 MB of C.
constexpr std::uint64_t kMostMemory = std::uint64_t{8} << 30;
constexpr std::uint64_t kMostFile = std::uint64_t{1} << 30;

/// Of directories with headers. Each is an option of the compiler.
constexpr std::size_t kMostDirectories = 100;

/// Returns the directories that `#include` searches, in order. The header of a module keeps the
/// last part of its name, because people move it; others keep their places, as kernels for Cortex-M
/// include some of TVM's C runtime.
std::vector<std::string> write_headers(const WorkDirectory& directory,
                                       const archive::Archive& archive, const Module& module) {
  std::vector<std::string> searched{"archive", "runtime"};
  for (const FileRef& header : module.files.headers) {
    const std::string name = fs::path(header.name).filename().string();
    const std::string_view text = get_or_throw(archive.read(*archive.find(header.name)));
    const fs::path path = fs::path("archive") / name;
    if (!fs::exists(directory.path() / path)) directory.write(path, text);
  }
  for (const StandInHeader& header : stand_in_headers()) {
    directory.write(fs::path("runtime") / header.path, header.text);
  }
  for (const FileRef& source : module.files.sources) {
    support::add_once(searched, fs::path("tree/" + source.name).parent_path().string(),
                      kMostDirectories);
  }
  constexpr std::string_view kInclude = "/include/";
  for (const archive::Member& member : archive.members()) {
    const std::string path = "tree/" + member.name;
    const std::size_t first = path.find(kInclude);
    const bool is_of_code = first != path.npos || path.starts_with("tree/codegen/");
    const bool is_of_module = model_library::module_of_header(support::leaf_of(path)).has_value();
    const bool is_header = support::is_c_header(path) && is_of_code && !is_of_module;
    if (member.type != archive::MemberType::file || !is_header) continue;
    if (searched.size() >= kMostDirectories) break;
    directory.write(path, get_or_throw(archive.read(member)));
    for (std::size_t at = first; at != path.npos; at = path.find(kInclude, at + 1)) {
      support::add_once(searched, path.substr(0, at + kInclude.size()), kMostDirectories);
    }
  }
  return searched;
}

/// Whether there is something that is neither an ELF file, nor bitcode of LLVM, nor a script.
bool is_junk(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (!fs::exists(status)) return false;
  if (!fs::is_regular_file(status)) return true;
  std::string head(4, '\0');
  std::ifstream(path, std::ios::binary).read(head.data(), 4);
  const bool is_elf = head.substr(1) == "ELF";
  return !is_elf && head != "BC\xc0\xde" && !head.starts_with("#!");
}

/// The linker's first message; the compiler only says that the linker failed.
std::string linker_message(std::string_view errors) {
  while (true) {
    const std::string_view line = support::take_line(errors);
    // "in function 'f':" precedes the message.
    const bool is_message = !line.ends_with(':') && line.find("warning: ") == line.npos;
    if (is_message || errors.empty()) return std::string(line);
  }
}

std::string first_error(std::string_view errors, const std::filesystem::path& directory) {
  // The cause of other errors.
  for (const int cause : {EMFILE, ENOSPC}) {
    if (const std::size_t at = errors.find(std::strerror(cause)); at != errors.npos) {
      const std::size_t line = errors.rfind('\n', at) + 1;
      return std::string(errors.substr(line, errors.find('\n', at) - line));
    }
  }
  std::size_t at = errors.find("error:");
  // The assembler's form.
  if (at == errors.npos) at = errors.find("Error:");
  if (at == errors.npos) return std::string(errors.substr(0, errors.find('\n')));
  const std::size_t line = errors.rfind('\n', at) + 1;
  const std::string_view place = errors.substr(line, at - line);
  const std::string_view message = errors.substr(at, errors.find('\n', at) - at);
  if (message.find("error: ld returned") != message.npos ||
      message.find("linker command failed") != message.npos) {
    return linker_message(errors);
  }
  const bool is_elsewhere = place.find('/') != place.npos && !place.starts_with(directory.string());
  // Other messages may quote that file.
  const bool is_missing = message.ends_with(": No such file or directory");
  if (is_elsewhere && !is_missing) {
    return std::string(place) + "error in a file that is not in the archive";
  }
  return std::string(message);
}

}  // namespace

std::string why_it_failed(const ProgramResult& result, const std::filesystem::path& directory) {
  if (!result.fault.empty() || result.errors.empty()) return how_it_ended(result);
  return "says: " + first_error(result.errors, directory);
}

std::vector<std::string> command_words(const std::string& command) {
  std::error_code ignored;
  if (fs::exists(command, ignored)) return {command};
  std::vector<std::string> words = support::words_of(command);
  if (words.empty()) throw support::Error(ErrorKind::usage, "the command of the compiler is empty");
  return words;
}

namespace {

/// Throws for an option that names an output: the compiler would write over that file.
void refuse_outputs(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 11> kBegin{"-o",
                                                           "--output",
                                                           "-MF",
                                                           "-MJ",
                                                           "-save-temps",
                                                           "-dump",
                                                           "-aux-info",
                                                           "-fdump-",
                                                           "-fopt-info",
                                                           "-foptimization-record-file",
                                                           "--serialize-diagnostics"};
  // Options for the preprocessor, the assembler and the linker.
  static constexpr std::array<std::string_view, 6> kPassedOn{",-o",       ",-M", ",--M",
                                                             ",--output", ",-a", ",-save-temps"};
  for (const std::string& word : words) {
    const auto begins = [&](std::string_view part) { return word.starts_with(part); };
    const auto has = [&](std::string_view part) { return word.find(part) != word.npos; };
    const bool is_passed_on = begins("-Wp,") || begins("-Wa,") || begins("-Wl,");
    if (!std::ranges::any_of(kBegin, begins) &&
        !(is_passed_on && std::ranges::any_of(kPassedOn, has))) {
      continue;
    }
    throw support::Error(ErrorKind::usage,
                         "leave '" + word + "' out of the compiler's options: it names an output");
  }
}

ProgramResult run_compiler(const Compiler& compiler, const std::vector<std::string>& arguments,
                           const WorkDirectory& directory, std::chrono::seconds more_time) {
  std::vector<std::string> all = command_words(compiler.command);
  all.insert(all.end(), compiler.flags.begin(), compiler.flags.end());
  refuse_outputs(all);
  all.insert(all.end(), arguments.begin(), arguments.end());
  const ProgramLimits limits{
      .time = compiler.timeout + more_time, .memory = kMostMemory, .file = kMostFile};
  return run_program({.arguments = std::move(all), .limits = limits}, directory);
}

}  // namespace

CCompiler::CCompiler(const archive::Archive& archive, const Module& module,
                     const Compiler& compiler)
    : compiler_(compiler) {
  searched_ = write_headers(directory_, archive, module);
  for (const FileRef& file : module.files.sources) {
    time_ += std::chrono::seconds(archive.find(file.name)->size >> 20);
  }
}

ProgramResult CCompiler::start(const std::vector<std::string>& arguments,
                               const std::string& output) const {
  std::vector<std::string> all;
  // -idirafter: directories in the user's flags, which may have TVM's own headers, come first.
  for (const std::string& include : searched_) {
    all.insert(all.end(), {"-idirafter", (directory_.path() / include).string()});
  }
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), {"-o", output});
  ProgramResult result = run_compiler(compiler_, all, directory_, time_);
  if (is_success(result) && is_junk(output)) result.fault = kWroteNothing;
  return result;
}

ProgramResult CCompiler::compile(const std::string& stem, const std::string& end,
                                 std::string_view text, std::vector<std::string> flags) const {
  directory_.write(stem + end, text);
  flags.insert(flags.end(), {"-c", path(stem + end)});
  return start(flags, path(stem + ".o"));
}

void CCompiler::require(const ProgramResult& result, const Location& where) const {
  if (is_success(result)) return;
  throw support::Error(ErrorKind::invalid_input,
                       "this C was not compiled: " + compiler_.command + " " +
                           why_it_failed(result, directory_.path()),
                       where);
}

}  // namespace mlf::compile

namespace mlf {

Result<PredefinedMacros> predefined_macros(const Compiler& compiler) {
  return support::to_result([&] {
    const compile::WorkDirectory directory;
    const std::string output = (directory.path() / "macros").string();
    const std::vector<std::string> arguments{"-dM", "-E", "-x", "c", "/dev/null", "-o", output};
    PredefinedMacros macros;
    const bool is_run = is_success(compile::run_compiler(compiler, arguments, directory, {}));
    // A compiler that makes a pipe would block the reading.
    if (!is_run || !std::filesystem::is_regular_file(output)) return macros;
    std::ifstream file(output);
    for (std::string line; std::getline(file, line);) {
      constexpr std::string_view kDefine = "#define ";
      const std::size_t space = line.find(' ', kDefine.size());
      const std::string name =
          line.substr(std::min(kDefine.size(), line.size()), space - kDefine.size());
      const bool is_plain = line.starts_with(kDefine) && name.find('(') == name.npos;
      if (is_plain && space != line.npos) macros.emplace(name, line.substr(space + 1));
    }
    return macros;
  });
}

}  // namespace mlf
