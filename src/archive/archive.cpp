#include "mlf/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>
#include <locale.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "archive/contents.h"
#include "archive/directory.h"
#include "archive/fault.h"
#include "archive/filter.h"
#include "archive/member_name.h"
#include "archive/replace_file.h"
#include "archive/tar_walk.h"
#include "archive/temporary.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/sha256.h"

namespace mlf::archive {
namespace {

using support::File;
using support::FileContent;

// --- What libarchive reads -----------------------------------------------------------------------

/// libarchive converts PAX names to the thread's locale; mlf needs them as UTF-8. Gives the current
/// thread a UTF-8 character set until the end of the scope. If the system has no C.UTF-8, names
/// beyond ASCII may fail the comparison, which rejects the archive.
class Utf8Locale {
 public:
  Utf8Locale() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (locale_ != nullptr) before_ = ::uselocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  ~Utf8Locale() {
    if (locale_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(locale_);
  }

 private:
  locale_t locale_ = nullptr;
  locale_t before_ = nullptr;
};

using View = std::unique_ptr<::archive, support::Close<archive_read_free>>;

[[noreturn]] void refuse_reading(::archive* reader) {
  const char* const reason = archive_error_string(reader);
  refuse(fmt::format("libarchive refuses the archive: {}",
                     printable_name(reason != nullptr ? reason : "no reason given")));
}

View open_view(std::string_view bytes) {
  View reader(archive_read_new());
  if (reader == nullptr) throw std::bad_alloc();
  // No filter: the bytes were decompressed with mlf's own limits.
  if (archive_read_support_format_tar(reader.get()) != ARCHIVE_OK ||
      archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    refuse_reading(reader.get());
  }
  return reader;
}

/// Returns false at the end of the archive. Ignores warnings: the comparison checks what they
/// concern.
bool next_entry(::archive* reader, archive_entry*& entry) {
  const int status = archive_read_next_header(reader, &entry);
  if (status == ARCHIVE_EOF) return false;
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN) refuse_reading(reader);
  return true;
}

std::string describe(std::string_view name, std::int64_t size, std::int64_t offset) {
  return fmt::format("'{}' of {} bytes at {}", printable_name(name), size, offset);
}

/// Throws `invalid_input` unless libarchive reads the same members, in the same order, with the
/// same name, size and data offset from the uncompressed tar `bytes`.
void check_agreement(std::string_view bytes, const std::vector<Member>& members) {
  const Utf8Locale locale;
  const View reader = open_view(bytes);
  archive_entry* entry = nullptr;
  for (const Member& member : members) {
    if (!next_entry(reader.get(), entry)) {
      refuse("two readings of the archive disagree: libarchive sees its end before this member",
             member.name);
    }
    const char* const path = archive_entry_pathname(entry);
    // Name, size and place of the content: readers that agree on these read the same bytes.
    const std::string theirs = describe(path != nullptr ? path : "", archive_entry_size(entry),
                                        archive_filter_bytes(reader.get(), 0));
    const std::string ours = describe(member.raw_name, static_cast<std::int64_t>(member.size),
                                      static_cast<std::int64_t>(member.data_offset));
    if (theirs != ours) {
      refuse(fmt::format("two readings of the archive disagree: libarchive sees {}, the headers "
                         "say {}",
                         theirs, ours),
             member.name);
    }
  }
  if (next_entry(reader.get(), entry)) {
    refuse("two readings of the archive disagree: libarchive sees more members");
  }
}

constexpr std::size_t kStreamBuffer = 256 * 1024;

FileContent content_of(const File& file, const Limits& limits) {
  const auto size = static_cast<std::uint64_t>(file.status().st_size);
  return size <= limits.max_copied_bytes ? FileContent::copy(file) : FileContent::map(file);
}

void load_tar(Archive::Contents& contents) {
  contents.storage = storage_of(contents.source);
  // Members are views of the content, and nothing is extracted.
  if (contents.storage == Storage::tar) {
    contents.content = content_of(contents.source, contents.limits);
  } else {
    contents.unpacked = decompress(contents.source, contents.storage, contents.limits);
    contents.content = FileContent::map(contents.unpacked);
  }
  const std::string_view bytes = contents.content.bytes();
  if (bytes.empty()) refuse("the archive is empty");
  TarLayout layout = walk_tar(bytes, contents.limits);
  // Two readers must agree: a member that this reader sees and another tool does not is a way to
  // hide content.
  check_agreement(bytes, layout.members);
  contents.members = std::move(layout.members);
  contents.end_of_members = layout.end_of_members;
}

void sort_index(Archive::Contents& contents) {
  const std::vector<Member>& members = contents.members;
  contents.by_name.resize(members.size());
  // An index beside the members, which keep the order of the archive.
  std::iota(contents.by_name.begin(), contents.by_name.end(), 0U);
  std::stable_sort(
      contents.by_name.begin(), contents.by_name.end(),
      [&](std::uint32_t a, std::uint32_t b) { return members[a].name < members[b].name; });
}

/// Sorts the index. Two members with one name are an error, because readers differ on which one
/// counts.
void index_names(Archive::Contents& contents) {
  const std::vector<Member>& members = contents.members;
  sort_index(contents);
  const auto twin = std::adjacent_find(
      contents.by_name.begin(), contents.by_name.end(), [&](std::uint32_t a, std::uint32_t b) {
        // Each directory around those of the format is the root.
        return members[a].name == members[b].name && members[a].name != ".";
      });
  if (twin == contents.by_name.end()) return;
  refuse(fmt::format("the archive has two members of this name, at byte {} and at byte {}",
                     members[twin[0]].header_offset, members[twin[1]].header_offset),
         members[*twin].name);
}

/// Copies a stream into an unnamed temporary file. `check` receives the bytes so far, so an endless
/// stream cannot fill the disk.
template <class Check>
File spool(const File& stream, Check&& check) {
  File file = File::anonymous();
  const auto buffer = std::make_unique<char[]>(kStreamBuffer);
  std::uint64_t total = 0;
  while (const std::size_t count = stream.read_some(buffer.get(), kStreamBuffer)) {
    total += count;
    check(total);
    file.write({buffer.get(), count});
  }
  return file;
}

File spool_archive(const File& stream, const Limits& limits) {
  return spool(stream, [&](std::uint64_t total) { check_total_size(total, limits); });
}

/// Reads the members of `source`, an archive of any form. `path` is its name in messages.
std::unique_ptr<Archive::Contents> load(File source, std::string path, const Limits& limits) {
  auto contents = std::make_unique<Archive::Contents>();
  contents->path = std::move(path);
  contents->limits = limits;
  const mode_t mode = source.status().st_mode;
  // Copies pipes and other streams once, because later steps need to seek.
  const bool seekable = S_ISREG(mode) || S_ISDIR(mode);
  contents->source = seekable ? std::move(source) : spool_archive(source, limits);
  // For a comparison at the end: the archive must not change during a run.
  contents->opened = contents->source.status();
  if (S_ISDIR(mode)) {
    contents->storage = Storage::directory;
    DirectoryListing listing = scan_directory(contents->source, limits);
    contents->members = std::move(listing.members);
    contents->temporaries = std::move(listing.temporaries);
  } else {
    load_tar(*contents);
  }
  index_names(*contents);
  return contents;
}

std::string_view what_it_is(MemberType type) {
  return support::name_in({"a file", "a directory", "a hard link", "a symbolic link",
                           "a character device", "a block device", "a FIFO", "a socket"},
                          type);
}

std::string_view read_loaded(const Archive::Contents& contents, const Member& member) {
  // Reads files of a directory when they are needed, and keeps them, because views of them must
  // stay valid.
  const std::scoped_lock lock(contents.reading);
  const auto known = contents.loaded.find(member.name);
  if (known != contents.loaded.end()) return known->second;
  return contents.loaded.emplace(member.name, read_file_below(contents.source, member))
      .first->second;
}

std::shared_future<std::string> digest_of(const Archive::Contents& contents, const Member& member,
                                          std::string_view content) {
  const std::scoped_lock lock(contents.digesting);
  std::shared_future<std::string>& digest = contents.digests[member.name];
  // The first thread that needs the value computes it, without this lock; all others wait.
  if (!digest.valid()) {
    digest = std::async(std::launch::deferred, support::sha256_hex, content).share();
  }
  return digest;
}

}  // namespace

void apply(Archive& archive, Layout layout) {
  Archive::Contents& contents = archive.contents();
  for (std::size_t i = 0; i < layout.names.size(); ++i) {
    contents.members[i].name = std::move(layout.names[i]);
  }
  contents.directory = std::move(layout.directory);
  contents.no_new_members = std::move(layout.no_new_members);
  sort_index(contents);
}

void require_new_members(const Archive& archive) {
  const Archive::Contents& contents = archive.contents();
  if (contents.no_new_members.empty()) return;
  throw support::Error(ErrorKind::invalid_input, "nothing is written: " + contents.no_new_members,
                       {.file = contents.path});
}

OverlaidFile open_overlaid(std::string name, const std::string& path, const Limits& limits) {
  const File file = File::open(path, O_RDONLY);
  if (S_ISREG(file.status().st_mode)) return {std::move(name), content_of(file, limits)};
  const File spooled =
      spool(file, [&](std::uint64_t total) { check_member_size(total, name, limits); });
  return {std::move(name), FileContent::map(spooled)};
}

void overlay(Archive& archive, std::vector<OverlaidFile> files, std::string_view like) {
  Archive::Contents& contents = archive.contents();
  const Member model = *archive.find(like);
  for (OverlaidFile& file : files) {
    normal_name(file.name, contents.limits);  // for its errors
    check_member_size(file.content.bytes().size(), file.name, contents.limits);
    Member member = model;
    member.name = file.name;
    member.raw_name = file.name;
    member.type = MemberType::file;
    member.size = file.content.bytes().size();
    member.header_offset = member.data_offset = member.end_offset = 0;
    contents.members.push_back(std::move(member));
    contents.overlaid.insert_or_assign(std::move(file.name), std::move(file.content));
  }
  index_names(contents);
}

void check_unchanged(const Archive::Contents& contents) {
  // Compares size and time, like make; a digest would read everything again.
  const struct stat now = contents.source.status();
  const struct stat& then = contents.opened;
  if (now.st_size == then.st_size && now.st_mtim.tv_sec == then.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == then.st_mtim.tv_nsec) {
    return;
  }
  throw support::Error(ErrorKind::io, "the archive was changed while it was processed",
                       {.file = contents.path});
}

Archive::Archive(std::unique_ptr<Contents> contents) noexcept : contents_(std::move(contents)) {}
Archive::Archive(Archive&& other) noexcept = default;
Archive& Archive::operator=(Archive&& other) noexcept = default;
Archive::~Archive() = default;

Result<Archive> Archive::open(const std::string& path, const Limits& limits) {
  return support::to_result_in(path, [&] {
    return Archive(path == "-" ? load(spool_archive(File::duplicate(0, path), limits), path, limits)
                               : load(File::open(path, O_RDONLY), path, limits));
  });
}

Result<Archive> Archive::from_bytes(std::string_view bytes, const std::string& path,
                                    const Limits& limits) {
  return support::to_result_in(path, [&] {
    File file = File::anonymous();
    file.write(bytes);
    return Archive(load(std::move(file), path, limits));
  });
}

Result<Archive> Archive::open_for_update(const std::string& path, const Limits& limits) {
  return support::to_result_in(path, [&] {
    if (path == "-") {
      throw support::Error(ErrorKind::usage, "standard input cannot be updated in place");
    }
    // Follows links: the file is replaced, not the link to it.
    std::string resolved = resolve(path);
    std::unique_ptr<Contents> contents = load(open_locked(resolved, path), path, limits);
    // With the lock held, so no other run on this file is active.
    if (contents->storage == Storage::directory) {
      remove_abandoned_below(contents->source, contents->temporaries);
    } else {
      remove_abandoned_of(open_directory_of(resolved), leaf_of(resolved));
    }
    contents->resolved = std::move(resolved);
    return Archive(std::move(contents));
  });
}

const std::string& Archive::path() const noexcept {
  return contents_->path;
}
Storage Archive::storage() const noexcept {
  return contents_->storage;
}
const std::vector<Member>& Archive::members() const noexcept {
  return contents_->members;
}

const Member* Archive::find(std::string_view name) const noexcept {
  const auto& order = contents_->by_name;
  const auto& all = contents_->members;
  const auto found = std::lower_bound(
      order.begin(), order.end(), name,
      [&](std::uint32_t index, std::string_view wanted) { return all[index].name < wanted; });
  return found != order.end() && all[*found].name == name ? &all[*found] : nullptr;
}

Result<std::string_view> Archive::read(const Member& member) const {
  return support::to_result_in(contents_->path, [&]() -> std::string_view {
    if (member.type != MemberType::file) {
      // Does not follow links, also inside of the archive: only a member's own content is read.
      refuse("is " + std::string(what_it_is(member.type)) + ", only files can be read",
             member.name);
    }
    const auto overlaid = contents_->overlaid.find(member.name);
    if (overlaid != contents_->overlaid.end()) return overlaid->second.bytes();
    if (contents_->storage == Storage::directory) return read_loaded(*contents_, member);
    return contents_->content.bytes().substr(member.data_offset, member.size);
  });
}

Result<std::string> Archive::sha256(const Member& member) const {
  return read(member).map(
      [&](std::string_view content) { return digest_of(*contents_, member, content).get(); });
}

std::string_view to_string(MemberType type) {
  return support::name_in({"file", "directory", "hard link", "symbolic link", "character device",
                           "block device", "fifo", "socket"},
                          type);
}

std::string_view to_string(Storage storage) {
  return support::name_in({"tar", "tar.gz", "tar.xz", "tar.zst", "directory"}, storage);
}

}  // namespace mlf::archive
