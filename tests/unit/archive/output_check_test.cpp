// Which outputs would replace what the same command reads.
#include <sys/stat.h>

#include <filesystem>

#include "archive/output_file.h"
#include "support/error.h"
#include "unit/archive/archive_fixture.h"

namespace mlf::test {
namespace {

namespace fs = std::filesystem;

class OutputCheck : public ArchiveTest {
 protected:
  void refuses(const std::string& output, const std::string& input) {
    try {
      check_output(output, std::array{path("other"), input});
      ADD_FAILURE() << output;
    } catch (const support::Error& error) {
      EXPECT_EQ(error.diagnostic().kind, ErrorKind::usage);
    }
  }
  void allows(const std::string& output, const std::string& input) {
    EXPECT_NO_THROW(check_output(output, std::array{input})) << output;
  }
};

TEST_F(OutputCheck, RefusesTheInputByEveryPathToIt) {
  const std::string input = write("a.tar", "a");
  fs::create_directory(path("below"));
  fs::create_symlink("a.tar", path("link.tar"));
  fs::create_hard_link(input, path("hard.tar"));
  for (const char* name : {"a.tar", "below/../a.tar", "link.tar", "hard.tar"}) {
    refuses(path(name), input);
    refuses(input, path(name));
  }
}

TEST_F(OutputCheck, RefusesFilesOfAnUnpackedArchive) {
  fs::create_directories(path("archive/src"));
  write("archive/src/tir-1.txt", "tir");
  fs::create_hard_link(path("archive/src/tir-1.txt"), path("hard.txt"));
  refuses(path("archive/src/tir-1.txt"), path("archive"));
  refuses(path("hard.txt"), path("archive"));
  refuses(path("archive"), path("archive"));
  allows(path("archive/report.html"), path("archive"));
}

TEST_F(OutputCheck, AllowsOtherFilesOfTheSameContentAndStreams) {
  const std::string input = write("a.tar", "a");
  allows(write("b.tar", "a"), input);
  allows(path("absent"), input);
  allows("/dev/null", "/dev/null");
}

}  // namespace
}  // namespace mlf::test
