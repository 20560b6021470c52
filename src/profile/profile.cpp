#include "mlf/profile.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "compile/run_program.h"
#include "compile/work_directory.h"
#include "profile/numbers.h"
#include "run/boards.h"
#include "run/machine.h"
#include "run/plan.h"
#include "support/error.h"
#include "support/sha256.h"

namespace mlf {
namespace profile {
namespace {

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

/// The network as a program that takes times.
class ProfiledProgram {
 public:
  ProfiledProgram(const Deployment& deployment, const Network& network, const RunOptions& options,
                  std::uint64_t runs)
      : deployment_(deployment),
        network_(network),
        options_(options),
        machine_(run::machine_for(options)),
        board_(machine_.board),
        runs_(board_ != nullptr ? 1 : runs),
        plan_(run::plan_of(deployment, network, {.inputs = options.inputs, .seed = options.seed})) {
  }

  Profile run() {
    // Hooks that the linker puts in line would not be what was measured.
    run::NetworkProgram program(deployment_, network_, machine_,
                                {.host_flags = {"-O2", "-std=gnu11", "-w", "-Dhalf=_Float16"},
                                 .program_flags = {"-O2", "-fno-lto"}});
    const std::string results = program.run(plan_, runs_, options_, result_bytes());
    Profile profile = described();
    profile.flags = program.flags();
    const std::size_t times = runs_ * times_of_run(calls()) * sizeof(std::uint64_t);
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

  std::uint64_t result_bytes() const {
    std::uint64_t sum = runs_ * times_of_run(calls()) * sizeof(std::uint64_t);
    for (const Tensor& one : plan_.outputs) sum += one.bytes.size();
    return sum;
  }

  std::vector<RunTimes> times_in(std::string_view bytes) const {
    std::vector<std::uint64_t> times(bytes.size() / sizeof(std::uint64_t));
    std::memcpy(times.data(), bytes.data(), bytes.size());
    if (board_ == nullptr) return run_times(times, calls(), 0);
    for (std::uint64_t& one : times) one = run::instructions_at(board_->counter, one);
    return run_times(times, calls(), 1);
  }

  Profile described() const {
    Profile profile;
    profile.module = network_.topology.module;
    profile.source = board_ != nullptr ? ProfileSource::emulated : ProfileSource::timed;
    profile.cpu = options_.cpu;
    if (board_ != nullptr) {
      profile.machine = board_->machine;
      profile.emulator = board_->emulator;
    }
    profile.compiler = machine_.compiler.command;
    profile.compiler_version = version_of(machine_.compiler.command);
    profile.runs = runs_;
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
    if (!plan_.entry.function.empty()) profile.network = numbers_of(std::move(networks));
  }

  const Deployment& deployment_;
  const Network& network_;
  const RunOptions& options_;
  const run::Machine machine_;
  const run::Board* board_;
  const std::uint64_t runs_;
  const run::RunPlan plan_;
};

}  // namespace
}  // namespace profile

Result<Profile> profile_network(const Deployment& deployment, const Network& network,
                                const RunOptions& options, std::uint64_t runs) {
  return support::to_result_in(deployment.archive().path(), [&] {
    return profile::ProfiledProgram(deployment, network, options, runs).run();
  });
}

}  // namespace mlf
