#include "archive/directory.h"

#include <dirent.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "archive/fault.h"
#include "archive/member_name.h"
#include "archive/replace_file.h"
#include "archive/temporary.h"
#include "support/error.h"

namespace mlf::archive {
namespace {

using support::File;

std::string path_below(const File& root, std::string_view name) {
  return name == "." ? root.name() : fmt::format("{}/{}", root.name(), name);
}

/// The directory and the last component of a normal name.
struct SplitName {
  std::string_view directory;  ///< "." for a name without a slash
  std::string_view leaf;
};

SplitName split_name(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos) return {".", name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

/// Opens the directory `name` ("." is `root`) below `root`, one component at a time, because
/// O_NOFOLLOW only checks the last component of a path.
File open_directory_below(const File& root, std::string_view name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  // A link that replaces a directory meanwhile would lead out of the archive.
  File directory(::openat(root.fd(), ".", kFlags), path_below(root, name));
  for (std::string_view rest = name; directory && !rest.empty();) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string part(rest.substr(0, end));
    directory = File(::openat(directory.fd(), part.c_str(), kFlags), path_below(root, name));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!directory) directory.fail("cannot open the directory");
  return directory;
}

std::vector<std::string> entries_of(const File& directory) {
  const std::unique_ptr<DIR, support::Close<::closedir>> stream(
      // closedir closes its descriptor, so it gets a copy.
      ::fdopendir(::fcntl(directory.fd(), F_DUPFD_CLOEXEC, 0)));
  if (stream == nullptr && errno == ENOMEM) throw std::bad_alloc();
  if (stream == nullptr) directory.fail("cannot list the directory");
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* const entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) directory.fail("cannot list the directory");
  return names;
}

MemberType type_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return MemberType::directory;
    case S_IFLNK:
      return MemberType::symbolic_link;
    case S_IFCHR:
      return MemberType::character_device;
    case S_IFBLK:
      return MemberType::block_device;
    case S_IFIFO:
      return MemberType::fifo;
    case S_IFSOCK:
      return MemberType::socket;
    default:
      return MemberType::file;
  }
}

std::string link_target(const File& directory, const std::string& leaf) {
  char target[4096];
  const ssize_t size = ::readlinkat(directory.fd(), leaf.c_str(), target, sizeof target);
  if (size < 0) directory.fail("cannot read the link '" + printable_name(leaf) + "'");
  return {target, static_cast<std::size_t>(size)};
}

Member describe(const File& directory, const std::string& leaf, std::string name) {
  struct stat status {};
  if (::fstatat(directory.fd(), leaf.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    directory.fail("cannot read the status of '" + printable_name(leaf) + "'");
  }
  Member member;
  member.name = name;
  member.raw_name = std::move(name);
  member.type = type_of(status.st_mode);
  if (member.type == MemberType::file) member.size = static_cast<std::uint64_t>(status.st_size);
  if (member.type == MemberType::symbolic_link) member.link_target = link_target(directory, leaf);
  member.mtime = status.st_mtim.tv_sec;
  member.mode = status.st_mode & 07777;
  member.uid = status.st_uid;
  member.gid = status.st_gid;
  return member;
}

/// Lists the tree directory by directory, within the limits.
class Scan {
 public:
  Scan(const File& root, const Limits& limits) : root_(root), limits_(limits) {}

  DirectoryListing run() {
    // A list of directories instead of recursion: the depth of a tree has no limit.
    while (!directories_.empty()) {
      const std::string directory = std::move(directories_.back());
      directories_.pop_back();
      const File open = open_directory_below(root_, directory);
      for (const std::string& leaf : entries_of(open)) {
        add(leaf,
            describe(open, leaf, directory == "." ? leaf : fmt::format("{}/{}", directory, leaf)));
      }
    }
    // readdir has no order, and the outputs depend on this one.
    std::sort(members_.begin(), members_.end(),
              [](const Member& a, const Member& b) { return a.name < b.name; });
    return {std::move(members_), std::move(temporaries_)};
  }

 private:
  void add(const std::string& leaf, Member member) {
    if (member.type == MemberType::file && is_temporary_name(leaf)) {
      temporaries_.push_back(std::move(member.name));
      return;
    }
    normal_name(member.name, limits_);  // for its errors: the name is already normal
    check_member_count(members_.size() + 1, limits_);
    check_member_size(member.size, member.name, limits_);
    total_ += member.size;
    check_total_size(total_, limits_);
    if (member.type == MemberType::directory) directories_.push_back(member.name);
    members_.push_back(std::move(member));
  }

  const File& root_;
  const Limits& limits_;
  std::vector<std::string> directories_{"."};
  std::vector<Member> members_;
  std::vector<std::string> temporaries_;
  std::uint64_t total_ = 0;
};

/// Creates all missing directories above `name`.
void make_directories(const File& root, std::string_view name) {
  for (std::size_t slash = name.find('/'); slash != std::string_view::npos;
       slash = name.find('/', slash + 1)) {
    const auto [parent_name, leaf] = split_name(name.substr(0, slash));
    const File parent = open_directory_below(root, parent_name);
    // Another process may create it at the same time.
    if (::mkdirat(parent.fd(), std::string(leaf).c_str(), 0777) != 0 && errno != EEXIST) {
      parent.fail("cannot create the directory '" + std::string(leaf) + "'");
    }
  }
}

/// Sets the owner of the source if the system allows it, and mode and time always.
void set_metadata(const File& file, const Member& like) {
  const int owned = ::fchown(file.fd(), static_cast<uid_t>(like.uid), static_cast<gid_t>(like.gid));
  if (owned != 0 && errno != EPERM) file.fail("cannot set the owner");
  // After fchown, which clears bits.
  if (::fchmod(file.fd(), like.mode & 0777) != 0) file.fail("cannot set the permissions");
  // The time of the source, so a second run writes the same tree.
  const timespec times[2] = {{0, UTIME_OMIT}, {static_cast<time_t>(like.mtime), 0}};
  if (::futimens(file.fd(), times) != 0) file.fail("cannot set the time");
}

void write_member(const File& root, const NewMember& member) {
  make_directories(root, member.name);
  const auto [directory, leaf] = split_name(member.name);
  // Other users cannot read it before its permissions are set.
  Replacement replacement(open_directory_below(root, directory), std::string(leaf), 0600);
  support::FileSink sink(replacement.file());
  member.write(sink);
  sink.flush();
  set_metadata(replacement.file(), *member.like);
  replacement.commit();
}

/// Removes empty directories above `name`, innermost first.
void remove_empty_directories(const File& root, std::string_view name) {
  for (auto [directory, file] = split_name(name); directory != ".";) {
    const auto [parent_name, leaf] = split_name(directory);
    const File parent = open_directory_below(root, parent_name);
    // Stops at the first one that is not empty.
    if (::unlinkat(parent.fd(), std::string(leaf).c_str(), AT_REMOVEDIR) != 0) return;
    directory = parent_name;
  }
}

void remove_member(const File& root, std::string_view name) {
  const auto [directory_name, leaf] = split_name(name);
  {
    const File directory = open_directory_below(root, directory_name);
    // A missing file is no error.
    if (::unlinkat(directory.fd(), std::string(leaf).c_str(), 0) != 0 && errno != ENOENT) {
      directory.fail("cannot remove '" + std::string(leaf) + "'");
    }
  }
  remove_empty_directories(root, name);
}

}  // namespace

DirectoryListing scan_directory(const File& root, const Limits& limits) {
  return Scan(root, limits).run();
}

void remove_abandoned_below(const File& root, const std::vector<std::string>& temporaries) {
  for (const std::string& name : temporaries) {
    const auto [directory, leaf] = split_name(name);
    remove_abandoned(open_directory_below(root, directory), std::string(leaf));
  }
}

std::string read_file_below(const File& root, const Member& member) {
  const auto [directory_name, leaf] = split_name(member.raw_name);
  const File directory = open_directory_below(root, directory_name);
  const File file(::openat(directory.fd(), std::string(leaf).c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
                  path_below(root, member.raw_name));
  if (!file) file.fail("cannot open");
  // Reads one byte more than listed, to notice a file that grows or shrinks.
  std::string content = file.read_up_to(member.size + 1);
  if (content.size() != member.size) {
    throw support::Error(ErrorKind::io, "the file was changed while it was processed",
                         {.file = file.name()});
  }
  return content;
}

void update_directory(const File& root, const Changes& changes) {
  const auto added = [&](std::string_view name) {
    const auto found = std::ranges::find(changes.add, name, &NewMember::name);
    return found != changes.add.end() ? &*found : nullptr;
  };
  for (const std::string& name : changes.remove) {
    if (name != changes.list && added(name) == nullptr) remove_member(root, name);
  }
  const NewMember* const list = added(changes.list);
  if (list != nullptr) {
    write_member(root, *list);
  } else if (std::ranges::count(changes.remove, changes.list) != 0) {
    remove_member(root, changes.list);
  }
  for (const NewMember& member : changes.add) {
    if (&member != list) write_member(root, member);
  }
}

}  // namespace mlf::archive
