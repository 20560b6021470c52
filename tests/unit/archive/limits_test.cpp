// Every limit can be set, holds exactly, and has its own message.
#include <gtest/gtest.h>

#include <fstream>

#include "unit/archive/archive_fixture.h"
#include "unit/archive/tar_builder.h"

namespace mlf::test {
namespace {

using archive::Limits;

class LimitsOfArchives : public ArchiveTest {};

TEST_F(LimitsOfArchives, CoverTheNumberOfMembers) {
  const std::string file = write("a.tar", TarBuilder().file("a").file("b").file("c").finish());
  EXPECT_EQ(refusal(file, {.max_members = 3}), "accepted");
  EXPECT_EQ(refusal(file, {.max_members = 2}),
            "the archive has more than 2 members (--limit members=N)");
}

TEST_F(LimitsOfArchives, CoverTotalBytes) {
  const std::string file = write("a.tar", TarBuilder().file("a").finish());
  EXPECT_EQ(refusal(file, {.max_total_bytes = 10240}), "accepted");
  EXPECT_EQ(refusal(file, {.max_total_bytes = 10239}),
            "the archive is larger than 10239 bytes (--limit total-bytes=N)");
}

TEST_F(LimitsOfArchives, CoverBytesOfAMember) {
  const std::string file = write("a.tar", TarBuilder().file("a", "12345").finish());
  EXPECT_EQ(refusal(file, {.max_member_bytes = 5}), "accepted");
  EXPECT_EQ(refusal(file, {.max_member_bytes = 4}),
            "a: the member is larger than 4 bytes (--limit member-bytes=N) (header at byte 0)");
}

TEST_F(LimitsOfArchives, NameBytes) {
  const std::string file = write("a.tar", TarBuilder().file("abcde").finish());
  EXPECT_EQ(refusal(file, {.max_name_bytes = 5}), "accepted");
  EXPECT_EQ(refusal(file, {.max_name_bytes = 4}),
            "abcde: member name is longer than 4 bytes (--limit name-bytes=N)");
}

TEST_F(LimitsOfArchives, CoverLinkTargets) {
  const std::string file = write("a.tar", TarBuilder().link("l", "abcde").finish());
  EXPECT_EQ(refusal(file, {.max_name_bytes = 4}),
            "l: link target is longer than 4 bytes (--limit name-bytes=N) (header at byte 0)");
}

TEST_F(LimitsOfArchives, LongNamesAreCutInMessages) {
  const std::string file =
      write("a.tar", TarBuilder().gnu_name(std::string(100'000, 'n')).file("m").finish());
  EXPECT_EQ(refusal(file), std::string(200, 'n') +
                               "...: member name is longer than 4096 bytes (--limit name-bytes=N)");
}

TEST_F(LimitsOfArchives, CoverAllHeaderBytesOfOneMember) {
  const std::string name(300, 'n');
  const std::string file =
      write("a.tar", TarBuilder().gnu_name(name).gnu_name(name, 'K').link("m", "t").finish());
  EXPECT_EQ(refusal(file, {.max_header_bytes = 602}), "accepted");
  EXPECT_EQ(refusal(file, {.max_header_bytes = 601}),
            "extended headers are longer than 601 bytes (--limit header-bytes=N) "
            "(header at byte 1024)");
}

TEST_F(LimitsOfArchives, AreCheckedInDirectoriesToo) {
  write("tree/a", "12345");
  write("tree/b/c", "12345");
  const std::string tree = path("tree");
  EXPECT_EQ(refusal(tree, {.max_members = 3, .max_total_bytes = 10, .max_member_bytes = 5}),
            "accepted");
  EXPECT_EQ(refusal(tree, {.max_members = 2}),
            "the archive has more than 2 members (--limit members=N)");
  EXPECT_EQ(refusal(tree, {.max_total_bytes = 9}),
            "the archive is larger than 9 bytes (--limit total-bytes=N)");
  EXPECT_EQ(refusal(tree, {.max_name_bytes = 2}),
            "b/c: member name is longer than 2 bytes (--limit name-bytes=N)");
}

/// The content of the member after another process overwrote it in the open file.
std::string read_after_change(const std::string& file, const archive::Limits& limits) {
  const archive::Archive archive = open_good(file, limits);
  const archive::Member member = *archive.find("m");
  std::fstream(file).seekp(static_cast<std::streamoff>(member.data_offset)) << "after ";
  return std::string(*archive.read(member));
}

TEST_F(LimitsOfArchives, DecideWhichTarsAreCopied) {
  const std::string tar = TarBuilder().file("m", "before").finish();
  EXPECT_EQ(read_after_change(write("a.tar", tar), {}), "before");
  EXPECT_EQ(read_after_change(write("b.tar", tar), {.max_copied_bytes = tar.size()}), "before");
  EXPECT_EQ(read_after_change(write("c.tar", tar), {.max_copied_bytes = tar.size() - 1}), "after ");
}

}  // namespace
}  // namespace mlf::test
