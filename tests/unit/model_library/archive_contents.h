// The members of a tar, read with libarchive alone: what a test holds against the library.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mlf/model_library.h"

namespace mlf::test {

struct ArchiveMember {
  std::string name;  // without "./"
  std::string bytes;
};

/// Regular files only. Fails the test if the archive cannot be read.
std::vector<ArchiveMember> members_of(const std::filesystem::path& archive);

std::vector<FileRef> file_refs(const std::vector<ArchiveMember>& members);

/// Bytes of the member `name`; fails the test if there is none.
std::string bytes_of(const std::vector<ArchiveMember>& members, const std::string& name);

}  // namespace mlf::test
