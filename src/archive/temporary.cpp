#include "archive/temporary.h"

#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "mlf/archive.h"
#include "support/sha256.h"

namespace mlf::archive {
namespace {

using support::File;

constexpr std::string_view kPrefix = ".mlf-";
constexpr std::size_t kDigestLength = 16;
constexpr std::size_t kNameLength = kPrefix.size() + kDigestLength + 2;

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/// NFS locks only files that are open for writing; elsewhere a file without that permission can be
/// locked too.
File open_to_lock(const File& directory, const std::string& name) {
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  File file(::openat(directory.fd(), name.c_str(), O_RDWR | kFlags), name);
  if (file || errno == ENOENT) return file;
  return {::openat(directory.fd(), name.c_str(), O_RDONLY | kFlags), name};
}

/// Whether `name` is still that file: its run may have renamed it before it released the lock.
bool is_named(const File& directory, const std::string& name, const File& file) {
  struct stat named {};
  if (::fstatat(directory.fd(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0) return false;
  const struct stat opened = file.status();
  return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

}  // namespace

std::string temporary_name(std::string_view target, unsigned slot) {
  return fmt::format("{}{}-{:x}", kPrefix, support::sha256_hex(target).substr(0, kDigestLength),
                     slot);
}

bool is_temporary_name(std::string_view name) {
  if (name.size() != kNameLength || !name.starts_with(kPrefix)) return false;
  const std::string_view digest = name.substr(kPrefix.size(), kDigestLength);
  return std::all_of(digest.begin(), digest.end(), is_hex_digit) && name[kNameLength - 2] == '-' &&
         is_hex_digit(name.back());
}

void lock_temporary(const File& file) {
  ::flock(file.fd(), LOCK_EX | LOCK_NB);
}

void remove_abandoned(const File& directory, const std::string& name) {
  const File file = open_to_lock(directory, name);
  if (!file || !S_ISREG(file.status().st_mode)) return;
  if (::flock(file.fd(), LOCK_EX | LOCK_NB) != 0 || !is_named(directory, name, file)) return;
  ::unlinkat(directory.fd(), name.c_str(), 0);
}

void remove_abandoned_of(const File& directory, std::string_view target) {
  for (unsigned slot = 0; slot < kTemporarySlots; ++slot) {
    remove_abandoned(directory, temporary_name(target, slot));
  }
}

/// State for a signal handler: no allocated memory, no lock.
struct NotedTemporary::Note {
  enum State : int { unused, being_written, in_force };

  std::atomic<State> state = unused;
  int directory = -1;
  std::array<char, kNameLength + 1> name{};
};

namespace {

/// The only table of the process, because a signal concerns the whole process. Further runs at the
/// same time are not in it; the next run removes their files.
constinit std::array<NotedTemporary::Note, 256> notes;
static_assert(std::atomic<NotedTemporary::Note::State>::is_always_lock_free);

NotedTemporary::Note* unused_note() {
  using Note = NotedTemporary::Note;
  for (Note& note : notes) {
    Note::State expected = Note::unused;
    if (note.state.compare_exchange_strong(expected, Note::being_written)) return &note;
  }
  return nullptr;
}

}  // namespace

NotedTemporary::NotedTemporary(const File& directory, const std::string& name) noexcept
    : note_(unused_note()) {
  if (note_ == nullptr) return;
  note_->directory = directory.fd();
  note_->name.fill('\0');
  std::copy_n(name.data(), std::min(name.size(), kNameLength), note_->name.data());
  note_->state = Note::in_force;
}

NotedTemporary::~NotedTemporary() {
  if (note_ != nullptr) note_->state = Note::unused;
}

void remove_temporary_files() noexcept {
  using Note = NotedTemporary::Note;
  for (const Note& note : notes) {
    if (note.state == Note::in_force) ::unlinkat(note.directory, note.name.data(), 0);
  }
}

}  // namespace mlf::archive
