#include "archive/replace_file.h"

#include <fmt/core.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "support/error.h"

namespace mlf::archive {
namespace {

using support::File;

/// Waits for the lock. Returns 0, or the error of the system.
int wait_for_lock(const File& file) {
  while (::flock(file.fd(), LOCK_EX) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

/// A lock belongs to the inode: its holder may have renamed another file to the path.
bool is_still_named(const File& file, const std::string& resolved) {
  struct stat named {};
  if (::stat(resolved.c_str(), &named) != 0) file.fail("cannot read the file's status");
  struct stat opened {};
  if (::fstat(file.fd(), &opened) != 0) {
    // What NFS says of a file that another computer replaced.
    if (errno == ESTALE) return false;
    file.fail("cannot read the file's status");
  }
  return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

File open_replaceable(const std::string& resolved, int access, const std::string& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer, because it is rejected anyway.
  File file = File::open(resolved, access | O_NONBLOCK);
  if (!S_ISDIR(file.status().st_mode)) check_replaceable(file.status(), path);
  return file;
}

/// Opens the file and waits for the lock of it.
File lock_replaceable(const std::string& resolved, const std::string& path) {
  File file = open_replaceable(resolved, O_RDONLY, path);
  int refused = wait_for_lock(file);
  if (refused == EBADF) {
    // NFS locks only files that are open for writing. Elsewhere this would tell programs that watch
    // the file that it may have changed.
    file = open_replaceable(resolved, O_RDWR, path);
    refused = wait_for_lock(file);
  }
  if (refused == 0) return file;
  throw support::Error(
      ErrorKind::io,
      fmt::format("cannot lock the archive for a change: {}; choose another output path (-o OUT)",
                  std::generic_category().message(refused)),
      {.file = path});
}

constexpr const char* kOwnFiles = "/proc/self/fd";

[[noreturn]] void fail_to_create(const File& directory, int error_number) {
  throw support::Error(
      ErrorKind::io,
      fmt::format("cannot create a file in the directory: {}; choose another output path (-o OUT)",
                  std::generic_category().message(error_number)),
      {.file = directory.name()});
}

/// File systems without O_TMPFILE answer with one of these.
bool lacks_unnamed_files(int error_number) {
  return error_number == EOPNOTSUPP || error_number == EISDIR || error_number == ENOENT ||
         error_number == EINVAL;
}

/// The error of the system if the file is missing or may not be read.
bool is_withheld(int error_number) {
  return error_number == EPERM || error_number == EACCES || error_number == EOPNOTSUPP;
}

/// A list of NUL-terminated names. File systems without attributes have none.
std::vector<std::string> attribute_names(const File& file) {
  const ssize_t size = ::flistxattr(file.fd(), nullptr, 0);
  if (size < 0 && errno == EOPNOTSUPP) return {};
  std::string list(size < 0 ? 0 : static_cast<std::size_t>(size), '\0');
  // The list may have grown since it was measured: then the call fails.
  const ssize_t filled = size < 0 ? size : ::flistxattr(file.fd(), list.data(), list.size());
  if (filled < 0) file.fail("cannot list the extended attributes");
  std::vector<std::string> names;
  const auto end = static_cast<std::size_t>(filled);
  for (std::size_t at = 0; at < end; at += names.back().size() + 1) {
    names.emplace_back(list.c_str() + at);
  }
  return names;
}

/// The value, or nullopt; then errno has the reason.
std::optional<std::string> attribute(const File& file, const std::string& name) {
  const ssize_t size = ::fgetxattr(file.fd(), name.c_str(), nullptr, 0);
  if (size < 0) return std::nullopt;
  std::string value(static_cast<std::size_t>(size), '\0');
  const ssize_t filled = ::fgetxattr(file.fd(), name.c_str(), value.data(), value.size());
  if (filled < 0) return std::nullopt;
  value.resize(static_cast<std::size_t>(filled));
  return value;
}

/// Copies one attribute. Adds it to `lost` if the system does not permit it, or if the file system
/// has no space for attributes; throws other errors, which come from the disk.
void copy_attribute(const File& from, const File& to, const std::string& name,
                    std::vector<std::string>& lost) {
  const std::string what = "the extended attribute '" + name + "'";
  const auto lose = [&] {
    lost.push_back(what + " is lost: " + std::generic_category().message(errno));
  };
  const std::optional<std::string> value = attribute(from, name);
  if (!value) {
    if (errno == ENODATA) return;  // removed meanwhile
    return is_withheld(errno) ? lose() : from.fail("cannot read " + what);
  }
  if (::fsetxattr(to.fd(), name.c_str(), value->data(), value->size(), 0) == 0) return;
  const int refused = errno;
  // A label that the system gives to every file exists without being set.
  if (attribute(to, name) == value) return;
  errno = refused;
  is_withheld(refused) ? lose() : to.fail("cannot keep " + what);
}

/// The existing file at `path`, or an empty File if there is none.
support::File open_existing(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    // Renaming over a dangling link would replace the link.
    if (::lstat(path.c_str(), &status) != 0) return {};
    throw support::Error(ErrorKind::io, "is a dangling symbolic link", {.file = path});
  }
  if (S_ISDIR(status.st_mode)) {
    throw support::Error(ErrorKind::io, "is a directory, the output must be a file",
                         {.file = path});
  }
  return support::File::open(path, S_ISREG(status.st_mode) ? O_RDONLY : O_WRONLY);
}

}  // namespace

std::string resolve(const std::string& path) {
  const std::unique_ptr<char, support::Close<std::free>> resolved(
      ::realpath(path.c_str(), nullptr));
  if (resolved == nullptr) support::fail_io("cannot open", path, errno);
  return resolved.get();
}

void check_replaceable(const struct stat& status, const std::string& path) {
  if (!S_ISREG(status.st_mode)) {
    throw support::Error(ErrorKind::io, "not a regular file, it cannot be replaced",
                         {.file = path});
  }
  // A rename would separate the links, and writing in place cannot be undone.
  if (status.st_nlink > 1) {
    throw support::Error(ErrorKind::io,
                         "the file has other hard links, which a replacement would leave behind; "
                         "choose another output path (-o OUT)",
                         {.file = path});
  }
}

File open_locked(const std::string& resolved, const std::string& path) {
  while (true) {
    File file = lock_replaceable(resolved, path);
    // Otherwise another run has replaced it meanwhile: lock the new file.
    if (is_still_named(file, resolved)) return file;
  }
}

Replacement::Replacement(File directory, std::string leaf)
    : directory_(std::move(directory)), leaf_(std::move(leaf)) {}

// Delegates, so that the destructor runs if the body throws.
Replacement::Replacement(File directory, std::string leaf, mode_t mode, Naming naming)
    : Replacement(std::move(directory), std::move(leaf)) {
  // Gives the file a name later, through its link in /proc.
  if (naming == Naming::late_if_possible && ::access(kOwnFiles, F_OK) == 0) {
    // A file without a name disappears when the process ends, in any case.
    file_ = File(::openat(directory_.fd(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode), path());
    if (file_) return;
    if (!lacks_unnamed_files(errno)) fail_to_create(directory_, errno);
  }
  take_name([&](const std::string& name) {
    // O_EXCL also rejects links.
    constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    const int created = ::openat(directory_.fd(), name.c_str(), kFlags, mode);
    if (created < 0) return false;
    file_ = File(created, path());
    lock_temporary(file_);
    // Until it was locked, another process could treat it as abandoned.
    if (file_.status().st_nlink != 0) return true;
    errno = EEXIST;
    return false;
  });
}

Replacement::~Replacement() {
  if (!temporary_.empty()) ::unlinkat(directory_.fd(), temporary_.c_str(), 0);
}

std::string Replacement::path() const {
  return directory_.name() + "/" + leaf_;
}

std::vector<std::string> Replacement::adopt(const File& original) {
  const struct stat wanted = original.status();
  const struct stat current = file_.status();
  if ((wanted.st_uid != current.st_uid || wanted.st_gid != current.st_gid) &&
      ::fchown(file_.fd(), wanted.st_uid, wanted.st_gid) != 0) {
    file_.fail("cannot keep the owner of the file, choose another output path (-o OUT)");
  }
  // After the owner, because changing the owner clears capabilities and set-id bits.
  std::vector<std::string> lost;
  for (const std::string& name : attribute_names(original)) {
    copy_attribute(original, file_, name, lost);
  }
  if (::fchmod(file_.fd(), wanted.st_mode & 07777) != 0) {
    file_.fail("cannot keep the permissions of the file");
  }
  return lost;
}

void Replacement::take_name(const std::function<bool(const std::string&)>& give) {
  for (unsigned slot = 0; slot < kTemporarySlots; ++slot) {
    std::string name = temporary_name(leaf_, slot);
    remove_abandoned(directory_, name);
    noted_.emplace(directory_, name);
    // Before the file has it: the destructor removes the file if `give` throws.
    temporary_ = std::move(name);
    if (give(temporary_)) return;
    const int refused = errno;
    noted_.reset();
    temporary_.clear();
    if (refused != EEXIST) fail_to_create(directory_, refused);
  }
  fail_to_create(directory_, EEXIST);
}

void Replacement::commit() {
  // Writes the content before the name: after a crash, the name refers to the old file or to the
  // complete new one.
  file_.sync();
  if (temporary_.empty()) {
    // linkat cannot replace a name, so the unnamed file gets a temporary name first.
    const std::string self = fmt::format("{}/{}", kOwnFiles, file_.fd());
    lock_temporary(file_);
    take_name([&](const std::string& name) {
      return ::linkat(AT_FDCWD, self.c_str(), directory_.fd(), name.c_str(), AT_SYMLINK_FOLLOW) ==
             0;
    });
  }
  if (::renameat(directory_.fd(), temporary_.c_str(), directory_.fd(), leaf_.c_str()) != 0) {
    file_.fail("cannot replace the file");
  }
  temporary_.clear();
  noted_.reset();
  // Some file systems cannot flush a directory and return EINVAL, which loses nothing.
  if (::fsync(directory_.fd()) != 0 && errno != EINVAL) directory_.fail("cannot flush to the disk");
}

File open_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash);
  struct stat status {};
  if (slash > 0 && ::stat(directory.c_str(), &status) != 0 && errno == ENOENT) {
    throw support::Error(ErrorKind::io, "the directory '" + directory + "' does not exist",
                         {.file = path});
  }
  return File::open(directory.empty() ? "/" : directory, O_RDONLY | O_DIRECTORY);
}

std::string leaf_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::vector<std::string> replace_file(const std::string& path, mode_t mode,
                                      const std::function<void(const support::File&)>& fill,
                                      const std::function<void(const support::File&)>& stream) {
  const support::File existing = open_existing(path);
  if (existing && !S_ISREG(existing.status().st_mode)) {
    stream(existing);
    return {};
  }
  if (existing) check_replaceable(existing.status(), path);
  const std::string target = existing ? resolve(path) : path;
  support::File directory = open_directory_of(target);
  remove_abandoned_of(directory, leaf_of(target));
  Replacement replacement(std::move(directory), leaf_of(target), existing ? 0600 : mode);
  fill(replacement.file());
  std::vector<std::string> lost;
  if (existing) lost = replacement.adopt(existing);
  replacement.commit();
  return lost;
}

}  // namespace mlf::archive
