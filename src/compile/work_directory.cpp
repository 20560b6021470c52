#include "compile/work_directory.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

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
  // Signals stay blocked, so nothing interrupts this either.
  execv(remove[0], const_cast<char* const*>(remove));
  _exit(1);
}

/// Removes a directory with everything in it. A program may have made directories without
/// permissions, and deeper than a path can be: those below the first level move up.
void remove_tree(const fs::path& top) {
  std::error_code ignored;
  std::size_t number = 0;
  std::vector<fs::path> directories{top};
  for (std::size_t i = 0; i < directories.size(); ++i) {
    const fs::path directory = directories[i];
    std::error_code error;
    for (fs::directory_iterator one(directory, error), end; !error && one != end;
         one.increment(error)) {
      fs::path path = *one;
      if (one->symlink_status(ignored).type() != fs::file_type::directory) {
        fs::remove(path, ignored);
        continue;
      }
      fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, ignored);
      if (i > 0) {
        fs::path up;
        do up = top / std::to_string(number++);
        while (fs::exists(fs::symlink_status(up, ignored)));
        fs::rename(path, up, ignored);
        path = std::move(up);
      }
      directories.push_back(std::move(path));
    }
  }
  for (; !directories.empty(); directories.pop_back()) fs::remove(directories.back(), ignored);
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
  const char* const remove[] = {
      "/bin/sh", "-c", "rm -rf -- \"$0\" || { chmod -R u+rwx -- \"$0\"; rm -rf -- \"$0\"; }",
      own.c_str(), nullptr};
  guard_ = fork_child([&] { guard(pipe.read.fd(), remove); });
  if (guard_ < 0) {
    const int failure = errno;
    fs::remove(path_, error);
    support::fail_io("start", "a process", failure);
  }
  alive_ = std::move(pipe.write);
}

WorkDirectory::~WorkDirectory() {
  remove_tree(path_);
  kill(guard_, SIGKILL);
  while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void WorkDirectory::write(const fs::path& name, std::string_view text) const {
  const fs::path path = path_ / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) support::fail_io("create", path.parent_path().string(), error.value());
  fs::remove(path, error);
  support::File::create(path.string()).write(text);
}

}  // namespace mlf::compile
