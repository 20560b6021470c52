#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <set>

#include "compile/c_compiler.h"
#include "compile/run_program.h"
#include "deployment/member_text.h"
#include "mlf/run.h"
#include "run/hooks.h"
#include "run/plan.h"
#include "run/program.h"
#include "support/error.h"
#include "support/file.h"

namespace mlf {
namespace run {
namespace {

namespace fs = std::filesystem;
using compile::CCompiler;
using compile::ProgramResult;
using support::get_or_throw;

[[noreturn]] void fail(ErrorKind kind, std::string why, std::string member = {}) {
  throw support::Error(kind, std::move(why), {.member = std::move(member)});
}

// --- The program --------------------------------------------------------------------------------

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
  const support::MappedFile file(support::File::open(path.string(), O_RDONLY));
  return std::string(file.bytes());
}

/// The symbols that the linker did not find, each once, in alphabetical order.
std::set<std::string> missing_symbols(std::string_view errors) {
  std::set<std::string> names;
  for (const std::string_view before : {"undefined reference to `", "undefined symbol: "}) {
    for (std::size_t at = 0; (at = errors.find(before, at)) != errors.npos;) {
      at += before.size();
      names.emplace(errors.substr(at, errors.find_first_of("'\n", at) - at));
    }
  }
  return names;
}

class Builder {
 public:
  Builder(const Deployment& deployment, const Network& network, const RunOptions& options)
      : archive_(deployment.archive()),
        module_(deployment.library().modules[network.module]),
        user_(options.compiler),
        flags_(with_own_flags(options.compiler)),
        compiler_(archive_, module_, flags_) {}

  const compile::WorkDirectory& directory() const { return compiler_.directory(); }

  /// `edited` has members with hooks.
  void build(const std::string& program, const optimize::EditedMembers& edited) {
    compile_file("program", ".c", program, {});
    for (const FileRef& file : module_.files.sources) {
      const std::string end = fs::path(file.name).extension().string();
      compile_file(std::to_string(objects_.size()), end == ".c" ? end : ".cc",
                   edited.text_of(*archive_.find(file.name)), file.name);
    }
    const auto machine = machine_of(file_text(directory().path() / "program.o"));
    for (const FileRef& file : module_.files.objects) {
      const std::string_view bytes = deployment::member_text(archive_, file);
      if (machine_of(bytes) != machine) {
        fail(ErrorKind::invalid_input,
             "this object is not for the processor that the compiler compiles for", file.name);
      }
      objects_.push_back(path(std::to_string(objects_.size()) + ".o"));
      directory().write(fs::path(objects_.back()).filename(), bytes);
    }
    link();
  }

 private:
  /// TVM writes `half`, which C does not define. With MLF_RUN, mlf's headers do not define
  /// functions of libraries. The user's flags override mlf's.
  static Compiler with_own_flags(Compiler compiler) {
    const char* const own[] = {"-O1", "-std=gnu11", "-w", "-Dhalf=_Float16", "-DMLF_RUN"};
    compiler.flags.insert(compiler.flags.begin(), std::begin(own), std::end(own));
    return compiler;
  }

  std::string path(const std::string& name) const { return (directory().path() / name).string(); }

  void compile_file(const std::string& stem, const std::string& end, std::string_view text,
                    const std::string& member) {
    directory().write(stem + end, text);
    objects_.push_back(path(stem + ".o"));
    compiler_.run({"-c", path(stem + end), "-o", objects_.back()}, {.member = member});
  }

  void link() {
    std::vector<std::string> arguments = objects_;
    // Libraries come after the files that need them.
    arguments.insert(arguments.end(), user_.flags.begin(), user_.flags.end());
    arguments.insert(arguments.end(), {"-lm", "-o", path("program")});
    const ProgramResult result = compiler_.start(arguments);
    if (!result.timed_out && result.status == 0) return;
    const std::set<std::string> missing = missing_symbols(result.errors);
    if (!missing.empty()) {
      fail(
          ErrorKind::invalid_input,
          fmt::format("the network needs functions that are not in the archive: {}; name a library "
                      "that has them among the flags of the compiler",
                      fmt::join(missing, ", ")));
    }
    fail(ErrorKind::invalid_input,
         fmt::format("the network was not linked: {} says: {}", user_.command,
                     compile::first_error(result.errors, directory().path())));
  }

  const archive::Archive& archive_;
  const Module& module_;
  const Compiler& user_;
  Compiler flags_;
  CCompiler compiler_;
  std::vector<std::string> objects_;
};

/// The message of the program, or the reason why its process ended.
std::string why_it_ended(const ProgramResult& result, std::chrono::milliseconds timeout) {
  if (result.timed_out)
    return fmt::format("took longer than {} s", std::chrono::duration<double>(timeout).count());
  constexpr std::string_view kOwn = "mlf: ";
  const std::size_t at = result.errors.rfind(kOwn);
  if (at != result.errors.npos && result.status == 3) {
    const std::size_t begin = at + kOwn.size();
    return "failed: " + result.errors.substr(begin, result.errors.find('\n', begin) - begin);
  }
  if (result.status > 128) {
    return fmt::format("ended with signal {} ({})", result.status - 128,
                       strsignal(result.status - 128));
  }
  return fmt::format("ended with exit code {}", result.status);
}

std::string read_results(const fs::path& path, std::uint64_t size) {
  // The program may have replaced the file by anything, such as a link or a pipe.
  const support::File file = support::File::open(path.string(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const struct stat status = file.status();
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) != size) {
    fail(ErrorKind::invalid_input, "the network did not write all its results");
  }
  std::string bytes(size, '\0');
  for (std::size_t at = 0; at < size;) {
    const std::size_t part = file.read_some(bytes.data() + at, size - at);
    if (part == 0) fail(ErrorKind::invalid_input, "the network did not write all its results");
    at += part;
  }
  return bytes;
}

void take(Tensor& tensor, std::string_view& bytes) {
  const std::size_t size = tensor.bytes.size();
  tensor.bytes = bytes.substr(0, size);
  bytes.remove_prefix(size);
}

std::uint64_t result_bytes(const RunPlan& plan) {
  std::uint64_t sum = 0;
  for (const RecordedTensor& one : plan.records) sum += one.tensor.bytes.size();
  for (const Tensor& one : plan.outputs) sum += one.bytes.size();
  return sum;
}

RunResult run(const Deployment& deployment, const Network& network, const RunOptions& options) {
  RunPlan plan = plan_of(deployment, network, options);
  const std::uint64_t size = result_bytes(plan);
  const bool has_hooks = !plan.records.empty() && !plan.entry.symbol.empty();
  const optimize::EditedMembers edited =
      has_hooks ? with_hooks(deployment, network) : optimize::EditedMembers(deployment.archive());
  Builder builder(deployment, network, options);
  builder.build(program_text(plan), edited);
  std::string inputs;
  for (const InputTensor& input : plan.inputs) inputs += input.tensor.bytes;
  const compile::WorkDirectory& directory = builder.directory();
  directory.write(kInputs, inputs);
  const ProgramResult ended = compile::run_program(
      {.arguments = {(directory.path() / "program").string()},
       .directory = directory.path(),
       .limits = {.time = options.timeout, .memory = options.memory, .file = size}},
      directory);
  if (ended.timed_out || ended.status != 0) {
    fail(ErrorKind::invalid_input, "the network " + why_it_ended(ended, options.timeout));
  }
  const std::string results = read_results(directory.path() / kResults, size);
  std::string_view left = results;
  RunResult result;
  // In the order of their hooks: the tensors that a call reads come before those that it writes.
  for (RecordedTensor& one : plan.records) take(one.tensor, left);
  for (Tensor& one : plan.outputs) take(one, left);
  for (std::size_t i = 0; i < network.topology.inputs.size(); ++i) {
    result.inputs.push_back(std::move(plan.inputs[i].tensor));
  }
  result.outputs = std::move(plan.outputs);
  result.calls = std::move(plan.records);
  result.unrecorded = std::move(plan.unrecorded);
  return result;
}

}  // namespace
}  // namespace run

Result<RunResult> run_network(const Deployment& deployment, const Network& network,
                              const RunOptions& options) {
  return support::to_result([&] {
           try {
             return run::run(deployment, network, options);
           } catch (const std::filesystem::filesystem_error& error) {
             throw support::Error(ErrorKind::io, error.what());
           }
         })
      .map_error([&](Diagnostic diagnostic) {
        return in_file(std::move(diagnostic), deployment.archive().path());
      });
}

}  // namespace mlf
