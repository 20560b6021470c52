// Several processes that update one archive come one after the other, and none is lost.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "archive/rewrite.h"
#include "support/sha256.h"
#include "unit/archive/archive_fixture.h"
#include "unit/archive/tar_builder.h"

namespace mlf::test {
namespace {

using archive::Archive;

class Concurrency : public ArchiveTest {};

void add_member(const std::string& file, const std::string& name) {
  const Archive archive = open_good_for_update(file);
  update_in_place(archive, {{}, {new_member(name, name, archive.members().front())}});
}

/// Starts a process that adds `count` members, one update each.
pid_t start_adding(const std::string& file, std::string_view who, int count) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    for (int i = 0; i < count; ++i) add_member(file, fmt::format("{}{}", who, i));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", who, error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

bool succeeded(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(Concurrency, NoUpdateOfTwoProcessesIsLost) {
  constexpr int kUpdates = 25;
  const std::string file = write("a.tar", TarBuilder().file("base").finish());
  const pid_t first = start_adding(file, "first", kUpdates);
  const pid_t second = start_adding(file, "second", kUpdates);
  EXPECT_TRUE(succeeded(first));
  EXPECT_TRUE(succeeded(second));
  const Archive archive = open_good(file);
  EXPECT_EQ(archive.members().size(), 1U + 2 * kUpdates);
  EXPECT_NE(archive.find("first24"), nullptr);
  EXPECT_NE(archive.find("second24"), nullptr);
  EXPECT_EQ(listing(), std::vector<std::string>{"a.tar"});
}

TEST_F(Concurrency, ThreadsThatAskForTheSameDigestsGetThem) {
  constexpr std::size_t kMembers = 50;
  TarBuilder tar;
  for (std::size_t i = 0; i < kMembers; ++i) tar.file(fmt::format("m{}", i), std::to_string(i));
  const Archive archive = open_good(write("a.tar", tar.finish()));
  std::array<std::vector<std::string>, 4> digests;
  {
    std::vector<std::jthread> threads;
    for (auto& found : digests) {
      threads.emplace_back([&] {
        for (const archive::Member& member : archive.members()) {
          found.push_back(archive.sha256(member).value());
        }
      });
    }
  }
  for (const auto& found : digests) {
    ASSERT_EQ(found.size(), kMembers);
    for (std::size_t i = 0; i < kMembers; ++i) {
      EXPECT_EQ(found[i], support::sha256_hex(std::to_string(i)));
    }
  }
}

TEST_F(Concurrency, DirectoriesAreLockedToo) {
  constexpr int kUpdates = 25;
  write("tree/base", "x");
  const pid_t first = start_adding(path("tree"), "first", kUpdates);
  const pid_t second = start_adding(path("tree"), "second", kUpdates);
  EXPECT_TRUE(succeeded(first));
  EXPECT_TRUE(succeeded(second));
  EXPECT_EQ(open_good(path("tree")).members().size(), 1U + 2 * kUpdates);
}

TEST_F(Concurrency, ThreadsOfOneProcessExcludeEachOther) {
  const std::string file = write("a.tar", TarBuilder().file("base").finish());
  const auto add = [&](const char* who) {
    for (int i = 0; i < 10; ++i) add_member(file, fmt::format("{}{}", who, i));
  };
  std::thread first(add, "first");
  std::thread second(add, "second");
  first.join();
  second.join();
  EXPECT_EQ(open_good(file).members().size(), 21U);
}

TEST_F(Concurrency, ReadersSeeTheOldOrTheNewArchive) {
  const std::string file = write("a.tar", TarBuilder().file("base").finish());
  const pid_t writer = start_adding(file, "n", 30);
  std::size_t seen = 1;
  while (seen < 31) {
    const std::size_t now = open_good(file).members().size();
    ASSERT_GE(now, seen);
    seen = now;
    int status = 0;
    if (::waitpid(writer, &status, WNOHANG) == writer) {
      EXPECT_EQ(status, 0);
      break;
    }
  }
  EXPECT_EQ(open_good(file).members().size(), 31U);
}

TEST_F(Concurrency, MembersOfADirectoryCanBeReadByManyThreads) {
  for (int i = 0; i < 20; ++i) write(fmt::format("tree/{}", i), std::string(1000, 'x'));
  const Archive archive = open_good(path("tree"));
  const auto read_all = [&] {
    for (const archive::Member& member : archive.members()) {
      EXPECT_EQ(archive.read(member).value().size(), 1000U);
    }
  };
  std::thread first(read_all);
  std::thread second(read_all);
  first.join();
  second.join();
}

}  // namespace
}  // namespace mlf::test
