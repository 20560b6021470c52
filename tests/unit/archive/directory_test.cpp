// Unpacked archives.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "archive/rewrite.h"
#include "archive/temporary.h"
#include "support/error.h"
#include "unit/archive/archive_fixture.h"
#include "unit/archive/tar_builder.h"

namespace mlf::test {
namespace {

namespace fs = std::filesystem;

using archive::Archive;
using archive::Changes;
using archive::Member;
using archive::MemberType;

class Directories : public ArchiveTest {
 protected:
  Directories() {
    write("tree/metadata.json", "{}");
    write("tree/src/tir-1.txt", "tir");
    write("tree/codegen/host/src/lib0.c", "int x;");
  }
  std::string tree() const { return path("tree"); }
};

TEST_F(Directories, MembersAreSortedByName) {
  const Archive archive = open_good(tree());
  EXPECT_EQ(archive.storage(), archive::Storage::directory);
  EXPECT_EQ(names(archive), (std::vector<std::string>{"codegen", "codegen/host", "codegen/host/src",
                                                      "codegen/host/src/lib0.c", "metadata.json",
                                                      "src", "src/tir-1.txt"}));
  EXPECT_EQ(archive.read(*archive.find("src/tir-1.txt")).value(), "tir");
  EXPECT_EQ(archive.find("src")->type, MemberType::directory);
}

TEST_F(Directories, LinksAreListedButNeverFollowed) {
  write("outside/secret", "s");
  fs::create_symlink("../outside", path("tree/runtime"));
  fs::create_symlink("../outside/secret", path("tree/secret"));
  ASSERT_EQ(::mkfifo(path("tree/fifo").c_str(), 0600), 0);
  const Archive archive = open_good(tree());
  EXPECT_EQ(archive.find("runtime")->type, MemberType::symbolic_link);
  EXPECT_EQ(archive.find("runtime")->link_target, "../outside");
  EXPECT_EQ(archive.find("runtime/secret"), nullptr);
  EXPECT_EQ(archive.find("fifo")->type, MemberType::fifo);
  EXPECT_FALSE(archive.read(*archive.find("secret")).has_value());
}

TEST_F(Directories, AFileThatBecomesALinkIsNotRead) {
  write("outside/tir", "tir");
  const Archive archive = open_good(tree());
  fs::remove(path("tree/src/tir-1.txt"));
  fs::create_symlink("../../outside/tir", path("tree/src/tir-1.txt"));
  const auto content = archive.read(*archive.find("src/tir-1.txt"));
  ASSERT_FALSE(content.has_value());
  EXPECT_EQ(to_string(content.error()),
            tree() + "/src/tir-1.txt: cannot open: Too many levels of symbolic links");
}

TEST_F(Directories, ADirectoryThatBecomesALinkIsNotEntered) {
  write("outside/tir-1.txt", "tir");
  const Archive archive = open_good_for_update(tree());
  fs::remove_all(path("tree/src"));
  fs::create_symlink("../outside", path("tree/src"));
  EXPECT_FALSE(archive.read(*archive.find("src/tir-1.txt")).has_value());
  const Changes changes{{}, {new_member("src/new", "x", archive.members().front())}};
  EXPECT_EQ(error_of([&] { update_in_place(archive, changes); }),
            tree() + "/src: cannot open the directory: Not a directory");
  EXPECT_EQ(fs::exists(path("outside/new")), false);
}

TEST_F(Directories, AFileThatChangesWhileItIsReadIsAnError) {
  const Archive archive = open_good(tree());
  write("tree/src/tir-1.txt", "longer");
  EXPECT_EQ(to_string(archive.read(*archive.find("src/tir-1.txt")).error()),
            tree() + "/src/tir-1.txt: the file was changed while it was processed");
}

TEST_F(Directories, NamesThatATarMustNotHaveAreRefusedToo) {
  write("tree/a\nb", "x");
  EXPECT_EQ(refusal(tree()), "a\\x0ab: member name contains a control character");
}

TEST_F(Directories, NewMembersAreWrittenLikeTheirSource) {
  ::chmod(path("tree/src/tir-1.txt").c_str(), 0640);
  {
    const Archive archive = open_good_for_update(tree());
    const Member& like = *archive.find("src/tir-1.txt");
    update_in_place(archive, {{},
                              {new_member("src/tir-1.constants/w.npy", "npy", like),
                               new_member("src/mlf.json", "{}", like)}});
  }
  const Archive archive = open_good(tree());
  const Member& source = *archive.find("src/tir-1.txt");
  const Member& made = *archive.find("src/tir-1.constants/w.npy");
  EXPECT_EQ(archive.read(made).value(), "npy");
  EXPECT_EQ(made.mode, 0640U);
  EXPECT_EQ(made.mtime, source.mtime);
  EXPECT_EQ(made.uid, source.uid);
  EXPECT_EQ(archive.read(*archive.find("src/mlf.json")).value(), "{}");
}

/// Members are written by a function, which here looks at what is there already.
TEST_F(Directories, TheListIsThereBeforeWhatItListsAndAfterWhatItDoesNot) {
  write("tree/src/old.json", "not listed any more");
  std::vector<std::string> order;
  {
    const Archive archive = open_good_for_update(tree());
    const auto member = [&](const std::string& name) {
      return archive::NewMember{name, &archive.members().back(), [&order, name, this](auto&) {
                                  order.push_back(name);
                                  EXPECT_FALSE(fs::exists(path("tree/src/old.json")));
                                  EXPECT_EQ(fs::exists(path("tree/src/mlf.json")),
                                            name != "src/mlf.json");
                                }};
    };
    update_in_place(archive, {.remove = {"src/old.json"},
                              .add = {member("src/a.json"), member("src/mlf.json")},
                              .list = "src/mlf.json"});
  }
  EXPECT_EQ(order, (std::vector<std::string>{"src/mlf.json", "src/a.json"}));
}

TEST_F(Directories, TemporariesAreNotMembersAndGoWithTheNextUpdate) {
  const std::vector<std::string> before = listing();
  write("tree/src/" + archive::temporary_name("tir-1.json", 0), "left behind");
  EXPECT_EQ(names(open_good(tree())).size(), before.size() - 1);
  EXPECT_NE(listing(), before);
  open_good_for_update(tree());
  EXPECT_EQ(listing(), before);
}

TEST_F(Directories, AddingAndRemovingGivesTheOriginalBack) {
  const std::vector<std::string> before = listing();
  {
    const Archive archive = open_good_for_update(tree());
    const Member& like = archive.members().back();
    update_in_place(
        archive, {{},
                  {new_member("src/c/deep/w.npy", "1", like), new_member("src/c/v.npy", "2", like),
                   new_member("src/mlf.json", "3", like)}});
  }
  EXPECT_EQ(listing().size(), before.size() + 5);
  {
    const Archive archive = open_good_for_update(tree());
    update_in_place(archive, {{"src/c/deep/w.npy", "src/c/v.npy", "src/mlf.json"}, {}});
  }
  EXPECT_EQ(listing(), before);
}

TEST_F(Directories, TheLastNewMemberComesAfterEverythingElse) {
  write("tree/src/mlf.json", "old");
  write("tree/src/orphan.json", "old");
  const Archive archive = open_good_for_update(tree());
  const Member& like = archive.members().back();
  const auto manifest = [&](support::ByteSink& sink) {
    EXPECT_EQ(read_file(path("tree/src/new.json")), "new");
    EXPECT_FALSE(fs::exists(path("tree/src/orphan.json")));
    EXPECT_EQ(read_file(path("tree/src/mlf.json")), "old");
    sink.write("manifest");
  };
  update_in_place(archive,
                  {{"src/orphan.json", "src/mlf.json"},
                   {new_member("src/new.json", "new", like), {"src/mlf.json", &like, manifest}}});
  EXPECT_EQ(read_file(path("tree/src/mlf.json")), "manifest");
}

TEST_F(Directories, AWriterThatFailsLeavesEveryFileWhole) {
  const std::vector<std::string> before = listing();
  const Archive archive = open_good_for_update(tree());
  const auto fail = [](support::ByteSink& sink) {
    sink.write("half");
    throw support::Error(ErrorKind::internal, "no more");
  };
  const Changes changes{{"metadata.json"}, {{"metadata.json", &archive.members().front(), fail}}};
  EXPECT_EQ(error_of([&] { update_in_place(archive, changes); }), "no more");
  EXPECT_EQ(listing(), before);
  EXPECT_EQ(read_file(path("tree/metadata.json")), "{}");
}

TEST_F(Directories, ArePackedIntoATarOfTheirFiles) {
  const Archive archive = open_good(tree());
  Changes changes;
  changes.edit.push_back({"metadata.json", "{ }"});
  write_to_path(archive, changes, path("out"));
  const Archive packed = open_good(path("out"));
  std::vector<std::string> names;
  for (const Member& member : archive.members()) {
    if (member.type == MemberType::file) names.push_back(member.name);
  }
  ASSERT_EQ(packed.members().size(), names.size());
  for (const std::string& name : names) {
    ASSERT_NE(packed.find(name), nullptr) << name;
    EXPECT_EQ(packed.find(name)->raw_name, "./" + name);
    const auto content =
        name == "metadata.json" ? std::string_view("{ }") : *archive.read(*archive.find(name));
    EXPECT_EQ(*packed.read(*packed.find(name)), content) << name;
  }
}

}  // namespace
}  // namespace mlf::test
