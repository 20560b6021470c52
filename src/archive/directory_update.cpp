#include "archive/directory_update.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "archive/directory.h"
#include "archive/replace_file.h"

namespace mlf::archive {
namespace {

using support::File;

/// Creates every folder on the way to `name` that does not exist.
void make_folders(const File& root, std::string_view name) {
  for (std::size_t slash = name.find('/'); slash != std::string_view::npos;
       slash = name.find('/', slash + 1)) {
    const auto [parent_name, leaf] = split_name(name.substr(0, slash));
    const File parent = open_folder_below(root, parent_name);
    if (::mkdirat(parent.fd(), std::string(leaf).c_str(), 0777) != 0 && errno != EEXIST) {
      parent.fail("cannot create the folder '" + std::string(leaf) + "'");
    }
  }
}

/// Owner as of the source where the system lets us, mode and time in any case.
void adopt(const File& file, const Member& like) {
  const int owned = ::fchown(file.fd(), static_cast<uid_t>(like.uid), static_cast<gid_t>(like.gid));
  if (owned != 0 && errno != EPERM) file.fail("cannot set the owner");
  if (::fchmod(file.fd(), like.mode & 0777) != 0) file.fail("cannot set the permissions");
  const timespec times[2] = {{0, UTIME_OMIT}, {static_cast<time_t>(like.mtime), 0}};
  if (::futimens(file.fd(), times) != 0) file.fail("cannot set the time");
}

void write_member(const File& root, const NewMember& member) {
  make_folders(root, member.name);
  const auto [folder, leaf] = split_name(member.name);
  Replacement replacement(open_folder_below(root, folder), std::string(leaf), 0600);
  support::FileSink sink(replacement.file());
  member.write(sink);
  sink.flush();
  adopt(replacement.file(), *member.like);
  replacement.commit();
}

/// Removes the folders above `name` that are empty now, innermost first.
void remove_empty_folders(const File& root, std::string_view name) {
  for (auto [folder, file] = split_name(name); folder != ".";) {
    const auto [parent_name, leaf] = split_name(folder);
    const File parent = open_folder_below(root, parent_name);
    if (::unlinkat(parent.fd(), std::string(leaf).c_str(), AT_REMOVEDIR) != 0) return;
    folder = parent_name;
  }
}

void remove_member(const File& root, std::string_view name) {
  const auto [folder_name, leaf] = split_name(name);
  {
    const File folder = open_folder_below(root, folder_name);
    if (::unlinkat(folder.fd(), std::string(leaf).c_str(), 0) != 0 && errno != ENOENT) {
      folder.fail("cannot remove '" + std::string(leaf) + "'");
    }
  }
  remove_empty_folders(root, name);
}

}  // namespace

void update_directory(const File& root, const Changes& changes) {
  const auto& added = changes.add;
  const std::size_t early = added.empty() ? 0 : added.size() - 1;
  for (std::size_t i = 0; i < early; ++i) write_member(root, added[i]);
  for (const std::string& name : changes.remove) {
    const bool replaced =
        std::any_of(added.begin(), added.end(), [&](const NewMember& m) { return m.name == name; });
    if (!replaced) remove_member(root, name);
  }
  if (!added.empty()) write_member(root, added.back());
}

}  // namespace mlf::archive
