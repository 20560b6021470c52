// Real archives: what mlf does to them comes off again without a trace.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "archive/rewrite.h"
#include "support/corpus_directory.h"
#include "unit/archive/archive_fixture.h"

namespace mlf::test {
namespace {

namespace fs = std::filesystem;

using archive::Archive;
using archive::Changes;
using archive::Member;

std::vector<std::string> tars_below(const fs::path& directory) {
  std::vector<std::string> found;
  if (!fs::is_directory(directory)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.path().extension() == ".tar") found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class RealArchives : public ArchiveTest {
 protected:
  void check(const std::string& file);
};

Changes additions(const Archive& archive) {
  const Member& like = *archive.find("metadata.json");
  return {{},
          {new_member("src/tir-1.json", std::string(70'000, 'j'), like),
           new_member("src/tir-1.constants/w.npy", "npy", like),
           new_member("src/mlf.json", "{}", like)}};
}

/// Header, extended headers, content and padding of a member.
std::string_view span_of(const std::string& tar, const Member& member) {
  return std::string_view(tar).substr(member.header_offset,
                                      member.end_offset - member.header_offset);
}

void RealArchives::check(const std::string& file) {
  const std::string original = read_file(file);
  const Archive before = open_good(file);
  write_to_path(before, additions(before), path("with.tar"));
  const std::string changed = read_file(path("with.tar"));
  const Archive with = open_good(path("with.tar"));
  ASSERT_EQ(with.members().size(), before.members().size() + 3);
  for (const Member& member : before.members()) {
    ASSERT_EQ(span_of(changed, *with.find(member.name)), span_of(original, member)) << member.name;
  }
  write_to_path(with, {{"src/mlf.json", "src/tir-1.constants/w.npy", "src/tir-1.json"}, {}},
                path("without.tar"));
  EXPECT_EQ(read_file(path("without.tar")), original);
  Changes again = additions(with);
  again.remove = {"src/tir-1.json", "src/mlf.json", "src/tir-1.constants/w.npy"};
  write_to_path(with, again, path("again.tar"));
  EXPECT_EQ(read_file(path("again.tar")), changed);
}

TEST_F(RealArchives, OfTheCorpusAreRestoredByteForByte) {
  const std::vector<std::string> files = tars_below(test::corpus_directory());
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    check(file);
  }
}

TEST_F(RealArchives, OfTheTestDataAreRestoredByteForByte) {
  const std::vector<std::string> files = tars_below(MLF_TEST_DATA);
  ASSERT_FALSE(files.empty());
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    check(file);
  }
}

/// What a command prints, line by line.
std::vector<std::string> lines_of(const std::string& command) {
  std::vector<std::string> lines;
  FILE* const stream = ::popen(command.c_str(), "r");
  char line[8192];
  while (std::fgets(line, sizeof line, stream) != nullptr) {
    lines.emplace_back(line, std::string_view(line).find_first_of(" \n"));
  }
  EXPECT_EQ(::pclose(stream), 0) << command;
  return lines;
}

TEST_F(RealArchives, AreStillReadByOtherTools) {
  const std::vector<std::string> files = tars_below(MLF_TEST_DATA);
  ASSERT_FALSE(files.empty());
  const Archive before = open_good(files.front());
  Changes changes = additions(before);
  changes.add.push_back(
      new_member("src/" + std::string(300, 'n'), "long", *before.find("metadata.json")));
  write_to_path(before, changes, path("with.tar"));
  std::vector<std::string> raw_names;
  const Archive with = open_good(path("with.tar"));
  for (const Member& member : with.members()) {
    raw_names.push_back(member.raw_name);
    if (member.type == archive::MemberType::directory && raw_names.back().back() != '/') {
      raw_names.back() += '/';
    }
  }
  for (const char* tool : {"tar", "bsdtar", "python3"}) {
    if (std::system(fmt::format("command -v {} >/dev/null", tool).c_str()) != 0) continue;
    SCOPED_TRACE(tool);
    const bool python = std::string_view(tool) == "python3";
    EXPECT_EQ(lines_of(fmt::format("{} {} {} 2>&1", tool, python ? "-m tarfile -l" : "-tf",
                                   path("with.tar"))),
              raw_names);
  }
}

}  // namespace
}  // namespace mlf::test
