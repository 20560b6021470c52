#include "support/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "support/error.h"

namespace mlf::support {
namespace {

TEST(File, FailuresNameTheFile) {
  try {
    File::open("/absent/file", O_RDONLY);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostic().kind, ErrorKind::io);
    EXPECT_EQ(to_string(error.diagnostic()),
              "/absent/file: cannot open: No such file or directory");
  }
}

TEST(File, CreatedFilesCanBeReadAndWrittenAsTheUmaskAllows) {
  char directory[] = "/tmp/mlf-file-test-XXXXXX";
  ASSERT_NE(::mkdtemp(directory), nullptr);
  const std::string path = std::string(directory) + "/new";
  const mode_t before = ::umask(0027);
  const mode_t mode = File::create(path).status().st_mode;
  ::umask(before);
  EXPECT_EQ(mode & 07777, 0640U);
  EXPECT_THROW(File::create(path), Error);
  ::unlink(path.c_str());
  ::rmdir(directory);
}

TEST(File, AnonymousFilesHoldBytes) {
  const File file = File::anonymous();
  file.write("hello world");
  file.write_at(6, "there");
  EXPECT_EQ(FileContent::map(file).bytes(), "hello there");
  EXPECT_EQ(file.status().st_nlink, 0U);
}

TEST(File, RangesAreAppendedToFilesAndPipes) {
  const File source = File::anonymous();
  source.write("0123456789");
  const File target = File::anonymous();
  target.write("x");
  target.append_range(source, 2, 3);
  target.append_range(source, 9, 1);
  EXPECT_EQ(FileContent::map(target).bytes(), "x2349");

  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const File in(ends[0], "in");
  const File out(ends[1], "out");
  out.append_range(source, 4, 6);
  char buffer[16] = {};
  EXPECT_EQ(in.read_some(buffer, sizeof buffer), 6U);
  EXPECT_STREQ(buffer, "456789");
}

TEST(File, ARangeBehindTheEndIsAnError) {
  const File source = File::anonymous();
  source.write("01");
  const File target = File::anonymous();
  EXPECT_THROW(target.append_range(source, 1, 2), Error);
}

TEST(File, MovingTakesTheDescriptorAlong) {
  File first = File::anonymous();
  const int fd = first.fd();
  const File second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): the moved-from state is the subject
  EXPECT_EQ(second.fd(), fd);
}

TEST(FileSink, CountsAndWritesEverythingOnFlush) {
  const File file = File::anonymous();
  FileSink sink(file);
  const std::string large(200'000, 'x');
  sink.write("abc");
  sink.write(large);
  sink.write("def");
  sink.flush();
  EXPECT_EQ(sink.written(), large.size() + 6);
  EXPECT_EQ(FileContent::map(file).bytes(), "abc" + large + "def");
}

TEST(FileContent, OfAnEmptyFileIsEmpty) {
  EXPECT_TRUE(FileContent::map(File::anonymous()).bytes().empty());
  EXPECT_TRUE(FileContent::copy(File::anonymous()).bytes().empty());
}

TEST(FileContent, ACopyStaysWhenTheFileChanges) {
  const File file = File::anonymous();
  const std::string text = "begin" + std::string(200'000, 'x') + "end";
  file.write(text);
  const FileContent copy = FileContent::copy(file);
  file.write_at(0, "other");
  ASSERT_EQ(::ftruncate(file.fd(), 0), 0);
  EXPECT_EQ(copy.bytes(), text);
}

TEST(FileContent, ACopyOfALargeFileStaysWhenTheFileChanges) {
  const File file = File::anonymous();
  constexpr std::uint64_t kSize = (std::uint64_t{256} << 20) + 1;
  file.write_at(kSize - 3, "end");
  const FileContent copy = FileContent::copy(file);
  ASSERT_EQ(::ftruncate(file.fd(), 0), 0);
  ASSERT_EQ(copy.bytes().size(), kSize);
  EXPECT_EQ(copy.bytes().substr(kSize - 4), std::string_view("\0end", 4));
}

}  // namespace
}  // namespace mlf::support
