// What a rewritten tar looks like, byte for byte.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "archive/filter.h"
#include "archive/rewrite.h"
#include "support/error.h"
#include "unit/archive/archive_fixture.h"
#include "unit/archive/tar_builder.h"

namespace mlf::test {
namespace {

using archive::Archive;
using archive::Changes;
using archive::EditedMember;
using archive::Member;
using archive::NewMember;

class Rewriting : public ArchiveTest {
 protected:
  /// The bytes of `tar` after `changes_of` was applied to it.
  std::string rewritten(const std::string& tar,
                        const std::function<Changes(const Archive&)>& changes_of) {
    const Archive archive = open_good(write("in.tar", tar));
    write_to_path(archive, changes_of(archive), path("out.tar"));
    return read_file(path("out.tar"));
  }
};

/// Every kind of header in front of members, odd padding, odd numbers.
TarBuilder colourful() {
  const auto padding_with_content = padded("odd").replace(3, 5, "dirty");
  return TarBuilder()
      .pax({"mtime=1700000000.25"})
      .directory("./")
      .pax({"comment=kept"}, 'g')
      .raw(HeaderBlock("./dirty", '0', 3).sealed())
      .raw(padding_with_content)
      .gnu_name("./" + std::string(200, 'n'))
      .file("cut", std::string(1000, 'c'))
      .link("./link", "../../outside")
      .entry("./binary", '0', "abc", [](HeaderBlock& h) { h.set(kSize, 12, base256(3, 12)); });
}

Changes add_one(const Archive& archive, std::string name = "src/new.json",
                std::string content = "{}") {
  Changes changes;
  changes.add.push_back(new_member(std::move(name), std::move(content), archive.members().front()));
  return changes;
}

TEST_F(Rewriting, WithoutChangesNothingChanges) {
  const std::string tar = colourful().finish_with(31);
  EXPECT_EQ(rewritten(tar, [](const Archive&) { return Changes{}; }), tar);
}

TEST_F(Rewriting, NewMembersComeBehindTheOldOnesWhichStayAsTheyAre) {
  const std::string tar = colourful().finish();
  const std::string out = rewritten(tar, [](const Archive& a) { return add_one(a); });
  const std::size_t kept = colourful().unfinished().size();
  EXPECT_EQ(out.substr(0, kept), tar.substr(0, kept));
  EXPECT_EQ(out.size() % 10240, 0U);
  const Archive archive = open_good(path("out.tar"));
  const Member& last = archive.members().back();
  EXPECT_EQ(last.raw_name, "./src/new.json");
  EXPECT_EQ(last.header_offset, kept);
  EXPECT_EQ(archive.read(last).value(), "{}");
}

TEST_F(Rewriting, AddingAndRemovingGivesTheOriginalBack) {
  const std::string tar = colourful().finish();
  rewritten(tar, [](const Archive& a) { return add_one(a); });
  const std::string back = rewritten(read_file(path("out.tar")), [](const Archive&) {
    return Changes{{"src/new.json"}, {}};
  });
  EXPECT_EQ(back, tar);
}

TEST_F(Rewriting, RemovingTakesTheExtendedHeadersAlong) {
  const std::string name(200, 'n');
  const std::string out = rewritten(colourful().finish(), [&](const Archive&) {
    return Changes{{name}, {}};
  });
  EXPECT_EQ(out.find(name), std::string::npos);
  EXPECT_NE(out.find("comment=kept"), std::string::npos);
  EXPECT_EQ(names(open_good(path("out.tar"))),
            (std::vector<std::string>{".", "dirty", "link", "binary"}));
}

TEST_F(Rewriting, SeveralAndAllMembersCanBeRemoved) {
  const std::string tar = TarBuilder().file("a", "1").file("b").file("c", "3").finish();
  EXPECT_EQ(rewritten(tar,
                      [](const Archive&) {
                        return Changes{{"a", "c"}, {}};
                      }),
            TarBuilder().file("b").finish());
  EXPECT_EQ(rewritten(tar,
                      [](const Archive&) {
                        return Changes{{"c", "b", "a"}, {}};
                      }),
            TarBuilder().finish());
}

TEST_F(Rewriting, ReplacingIsRemovingAndAdding) {
  const std::string tar = TarBuilder().file("a", "1").file("b", "2").finish();
  const std::string once =
      rewritten(tar, [](const Archive& a) { return add_one(a, "c", "first"); });
  const auto replace = [](const Archive& a) {
    Changes changes = add_one(a, "c", "second");
    changes.remove = {"c"};
    return changes;
  };
  const std::string direct =
      rewritten(tar, [](const Archive& a) { return add_one(a, "c", "second"); });
  EXPECT_EQ(rewritten(once, replace), direct);
  EXPECT_EQ(rewritten(direct, replace), direct);
}

// The end of the archive must not depend on what was in it before: an archive that is not padded
// to records may reach a record boundary by accident.
TEST_F(Rewriting, TheResultDoesNotDependOnWhatWasRemoved) {
  const std::string tar = TarBuilder().file("a", "1").finish_with(2);
  for (const std::size_t blocks : {0U, 1U, 13U, 14U, 15U, 16U, 17U, 33U, 34U, 35U}) {
    SCOPED_TRACE(blocks);
    const std::string content(blocks * 512, 'x');
    const std::string with =
        rewritten(tar, [&](const Archive& a) { return add_one(a, "n", content); });
    EXPECT_EQ(rewritten(with, [](const Archive&) { return Changes{{"n"}, {}}; }), tar);
  }
}

TEST_F(Rewriting, NamesGetThePrefixOfTheArchive) {
  const auto add = [](const Archive& a) { return add_one(a, "n"); };
  rewritten(TarBuilder().file("a").finish(), add);
  EXPECT_EQ(open_good(path("out.tar")).members().back().raw_name, "n");
  rewritten(TarBuilder().directory(".").finish(), add);
  EXPECT_EQ(open_good(path("out.tar")).members().back().raw_name, "./n");
}

TEST_F(Rewriting, ANewMemberTakesModeTimeAndOwnerFromItsSource) {
  rewritten(TarBuilder().file("a", "x").finish(), [](const Archive& a) { return add_one(a, "n"); });
  const Archive archive = open_good(path("out.tar"));
  const Member& source = archive.members().front();
  const Member& made = archive.members().back();
  EXPECT_EQ(made.type, archive::MemberType::file);
  EXPECT_EQ(made.mode, source.mode);
  EXPECT_EQ(made.mtime, source.mtime);
  EXPECT_EQ(made.uid, source.uid);
  EXPECT_EQ(made.gid, source.gid);
  EXPECT_EQ(made.uname, source.uname);
  EXPECT_EQ(made.gname, source.gname);
}

TEST_F(Rewriting, ANewHeaderIsPlainUstar) {
  const std::string out = rewritten(TarBuilder().file("a").finish(),
                                    [](const Archive& a) { return add_one(a, "n", "12345"); });
  const std::string expected =
      TarBuilder()
          .file("a")
          .entry("n", '0', "12345",
                 [](HeaderBlock& h) { h.set(329, 8, "0000000").set(337, 8, "0000000"); })
          .finish();
  EXPECT_EQ(out, expected);
}

TEST_F(Rewriting, SetIdBitsAreNotPassedOn) {
  const std::string tar =
      TarBuilder().entry("a", '0', "", [](HeaderBlock& h) { h.set(kMode, 8, "0006755"); }).finish();
  rewritten(tar, [](const Archive& a) { return add_one(a); });
  EXPECT_EQ(open_good(path("out.tar")).members().back().mode, 0755U);
}

TEST_F(Rewriting, LongNamesUseThePrefixFieldThenPax) {
  const std::string cut = std::string(100, 'd') + "/" + std::string(100, 'f');
  const std::string uncut(150, 'u');
  const std::string deep = std::string(200, 'd') + "/" + std::string(90, 'f');
  rewritten(TarBuilder().file("a").finish(), [&](const Archive& a) {
    Changes changes;
    for (const std::string& name : {cut, uncut, deep, std::string(100, 'x')}) {
      changes.add.push_back(new_member(name, name, a.members().front()));
    }
    return changes;
  });
  const Archive archive = open_good(path("out.tar"));
  for (const std::string& name : {cut, uncut, deep, std::string(100, 'x')}) {
    ASSERT_NE(archive.find(name), nullptr);
    EXPECT_EQ(archive.read(*archive.find(name)).value(), name);
  }
  const auto header_bytes = [&](const std::string& name) {
    return archive.find(name)->data_offset - archive.find(name)->header_offset;
  };
  EXPECT_EQ(header_bytes(cut), 512U);
  EXPECT_EQ(header_bytes(uncut), 1536U);
  EXPECT_EQ(header_bytes(deep), 1536U);
}

TEST_F(Rewriting, ValuesThatUstarCannotHoldAreInPaxRecords) {
  const std::string tar =
      TarBuilder()
          .pax({"uid=4000000000", "gid=4000000001", "mtime=-7", "uname=" + std::string(40, 'u')})
          .file("a")
          .finish();
  rewritten(tar, [](const Archive& a) { return add_one(a, "n"); });
  const Archive archive = open_good(path("out.tar"));
  const Member& made = archive.members().back();
  EXPECT_EQ(made.uid, 4'000'000'000U);
  EXPECT_EQ(made.gid, 4'000'000'001U);
  EXPECT_EQ(made.mtime, -7);
  EXPECT_EQ(made.uname, std::string(40, 'u'));
}

TEST_F(Rewriting, ContentMayComeInAnyPieces) {
  std::string whole;
  rewritten(TarBuilder().file("a").finish(), [&](const Archive& a) {
    const auto write = [&](support::ByteSink& sink) {
      for (std::size_t size : {0UL, 1UL, 65'535UL, 65'536UL, 3UL, 200'000UL, 7UL}) {
        const std::string piece(size, static_cast<char>('a' + size % 26));
        whole += piece;
        sink.write(piece);
      }
    };
    return Changes{{}, {NewMember{"n", &a.members().front(), write}}};
  });
  const Archive archive = open_good(path("out.tar"));
  EXPECT_EQ(archive.read(*archive.find("n")).value(), whole);
}

TEST_F(Rewriting, AnEditedMemberKeepsItsPlaceAndItsHeaders) {
  const auto archive_with = [](const std::string& content) {
    return TarBuilder()
        .pax({"mtime=1700000000.25"})
        .file("a", content)
        .pax({"comment=kept"}, 'g')
        .file("b", "after")
        .finish();
  };
  for (const std::size_t size : {0U, 3U, 512U, 513U, 20000U}) {
    SCOPED_TRACE(size);
    const std::string content(size, 'x');
    const auto edit = [&](const Archive&) {
      return Changes{.remove = {}, .add = {}, .edit = {{"a", content}}};
    };
    EXPECT_EQ(rewritten(archive_with("old"), edit), archive_with(content));
  }
}

TEST_F(Rewriting, AnEditedMemberWithTheSameContentIsTheSame) {
  const std::string tar = colourful().finish();
  const auto edit = [](const Archive&) {
    const EditedMember same{std::string(200, 'n'), std::string(1000, 'c')};
    return Changes{.remove = {}, .add = {}, .edit = {same}};
  };
  EXPECT_EQ(rewritten(tar, edit), tar);
}

TEST_F(Rewriting, ASizeInAnExtendedHeaderIsNotEdited) {
  const std::string tar = TarBuilder().pax({"size=3"}).file("a", "old").finish();
  EXPECT_THROW(rewritten(tar,
                         [](const Archive&) {
                           return Changes{.remove = {}, .add = {}, .edit = {{"a", "new one"}}};
                         }),
               support::Error);
}

TEST_F(Rewriting, ChangesThatDoNotFitTheArchiveAreDefects) {
  const Archive archive = open_good(write("a.tar", TarBuilder().file("a").finish()));
  EXPECT_THROW(write_to_path(archive, {{"absent"}, {}}, path("out")), std::logic_error);
  EXPECT_THROW(write_to_path(archive, add_one(archive, "a"), path("out")), std::logic_error);
  Changes twice = add_one(archive, "n");
  twice.add.push_back(twice.add.front());
  EXPECT_THROW(write_to_path(archive, twice, path("out")), std::logic_error);
  EXPECT_EQ(listing(), std::vector<std::string>{"a.tar"});
}

/// What adding `member` to an archive is refused for, by a limit or a rule of reading.
class UnreadableArchives : public ArchiveTest {
 protected:
  std::string refused(const std::string& source, const archive::Limits& limits, std::string name,
                      std::string content) {
    const std::vector<std::string> before = listing();
    const Archive archive = open_good(source, limits);
    const Changes changes = add_one(archive, std::move(name), std::move(content));
    const std::string error = error_of([&] { write_to_path(archive, changes, path("out.tar")); });
    EXPECT_EQ(listing(), before);
    return error;
  }
  std::string refused(const archive::Limits& limits, std::string name, std::string content) {
    return refused(write("a.tar", TarBuilder().file("./a").finish()), limits, std::move(name),
                   std::move(content));
  }
};

TEST_F(UnreadableArchives, AreNotWrittenForTheirNames) {
  EXPECT_EQ(refused({}, "src/a\xc2\x9b.json", "{}"),
            "./src/a\\u{9b}.json: member name contains a control character");
  EXPECT_EQ(refused({}, "src/a\xe2\x80\xae.json", "{}"),
            "./src/a\\u{202e}.json: member name contains a text direction control");
  EXPECT_EQ(refused({}, "src/a\xff.json", "{}"),
            "./src/a\\xff.json: member name is not valid UTF-8");
  EXPECT_EQ(refused({.max_name_bytes = 9}, "src/a.json", "{}"),
            "./src/a.json: member name is longer than 9 bytes (--limit name-bytes=N)");
}

TEST_F(UnreadableArchives, AreNotWrittenForTheirSizes) {
  EXPECT_EQ(refused({.max_members = 1}, "b", ""),
            "the archive has more than 1 members (--limit members=N)");
  EXPECT_EQ(refused({.max_member_bytes = 2}, "b", "123"),
            "b: the member is larger than 2 bytes (--limit member-bytes=N)");
  EXPECT_EQ(refused({.max_total_bytes = 10240}, "b", std::string(10240, 'x')),
            "the archive is larger than 10240 bytes (--limit total-bytes=N)");
}

TEST_F(UnreadableArchives, AreNotWrittenForTheirHeadersEither) {
  // The contents fit, and with headers and padding it is too much.
  EXPECT_EQ(refused({.max_total_bytes = 10240}, "b", std::string(9000, 'x')),
            "the archive is larger than 10240 bytes (--limit total-bytes=N)");
}

TEST_F(UnreadableArchives, AreNotWrittenForWhatTheyExpandTo) {
  // Zeros are compressed to nearly nothing, and 1 MiB is free.
  const std::string zeros(std::size_t{2} << 20, '\0');
  write("a.tgz", "");
  archive::compress(support::File::open(write("a.tar", TarBuilder().file("a").finish()), O_RDONLY),
                    archive::Storage::tar_gzip, support::File::open(path("a.tgz"), O_WRONLY));
  EXPECT_EQ(refused(path("a.tgz"), {.max_expansion = 100}, "b", zeros),
            "the archive expands to more than 100 times its size (--limit expansion=N)");
}

TEST_F(UnreadableArchives, AreNotMadeOfDirectoriesEither) {
  write("tree/a", "12345");
  const std::string before = read_file(path("tree/a"));
  Result<Archive> archive = Archive::open_for_update(path("tree"), {.max_total_bytes = 7});
  ASSERT_TRUE(archive);
  EXPECT_EQ(error_of([&] { update_in_place(*archive, add_one(*archive, "b", "123")); }),
            "the archive is larger than 7 bytes (--limit total-bytes=N)");
  EXPECT_EQ(error_of([&] { update_in_place(*archive, add_one(*archive, "b\n", "1")); }),
            "b\\x0a: member name contains a control character");
  EXPECT_EQ(names(open_good(path("tree"))), (std::vector<std::string>{"a"}));
}

}  // namespace
}  // namespace mlf::test
