// Archives that hold the Model Library Format below a directory, or a part of it.
#include "model_library/layout.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mlf::model_library {
namespace {

using Names = std::vector<std::string>;

/// Members of these names; directories end in "/".
std::vector<archive::Member> members_of(const Names& names) {
  std::vector<archive::Member> members;
  for (std::string name : names) {
    archive::Member member;
    if (name.ends_with('/')) {
      member.type = archive::MemberType::directory;
      name.pop_back();
    }
    member.name = std::move(name);
    members.push_back(std::move(member));
  }
  return members;
}

/// Names alone tell nothing else.
bool no_code(const archive::Member&) {
  return false;
}

/// The names that the members get; empty where they keep theirs.
Names renamed(const Names& names) {
  const auto layout = published_layout(members_of(names), no_code);
  return layout ? layout->names : Names();
}

TEST(PublishedLayout, NamesOfTheFormatStay) {
  EXPECT_EQ(renamed({}), Names());
  EXPECT_EQ(renamed({"metadata.json", "src/default_lib0.c"}), Names());
  EXPECT_EQ(renamed({"codegen/host/src/default_lib0.c", "codegen/host/lib0.c"}), Names());
  EXPECT_EQ(renamed({"build.json", "src/default_lib0.c"}), Names());
  EXPECT_EQ(renamed({"tir-4.txt", "lib0.c"}), Names());
  EXPECT_EQ(renamed({"src/tir-1.txt", "src/net.relay"}), Names());
}

TEST(PublishedLayout, ADirectoryAroundEverythingIsTheRoot) {
  EXPECT_EQ(renamed({"model/", "model/metadata.json", "model/codegen/", "model/src/model.relay"}),
            (Names{".", "metadata.json", "codegen", "src/model.relay"}));
  EXPECT_EQ(renamed({".", "a", "a/b/codegen/host/src/x.c"}), Names());
  EXPECT_EQ(renamed({"./", "a/", "a/b/", "a/b/b/", "a/b/codegen/host/src/x.c"}),
            (Names{".", ".", ".", "b", "codegen/host/src/x.c"}));
  const auto layout = published_layout(members_of({"a/b/build.json", "a/b/tir-4.txt"}), no_code);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->directory, "a/b/");
  EXPECT_EQ(layout->no_new_members, "");
}

TEST(PublishedLayout, CodeBesideMetadataMayLackItsDirectories) {
  EXPECT_EQ(renamed({"metadata.json", "default_lib0.c", "tvmgen_default.h"}),
            (Names{"metadata.json", "codegen/host/src/default_lib0.c",
                   "codegen/host/include/tvmgen_default.h"}));
  EXPECT_EQ(renamed({"metadata.json", "default_lib0.c", "src/tir-1.txt"}), Names());
}

TEST(PublishedLayout, FilesOfAProgramAroundAnArchiveAreNoPart) {
  const Names names{"model/codegen/host/src/default_lib0.c", "src/default_lib0.c", "src/main.c"};
  EXPECT_EQ(renamed(names), Names());
  EXPECT_EQ(directory_with_format(members_of(names)), "model");
  // A header is in include/ there.
  EXPECT_EQ(renamed({"src/tvmgen_default.h", "src/main.c", "README"}), Names());
}

TEST(PublishedLayout, OtherFilesBesideTheDirectoryLeaveItAlone) {
  const Names names{"README.md", "z/metadata.json", "b/metadata.json", "c/d/codegen/host/x.c"};
  EXPECT_EQ(renamed(names), Names());
  EXPECT_EQ(directory_with_format(members_of(names)), "b");
  EXPECT_EQ(directory_with_format(members_of({"c/d/codegen/host/x.c", "metadata.json.txt"})),
            "c/d");
  EXPECT_EQ(directory_with_format(members_of({"a/metadata.json.txt", "README.md"})), "");
}

TEST(PublishedLayout, AHintNamesTheDirectoryOfCodeElseATar) {
  EXPECT_EQ(hint_at_format(members_of({"b/metadata.json", "a/lib0.c", "module.tar"})),
            "; its directory 'b' is one");
  EXPECT_EQ(
      hint_at_format(members_of({"a/tvmgen_default.h", "z/lib0.c", "y/deep/lib0.c", "m.tar"})),
      "; its directory 'z' has generated code");
  EXPECT_EQ(hint_at_format(members_of({"b.tar", "a.tar", "lib0.c.txt"})),
            "; its file 'a.tar' may be one");
  EXPECT_EQ(hint_at_format(members_of({"README", "src/main.c"})), "");
}

TEST(PublishedLayout, CodegenAndHostMayBeAlone) {
  EXPECT_EQ(renamed({"host/src/default_lib0.c", "host/README"}),
            (Names{"codegen/host/src/default_lib0.c", "codegen/host/README"}));
  EXPECT_EQ(renamed({"include/tvmgen_default.h", "src/main.c"}),
            (Names{"codegen/host/include/tvmgen_default.h", "codegen/host/src/main.c"}));
  EXPECT_EQ(renamed({"lib/default_lib1.o"}), Names{"codegen/host/lib/default_lib1.o"});
  EXPECT_EQ(renamed({"my_net/", "my_net/src/", "my_net/src/lib0.c"}),
            (Names{".", "codegen/host/src", "codegen/host/src/lib0.c"}));
  EXPECT_EQ(renamed({"src/main.c", "src/library.c"}), Names());
  const auto layout = published_layout(members_of({"net/src/net_lib0.c"}), no_code);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->no_new_members,
            "these are files of codegen/host/ alone: what mlf writes goes into src/ beside "
            "codegen/; process what holds codegen/");
}

TEST(PublishedLayout, GeneratedCodeMayHaveNoDirectories) {
  EXPECT_EQ(renamed({"m/default_lib0.c", "m/tvmgen_default.h", "m/default_lib2.o", "m/main.c",
                     "m/board/x.c"}),
            (Names{"codegen/host/src/default_lib0.c", "codegen/host/include/tvmgen_default.h",
                   "codegen/host/lib/default_lib2.o", "codegen/host/src/main.c",
                   "codegen/host/board/x.c"}));
  EXPECT_EQ(renamed({"m/mod.a", "m/mod.params"}),
            (Names{"codegen/host/lib/mod.a", "parameters/default.params"}));
  // One name would be that of two files.
  EXPECT_EQ(renamed({"default_lib0.c", "main.c", "src/main.c"}), Names());
}

TEST(PublishedLayout, DirectoriesAreFollowedAFewLevels) {
  std::string deep;
  for (int i = 0; i < 10; ++i) deep += "a/";
  EXPECT_EQ(renamed({deep + "metadata.json"}), Names{"metadata.json"});
  EXPECT_EQ(renamed({deep + deep + "metadata.json"}), Names());
}

TEST(PublishedLayout, ALinkOutsideOfTheDirectoryLeavesItAlone) {
  auto members = members_of({"model/metadata.json", "latest"});
  members[1].type = archive::MemberType::symbolic_link;
  EXPECT_FALSE(published_layout(members, no_code));
}

}  // namespace
}  // namespace mlf::model_library
