#include "compile/run_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "compile/child.h"
#include "support/digits.h"
#include "support/error.h"
#include "support/file.h"
#include "support/numbers.h"

extern char** environ;

namespace mlf::compile {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Only the first errors of a compiler matter.
constexpr std::size_t kMostErrors = 64 * 1024;

// As many as Linux allows by default, because a higher limit may be inherited.
constexpr std::uint64_t kMostOpenFiles = 1024;

// Of one program, at the same time.
constexpr std::size_t kMostProcesses = 256;

// Linux has no limit of the number of files, and root none of processes, so both are counted while
// the program runs.
constexpr std::chrono::milliseconds kBetweenCounts{100};

/// How long a supervisor has to end everything before this process does it.
constexpr std::chrono::seconds kPatience{1};

constexpr int kMostKills = 1000;

constexpr std::string_view kTemporary = "TMPDIR=";

/// The limit that ended a program.
enum class Exceeded : std::uint8_t { nothing, time, files, processes };

/// The supervisor's report at its end.
struct Outcome {
  int start_error = 0;   ///< errno where the program was not started
  int status = SIGKILL;  ///< of waitpid; that it was killed where nothing else is known
  Exceeded exceeded = Exceeded::nothing;
};

/// Everything that a supervisor needs, because it must not allocate.
struct Start {
  char* const* arguments;
  char* const* environment;
  const char* directory;  ///< null: stay
  ProgramLimits limits;
  std::uint64_t most_tasks;  ///< of the user, those that run already included
  Clock::time_point end;
  pid_t parent;
  int errors;
  int outcome;
};

// --- The supervisor -----------------------------------------------------------------------------
// The supervisor runs between this process and the program. Every descendant whose parent ends
// becomes its child, so it finds all of them. It is forked from a process with threads, so it calls
// only async-signal-safe functions.

void limit(__rlimit_resource resource, std::uint64_t most) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return;
  now.rlim_cur = now.rlim_max = std::min<rlim_t>(most, now.rlim_max);
  setrlimit(resource, &now);
}

[[noreturn]] void become(const Start& start, pid_t supervisor, int failure) {
  setpgid(0, 0);
  // The program may kill the supervisor, because both run as the same user.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(127);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(start.errors, STDERR_FILENO);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(start.limits.time).count();
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, start.limits.memory);
  limit(RLIMIT_FSIZE, start.limits.file);
  limit(RLIMIT_NOFILE, kMostOpenFiles);
  limit(RLIMIT_NPROC, start.most_tasks);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(seconds) + 1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (start.directory == nullptr || chdir(start.directory) == 0) {
    execvpe(start.arguments[0], start.arguments, start.environment);
  }
  const int error = errno;
  [[maybe_unused]] const auto written = write(failure, &error, sizeof error);
  _exit(127);
}

/// Calls `use` with each child of the main thread of a process. Allocates nothing.
template <class Use>
void for_each_child(pid_t parent, const Use& use) {
  std::array<char, 4096> text{};
  *fmt::format_to(text.data(), "/proc/{}/task/{}/children", parent, parent) = '\0';
  const int file = open(text.data(), O_RDONLY | O_CLOEXEC);
  pid_t pid = 0;
  // Continues a number that the end of the buffer splits.
  for (ssize_t size = 0; file >= 0 && (size = read(file, text.data(), text.size())) > 0;) {
    for (ssize_t i = 0; i < size; ++i) {
      const char letter = text[static_cast<std::size_t>(i)];
      if (letter >= '0' && letter <= '9') {
        pid = pid * 10 + (letter - '0');
      } else if (pid > 0) {
        use(std::exchange(pid, 0));
      }
    }
  }
  if (file >= 0) close(file);
}

/// Calls `use` with each descendant of a process, before its children are read, but not with more
/// than an array contains.
template <class Use>
void for_each_descendant(pid_t top, const Use& use) {
  std::array<pid_t, 8192> found{top};
  std::size_t count = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) use(found[i]);
    for_each_child(found[i], [&](pid_t child) {
      if (count < found.size()) found[count++] = child;
    });
  }
}

bool has_too_many_processes(pid_t supervisor) {
  std::size_t count = 0;
  for_each_descendant(supervisor, [&](pid_t) { ++count; });
  return count > kMostProcesses;
}

/// Removes the zombies among the children. Returns whether there were any.
bool reap() {
  bool any = false;
  while (waitpid(-1, nullptr, WNOHANG) > 0) any = true;
  return any;
}

/// Repeats until no child is left: children of a killed process become ours. A process that is
/// killed forks no more, even where it waits for a processor.
void end_all(pid_t group, pid_t supervisor) {
  kill(-group, SIGKILL);
  for (bool any = true; any;) {
    any = false;
    for_each_descendant(supervisor, [&](pid_t one) { any = kill(one, SIGKILL) == 0 || any; });
    // Zombies would make the next list longer.
    if (!reap()) poll(nullptr, 0, 1);
  }
  // Some Linux kernels do not list children; the group is killed anyway.
  while (waitpid(group, nullptr, WNOHANG) == 0) poll(nullptr, 0, 1);
}

/// Waits for the program. Returns whether `outcome` contains its end.
bool await(pid_t program, const Start& start, int signals, Outcome& outcome) {
  const pid_t supervisor = getpid();
  for (Clock::time_point next = Clock::now() + kBetweenCounts;;) {
    const Clock::time_point now = Clock::now();
    if (now >= start.end) outcome.exceeded = Exceeded::time;
    if (now >= next) {
      next = now + kBetweenCounts;
      if (has_too_many_processes(supervisor)) outcome.exceeded = Exceeded::processes;
    }
    if (outcome.exceeded != Exceeded::nothing) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::min(start.end, next) - now);
    pollfd wanted{signals, POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>(left.count())) > 0) {
      signalfd_siginfo signal{};
      if (read(signals, &signal, sizeof signal) == sizeof signal && signal.ssi_signo == SIGTERM) {
        return false;
      }
    }
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != program) continue;
      outcome.status = status;
      return true;
    }
  }
}

[[noreturn]] void supervise(const Start& start) {
  // A separate group from the terminal's: an interrupt there ends our parent, which ends us.
  setpgid(0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != start.parent) _exit(1);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGTERM);
  const int signals = signalfd(-1, &wanted, SFD_CLOEXEC);
  Outcome outcome;
  std::array<int, 2> failure{};
  const bool is_ready = signals >= 0 && pipe2(failure.data(), O_CLOEXEC) == 0;
  const pid_t supervisor = getpid();
  const pid_t program = is_ready ? _Fork() : -1;
  if (program == 0) become(start, supervisor, failure[1]);
  outcome.start_error = program < 0 ? errno : 0;
  if (program > 0) {
    close(failure[1]);
    // Here too, because the program may be killed before it does this itself.
    setpgid(program, program);
    if (read(failure[0], &outcome.start_error, sizeof(int)) != sizeof(int)) outcome.start_error = 0;
    // Where that is allowed, before thousands of processes that the program may start.
    const sched_param priority{.sched_priority = 1};
    sched_setscheduler(0, SCHED_FIFO, &priority);
    await(program, start, signals, outcome);
    end_all(program, supervisor);
  }
  [[maybe_unused]] const auto written = write(start.outcome, &outcome, sizeof outcome);
  _exit(0);
}

// --- This process -------------------------------------------------------------------------------

/// Kills the processes that have this directory as $TMPDIR. Returns whether there are any.
bool kill_users(const fs::path& directory) {
  const std::string wanted = fmt::format("{}{}{}{}", '\0', kTemporary, directory.string(), '\0');
  bool any = false;
  std::error_code error;
  for (fs::directory_iterator one("/proc", error), end; !error && one != end;
       one.increment(error)) {
    const auto pid = support::whole_number<pid_t>(one->path().filename().string());
    std::ifstream file(one->path() / "environ", std::ios::binary);
    if (!pid || !file) continue;
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (('\0' + text).find(wanted) == text.npos) continue;
    any = kill(*pid, SIGKILL) == 0 || any;
  }
  return any;
}

/// A supervisor. The end of this object also ends it and all processes that it started.
class Supervisor {
 public:
  /// `end` is the pipe of its report.
  Supervisor(const Start& start, const support::File& end, const fs::path& directory)
      : end_(end), directory_(directory) {
    pid_ = fork_child([&] { supervise(start); });
    if (pid_ < 0) support::fail_io("start", start.arguments[0], errno);
  }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor() {
    kill(pid_, SIGTERM);
    const Clock::time_point patience = Clock::now() + kPatience;
    while (waitpid(pid_, nullptr, WNOHANG) == 0) {
      // The pipe is closed when the supervisor ends.
      pollfd closed{end_.fd(), 0, 0};
      poll(&closed, 1, 20);
      if (Clock::now() < patience) continue;
      // The program may have stopped it, because both run as the same user.
      kill_users(directory_);
      kill(pid_, SIGCONT);
    }
  }

 private:
  const support::File& end_;
  const fs::path& directory_;
  pid_t pid_ = -1;
};

void append_some(const support::File& pipe, std::string& text) {
  std::array<char, 16384> buffer{};
  const std::size_t size = pipe.read_some(buffer.data(), buffer.size());
  text.append(buffer.data(), std::min(size, kMostErrors - text.size()));
}

/// Counts files and directories below `top`, at most `most`. Directories may change or disappear
/// meanwhile. Opens one directory at a time, because they may be nested deep.
std::size_t count_files(const fs::path& top, std::size_t most) {
  std::size_t count = 0;
  std::error_code error;
  for (std::vector<fs::path> open{top}; !open.empty() && count < most;) {
    const fs::path directory = std::move(open.back());
    open.pop_back();
    for (fs::directory_iterator one(directory, error), end; !error && one != end && count < most;
         one.increment(error)) {
      ++count;
      std::error_code ignored;
      if (one->symlink_status(ignored).type() == fs::file_type::directory) open.push_back(*one);
    }
  }
  return count;
}

/// Watches the limits that neither Linux nor a supervisor that is stopped applies.
class Watch {
 public:
  Watch(const fs::path& directory, const ProgramLimits& limits)
      : directory_(directory),
        end_(Clock::now() + limits.time),
        most_files_(count_files(directory, SIZE_MAX - limits.files) + limits.files) {}

  /// Counts at intervals.
  Exceeded exceeded() {
    const Clock::time_point now = Clock::now();
    if (now < next_) return Exceeded::nothing;
    next_ = now + kBetweenCounts;
    if (now > end_ + kPatience) return Exceeded::time;
    const bool are_few = count_files(directory_, most_files_ + 1) <= most_files_;
    return are_few ? Exceeded::nothing : Exceeded::files;
  }

  Clock::time_point end() const { return end_; }

 private:
  const fs::path& directory_;
  Clock::time_point end_;
  std::size_t most_files_;
  Clock::time_point next_ = Clock::now() + kBetweenCounts;
};

/// Reads errors until the supervisor reports the end, which may be before the last process closes
/// the pipe, or a limit is exceeded. False if the supervisor ended without a report.
bool read_outcome(const support::File& errors, const support::File& end, Watch& watch,
                  Outcome& outcome, std::string& text) {
  std::array<pollfd, 2> wanted{{{errors.fd(), POLLIN, 0}, {end.fd(), POLLIN, 0}}};
  while (true) {
    const int ready = poll(wanted.data(), wanted.size(), static_cast<int>(kBetweenCounts.count()));
    outcome.exceeded = watch.exceeded();
    if (outcome.exceeded != Exceeded::nothing) return true;
    if (ready <= 0) continue;
    if ((wanted[0].revents & POLLIN) != 0) {
      append_some(errors, text);
    } else if (wanted[1].revents != 0) {
      return end.read_some(reinterpret_cast<char*>(&outcome), sizeof outcome) == sizeof outcome;
    } else {
      // No process has the pipe of errors any more: poll ignores it.
      wanted[0].fd = -1;
    }
  }
}

/// The processes and threads on this computer; a large number where that is unknown.
std::uint64_t running_tasks() {
  struct sysinfo info {};
  return ::sysinfo(&info) == 0 ? info.procs : RLIM_INFINITY / 2;
}

/// The environment of this process, with another directory for temporary files.
std::vector<std::string> environment_in(const WorkDirectory& directory) {
  std::vector<std::string> result{std::string(kTemporary) + directory.path().string()};
  for (char** one = environ; *one != nullptr; ++one) {
    if (!std::string_view(*one).starts_with(kTemporary)) result.emplace_back(*one);
  }
  return result;
}

/// exec takes char* for historical reasons and does not write to it.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void fail_start(const std::string& name, int error, const WorkDirectory& directory) {
  const bool is_missing = error == ENOENT && name.find('/') == name.npos;
  std::string why = is_missing
                        ? fmt::format("'{}' is not in $PATH: install it, or give its path", name)
                        : fmt::format("'{}' cannot be run: {}", name, std::strerror(error));
  struct statvfs status {};
  const bool is_in_it = name.starts_with(directory.path().string());
  if (is_in_it && statvfs(name.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) != 0) {
    why += "; no program can be run in $TMPDIR, which is mounted with noexec";
  }
  const bool is_of_system = is_in_it || error == EMFILE || error == ENFILE || error == EAGAIN;
  throw support::Error(is_of_system ? ErrorKind::io : ErrorKind::usage, std::move(why));
}

}  // namespace

std::string how_it_ended(const ProgramResult& result) {
  if (!result.fault.empty()) return result.fault;
  const int signal = result.status - 128;
  return signal > 0 ? fmt::format("ended with signal {} ({})", signal, strsignal(signal))
                    : fmt::format("ended with exit code {}", result.status);
}

ProgramResult run_program(const Program& program, const WorkDirectory& work_directory) {
  const std::vector<std::string> environment = environment_in(work_directory);
  const std::vector<char*> argument_pointers = pointers(program.arguments);
  const std::vector<char*> environment_pointers = pointers(environment);
  const std::string directory = program.directory.string();
  Watch watch(work_directory.path(), program.limits);
  Pipe errors;
  Pipe end;
  ProgramResult result;
  Outcome outcome;
  bool is_told = false;
  {
    const Supervisor supervisor({.arguments = argument_pointers.data(),
                                 .environment = environment_pointers.data(),
                                 .directory = directory.empty() ? nullptr : directory.c_str(),
                                 .limits = program.limits,
                                 .most_tasks = running_tasks() + kMostProcesses,
                                 .end = watch.end(),
                                 .parent = getpid(),
                                 .errors = errors.write.fd(),
                                 .outcome = end.write.fd()},
                                end.read, work_directory.path());
    // Otherwise the reader would never reach the end.
    errors.write = {};
    end.write = {};
    is_told = read_outcome(errors.read, end.read, watch, outcome, result.errors);
  }
  if (!is_told) {
    // The program may have killed the supervisor, and left others.
    for (int i = 0; i < kMostKills && kill_users(work_directory.path()); ++i) poll(nullptr, 0, 1);
    throw support::Error(ErrorKind::io,
                         "the process that runs '" + program.arguments[0] + "' was ended");
  }
  if (outcome.start_error != 0) {
    fail_start(program.arguments[0], outcome.start_error, work_directory);
  }
  // As in shells: for a signal, 128 plus its number.
  result.status =
      WIFEXITED(outcome.status) ? WEXITSTATUS(outcome.status) : 128 + WTERMSIG(outcome.status);
  // Several threads may take the limit of time together before it is over.
  if (outcome.exceeded == Exceeded::time || result.status == 128 + SIGXCPU) {
    const std::chrono::duration<double> seconds = program.limits.time;
    result.fault = fmt::format("took longer than {} s", seconds.count());
  } else if (outcome.exceeded != Exceeded::nothing) {
    const bool are_files = outcome.exceeded == Exceeded::files;
    const std::size_t most = are_files ? program.limits.files : kMostProcesses;
    result.fault = fmt::format("made more than {} {}", group_digits(std::to_string(most)),
                               are_files ? "files" : "processes");
  }
  return result;
}

}  // namespace mlf::compile
