#include "archive/replace_file.h"

#include <fmt/core.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

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

constexpr int kNameAttempts = 100;
constexpr const char* kOwnFiles = "/proc/self/fd";

std::string random_name() {
  // Not guessable: in a shared folder somebody else may be waiting for the name.
  std::random_device device;
  return fmt::format(".mlf-{:08x}{:08x}", device(), device());
}

[[noreturn]] void fail_to_create(const File& folder, int error_number) {
  throw support::Error(
      ErrorKind::io,
      fmt::format("cannot create a file in the folder: {}; choose another output path",
                  std::generic_category().message(error_number)),
      {.file = folder.name()});
}

/// File systems without O_TMPFILE answer with one of these.
bool lacks_unnamed_files(int error_number) {
  return error_number == EOPNOTSUPP || error_number == EISDIR || error_number == ENOENT ||
         error_number == EINVAL;
}

File create_named(const File& folder, const std::string& leaf, mode_t mode, std::string& name) {
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    name = random_name();
    // O_EXCL also refuses links that were put there.
    const int fd = ::openat(folder.fd(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0) return {fd, leaf};
    if (errno != EEXIST) break;
  }
  name.clear();
  fail_to_create(folder, errno);
}

/// A list of NUL-terminated names.
std::vector<std::string> attribute_names(const File& file) {
  const ssize_t size = ::flistxattr(file.fd(), nullptr, 0);
  if (size <= 0) return {};
  std::string list(static_cast<std::size_t>(size), '\0');
  // The list may have grown since it was measured: then it fails, and nothing is copied.
  const ssize_t filled = ::flistxattr(file.fd(), list.data(), list.size());
  std::vector<std::string> names;
  const std::size_t end = filled < 0 ? 0 : static_cast<std::size_t>(filled);
  for (std::size_t at = 0; at < end; at += names.back().size() + 1) {
    names.emplace_back(list.c_str() + at);
  }
  return names;
}

/// Access lists and user attributes go along; what only the system may set is left to the system.
void copy_attributes(const File& from, const File& to) {
  for (const std::string& name : attribute_names(from)) {
    const ssize_t size = ::fgetxattr(from.fd(), name.c_str(), nullptr, 0);
    if (size < 0) continue;
    std::string value(static_cast<std::size_t>(size), '\0');
    const ssize_t filled = ::fgetxattr(from.fd(), name.c_str(), value.data(), value.size());
    if (filled < 0) continue;
    const int set =
        ::fsetxattr(to.fd(), name.c_str(), value.data(), static_cast<std::size_t>(filled), 0);
    if (set != 0 && errno != EPERM && errno != EOPNOTSUPP) {
      to.fail("cannot keep the extended attribute '" + name + "'");
    }
  }
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
  // Renaming cannot keep them together, and writing in place cannot be undone.
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
    // Otherwise another run has replaced it while this one waited: lock what is there now.
    if (is_still_named(file, resolved)) return file;
  }
}

Replacement::Replacement(File folder, std::string leaf, mode_t mode, Naming naming)
    : folder_(std::move(folder)), leaf_(std::move(leaf)) {
  const std::string name = folder_.name() + "/" + leaf_;
  // Naming a file later goes through its link in /proc.
  if (naming == Naming::late_if_possible && ::access(kOwnFiles, F_OK) == 0) {
    // Without a name nothing is left behind, however the process ends.
    file_ = File(::openat(folder_.fd(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode), name);
    if (file_) return;
    if (!lacks_unnamed_files(errno)) fail_to_create(folder_, errno);
  }
  file_ = create_named(folder_, name, mode, temporary_);
}

Replacement::~Replacement() {
  if (!temporary_.empty()) ::unlinkat(folder_.fd(), temporary_.c_str(), 0);
}

void Replacement::adopt(const File& original) {
  const struct stat wanted = original.status();
  const struct stat current = file_.status();
  if ((wanted.st_uid != current.st_uid || wanted.st_gid != current.st_gid) &&
      ::fchown(file_.fd(), wanted.st_uid, wanted.st_gid) != 0) {
    file_.fail("cannot keep the owner of the file, choose another output path");
  }
  // After the owner: changing that clears capabilities and set-id bits.
  copy_attributes(original, file_);
  if (::fchmod(file_.fd(), wanted.st_mode & 07777) != 0) {
    file_.fail("cannot keep the permissions of the file");
  }
}

/// linkat cannot replace a name, so the unnamed file gets a temporary one first.
void Replacement::give_name() {
  const std::string self = fmt::format("{}/{}", kOwnFiles, file_.fd());
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    const std::string name = random_name();
    if (::linkat(AT_FDCWD, self.c_str(), folder_.fd(), name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) break;
  }
  fail_to_create(folder_, errno);
}

void Replacement::commit() {
  // Content before name: after a crash the name leads to the old file or to the whole new one.
  file_.sync();
  if (temporary_.empty()) give_name();
  if (::renameat(folder_.fd(), temporary_.c_str(), folder_.fd(), leaf_.c_str()) != 0) {
    file_.fail("cannot replace the file");
  }
  temporary_.clear();
  // Some file systems cannot flush a folder; they say so with EINVAL, and nothing is lost by it.
  if (::fsync(folder_.fd()) != 0 && errno != EINVAL) folder_.fail("cannot flush to the disk");
}

File open_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  return File::open(folder.empty() ? "/" : folder, O_RDONLY | O_DIRECTORY);
}

std::string leaf_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace mlf::archive
