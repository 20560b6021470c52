#include "unit/model_library/archive_contents.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <memory>

namespace mlf::test {

std::vector<ArchiveMember> members_of(const std::filesystem::path& path) {
  std::vector<ArchiveMember> members;
  const std::unique_ptr<archive, int (*)(archive*)> reader(archive_read_new(), archive_read_free);
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_filename(reader.get(), path.c_str(), 1 << 16) != ARCHIVE_OK) {
    ADD_FAILURE() << path << ": " << archive_error_string(reader.get());
    return members;
  }
  archive_entry* entry = nullptr;
  while (archive_read_next_header(reader.get(), &entry) == ARCHIVE_OK) {
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    std::string name = archive_entry_pathname(entry);
    if (name.starts_with("./")) name.erase(0, 2);
    std::string bytes(static_cast<std::size_t>(archive_entry_size(entry)), '\0');
    const auto read = archive_read_data(reader.get(), bytes.data(), bytes.size());
    EXPECT_EQ(read, static_cast<la_ssize_t>(bytes.size())) << path << ' ' << name;
    members.push_back({std::move(name), std::move(bytes)});
  }
  return members;
}

std::vector<FileRef> file_refs(const std::vector<ArchiveMember>& members) {
  std::vector<FileRef> refs;
  for (const ArchiveMember& member : members) refs.push_back({member.name, member.bytes.size()});
  return refs;
}

std::string bytes_of(const std::vector<ArchiveMember>& members, const std::string& name) {
  for (const ArchiveMember& member : members) {
    if (member.name == name) return member.bytes;
  }
  ADD_FAILURE() << "no member " << name;
  return {};
}

}  // namespace mlf::test
