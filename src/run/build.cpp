#include "run/build.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "deployment/member_text.h"
#include "support/error.h"
#include "support/file.h"
#include "support/nearest.h"

namespace mlf::run {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_build(std::string why, std::string member = {}) {
  throw support::Error(ErrorKind::invalid_input, std::move(why), {.member = std::move(member)});
}

/// The machine of an ELF file, and its class: 32 or 64 bits. Nothing for other files.
std::optional<std::string> machine_of(std::string_view object) {
  if (!object.starts_with("\x7f"
                          "ELF") ||
      object.size() < 20) {
    return std::nullopt;
  }
  return std::string(object.substr(4, 2)) + std::string(object.substr(18, 2));
}

std::string file_text(const fs::path& path) {
  const auto file = support::FileContent::copy(support::File::open(path.string(), O_RDONLY));
  return std::string(file.bytes());
}

/// The symbols that the linker did not find, each once, in alphabetical order.
std::vector<std::string> missing_symbols(std::string_view errors) {
  std::set<std::string> names;
  for (const std::string_view before : {"undefined reference to `", "undefined symbol: "}) {
    for (std::size_t at = 0; (at = errors.find(before, at)) != errors.npos;) {
      at += before.size();
      names.emplace(errors.substr(at, errors.find_first_of("'\n", at) - at));
    }
  }
  return {names.begin(), names.end()};
}

Compiler with_flags_before(Compiler compiler, const std::vector<std::string>& flags) {
  compiler.flags.insert(compiler.flags.begin(), flags.begin(), flags.end());
  return compiler;
}

}  // namespace

Builder::Builder(const Deployment& deployment, const Network& network, const Compiler& compiler,
                 const Toolchain& toolchain)
    : archive_(deployment.archive()),
      module_(deployment.library().modules[network.module]),
      user_(compiler),
      program_flags_(toolchain.program_flags),
      flags_(with_flags_before(compiler, toolchain.flags)),
      compiler_(archive_, module_, flags_) {}

void Builder::compile_program(const std::string& program) {
  fs::remove(path("program"));  // of another run
  compile_file({"program", ".c", {}}, program, program_flags_);
}

void Builder::compile_module(const edit::EditedMembers& edited) {
  for (const FileRef& file : module_.files.sources) {
    const bool is_c = fs::path(file.name).extension() == ".c";
    compile_file({add_object(), is_c ? ".c" : ".cc", file.name},
                 edited.text_of(*archive_.find(file.name)));
  }
  for (const FileRef& file : module_.files.objects) {
    const std::string_view bytes = deployment::member_text(archive_, file);
    if (machine_of(bytes) != machine_of(file_text(path("program.o")))) {
      fail_build("this object is not for the processor that the compiler compiles for", file.name);
    }
    directory().write(add_object() + ".o", bytes);
  }
}

void Builder::compile_file(const Source& source, std::string_view text,
                           const std::vector<std::string>& flags) {
  directory().write(source.stem + source.end, text);
  std::vector<std::string> arguments = flags;
  arguments.insert(arguments.end(), {"-c", path(source.stem + source.end)});
  compiler_.require(compiler_.start(arguments, path(source.stem + ".o")),
                    {.member = source.member});
}

std::string Builder::add_object() {
  std::string stem = std::to_string(objects_.size() + 1);
  objects_.push_back(path(stem + ".o"));
  return stem;
}

compile::ProgramResult Builder::link(const std::vector<std::string>& arguments) const {
  std::vector<std::string> all{path("program.o")};
  all.insert(all.end(), objects_.begin(), objects_.end());
  // Libraries come after the files that need them.
  all.insert(all.end(), user_.flags.begin(), user_.flags.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.emplace_back("-lm");
  compile::ProgramResult result = compiler_.start(all, path("program"));
  if (is_success(result) && !fs::exists(path("program"))) result.fault = compile::kWroteNothing;
  return result;
}

bool Builder::is_for_another_processor() const {
  const fs::path object = path("program.o");
  return fs::exists(object) &&
         machine_of(file_text(object)) != machine_of(file_text("/proc/self/exe"));
}

void Builder::fail_link(const compile::ProgramResult& result) const {
  const std::vector<std::string> missing = missing_symbols(result.errors);
  if (!missing.empty()) {
    fail_build(
        fmt::format("the network needs functions that are not in the archive: {}; name a library "
                    "that has them among the flags of the compiler",
                    some_of(missing)));
  }
  fail_build(fmt::format("the network was not linked: {} {}", user_.command,
                         compile::why_it_failed(result, directory().path())));
}

}  // namespace mlf::run
