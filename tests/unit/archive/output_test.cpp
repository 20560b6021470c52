// Where results go: in place, to a path, to a stream, and what happens when that fails.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>

#include "archive/replace_file.h"
#include "archive/rewrite.h"
#include "archive/temporary.h"
#include "support/error.h"
#include "support/file.h"
#include "unit/archive/archive_fixture.h"
#include "unit/archive/tar_builder.h"

namespace mlf::test {
namespace {

namespace fs = std::filesystem;

using archive::Archive;
using archive::Changes;

std::string base() {
  return TarBuilder().file("./a", "1").finish();
}

Changes add_n(const Archive& archive) {
  return {{}, {new_member("n", "new", archive.members().front())}};
}

/// Runs `body` in a child process; true if it succeeded there.
bool in_child(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool good = false;
    try {
      good = body();
    } catch (const std::exception& error) {
      fmt::print(stderr, "child: {}\n", error.what());
    }
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Output : public ArchiveTest {
 protected:
  /// What base() becomes when "n" is added.
  std::string expected() {
    const Archive archive = open_good(write("expected.tar", base()));
    write_to_path(archive, add_n(archive), path("expected.tar"));
    std::string bytes = read_file(path("expected.tar"));
    fs::remove(path("expected.tar"));
    return bytes;
  }
  void update(const std::string& file) {
    const Archive archive = open_good_for_update(file);
    update_in_place(archive, add_n(archive));
  }
};

TEST_F(Output, InPlaceReplacesTheFileAndLeavesNothingElse) {
  const std::string wanted = expected();
  const std::string file = write("a.tar", base());
  update(file);
  EXPECT_EQ(read_file(file), wanted);
  EXPECT_EQ(listing(), std::vector<std::string>{"a.tar"});
}

TEST_F(Output, InPlaceWithoutChangesDoesNotTouchTheFile) {
  const std::string file = write("a.tar", base());
  struct stat before {};
  struct stat after {};
  ::stat(file.c_str(), &before);
  update_in_place(open_good_for_update(file), {});
  ::stat(file.c_str(), &after);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(Output, InPlaceKeepsModeOwnerAndAttributes) {
  const std::string file = write("a.tar", base());
  ::chmod(file.c_str(), 0604);
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::chown(file.c_str(), 1234, 2345), 0);
  }
  const bool attributes = ::setxattr(file.c_str(), "user.origin", "here", 4, 0) == 0;
  update(file);
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0604U);
  if (root) {
    EXPECT_EQ(status.st_uid, 1234U);
    EXPECT_EQ(status.st_gid, 2345U);
  }
  if (attributes) {
    char value[8] = {};
    EXPECT_EQ(::getxattr(file.c_str(), "user.origin", value, sizeof value), 4);
    EXPECT_STREQ(value, "here");
  }
}

TEST_F(Output, TheNextRunRemovesTemporariesOfAKilledRun) {
  const std::string file = write("a.tar", base());
  for (unsigned slot = 0; slot < archive::kTemporarySlots; ++slot) {
    write(archive::temporary_name("a.tar", slot), "left behind");
  }
  const std::string other = archive::temporary_name("b.tar", 0);
  write(other, "of another archive");
  open_good_for_update(file);
  EXPECT_EQ(listing(), (std::vector<std::string>{other, "a.tar"}));
}

TEST_F(Output, TheTemporaryOfARunThatIsAliveStays) {
  const std::string file = write("a.tar", base());
  const std::string name = archive::temporary_name("a.tar", 0);
  const auto alive = support::File::open(write(name, "under way"), O_RDONLY);
  archive::lock_temporary(alive);
  update(file);
  EXPECT_EQ(listing(), (std::vector<std::string>{name, "a.tar"}));
}

TEST_F(Output, OtherFilesOfThatNameStay) {
  const std::string file = write("a.tar", base());
  const std::string link = archive::temporary_name("a.tar", 0);
  const std::string directory = archive::temporary_name("a.tar", 1);
  fs::create_symlink("a.tar", path(link));
  fs::create_directory(path(directory));
  update(file);
  EXPECT_EQ(listing(), (std::vector<std::string>{link, directory, "a.tar"}));
}

TEST_F(Output, NamesOfTemporariesAreRecognised) {
  EXPECT_TRUE(archive::is_temporary_name(archive::temporary_name("any name", 15)));
  for (const char* name : {".mlf-", ".mlf-0123456789abcdef", ".mlf-0123456789abcdeX-0",
                           ".mlf-0123456789abcdef-00", "mlf-0123456789abcdef-0", ""}) {
    EXPECT_FALSE(archive::is_temporary_name(name)) << name;
  }
}

TEST_F(Output, InPlaceFollowsSymbolicLinksAndKeepsThem) {
  const std::string wanted = expected();
  const std::string file = write("real/a.tar", base());
  fs::create_directory(path("links"));
  fs::create_symlink("../real/a.tar", path("links/inner.tar"));
  fs::create_symlink("links/inner.tar", path("outer.tar"));
  update(path("outer.tar"));
  EXPECT_TRUE(fs::is_symlink(path("outer.tar")));
  EXPECT_TRUE(fs::is_symlink(path("links/inner.tar")));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file)));
  EXPECT_EQ(read_file(file), wanted);
}

TEST_F(Output, AnArchiveInTheCurrentDirectoryNeedsNoDirectoryInItsPath) {
  const std::string wanted = expected();
  write("a.tar", base());
  EXPECT_TRUE(in_child([&] {
    if (::chdir(path(".").c_str()) != 0) return false;
    update("a.tar");
    const Archive archive = open_good("a.tar");
    write_to_path(archive, {}, "b.tar");
    return read_file("a.tar") == wanted && read_file("b.tar") == wanted;
  }));
}

TEST_F(Output, HardLinkedFilesAreRejected) {
  const std::string file = write("a.tar", base());
  fs::create_hard_link(file, path("b.tar"));
  const auto archive = Archive::open_for_update(file);
  ASSERT_FALSE(archive.has_value());
  EXPECT_EQ(archive.error().kind, ErrorKind::io);
  EXPECT_EQ(to_string(archive.error()),
            file +
                ": the file has other hard links, which a replacement would leave behind; "
                "choose another output path (-o OUT)");
  const Archive readable = open_good(file);
  EXPECT_EQ(error_of([&] { write_to_path(readable, {}, path("b.tar")); }),
            path("b.tar") +
                ": the file has other hard links, which a replacement would leave behind; "
                "choose another output path (-o OUT)");
}

TEST_F(Output, OnlyRegularFilesAndDirectoriesAreUpdated) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  for (const std::string& file : {path("fifo"), std::string("/dev/null")}) {
    const auto archive = Archive::open_for_update(file);
    ASSERT_FALSE(archive.has_value());
    EXPECT_EQ(to_string(archive.error()), file + ": not a regular file, it cannot be replaced");
  }
}

/// As another user, for whom permissions hold; root passes them by.
bool as_nobody(const std::function<bool()>& body) {
  return in_child([&] {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return false;
    return body();
  });
}

TEST_F(Output, AReadOnlyDirectoryIsNamedAndAnotherPathSuggested) {
  const std::string file = write("directory/a.tar", base());
  ::chmod(file.c_str(), 0666);
  ::chmod(path("").c_str(), 0755);
  ::chmod(path("directory").c_str(), 0555);
  EXPECT_TRUE(as_nobody([&] {
    const Archive archive = open_good_for_update(file);
    const std::string error = error_of([&] { update_in_place(archive, add_n(archive)); });
    const std::string wanted = path("directory") +
                               ": cannot create a file in the directory: Permission denied; choose "
                               "another output path (-o OUT)";
    if (error != wanted) fmt::print(stderr, "{}\n", error);
    return error == wanted;
  }));
  ::chmod(path("directory").c_str(), 0755);
  EXPECT_EQ(read_file(file), base());
}

TEST_F(Output, AnOwnerThatCannotBeKeptIsAnError) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to make a file of another owner";
  const std::string file = write("directory/a.tar", base());
  ::chmod(file.c_str(), 0666);
  ::chmod(path("").c_str(), 0755);
  ::chmod(path("directory").c_str(), 0777);
  EXPECT_TRUE(as_nobody([&] {
    const Archive archive = open_good_for_update(file);
    const std::string error = error_of([&] { update_in_place(archive, add_n(archive)); });
    return error == file +
                        ": cannot keep the owner of the file, choose another output path (-o OUT): "
                        "Operation not permitted";
  }));
  EXPECT_EQ(read_file(file), base());
  EXPECT_EQ(listing(), (std::vector<std::string>{"directory", "directory/a.tar"}));
}

TEST_F(Output, ADirectoryWithoutWritePermissionIsAnError) {
  const Archive archive = open_good(write("a.tar", base()));
  EXPECT_EQ(error_of([&] {
              write_to_path(archive, {}, "/proc/self/out.tar");
            }).substr(0, std::string_view("/proc/self: cannot create a file").size()),
            "/proc/self: cannot create a file");
  EXPECT_EQ(error_of([&] { write_to_path(archive, {}, path("absent/out.tar")); }),
            path("absent/out.tar") + ": the directory '" + path("absent") + "' does not exist");
}

TEST_F(Output, AWriterThatFailsLeavesEverythingAsItWas) {
  const std::string file = write("a.tar", base());
  const Archive archive = open_good_for_update(file);
  const auto fail_midway = [](support::ByteSink& sink) {
    sink.write(std::string(1'000'000, 'x'));
    throw support::Error(ErrorKind::invalid_input, "no more");
  };
  const Changes changes{{}, {archive::NewMember{"n", &archive.members().front(), fail_midway}}};
  EXPECT_EQ(error_of([&] { update_in_place(archive, changes); }), "no more");
  EXPECT_EQ(read_file(file), base());
  EXPECT_EQ(listing(), std::vector<std::string>{"a.tar"});
}

TEST_F(Output, AFullDiskLeavesEverythingAsItWas) {
  const std::string file = write("a.tar", base());
  for (const rlim_t most : {0UL, 100UL, 512UL, 1024UL, 1500UL, 2000UL, 10239UL}) {
    SCOPED_TRACE(most);
    EXPECT_TRUE(in_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{most, most};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
      const Archive archive = open_good_for_update(file);
      return error_of([&] { update_in_place(archive, add_n(archive)); }) ==
             file + ": cannot write: File too large";
    }));
    EXPECT_EQ(read_file(file), base());
    EXPECT_EQ(listing(), std::vector<std::string>{"a.tar"});
  }
}

TEST_F(Output, AKilledProcessLeavesEverythingAsItWas) {
  const std::string file = write("a.tar", base());
  EXPECT_FALSE(in_child([&] {
    const Archive archive = open_good_for_update(file);
    const auto die = [](support::ByteSink& sink) {
      sink.write(std::string(1'000'000, 'x'));
      ::raise(SIGKILL);
    };
    update_in_place(archive, {{}, {archive::NewMember{"n", &archive.members().front(), die}}});
    return true;
  }));
  EXPECT_EQ(read_file(file), base());
  EXPECT_EQ(listing(), std::vector<std::string>{"a.tar"});
}

// File systems without unnamed files (NFS, FUSE, older overlays) need a name from the start.
TEST_F(Output, AFileNamedFromTheStartTakesTheTargetsPlace) {
  const std::string file = write("a.tar", "old");
  archive::Replacement replacement(archive::open_directory_of(file), "a.tar", 0644,
                                   archive::Replacement::Naming::at_once);
  EXPECT_EQ(listing().size(), 2U);
  replacement.file().write("new");
  EXPECT_EQ(read_file(file), "old");
  replacement.commit();
  EXPECT_EQ(read_file(file), "new");
  EXPECT_EQ(listing(), std::vector<std::string>{"a.tar"});
}

TEST_F(Output, AFileNamedFromTheStartIsRemovedWhenItIsNotCommitted) {
  const std::string file = write("a.tar", "old");
  {
    const archive::Replacement replacement(archive::open_directory_of(file), "a.tar", 0644,
                                           archive::Replacement::Naming::at_once);
    replacement.file().write("new");
  }
  EXPECT_EQ(read_file(file), "old");
  EXPECT_EQ(listing(), std::vector<std::string>{"a.tar"});
}

TEST_F(Output, AnArchiveThatChangesMeanwhileIsNotOverwritten) {
  const std::string file = write("a.tar", base());
  const Archive archive = open_good_for_update(file);
  const std::string other = TarBuilder().file("./other", "text").finish();
  const auto interfere = [&](support::ByteSink& sink) {
    sink.write("x");
    write("a.tar", other + std::string(10240, '\0'));
  };
  const Changes changes{{}, {archive::NewMember{"n", &archive.members().front(), interfere}}};
  EXPECT_EQ(error_of([&] { update_in_place(archive, changes); }),
            file + ": the archive was changed while it was processed");
  EXPECT_EQ(read_file(file), other + std::string(10240, '\0'));
}

TEST_F(Output, ANewFileGetsThePermissionsOfTheArchiveUnderTheUmask) {
  const std::string file = write("a.tar", base());
  ::chmod(file.c_str(), 0666);
  const mode_t before = ::umask(027);
  write_to_path(open_good(file), {}, path("out.tar"));
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(path("out.tar").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST_F(Output, AnExistingFileKeepsItsPermissionsAndLinks) {
  const Archive archive = open_good(write("a.tar", base()));
  const std::string old = write("old.tar", "anything");
  ::chmod(old.c_str(), 0600);
  fs::create_symlink("old.tar", path("link.tar"));
  write_to_path(archive, {}, path("link.tar"));
  EXPECT_TRUE(fs::is_symlink(path("link.tar")));
  EXPECT_EQ(read_file(old), base());
  struct stat status {};
  ASSERT_EQ(::stat(old.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST_F(Output, PathsThatCannotBecomeAFileAreErrors) {
  const Archive archive = open_good(write("a.tar", base()));
  EXPECT_EQ(error_of([&] { write_to_path(archive, {}, path("")); }),
            path("") + ": is a directory, the output must be a file");
  fs::create_symlink("nowhere", path("dangling"));
  EXPECT_EQ(error_of([&] { write_to_path(archive, {}, path("dangling")); }),
            path("dangling") + ": is a dangling symbolic link");
}

TEST_F(Output, TheInputMayBeTheOutput) {
  const std::string wanted = expected();
  const std::string file = write("a.tar", base());
  const Archive archive = open_good(file);
  write_to_path(archive, add_n(archive), file);
  EXPECT_EQ(read_file(file), wanted);
  EXPECT_EQ(archive.read(archive.members().front()).value(), "1");
}

TEST_F(Output, DevicesAndPipesAreWrittenTo) {
  const Archive archive = open_good(write("a.tar", base()));
  write_to_path(archive, add_n(archive), "/dev/null");
  EXPECT_EQ(error_of([&] { write_to_path(archive, add_n(archive), "/dev/full"); }),
            "/dev/full: cannot write: No space left on device");

  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const support::File out(ends[1], "-");
  const support::File in(ends[0], "pipe");
  write_to(archive, add_n(archive), out);
  std::string bytes(65536, '\0');
  bytes.resize(in.read_some(bytes.data(), bytes.size()));
  EXPECT_EQ(bytes, expected());
}

}  // namespace
}  // namespace mlf::test
