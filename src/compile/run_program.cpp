#include "compile/run_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>
#include <utility>

#include "compile/child.h"
#include "support/digits.h"
#include "support/error.h"
#include "support/file.h"

extern char** environ;

namespace mlf::compile {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Only the first errors of a compiler matter.
constexpr std::size_t kMostErrors = 64 * 1024;

// As many as Linux allows by default, because a higher limit may be inherited.
constexpr std::uint64_t kMostOpenFiles = 1024;

// Linux has no limit of the number of files, so they are counted while the program runs.
constexpr std::chrono::milliseconds kBetweenCounts{200};

/// The limit that ended a program.
enum class Exceeded : std::uint8_t { nothing, time, files };

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

/// Kills the children of this thread. Returns whether there are any that can be killed.
bool kill_children() {
  std::array<char, 4096> text{};
  const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool any = false;
  pid_t pid = 0;
  // Continues a number that the end of the buffer splits.
  for (ssize_t size = 0; (size = read(file, text.data(), text.size())) > 0;) {
    for (ssize_t i = 0; i < size; ++i) {
      const char letter = text[static_cast<std::size_t>(i)];
      if (letter >= '0' && letter <= '9') {
        pid = pid * 10 + (letter - '0');
      } else if (pid > 0) {
        any = kill(pid, SIGKILL) == 0 || any;
        pid = 0;
      }
    }
  }
  close(file);
  return any;
}

/// Repeats until no child is left: children of a killed process become ours.
void end_all(pid_t group) {
  kill(-group, SIGKILL);
  while (kill_children()) waitpid(-1, nullptr, 0);
  // Some Linux kernels do not list children; the group is killed anyway.
  while (waitpid(group, nullptr, WNOHANG) == 0) poll(nullptr, 0, 1);
}

/// Waits for the program. Returns whether `outcome` contains its end.
bool await(pid_t program, const Start& start, int signals, Outcome& outcome) {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(start.end - Clock::now()).count();
    if (left <= 0) {
      outcome.exceeded = Exceeded::time;
      return false;
    }
    pollfd wanted{signals, POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>(std::min<long long>(left, INT_MAX))) > 0) {
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
  if (signals < 0 || pipe2(failure.data(), O_CLOEXEC) != 0) _exit(1);
  const pid_t supervisor = getpid();
  const pid_t program = _Fork();
  if (program == 0) become(start, supervisor, failure[1]);
  outcome.start_error = program < 0 ? errno : 0;
  close(failure[1]);
  if (program > 0) {
    // Here too, because the program may be killed before it does this itself.
    setpgid(program, program);
    if (read(failure[0], &outcome.start_error, sizeof(int)) != sizeof(int)) outcome.start_error = 0;
    await(program, start, signals, outcome);
    end_all(program);
  }
  [[maybe_unused]] const auto written = write(start.outcome, &outcome, sizeof outcome);
  _exit(0);
}

// --- This process -------------------------------------------------------------------------------

/// A supervisor. The end of this object also ends it and all processes that it started.
class Supervisor {
 public:
  explicit Supervisor(const Start& start) {
    pid_ = fork_child([&] { supervise(start); });
    if (pid_ < 0) support::fail_io("start", start.arguments[0], errno);
  }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor() {
    kill(pid_, SIGTERM);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

 private:
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

/// Watches how many files a program makes in a directory.
class FileWatch {
 public:
  FileWatch(const fs::path& directory, std::size_t most)
      : directory_(directory), most_(count_files(directory, SIZE_MAX - most) + most) {}

  /// Counts at intervals.
  bool has_too_many() {
    if (Clock::now() < next_) return false;
    next_ = Clock::now() + kBetweenCounts;
    return count_files(directory_, most_ + 1) > most_;
  }

 private:
  const fs::path& directory_;
  std::size_t most_;
  Clock::time_point next_ = Clock::now() + kBetweenCounts;
};

/// Reads errors until the supervisor reports the end, which may be before the last process closes
/// the pipe, or there are too many files. False if the supervisor ended without a report.
bool read_outcome(const support::File& errors, const support::File& end, FileWatch& files,
                  Outcome& outcome, std::string& text) {
  std::array<pollfd, 2> wanted{{{errors.fd(), POLLIN, 0}, {end.fd(), POLLIN, 0}}};
  while (true) {
    const int ready = poll(wanted.data(), wanted.size(), static_cast<int>(kBetweenCounts.count()));
    if (files.has_too_many()) {
      outcome.exceeded = Exceeded::files;
      return true;
    }
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

/// The environment of this process, with another directory for temporary files.
std::vector<std::string> environment_in(const WorkDirectory& directory) {
  constexpr std::string_view kName = "TMPDIR=";
  std::vector<std::string> result{std::string(kName) + directory.path().string()};
  for (char** one = environ; *one != nullptr; ++one) {
    if (!std::string_view(*one).starts_with(kName)) result.emplace_back(*one);
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

}  // namespace

ProgramResult run_program(const Program& program, const WorkDirectory& work_directory) {
  const std::vector<std::string> environment = environment_in(work_directory);
  const std::vector<char*> argument_pointers = pointers(program.arguments);
  const std::vector<char*> environment_pointers = pointers(environment);
  const std::string directory = program.directory.string();
  FileWatch files(work_directory.path(), program.limits.files);
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
                                 .end = Clock::now() + program.limits.time,
                                 .parent = getpid(),
                                 .errors = errors.write.fd(),
                                 .outcome = end.write.fd()});
    // Otherwise the reader would never reach the end.
    errors.write = {};
    end.write = {};
    is_told = read_outcome(errors.read, end.read, files, outcome, result.errors);
  }
  if (!is_told) {
    throw support::Error(ErrorKind::io,
                         "the process that runs '" + program.arguments[0] + "' was ended");
  }
  if (outcome.start_error != 0) {
    throw support::Error(ErrorKind::usage, "'" + program.arguments[0] + "' cannot be run: " +
                                               std::strerror(outcome.start_error));
  }
  // As in shells: for a signal, 128 plus its number.
  result.status =
      WIFEXITED(outcome.status) ? WEXITSTATUS(outcome.status) : 128 + WTERMSIG(outcome.status);
  // Several threads may take the limit of time together before it is over.
  if (outcome.exceeded == Exceeded::time || result.status == 128 + SIGXCPU) {
    const std::chrono::duration<double> seconds = program.limits.time;
    result.exceeded = fmt::format("took longer than {} s", seconds.count());
  } else if (outcome.exceeded == Exceeded::files) {
    const std::string most = group_digits(std::to_string(program.limits.files));
    result.exceeded = fmt::format("made more than {} files", most);
  }
  return result;
}

}  // namespace mlf::compile
