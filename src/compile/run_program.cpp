#include "compile/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "support/error.h"
#include "support/file.h"

extern char** environ;

namespace mlf::compile {
namespace {

using Clock = std::chrono::steady_clock;

// What a compiler says first is what matters.
constexpr std::size_t kMostErrors = 64 * 1024;

/// posix_spawn's tables, freed when they go.
struct SpawnTables {
  SpawnTables() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  SpawnTables(const SpawnTables&) = delete;
  SpawnTables& operator=(const SpawnTables&) = delete;
  ~SpawnTables() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

/// The two ends of a pipe, neither of which other children get.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) support::fail_io("pipe", "a compiler", errno);
    read = support::File(ends[0], "a pipe");
    write = support::File(ends[1], "a pipe");
  }
  support::File read;
  support::File write;
};

pid_t start(const std::vector<std::string>& arguments, int errors) {
  SpawnTables tables;
  posix_spawn_file_actions_addopen(&tables.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&tables.actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&tables.actions, errors, STDERR_FILENO);
  // A group of its own: a driver of a compiler has children.
  posix_spawnattr_setflags(&tables.attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&tables.attributes, 0);
  // posix_spawn takes char* for history's sake and writes nothing to it.
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, argv[0], &tables.actions, &tables.attributes, argv.data(), environ);
  if (error != 0) {
    throw support::Error(ErrorKind::usage,
                         "'" + arguments[0] + "' cannot be run: " + std::strerror(error));
  }
  return child;
}

/// Reads until the other end is closed or the time is up; false then.
bool read_until(const support::File& pipe, std::string& text, Clock::time_point end) {
  std::array<char, 4096> buffer{};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd wanted{pipe.fd(), POLLIN, 0};
    // Shorter than the time left: poll takes an int, and signals interrupt it.
    const int ready = poll(&wanted, 1, static_cast<int>(std::min<long long>(left.count(), 1000)));
    if (ready <= 0) continue;
    const std::size_t size = pipe.read_some(buffer.data(), buffer.size());
    if (size == 0) return true;
    text.append(buffer.data(), std::min(size, kMostErrors - text.size()));
  }
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments,
                          std::chrono::milliseconds timeout) {
  Pipe pipe;
  const pid_t child = start(arguments, pipe.write.fd());
  pipe.write = {};  // or reading would never come to the end
  ProgramResult result;
  // The pipe is closed when the last process of the group that has it is gone.
  result.timed_out = !read_until(pipe.read, result.errors, Clock::now() + timeout);
  if (result.timed_out) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // As shells say it: a signal is 128 and its number.
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace mlf::compile
