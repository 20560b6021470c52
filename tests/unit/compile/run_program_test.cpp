#include "compile/run_program.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "support/error.h"

namespace mlf::compile {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr ProgramLimits kLimits{
    .time = milliseconds(20000), .memory = std::uint64_t{1} << 30, .file = 1 << 20};

ProgramResult shell(const WorkDirectory& directory, const std::string& script,
                    ProgramLimits limits = kLimits) {
  return run_program(
      {.arguments = {"sh", "-c", script}, .directory = directory.path(), .limits = limits},
      directory);
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether the process whose number is in a file is gone, or a zombie that its new parent has to
/// remove.
bool is_gone(const fs::path& file) {
  const std::string pid = text_of(file);
  EXPECT_FALSE(pid.empty());
  const std::string status = text_of("/proc/" + pid.substr(0, pid.find('\n')) + "/stat");
  return status.empty() || status.find(") Z ") != status.npos;
}

TEST(RunProgram, TellsStatusAndErrors) {
  const WorkDirectory directory;
  const ProgramResult result = shell(directory, "echo why >&2; echo unseen; exit 3");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.errors, "why\n");
  EXPECT_EQ(result.fault, "");
  EXPECT_EQ(shell(directory, "kill -SEGV $$").status, 128 + SIGSEGV);
}

TEST(RunProgram, StartsInItsDirectory) {
  const WorkDirectory directory;
  EXPECT_EQ(shell(directory, "test \"$PWD\" = \"$TMPDIR\" && echo x > made").status, 0);
  EXPECT_EQ(text_of(directory.path() / "made"), "x\n");
}

TEST(RunProgram, SaysThatItCannotBeStarted) {
  const WorkDirectory directory;
  for (const fs::path& start : {fs::path(), directory.path() / "none"}) {
    const std::string name = start.empty() ? "no-such-program" : "true";
    EXPECT_THROW(
        run_program({.arguments = {name}, .directory = start, .limits = kLimits}, directory),
        support::Error);
  }
}

TEST(RunProgram, EndsWhatTakesTooLong) {
  ProgramLimits limits = kLimits;
  limits.time = milliseconds(300);
  const WorkDirectory directory;
  // With and without standard error, with its own process group or another one.
  for (const char* script : {"sleep 60", "exec 2>&-; sleep 60", "while :; do :; done",
                             "setsid sh -c 'exec 2>&-; echo $$ > pid; sleep 60' & sleep 60"}) {
    EXPECT_EQ(shell(directory, script, limits).fault, "took longer than 0.3 s") << script;
  }
  EXPECT_TRUE(is_gone(directory.path() / "pid"));
}

TEST(RunProgram, EndsWhatMakesTooManyFiles) {
  ProgramLimits limits = kLimits;
  limits.files = 1200;
  // In one directory, in several, and with errors all the time.
  for (const std::string script :
       {": > $i", "mkdir -p $i/a && seq 99 | (cd $i/a && xargs touch)", ": > $i; echo $i >&2"}) {
    const WorkDirectory directory;
    const ProgramResult result =
        shell(directory, "i=0; while :; do i=$((i+1)); " + script + "; done", limits);
    EXPECT_EQ(result.fault, "made more than 1,200 files") << script;
    EXPECT_FALSE(is_success(result));
  }
  // Those that were there before do not count.
  const WorkDirectory directory;
  directory.write("before", "");
  EXPECT_TRUE(is_success(shell(directory, "seq 1199 | xargs touch; sleep 0.5", limits)));
}

TEST(RunProgram, EndsWhatMakesTooManyProcesses) {
  const WorkDirectory directory;
  // In one process group, and in one for each process.
  for (const char* script : {"while :; do sleep 60 & done",
                             "while :; do setsid sh -c 'setsid sleep 60' & done"}) {
    EXPECT_EQ(shell(directory, script).fault, "made more than 256 processes") << script;
  }
}

TEST(RunProgram, EndsWhatStopsItsSupervisor) {
  ProgramLimits limits = kLimits;
  limits.time = milliseconds(300);
  const WorkDirectory directory;
  for (const char* script : {"kill -STOP $PPID; echo $$ > pid; exec 2>&-; sleep 60",
                             "echo $$ > pid; while :; do kill -STOP $PPID; done",
                             "kill -STOP $PPID; setsid sh -c 'echo $$ > pid; sleep 60'"}) {
    EXPECT_EQ(shell(directory, script, limits).fault, "took longer than 0.3 s") << script;
    EXPECT_TRUE(is_gone(directory.path() / "pid"));
  }
}

TEST(RunProgram, EndsWhatKillsItsSupervisor) {
  const WorkDirectory directory;
  const std::string script =
      "setsid sh -c 'echo $$ > pid; sleep 60' & while ! test -s pid; do :; done; kill -KILL $PPID";
  EXPECT_THROW(shell(directory, script), support::Error);
  EXPECT_TRUE(is_gone(directory.path() / "pid"));
}

TEST(RunProgram, EndsWhatItLeavesBehind) {
  const WorkDirectory directory;
  const ProgramResult result =
      shell(directory, "setsid sh -c 'echo $$ > pid; sleep 60' & while ! test -s pid; do :; done");
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(is_gone(directory.path() / "pid"));
}

TEST(RunProgram, IsNotASuccessWhereTheSupervisorIsAskedToEnd) {
  const WorkDirectory directory;
  EXPECT_EQ(shell(directory, "kill -TERM $PPID; sleep 60").status, 128 + SIGKILL);
  EXPECT_THROW(shell(directory, "echo $$ > pid; kill -KILL $PPID; sleep 60"), support::Error);
  // Its end is that of the supervisor, but not at the same moment.
  for (int i = 0; i < 500 && !is_gone(directory.path() / "pid"); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_TRUE(is_gone(directory.path() / "pid"));
}

TEST(RunProgram, LimitsFilesMemoryAndErrors) {
  const WorkDirectory directory;
  EXPECT_NE(shell(directory, "dd if=/dev/zero of=large bs=1M count=4 2>&-").status, 0);
  EXPECT_LE(fs::file_size(directory.path() / "large"), kLimits.file);
  EXPECT_NE(shell(directory, "dd if=/dev/zero of=/dev/null bs=2G count=1 2>&-").status, 0);
  const ProgramResult loud = shell(directory, "head -c 100000000 /dev/zero >&2");
  EXPECT_EQ(loud.status, 0);
  EXPECT_EQ(loud.errors.size(), 64U * 1024);
}

TEST(RunProgram, IsForSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<int> status(8, -1);
  for (std::size_t i = 0; i < status.size(); ++i) {
    threads.emplace_back([&status, i] {
      const WorkDirectory directory;
      status[i] = shell(directory, "exit " + std::to_string(i)).status;
    });
  }
  for (std::thread& one : threads) one.join();
  for (std::size_t i = 0; i < status.size(); ++i) EXPECT_EQ(status[i], static_cast<int>(i));
}

TEST(WorkDirectory, IsRemovedWithItsObject) {
  fs::path path;
  {
    const WorkDirectory directory;
    path = directory.path();
    directory.write("a/b", "text");
    EXPECT_EQ(text_of(path / "a/b"), "text");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(WorkDirectory, IsRemovedWithDirectoriesOfPrograms) {
  fs::path path;
  {
    const WorkDirectory directory;
    path = directory.path();
    // Deeper than a path can be, and without permissions.
    const char* const script =
        "mkdir -p locked/in/side 0 1/2; : > locked/in/side/file; ln -s / locked/link\n"
        "name=$(printf %0200d 0); for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22\n"
        "do mkdir $name && cd -P $name || exit 1; done\n"
        "chmod 0 \"$TMPDIR\"/locked/in/side \"$TMPDIR\"/locked/in \"$TMPDIR\"/locked";
    EXPECT_EQ(shell(directory, script).status, 0);
  }
  EXPECT_FALSE(fs::exists(fs::symlink_status(path)));
}

}  // namespace
}  // namespace mlf::compile
