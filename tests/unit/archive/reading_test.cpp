// What the members of good archives look like.
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/sha256.h"
#include "unit/archive/archive_fixture.h"
#include "unit/archive/tar_builder.h"

namespace mlf::test {
namespace {

using archive::Archive;
using archive::Member;
using archive::MemberType;

using Names = std::vector<std::string>;

class Reading : public ArchiveTest {};

TEST_F(Reading, MembersComeInTheOrderOfTheArchiveWithoutDotSlash) {
  const Archive archive = open_good(write("a.tar", TarBuilder()
                                                       .directory("./")
                                                       .directory("./src/")
                                                       .file("./src/z", "1")
                                                       .file("./b", "2")
                                                       .finish()));
  EXPECT_EQ(names(archive), (Names{".", "src", "src/z", "b"}));
  EXPECT_EQ(archive.members()[2].raw_name, "./src/z");
  EXPECT_EQ(archive.find("src/z"), &archive.members()[2]);
  EXPECT_EQ(archive.find("./src/z"), nullptr);
  EXPECT_EQ(archive.find("src/"), nullptr);
}

TEST_F(Reading, AMemberCarriesWhatItsHeaderSays) {
  const Archive archive = open_good(write("a.tar", TarBuilder().file("m", "content").finish()));
  const Member& member = archive.members().front();
  EXPECT_EQ(member.type, MemberType::file);
  EXPECT_EQ(member.size, 7U);
  EXPECT_EQ(member.mode, 0640U);
  EXPECT_EQ(member.uid, 1000U);
  EXPECT_EQ(member.gid, 1001U);
  EXPECT_EQ(member.uname, "maker");
  EXPECT_EQ(member.gname, "makers");
  EXPECT_EQ(member.mtime, 1'600'000'000);
  EXPECT_EQ(member.header_offset, 0U);
  EXPECT_EQ(member.data_offset, 512U);
  EXPECT_EQ(member.end_offset, 1024U);
}

TEST_F(Reading, ContentLivesAsLongAsTheArchiveEvenWhenItMoves) {
  Archive archive = open_good(write("a.tar", TarBuilder().file("m", "content").finish()));
  const std::string_view content = archive.read(*archive.find("m")).value();
  const Archive moved = std::move(archive);
  EXPECT_EQ(content, "content");
  EXPECT_EQ(moved.read(moved.members().front()).value().data(), content.data());
}

TEST_F(Reading, TheDigestOfAMemberIsThatOfItsContent) {
  const Archive archive =
      open_good(write("a.tar", TarBuilder().directory("f").file("f/m", "abc").finish()));
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(archive.sha256(*archive.find("f/m")).value(), support::sha256_hex("abc"));
  }
  const auto of_directory = archive.sha256(*archive.find("f"));
  ASSERT_FALSE(of_directory);
  EXPECT_EQ(of_directory.error().message, "is a directory, only files can be read");
}

TEST_F(Reading, PaxRecordsOutrankTheHeader) {
  const Archive archive = open_good(write(
      "a.tar", TarBuilder()
                   .pax({"path=./long/näme", "size=1", "mtime=1700000000.125", "uid=3000000",
                         "gid=3000001", "uname=someone else", "gname=group", "comment=passed over"})
                   .file("short", "x")
                   .finish()));
  const Member& member = archive.members().front();
  EXPECT_EQ(member.name, "long/näme");
  EXPECT_EQ(member.mtime, 1'700'000'000);
  EXPECT_EQ(member.uid, 3'000'000U);
  EXPECT_EQ(member.gid, 3'000'001U);
  EXPECT_EQ(member.uname, "someone else");
  EXPECT_EQ(member.gname, "group");
  EXPECT_EQ(member.header_offset, 0U);
  EXPECT_EQ(member.data_offset, 1536U);
}

TEST_F(Reading, TimesBeforeTheEpochRoundDown) {
  const Archive archive = open_good(write(
      "a.tar", TarBuilder().pax({"mtime=-1.25"}).file("a").pax({"mtime=-3"}).file("b").finish()));
  EXPECT_EQ(archive.find("a")->mtime, -2);
  EXPECT_EQ(archive.find("b")->mtime, -3);
}

TEST_F(Reading, GlobalPaxRecordsApplyToWhatFollows) {
  const Archive archive = open_good(write("a.tar", TarBuilder()
                                                       .file("before")
                                                       .pax({"comment=0123456789", "uid=7"}, 'g')
                                                       .file("after")
                                                       .pax({"uid=8"})
                                                       .file("own")
                                                       .finish()));
  EXPECT_EQ(archive.find("before")->uid, 1000U);
  EXPECT_EQ(archive.find("after")->uid, 7U);
  EXPECT_EQ(archive.find("own")->uid, 8U);
  // The global header belongs to no member: removing one must not take it along.
  EXPECT_EQ(archive.find("after")->header_offset, 512U + 1024U);
}

TEST_F(Reading, GnuLongNamesAndLinks) {
  const std::string name = "./" + std::string(150, 'd') + "/" + std::string(120, 'f');
  const std::string target(130, 't');
  const Archive archive = open_good(write("a.tar", TarBuilder()
                                                       .gnu_name(name)
                                                       .file(name.substr(0, 100), "x")
                                                       .gnu_name(target, 'K')
                                                       .link("l", target.substr(0, 100))
                                                       .finish()));
  EXPECT_EQ(archive.members()[0].raw_name, name);
  EXPECT_EQ(archive.members()[0].name, name.substr(2));
  EXPECT_EQ(archive.members()[1].link_target, target);
}

TEST_F(Reading, TheUstarPrefixIsReadInPosixHeadersOnly) {
  const auto prefixed = [](HeaderBlock& header) { header.set(kPrefix, 155, "directory"); };
  const auto gnu = [](HeaderBlock& header) {
    header.set(kPrefix, 155, "directory").set(kMagic, 8, {"ustar  \0", 8});
  };
  const Archive archive =
      open_good(write("a.tar", TarBuilder().entry("m", '0', "1", prefixed).file("n").finish()));
  EXPECT_EQ(names(archive), (Names{"directory/m", "n"}));
  // Others have other things there, and some readers take them for a prefix all the same.
  EXPECT_EQ(refusal(write("b.tar", TarBuilder().entry("n", '0', "2", gnu).finish())),
            "a name prefix in a header that is not of POSIX ustar (header at byte 0)");
}

TEST_F(Reading, OldAndGnuFormsOfNumbersAndTypesAreRead) {
  const auto v7 = [](HeaderBlock& header) { header.set(kMagic, 248, ""); };
  const auto binary = [](HeaderBlock& header) {
    header.set(kSize, 12, base256(3, 12)).set(kMtime, 12, base256(-5, 12)).set(kUid, 8, "    17 ");
  };
  const Archive archive = open_good(write("a.tar", TarBuilder()
                                                       .entry("v7", '\0', "x", v7)
                                                       .entry("v7directory/", '\0', "", v7)
                                                       .entry("binary", '0', "abc", binary)
                                                       .entry("contiguous", '7', "y")
                                                       .finish()));
  EXPECT_EQ(archive.find("v7")->type, MemberType::file);
  EXPECT_EQ(archive.find("v7directory")->type, MemberType::directory);
  EXPECT_EQ(archive.find("binary")->size, 3U);
  EXPECT_EQ(archive.find("binary")->mtime, -5);
  EXPECT_EQ(archive.find("binary")->uid, 15U);
  EXPECT_EQ(archive.find("contiguous")->type, MemberType::file);
}

TEST_F(Reading, LinksAndDevicesAreListedButNeverRead) {
  const Archive archive = open_good(write("a.tar", TarBuilder()
                                                       .file("f", "x")
                                                       .link("symlink", "../../etc/passwd")
                                                       .link("hardlink", "f", '1')
                                                       .entry("tty", '3', "")
                                                       .entry("disk", '4', "")
                                                       .entry("pipe", '6', "")
                                                       .finish()));
  EXPECT_EQ(archive.find("symlink")->link_target, "../../etc/passwd");
  const std::pair<const char*, const char*> refused[] = {{"symlink", "a symbolic link"},
                                                         {"hardlink", "a hard link"},
                                                         {"tty", "a character device"},
                                                         {"disk", "a block device"},
                                                         {"pipe", "a FIFO"}};
  for (const auto& [name, what] : refused) {
    const auto content = archive.read(*archive.find(name));
    ASSERT_FALSE(content.has_value());
    EXPECT_EQ(to_string(content.error()),
              path("a.tar") + ":" + name + ": is " + what + ", only files can be read");
  }
}

TEST_F(Reading, AnArchiveWithoutMembersIsAnArchive) {
  EXPECT_TRUE(open_good(write("a.tar", TarBuilder().finish())).members().empty());
}

TEST_F(Reading, AnyAmountOfZerosMayFollow) {
  EXPECT_EQ(refusal(write("a.tar", TarBuilder().file("m").finish_with(2))), "accepted");
  EXPECT_EQ(refusal(write("b.tar", TarBuilder().file("m").finish_with(97))), "accepted");
  EXPECT_EQ(refusal(write("c.tar", TarBuilder().file("m").finish() + std::string(5, '\0'))),
            "accepted");
}

TEST_F(Reading, MissingFilesNameThemselves) {
  const auto archive = Archive::open(path("absent.tar"));
  ASSERT_FALSE(archive.has_value());
  EXPECT_EQ(archive.error().kind, ErrorKind::io);
  EXPECT_EQ(to_string(archive.error()),
            path("absent.tar") + ": cannot open: No such file or directory");
}

/// Puts the read end of a pipe, filled by a child process, in place of standard input.
class StandardInput {
 public:
  explicit StandardInput(const std::string& bytes) : saved_(::dup(0)) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    if (::fork() == 0) {
      ::close(ends[0]);
      const bool written =
          ::write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
      ::_exit(written ? 0 : 1);
    }
    ::close(ends[1]);
    ::dup2(ends[0], 0);
    ::close(ends[0]);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    ::dup2(saved_, 0);
    ::close(saved_);
  }

 private:
  int saved_;
};

TEST_F(Reading, StandardInputIsSpooled) {
  const std::string bytes = TarBuilder().file("m", std::string(300'000, 'x')).finish();
  const StandardInput input(bytes);
  const Archive archive = open_good("-");
  EXPECT_EQ(archive.path(), "-");
  EXPECT_EQ(archive.read(*archive.find("m")).value(), std::string(300'000, 'x'));
}

TEST_F(Reading, StandardInputIsNamedInErrors) {
  const StandardInput input("nonsense");
  EXPECT_EQ(refusal("-"), "not a tar archive, plain or compressed with gzip, xz or zstd");
}

TEST_F(Reading, StandardInputCannotBeUpdated) {
  const auto archive = Archive::open_for_update("-");
  ASSERT_FALSE(archive.has_value());
  EXPECT_EQ(archive.error().kind, ErrorKind::usage);
  EXPECT_EQ(to_string(archive.error()), "-: standard input cannot be updated in place");
}

}  // namespace
}  // namespace mlf::test
