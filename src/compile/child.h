// A child of this process, and a pipe to it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "support/file.h"

namespace mlf::compile {

/// The two ends of a pipe, both closed when a program is executed.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) support::fail_io("pipe", "a program", errno);
    read = support::File(ends[0], "a pipe");
    write = support::File(ends[1], "a pipe");
  }
  support::File read;
  support::File write;
};

/// Forks, with all signals blocked in the child: signal handlers of this process must not run
/// there. The child calls `run`, which may only call async-signal-safe functions and must not
/// return. Returns -1 and sets errno if it cannot fork.
template <class Run>
pid_t fork_child(Run&& run) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = _Fork();
  const int failure = errno;
  if (child == 0) run();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = failure;
  return child;
}

}  // namespace mlf::compile
