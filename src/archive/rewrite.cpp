#include "archive/rewrite.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "archive/contents.h"
#include "archive/directory.h"
#include "archive/fault.h"
#include "archive/filter.h"
#include "archive/member_name.h"
#include "archive/replace_file.h"
#include "archive/tar_header.h"
#include "archive/tar_walk.h"
#include "support/error.h"
#include "support/name_map.h"
#include "support/numbers.h"

namespace mlf::archive {
namespace {

using support::File;

// --- Appending to a tar --------------------------------------------------------------------------

std::string_view as_bytes(const TarHeader& header) {
  return {reinterpret_cast<const char*>(&header), kBlock};
}

template <std::size_t N>
bool put_text(char (&field)[N], std::string_view text) {
  if (text.size() > N) return false;
  std::copy(text.begin(), text.end(), field);
  return true;
}

/// A name goes into `name`, or is split at a slash into `prefix` and `name`.
bool put_name(TarHeader& header, std::string_view name) {
  if (put_text(header.name, name)) return true;
  // The part after the slash must fit into `name`; neither field contains the slash.
  const std::size_t earliest = name.size() - sizeof header.name - 1;
  const std::size_t slash = name.find('/', earliest);
  if (slash == std::string_view::npos || slash > sizeof header.prefix) return false;
  return put_text(header.prefix, name.substr(0, slash)) &&
         put_text(header.name, name.substr(slash + 1));
}

TarHeader blank_header(char type) {
  TarHeader header{};
  header.type = type;
  // POSIX ustar: every reader knows it, and PAX headers extend it.
  std::memcpy(header.magic, "ustar", sizeof header.magic);
  std::memcpy(header.version, "00", sizeof header.version);
  for (const std::span<char> field :
       {std::span<char>(header.mode), std::span<char>(header.uid), std::span<char>(header.gid),
        std::span<char>(header.size), std::span<char>(header.mtime),
        std::span<char>(header.device_major), std::span<char>(header.device_minor)}) {
    put_octal(field, 0);
  }
  return header;
}

/// The member's header except for its size, and the PAX records it needs.
struct Headers {
  TarHeader header = blank_header('0');
  std::string pax;

  void number(std::span<char> field, std::string_view key, std::uint64_t value) {
    // Adds a PAX record only if a field is too small, so plain archives stay plain.
    if (!put_octal(field, value)) pax += pax_record(key, std::to_string(value));
  }
  template <std::size_t N>
  void text(char (&field)[N], std::string_view key, std::string_view value) {
    // Readers expect a NUL after user and group names.
    if (value.size() >= N || !put_text(field, value)) pax += pax_record(key, value);
  }
};

Headers headers_of(const std::string& name, const Member& like) {
  Headers made;
  if (!put_name(made.header, name)) {
    made.pax += pax_record("path", name);
    // For tools without PAX, which at least see the beginning.
    put_text(made.header.name, std::string_view(name).substr(0, sizeof made.header.name));
  }
  // Only permissions: members of mlf have no set-id bits.
  put_octal(made.header.mode, like.mode & 0777);
  made.number(made.header.uid, "uid", like.uid);
  made.number(made.header.gid, "gid", like.gid);
  // Before 1970: octal numbers have no sign.
  if (like.mtime < 0) {
    made.pax += pax_record("mtime", std::to_string(like.mtime));
  } else {
    made.number(made.header.mtime, "mtime", static_cast<std::uint64_t>(like.mtime));
  }
  made.text(made.header.uname, "uname", like.uname);
  made.text(made.header.gname, "gname", like.gname);
  return made;
}

TarHeader pax_header(std::uint64_t size) {
  TarHeader header = blank_header('x');
  put_text(header.name, "././@PaxHeader");  // the name Python's tarfile gives it
  put_octal(header.mode, 0644);
  put_octal(header.size, size);
  seal(header);
  return header;
}

/// Writes new members at the end of a tar under construction. Headers are ustar, after a PAX header
/// for fields that ustar cannot express (long names, large ids). The bytes depend only on the new
/// member.
class TarAppender {
 public:
  /// `out` is at its end, `offset`; `prefix` comes before every name ("./" or empty).
  TarAppender(const support::File& out, std::uint64_t offset, std::string prefix)
      : out_(out), offset_(offset), prefix_(std::move(prefix)) {}

  /// Writes the content directly to the file and completes the header afterwards, so no content
  /// stays in memory.
  void append(const NewMember& member) {
    Headers made = headers_of(prefix_ + member.name, *member.like);
    if (!made.pax.empty()) {
      put(as_bytes(pax_header(made.pax.size())));
      put(made.pax);
      put_padding(kBlock);
    }
    // The size is known only after the content, so the header is written twice.
    const std::uint64_t header_offset = offset_;
    put(as_bytes(made.header));
    support::FileSink content(out_);
    member.write(content);
    content.flush();
    offset_ += content.written();
    put_padding(kBlock);
    if (!put_octal(made.header.size, content.written())) {
      refuse("the new member is larger than 8 GiB, the limit of a tar header", member.name);
    }
    seal(made.header);
    out_.write_at(header_offset, as_bytes(made.header));
  }

  /// Ends the archive: two zero blocks, and padding to whole records if `whole_records`. Otherwise
  /// avoids a record boundary, so the two forms stay distinguishable.
  enum class Padding : std::uint8_t { blocks, records };

  void finish(Padding padding) {
    put(std::string(2 * kBlock, '\0'));
    if (padding == Padding::records) {
      put_padding(kRecord);
    } else if (offset_ % kRecord == 0) {
      // One additional block, because at a multiple of a record the next run would pad to records.
      put(std::string(kBlock, '\0'));
    }
  }

 private:
  void put(std::string_view bytes) {
    out_.write(bytes);
    offset_ += bytes.size();
  }

  void put_padding(std::uint64_t unit) {
    put(std::string(support::round_up<std::uint64_t>(offset_, unit) - offset_, '\0'));
  }

  const support::File& out_;
  std::uint64_t offset_;
  std::string prefix_;
};

using Names = support::NameSet<std::string_view>;

/// Changes come from mlf itself: a change that does not fit the archive is a defect, not invalid
/// input.
Names names_removed_by(const Archive& archive, const Changes& changes) {
  Names removed(changes.remove.begin(), changes.remove.end());
  for (const std::string_view name : removed) {
    if (archive.find(name) == nullptr) throw std::logic_error("removed member does not exist");
  }
  Names added;
  for (const NewMember& member : changes.add) {
    const Member* const present = archive.find(member.name);
    const bool taken = present != nullptr && archive.contents().is_stored(*present) &&
                       !removed.contains(member.name);
    if (taken || !added.insert(member.name).second) {
      throw std::logic_error("new member has the name of another one");
    }
  }
  for (const EditedMember& member : changes.edit) {
    const Member* const found = archive.find(member.name);
    if (found == nullptr || found->type != MemberType::file || removed.contains(member.name)) {
      throw std::logic_error("edited member is not a file that stays");
    }
  }
  return removed;
}

/// The form of names in this archive: that of the first member that stays, below the directory that
/// contains all members.
std::string name_prefix(const Archive::Contents& contents, const Names& removed) {
  // A directory adds no prefix to the names of its members.
  if (contents.storage == Storage::directory) return contents.directory;
  const auto first =
      std::find_if(contents.members.begin(), contents.members.end(),
                   [&](const Member& member) { return !removed.contains(member.name); });
  // TVM writes "./", and its readers look for this literal prefix.
  const bool plain = first != contents.members.end() && !first->raw_name.starts_with("./") &&
                     first->raw_name != ".";
  return (plain ? "" : "./") + contents.directory;
}

/// Names and sizes are checked like those of an input archive, so mlf can read each archive that it
/// writes. In a tar, headers count as well; `build_tar` checks that.
void check_limits(const Archive& archive, const Changes& changes, const Names& removed) {
  const Limits& limits = archive.contents().limits;
  std::uint64_t members = changes.add.size();
  std::uint64_t bytes = 0;
  for (const Member& member : archive.members()) {
    if (removed.contains(member.name) || !archive.contents().is_stored(member)) continue;
    ++members;
    bytes += member.size;
  }
  for (const EditedMember& edit : changes.edit) {
    check_member_size(edit.content.size(), edit.name, limits);
    bytes = bytes - archive.find(edit.name)->size + edit.content.size();
  }
  check_member_count(members, limits);
  const std::string prefix = name_prefix(archive.contents(), removed);
  for (const NewMember& member : changes.add) {
    // Only for its errors: names of mlf are normal.
    normal_name(prefix + member.name, limits);
    check_member_size(member.size, member.name, limits);
    bytes += member.size;
    check_total_size(bytes, limits);
  }
}

Names checked_changes(const Archive& archive, const Changes& changes) {
  if (!changes.add.empty()) require_new_members(archive);
  Names removed = names_removed_by(archive, changes);
  check_limits(archive, changes, removed);
  return removed;
}

/// The member's own header with another size, then the content and its padding.
std::string edited_bytes(const Archive::Contents& contents, const Member& member,
                         std::string_view content) {
  const std::string_view tar = contents.content.bytes();
  // A PAX record may override the size; it comes before the header.
  const std::uint64_t header_offset = member.data_offset - kBlock;
  const std::string_view extended =
      tar.substr(static_cast<std::size_t>(member.header_offset),
                 static_cast<std::size_t>(header_offset - member.header_offset));
  TarHeader header = header_at(tar, header_offset);
  if (extended.find(" size=") != std::string_view::npos ||
      !put_octal(header.size, content.size())) {
    throw support::Error(ErrorKind::invalid_input,
                         "its size is in an extended header, which mlf does not change",
                         {.file = contents.path, .member = member.name});
  }
  seal(header);
  std::string bytes(reinterpret_cast<const char*>(&header), kBlock);
  bytes += content;
  bytes.resize(static_cast<std::size_t>(support::round_up<std::uint64_t>(bytes.size(), kBlock)),
               '\0');
  return bytes;
}

support::NameMap<std::string_view, std::string_view> content_by_name(
    const std::vector<EditedMember>& edited) {
  support::NameMap<std::string_view, std::string_view> contents;
  for (const EditedMember& edit : edited) contents.emplace(edit.name, edit.content);
  return contents;
}

/// Copies the members that stay, in few ranges, and returns the number of bytes.
std::uint64_t splice_members(const Archive::Contents& contents, const Names& removed,
                             const std::vector<EditedMember>& edited, const File& out) {
  std::uint64_t kept = 0;
  std::uint64_t begin = 0;
  const auto copy_until = [&](std::uint64_t end) {
    out.append_range(contents.tar(), begin, end - begin);
    kept += end - begin;
  };
  const auto new_content = content_by_name(edited);
  for (const Member& member : contents.members) {
    // Has no place in the tar.
    if (!contents.is_stored(member)) continue;
    if (removed.contains(member.name)) {
      // Includes its extension headers, which come before it.
      copy_until(member.header_offset);
      begin = member.end_offset;
    } else if (const auto edit = new_content.find(member.name); edit != new_content.end()) {
      copy_until(member.data_offset - kBlock);
      const std::string bytes = edited_bytes(contents, member, edit->second);
      out.write(bytes);
      kept += bytes.size();
      begin = member.end_offset;
    }
  }
  copy_until(contents.end_of_members);
  return kept;
}

void build_tar(const Archive& archive, const Changes& changes, const File& out) {
  const Archive::Contents& contents = archive.contents();
  const Names removed = checked_changes(archive, changes);
  const std::uint64_t kept = splice_members(contents, removed, changes.edit, out);
  TarAppender appender(out, kept, name_prefix(contents, removed));
  for (const NewMember& member : changes.add) appender.append(member);
  // Keeps the form of padding: Python's tarfile fills records of 10240 bytes, other tools stop at a
  // block.
  const bool records = contents.content.bytes().size() % kRecord == 0;
  appender.finish(records ? TarAppender::Padding::records : TarAppender::Padding::blocks);
  // Checks the headers now, so the next run can read the archive.
  walk_tar(support::FileContent::map(out).bytes(), contents.limits);
}

/// Writes the files of a directory as a new tar, with names as TVM's exporter writes them.
void pack(const Archive& archive, const Changes& changes, const File& out) {
  const Names removed = checked_changes(archive, changes);
  const auto new_content = content_by_name(changes.edit);
  TarAppender appender(out, 0, "./");
  for (const Member& member : archive.members()) {
    if (member.type == MemberType::directory || removed.contains(member.name)) continue;
    if (!archive.contents().is_stored(member)) continue;
    if (member.type != MemberType::file) refuse("a link in a directory stays there", member.name);
    const auto edit = new_content.find(member.name);
    const std::string_view content =
        edit != new_content.end() ? edit->second : support::get_or_throw(archive.read(member));
    appender.append({member.name, &member, [&](support::ByteSink& sink) { sink.write(content); },
                     content.size()});
  }
  for (const NewMember& member : changes.add) appender.append(member);
  appender.finish(TarAppender::Padding::records);
  walk_tar(support::FileContent::map(out).bytes(), archive.contents().limits);
}

/// Writes the changed archive to a file that can seek.
void build(const Archive& archive, const Changes& changes, const File& out) {
  const Archive::Contents& contents = archive.contents();
  if (contents.storage == Storage::directory) return pack(archive, changes, out);
  if (changes.empty()) {
    // Copies every byte, compression included.
    out.append_range(contents.source, 0, static_cast<std::uint64_t>(contents.opened.st_size));
  } else if (contents.storage == Storage::tar) {
    build_tar(archive, changes, out);
  } else {
    const File tar = File::anonymous();
    build_tar(archive, changes, tar);
    compress(tar, contents.storage, out);
    check_expansion(tar, out, contents.limits);
  }
  // Runs last: if the archive changed while it was copied, nothing is replaced.
  check_unchanged(contents);
}

/// The changes with the stored names of members in the directory.
Changes stored_below(const std::string& directory, Changes changes) {
  for (std::string& name : changes.remove) name.insert(0, directory);
  for (NewMember& member : changes.add) member.name.insert(0, directory);
  if (!changes.list.empty()) changes.list.insert(0, directory);
  return changes;
}

}  // namespace

void check_changes(const Archive& archive, const Changes& changes) {
  checked_changes(archive, changes);
}

Lost update_in_place(const Archive& archive, const Changes& changes) {
  const Archive::Contents& contents = archive.contents();
  if (contents.resolved.empty()) throw std::logic_error("archive is not open for update");
  if (changes.empty()) return {};
  if (contents.storage == Storage::directory) {
    // `build` checks this for tars. Directories change member by member, so it is checked here.
    checked_changes(archive, changes);
    if (!changes.edit.empty()) throw std::logic_error("members of a directory are not edited");
    update_directory(contents.source, stored_below(contents.directory, changes));
    return {};
  }
  Replacement replacement(open_directory_of(contents.resolved), leaf_of(contents.resolved), 0600);
  build(archive, changes, replacement.file());
  // Sets owner, permissions and attributes directly before the rename: until then only mlf can
  // access it.
  Lost lost = replacement.adopt(contents.source);
  replacement.commit();
  return lost;
}

Lost write_to_path(const Archive& archive, const Changes& changes, const std::string& path) {
  if (path == "-") {
    write_to(archive, changes, File::duplicate(STDOUT_FILENO, std::string("standard output")));
    return {};
  }
  // A new file gets the mode of the archive it comes from, reduced by the umask.
  const mode_t of_archive = archive.contents().opened.st_mode & 0777;
  const mode_t mode = archive.storage() == Storage::directory ? of_archive & 0666 : of_archive;
  return replace_file(
      path, mode, [&](const File& out) { build(archive, changes, out); },
      // Writes to a device or a FIFO instead of replacing it.
      [&](const File& out) { write_to(archive, changes, out); });
}

void write_to(const Archive& archive, const Changes& changes, const File& out) {
  // Makes the whole archive first: a reader of the pipe receives all of it or nothing.
  const File whole = File::anonymous();
  build(archive, changes, whole);
  out.append_range(whole, 0, static_cast<std::uint64_t>(whole.status().st_size));
}

Archive changed(const Archive& archive, const Changes& changes, const Limits& limits) {
  const File whole = File::anonymous();
  build(archive, changes, whole);
  const auto mapped = support::FileContent::map(whole);
  return support::get_or_throw(Archive::from_bytes(mapped.bytes(), archive.path(), limits));
}

}  // namespace mlf::archive
