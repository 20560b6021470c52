#include "compile/work_directory.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "compile/child.h"
#include "support/error.h"

namespace mlf::compile {
namespace {

namespace fs = std::filesystem;

/// A child of a process with threads: it may only call async-signal-safe functions.
[[noreturn]] void guard(int alive, const char* const* remove) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  setpgid(0, 0);
  // Otherwise other pipes, such as that of another guard, would seem to be in use.
  if (alive > 0) close_range(0, static_cast<unsigned>(alive) - 1, 0);
  close_range(static_cast<unsigned>(alive) + 1, ~0U, 0);
  char byte = 0;
  while (read(alive, &byte, 1) < 0 && errno == EINTR) {
  }
  // Signals stay blocked, so nothing interrupts `rm` either.
  execv(remove[0], const_cast<char* const*>(remove));
  _exit(1);
}

}  // namespace

WorkDirectory::WorkDirectory() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) support::fail_io("use", "$TMPDIR", error.value());
  std::string name = (parent / "mlf-XXXXXX").string();
  Pipe pipe;
  if (mkdtemp(name.data()) == nullptr) support::fail_io("create", name, errno);
  path_ = fs::absolute(name, error);
  const std::string own = path_.string();
  const char* const remove[] = {"/bin/rm", "-rf", "--", own.c_str(), nullptr};
  guard_ = fork_child([&] { guard(pipe.read.fd(), remove); });
  if (guard_ < 0) {
    const int failure = errno;
    fs::remove(path_, error);
    support::fail_io("start", "a process", failure);
  }
  alive_ = std::move(pipe.write);
}

WorkDirectory::~WorkDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  kill(guard_, SIGKILL);
  while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void WorkDirectory::write(const fs::path& name, std::string_view text) const {
  const fs::path path = path_ / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) support::fail_io("create", path.parent_path().string(), error.value());
  support::File::create(path.string()).write(text);
}

}  // namespace mlf::compile
