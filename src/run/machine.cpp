// Builds and runs a program for this computer, or for a board that QEMU emulates.
#include "run/machine.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/run_program.h"
#include "deployment/member_text.h"
#include "mlf/run.h"
#include "run/boards.h"
#include "run/program.h"
#include "support/error.h"
#include "support/file.h"
#include "support/nearest.h"

namespace mlf {
namespace run {
namespace {

namespace fs = std::filesystem;

using compile::ProgramResult;

/// The most that a program writes that fails.
constexpr std::uint64_t kMessage = 4096;

[[noreturn]] void fail(ErrorKind kind, std::string why, std::string member = {}) {
  throw support::Error(kind, std::move(why), {.member = std::move(member)});
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

Compiler with_own_flags(const Machine& machine, const Toolchain& toolchain) {
  const auto& flags = machine.board == nullptr ? toolchain.host_flags : machine.board->flags;
  Compiler compiler = machine.compiler;
  compiler.flags.insert(compiler.flags.begin(), flags.begin(), flags.end());
  return compiler;
}

const Board* board_named(const std::string& cpu) {
  if (cpu == kThisComputer) return nullptr;
  const auto found = std::ranges::find(boards(), cpu, &Board::cpu);
  if (found != boards().end()) return &*found;
  const std::vector<std::string> names = processors();
  fail(ErrorKind::usage, fmt::format("no processor '{}', only {}{}", cpu, fmt::join(names, ", "),
                                     did_you_mean(cpu, names)));
}

/// If a program is not in $PATH, throws `Error` (io), which names its packages of Debian.
void require_program(const std::string& name, std::string_view packages) {
  if (name.find('/') != name.npos) return;  // the system says what is wrong with a path
  const char* const variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "/bin:/usr/bin" : variable;
  while (!path.empty()) {
    const std::size_t end = path.find(':');
    if (access(fmt::format("{}/{}", path.substr(0, end), name).c_str(), X_OK) == 0) return;
    path = end == path.npos ? "" : path.substr(end + 1);
  }
  fail(ErrorKind::io, fmt::format("'{}' is not installed; on Debian, install {}", name, packages));
}

/// For a string of C or of the assembler.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result;
}

/// A path in a string of the assembler in a string of C.
std::string in_assembly(const std::string& path) {
  return escaped("\"" + escaped(path) + "\"");
}

/// The message of the program, or the reason why its process ended.
std::string why_it_ended(const ProgramResult& result) {
  constexpr std::string_view kOwn = "mlf: ";
  const std::size_t at = result.errors.rfind(kOwn);
  if (at != result.errors.npos && result.fault.empty() && result.status == 3) {
    const std::size_t begin = at + kOwn.size();
    return "failed: " + result.errors.substr(begin, result.errors.find('\n', begin) - begin);
  }
  // The lines in which sanitizers of compilers say what is wrong.
  for (const std::string_view word : {"SUMMARY: ", "runtime error: "}) {
    const std::size_t found = result.errors.find(word);
    if (found == result.errors.npos || is_success(result)) continue;
    return "failed: " + result.errors.substr(found, result.errors.find('\n', found) - found);
  }
  return how_it_ended(result);
}

/// Reads a file of exactly `size` bytes. Throws `Error` (invalid_input) for anything else.
std::string read_results(const fs::path& path, std::uint64_t size) {
  const auto fail_short = [] {
    fail(ErrorKind::invalid_input, "the network did not write all its results");
  };
  // The program may have ended without it, or replaced it by anything, such as a link or a pipe.
  if (!fs::exists(fs::symlink_status(path))) fail_short();
  const support::File file = support::File::open(path.string(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const struct stat status = file.status();
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) != size) {
    fail_short();
  }
  std::string bytes = file.read_up_to(size);
  if (bytes.size() != size) fail_short();
  return bytes;
}

/// Of a board's program: behind all results. Else a message of the program is behind them.
constexpr char kSuccess = '\6';

/// The results of a board. Throws `Error` with the message of the program, if it has failed.
std::string results_of_board(const Board& board, const fs::path& path, std::uint64_t bytes) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error || size > bytes + kMessage) return read_results(path, bytes + 1);  // throws
  std::string text = read_results(path, size);
  if (size == bytes + 1 && text.back() == kSuccess) {
    text.pop_back();
    return text;
  }
  constexpr std::string_view kOwn = "mlf: ";
  const std::size_t begin = text.rfind(kOwn);
  if (begin == text.npos || !text.ends_with('\n')) return read_results(path, bytes + 1);  // throws
  const std::string why = text.substr(begin + kOwn.size(), text.size() - 1 - begin - kOwn.size());
  const bool is_memory = why.ends_with("not enough memory");
  fail(is_memory ? ErrorKind::check_failed : ErrorKind::invalid_input,
       is_memory ? fmt::format("the board {} has not enough memory", board.machine)
                 : "the network failed: " + why);
}

[[noreturn]] void fail_memory(const Board& board) {
  std::vector<std::string> places;
  for (const Layout& layout : board.layouts) {
    places.push_back(fmt::format("{} MiB of code and constants with {} MiB of data",
                                 (layout.code.bytes + kMiB - 1) / kMiB, layout.data.bytes / kMiB));
  }
  fail(ErrorKind::check_failed,
       fmt::format("the network does not fit into the memory of the board {}, which has {}",
                   board.machine, fmt::join(places, ", or ")));
}

}  // namespace

Machine machine_for(const RunOptions& options) {
  Machine machine{board_named(options.cpu), options.compiler};
  const Board* const board = machine.board;
  if (machine.compiler.command.empty()) {
    machine.compiler.command = board == nullptr ? "cc" : board->compiler;
    require_program(machine.compiler.command, board == nullptr ? "gcc" : board->packages);
  }
  if (board != nullptr) require_program(std::string(board->emulator), board->packages);
  return machine;
}

NetworkProgram::NetworkProgram(const Deployment& deployment, const Network& network,
                               const Machine& machine, const Toolchain& toolchain)
    : deployment_(deployment),
      network_(network),
      module_(deployment.library().modules[network.module]),
      machine_(machine),
      program_flags_(toolchain.program_flags),
      compiler_(with_own_flags(machine, toolchain)),
      c_compiler_(deployment.archive(), module_, compiler_) {}

std::string NetworkProgram::run(const RunPlan& plan, std::uint64_t timed_runs,
                                const RunOptions& options, std::uint64_t bytes) {
  const Board* const board = machine_.board;
  std::string inputs;
  for (const InputTensor& input : plan.inputs) inputs += input.tensor.bytes;
  c_compiler_.directory().write(kInputs, inputs);
  // A board's program contains its inputs.
  if (!is_built_ || board != nullptr) {
    compile_program(program_text(plan, {runtime(timed_runs > 0), timed_runs}));
    const bool is_observed = timed_runs > 0 || !plan.records.empty();
    if (!is_built_) compile_module(is_observed && !plan.entry.function.empty());
    link();
    is_built_ = true;
  }
  const fs::path results = c_compiler_.path(kResults);
  fs::remove(results);  // of another run
  const ProgramResult ended =
      compile::run_program({.arguments = command(),
                            .directory = c_compiler_.directory().path(),
                            .limits = {.time = options.timeout,
                                       .memory = options.memory,
                                       .file = board == nullptr ? bytes : bytes + kMessage}},
                           c_compiler_.directory());
  if (!is_success(ended)) {
    const std::string what = board == nullptr ? "the network" : std::string(board->emulator);
    fail(ErrorKind::invalid_input, fmt::format("{} {}", what, why_it_ended(ended)));
  }
  return board == nullptr ? read_results(results, bytes) : results_of_board(*board, results, bytes);
}

std::string NetworkProgram::runtime(bool is_timed) const {
  if (machine_.board != nullptr) {
    return fmt::format("#define MLF_INPUTS \"{}\"\n{}", in_assembly(c_compiler_.path(kInputs)),
                       machine_.board->runtime);
  }
  return fmt::format("{}{}", host_runtime(), is_timed ? host_clock() : "");
}

void NetworkProgram::compile_program(const std::string& program) {
  fs::remove(c_compiler_.path("program"));  // of another run
  c_compiler_.require(c_compiler_.compile("program", ".c", program, program_flags_), {});
}

void NetworkProgram::compile_module(bool has_hooks) {
  const edit::EditedMembers edited =
      has_hooks ? with_hooks(deployment_, network_) : edit::EditedMembers(deployment_);
  const archive::Archive& archive = deployment_.archive();
  for (const FileRef& file : module_.files.sources) {
    const bool is_c = fs::path(file.name).extension() == ".c";
    const std::string_view text = edited.text_of(*archive.find(file.name));
    c_compiler_.require(c_compiler_.compile(add_object(), is_c ? ".c" : ".cc", text, {}),
                        {.member = file.name});
  }
  for (const FileRef& file : module_.files.objects) {
    const std::string_view bytes = deployment::member_text(archive, file);
    if (machine_of(bytes) != machine_of(file_text(c_compiler_.path("program.o")))) {
      fail(ErrorKind::invalid_input,
           "this object is not for the processor that the compiler compiles for", file.name);
    }
    c_compiler_.directory().write(add_object() + ".o", bytes);
  }
}

std::string NetworkProgram::add_object() {
  std::string stem = std::to_string(objects_.size() + 1);
  objects_.push_back(c_compiler_.path(stem + ".o"));
  return stem;
}

void NetworkProgram::link() const {
  const Board* const board = machine_.board;
  const std::vector<Layout> layouts = board == nullptr ? std::vector<Layout>(1) : board->layouts;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    std::vector<std::string> arguments;
    if (board != nullptr) {
      const std::string script = fmt::format("{}.ld", i);
      c_compiler_.directory().write(script, linker_script(*board, layouts[i]));
      arguments = board->link;
      arguments.insert(arguments.end(), {"-T", c_compiler_.path(script)});
    }
    const ProgramResult result = link_with(arguments);
    if (is_success(result)) return;
    const bool is_too_large = result.errors.find("will not fit in region") != std::string::npos;
    if (board == nullptr || !is_too_large) fail_link(result);
  }
  fail_memory(*board);
}

ProgramResult NetworkProgram::link_with(const std::vector<std::string>& arguments) const {
  std::vector<std::string> all{c_compiler_.path("program.o")};
  all.insert(all.end(), objects_.begin(), objects_.end());
  // Libraries come after the files that need them.
  const std::vector<std::string>& of_user = machine_.compiler.flags;
  all.insert(all.end(), of_user.begin(), of_user.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.emplace_back("-lm");
  ProgramResult result = c_compiler_.start(all, c_compiler_.path("program"));
  if (is_success(result) && !fs::exists(c_compiler_.path("program")))
    result.fault = compile::kWroteNothing;
  return result;
}

void NetworkProgram::fail_link(const ProgramResult& result) const {
  const std::string object = c_compiler_.path("program.o");
  if (machine_.board == nullptr && fs::exists(object) &&
      machine_of(file_text(object)) != machine_of(file_text("/proc/self/exe"))) {
    fail(ErrorKind::invalid_input,
         fmt::format("{} compiles for another processor than this one; --cpu CPU runs the network "
                     "in an emulator",
                     compiler_.command));
  }
  const std::vector<std::string> missing = missing_symbols(result.errors);
  if (!missing.empty()) {
    fail(ErrorKind::invalid_input,
         fmt::format("the network needs functions that are not in the archive: {}; name a library "
                     "that has them among the flags of the compiler",
                     some_of(missing)));
  }
  fail(ErrorKind::invalid_input,
       fmt::format("the network was not linked: {} {}", compiler_.command,
                   compile::why_it_failed(result, c_compiler_.directory().path())));
}

std::vector<std::string> NetworkProgram::command() const {
  const Board* const board = machine_.board;
  if (board == nullptr) return {c_compiler_.path("program")};
  std::vector<std::string> all{std::string(board->emulator), "-M", std::string(board->machine)};
  all.insert(all.end(), board->arguments.begin(), board->arguments.end());
  // Without semihosting and devices: the program has no access to this computer. A reset ends it.
  all.insert(all.end(),
             {"-accel", "tcg,tb-size=64", "-icount", fmt::format("shift={}", board->counter.shift),
              "-display", "none", "-monitor", "none", "-nodefaults", "-no-reboot", "-serial",
              fmt::format("file:{}", kResults), "-kernel", c_compiler_.path("program")});
  return all;
}

}  // namespace run

std::vector<std::string> processors() {
  std::vector<std::string> names;
  for (const run::Board& board : run::boards()) names.emplace_back(board.cpu);
  names.emplace_back(kThisComputer);
  return names;
}

}  // namespace mlf
