#include "mlf/profile.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "compile/run_program.h"
#include "compile/work_directory.h"
#include "profile/boards.h"
#include "profile/numbers.h"
#include "profile/runtimes.h"
#include "profile/same_build.h"
#include "profile/times.h"
#include "run/build.h"
#include "run/hooks.h"
#include "run/plan.h"
#include "run/process.h"
#include "run/program.h"
#include "support/error.h"
#include "support/nearest.h"
#include "support/sha256.h"

namespace mlf {
namespace profile {
namespace {

using compile::ProgramResult;

[[noreturn]] void fail(ErrorKind kind, std::string why) {
  throw support::Error(kind, std::move(why));
}

const ProfileCpu& cpu_named(const std::string& name) {
  const auto found = std::ranges::find(profile_cpus(), name, &ProfileCpu::name);
  if (found != profile_cpus().end()) return *found;
  std::vector<std::string> names;
  for (const ProfileCpu& one : profile_cpus()) names.emplace_back(one.name);
  fail(ErrorKind::usage, fmt::format("no processor '{}', only {}{}", name, fmt::join(names, ", "),
                                     did_you_mean(name, names)));
}

/// If a program is not in $PATH, throws `Error` (usage), which names its packages of Debian.
void require_program(const std::string& name, std::string_view packages) {
  if (name.find('/') != name.npos) return;  // the system says what is wrong with a path
  const char* const variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "/bin:/usr/bin" : variable;
  while (!path.empty()) {
    const std::size_t end = path.find(':');
    if (access(fmt::format("{}/{}", path.substr(0, end), name).c_str(), X_OK) == 0) return;
    path = end == path.npos ? "" : path.substr(end + 1);
  }
  fail(ErrorKind::usage,
       fmt::format("'{}' is not installed; on Debian, install {}", name, packages));
}

/// The line with the version that a compiler prints for -v; empty if it prints none.
std::string version_of(const std::string& compiler) {
  constexpr std::uint64_t kMemory = std::uint64_t{8} << 30;
  const compile::WorkDirectory directory;
  std::vector<std::string> words = compile::command_words(compiler);
  words.emplace_back("-v");
  const std::string text =
      compile::run_program(
          {.arguments = words,
           .directory = directory.path(),
           .limits = {.time = std::chrono::seconds(10), .memory = kMemory, .file = 0}},
          directory)
          .errors;
  const std::size_t at = text.find(" version ");
  if (at == text.npos) return {};
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

/// A path in a string of the assembler in a string of C.
std::string in_assembly(const std::string& path) {
  std::string once;
  for (const char letter : path) {
    if (letter == '"' || letter == '\\') once += '\\';
    once += letter;
  }
  std::string twice;
  for (const char letter : "\"" + once + "\"") {
    if (letter == '"' || letter == '\\') twice += '\\';
    twice += letter;
  }
  return twice;
}

/// The network as a program that takes times.
class ProfiledProgram {
 public:
  ProfiledProgram(const Deployment& deployment, const Network& network,
                  const ProfileOptions& options)
      : deployment_(deployment),
        network_(network),
        options_(options),
        cpu_(cpu_named(options.cpu)),
        board_(board_of(options.cpu)),
        compiler_{
            .command = options.compiler.empty() ? std::string(cpu_.compiler) : options.compiler,
            .flags = options.flags},
        plan_(run::plan_of(deployment, network, {.inputs = options.inputs, .seed = options.seed})) {
  }

  Profile run() {
    if (options_.compiler.empty()) require_program(compiler_.command, cpu_.packages);
    if (board_ != nullptr) require_program(std::string(board_->emulator), cpu_.packages);
    std::string results = execute();
    Profile profile = described();
    const std::size_t times = runs() * times_of_run(calls()) * sizeof(std::uint64_t);
    add_numbers(profile, times_in(std::string_view(results).substr(0, times)));
    std::string_view left = std::string_view(results).substr(times);
    for (const Tensor& output : plan_.outputs) {
      profile.outputs.push_back(
          {output.name, support::sha256_hex(left.substr(0, output.bytes.size()))});
      left.remove_prefix(output.bytes.size());
    }
    return profile;
  }

 private:
  std::size_t calls() const { return network_.topology.calls.size(); }
  std::uint64_t runs() const { return board_ != nullptr ? 1 : options_.runs; }

  std::uint64_t result_bytes() const {
    std::uint64_t sum = runs() * times_of_run(calls()) * sizeof(std::uint64_t);
    for (const Tensor& one : plan_.outputs) sum += one.bytes.size();
    return sum;
  }

  std::vector<std::string> own_flags() const {
    if (board_ != nullptr) return board_->flags;
    return {"-O2", "-std=gnu11", "-w", "-Dhalf=_Float16"};
  }

  /// Compiles and runs it. Returns what it saved.
  std::string execute() {
    // Hooks that the linker puts in line would not be what was measured.
    const run::Toolchain toolchain{.flags = own_flags(), .program_flags = {"-O2", "-fno-lto"}};
    run::Builder builder(deployment_, network_, compiler_, toolchain);
    const compile::WorkDirectory& directory = builder.directory();
    std::string inputs;
    for (const run::InputTensor& input : plan_.inputs) inputs += input.tensor.bytes;
    directory.write(run::kInputs, inputs);
    const bool has_main = !plan_.entry.symbol.empty();
    builder.compile(program_in(directory), has_main ? run::with_hooks(deployment_, network_)
                                                    : edit::EditedMembers(deployment_.archive()));
    link(builder);
    const ProgramResult ended = compile::run_program(
        {.arguments = command(directory),
         .directory = directory.path(),
         .limits = {.time = options_.timeout,
                    .memory = options_.memory,
                    .file = std::max<std::uint64_t>(result_bytes(), kMessage)}},
        directory);
    if (board_ != nullptr) fail_if_message(directory);
    if (!is_success(ended)) {
      fail(ErrorKind::invalid_input, "the network " + run::why_it_ended(ended));
    }
    return run::read_results(directory.path() / run::kResults, result_bytes());
  }

  std::string program_in(const compile::WorkDirectory& directory) const {
    std::string runtime = host_runtime();
    if (board_ != nullptr) {
      runtime =
          fmt::format("#define MLF_INPUTS \"{}\"\n{}",
                      in_assembly((directory.path() / run::kInputs).string()), board_->runtime);
    }
    return run::program_text(plan_, {.runtime = runtime, .runs = runs()});
  }

  /// Tries each place in the board's memory.
  void link(const run::Builder& builder) const {
    if (board_ == nullptr) {
      const ProgramResult result = builder.link({});
      if (!is_success(result)) builder.fail_link(result);
      return;
    }
    for (std::size_t i = 0; i < board_->layouts.size(); ++i) {
      const std::string script = fmt::format("{}.ld", i);
      builder.directory().write(script, linker_script(*board_, board_->layouts[i]));
      std::vector<std::string> arguments = board_->link;
      arguments.insert(arguments.end(), {"-T", (builder.directory().path() / script).string()});
      const ProgramResult result = builder.link(arguments);
      if (is_success(result)) return;
      if (result.errors.find("will not fit in region") == std::string::npos) {
        builder.fail_link(result);
      }
    }
    std::vector<std::string> places;
    for (const Layout& layout : board_->layouts) {
      places.push_back(fmt::format("{} MiB of code and constants with {} MiB of data",
                                   (layout.code.bytes + kMiB - 1) / kMiB,
                                   layout.data.bytes / kMiB));
    }
    fail(ErrorKind::check_failed,
         fmt::format("the network does not fit into the memory of the board {}, which has {}",
                     board_->machine, fmt::join(places, ", or ")));
  }

  /// What is executed in the directory.
  std::vector<std::string> command(const compile::WorkDirectory& directory) const {
    const std::string program = (directory.path() / "program").string();
    if (board_ == nullptr) return {program};
    std::vector<std::string> all{std::string(board_->emulator), "-M", std::string(board_->machine)};
    all.insert(all.end(), board_->arguments.begin(), board_->arguments.end());
    // Without semihosting and devices: the program has no access to this computer. A reset ends it.
    all.insert(all.end(), {"-accel", "tcg,tb-size=64", "-icount",
                           fmt::format("shift={}", board_->counter.shift), "-display", "none",
                           "-monitor", "none", "-nodefaults", "-no-reboot", "-serial",
                           fmt::format("file:{}", run::kResults), "-kernel", program});
    return all;
  }

  /// Throws `Error` with the message of the program, if it has left one in place of results.
  void fail_if_message(const compile::WorkDirectory& directory) const {
    const std::filesystem::path path = directory.path() / run::kResults;
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error || size == result_bytes() || size > kMessage) return;
    const std::string text = run::read_results(path, size);
    constexpr std::string_view kOwn = "mlf: ";
    if (!text.starts_with(kOwn) || !text.ends_with('\n')) return;
    fail(ErrorKind::invalid_input,
         "the network failed: " + text.substr(kOwn.size(), text.size() - kOwn.size() - 1));
  }

  std::vector<RunTimes> times_in(std::string_view bytes) const {
    std::vector<std::uint64_t> times(bytes.size() / sizeof(std::uint64_t));
    std::memcpy(times.data(), bytes.data(), bytes.size());
    if (board_ == nullptr) return run_times(times, calls(), 0);
    for (std::uint64_t& one : times) one = instructions_at(board_->counter, one);
    return run_times(times, calls(), 1);
  }

  Profile described() const {
    Profile profile;
    profile.module = network_.topology.module;
    profile.source = board_ != nullptr ? ProfileSource::emulated : ProfileSource::timed;
    profile.cpu = cpu_.name;
    if (board_ != nullptr) {
      profile.machine = board_->machine;
      profile.emulator = board_->emulator;
    }
    profile.compiler = compiler_.command;
    profile.compiler_version = version_of(compiler_.command);
    profile.flags = own_flags();
    profile.flags.insert(profile.flags.end(), compiler_.flags.begin(), compiler_.flags.end());
    profile.runs = runs();
    profile.calls = described_calls(deployment_, network_);
    profile.code = code_digest(deployment_, network_.module);
    return profile;
  }

  ProfileNumbers numbers_of(std::vector<std::uint64_t> runs) const {
    if (board_ != nullptr) return {.instructions = runs.front()};
    return {.nanoseconds = spread_of(std::move(runs))};
  }

  void add_numbers(Profile& profile, const std::vector<RunTimes>& runs) const {
    std::vector<std::uint64_t> totals;
    std::vector<std::uint64_t> networks;
    for (const RunTimes& run : runs) {
      std::uint64_t total = 0;
      for (const std::uint64_t one : run.calls) total += one;
      totals.push_back(total);
      networks.push_back(std::max(run.network, total));
    }
    for (std::size_t i = 0; i < profile.calls.size(); ++i) {
      std::vector<std::uint64_t> of_call;
      for (const RunTimes& run : runs) of_call.push_back(run.calls[i]);
      profile.calls[i].numbers = numbers_of(std::move(of_call));
    }
    profile.total = numbers_of(std::move(totals));
    // Without a main, the program calls the kernels.
    if (!plan_.entry.symbol.empty()) profile.network = numbers_of(std::move(networks));
  }

  /// The most that a program writes that fails.
  static constexpr std::uint64_t kMessage = 4096;

  const Deployment& deployment_;
  const Network& network_;
  const ProfileOptions& options_;
  const ProfileCpu& cpu_;
  const Board* board_;
  const Compiler compiler_;
  const run::RunPlan plan_;
};

}  // namespace
}  // namespace profile

Result<Profile> profile_network(const Deployment& deployment, const Network& network,
                                const ProfileOptions& options) {
  return support::to_result([&] {
           try {
             return profile::ProfiledProgram(deployment, network, options).run();
           } catch (const std::filesystem::filesystem_error& error) {
             throw support::Error(ErrorKind::io, error.what());
           }
         })
      .map_error([&](Diagnostic diagnostic) {
        return in_file(std::move(diagnostic), deployment.archive().path());
      });
}

}  // namespace mlf
