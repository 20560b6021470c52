#include "archive/lock.h"

#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "support/error.h"

namespace mlf::archive {
namespace {

using support::File;

void wait_for_lock(const File& file) {
  while (::flock(file.fd(), LOCK_EX) != 0) {
    if (errno != EINTR) file.fail("cannot lock");
  }
}

/// A lock belongs to the inode: whoever held it may have renamed another one over the path.
bool is_still_named(const File& file, const std::string& resolved) {
  struct stat named {};
  if (::stat(resolved.c_str(), &named) != 0) file.fail("cannot read the file's status");
  const struct stat opened = file.status();
  return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

}  // namespace

std::string resolve(const std::string& path) {
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, Free> resolved(::realpath(path.c_str(), nullptr));
  if (resolved == nullptr) support::fail_io("cannot open", path, errno);
  return resolved.get();
}

void check_replaceable(const struct stat& status, const std::string& path) {
  if (!S_ISREG(status.st_mode)) {
    throw support::Error(ErrorKind::io, "not a regular file, it cannot be replaced",
                         {.file = path});
  }
  if (status.st_nlink > 1) {
    throw support::Error(ErrorKind::io,
                         "the file has other hard links, which a replacement would leave behind; "
                         "choose another output path",
                         {.file = path});
  }
}

File open_locked(const std::string& resolved, const std::string& path) {
  while (true) {
    // O_NONBLOCK: opening a FIFO must not wait for a writer, only to be refused.
    File file = File::open(resolved, O_RDONLY | O_NONBLOCK);
    if (!S_ISDIR(file.status().st_mode)) check_replaceable(file.status(), path);
    wait_for_lock(file);
    if (is_still_named(file, resolved)) return file;
  }
}

}  // namespace mlf::archive
