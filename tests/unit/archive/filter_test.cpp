// Compressed archives: reading under limits, and keeping the compression on output.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "archive/filter.h"
#include "support/file.h"
#include "unit/archive/archive_fixture.h"
#include "unit/archive/tar_builder.h"

namespace mlf::test {
namespace {

using archive::Archive;
using archive::Storage;

class Filters : public ArchiveTest, public testing::WithParamInterface<Storage> {
 protected:
  std::string compressed(std::string_view bytes) const {
    const std::string out = path("compressed");
    const auto file = support::File::open(write("plain", bytes), O_RDONLY);
    write("compressed", "");
    archive::compress(file, GetParam(), support::File::open(out, O_WRONLY));
    return read_file(out);
  }
  std::string small() const {
    return compressed(TarBuilder().file("./a", "first").file("./b", "second").finish());
  }
};

TEST_P(Filters, MembersAreThoseOfThePlainTar) {
  const Archive archive = open_good(write("a.tar", small()));
  EXPECT_EQ(archive.storage(), GetParam());
  EXPECT_EQ(archive.read(*archive.find("b")).value(), "second");
}

TEST_P(Filters, CompressionIsDeterministic) {
  EXPECT_EQ(small(), small());
}

TEST_P(Filters, WithoutChangesTheBytesStay) {
  const std::string bytes = small();
  const Archive archive = open_good(write("a.tar", bytes));
  write_to_path(archive, {}, path("out.tar"));
  EXPECT_EQ(read_file(path("out.tar")), bytes);
}

TEST_P(Filters, AnUpdateKeepsTheCompression) {
  const std::string file = write("a.tar", small());
  {
    const Archive archive = open_good_for_update(file);
    update_in_place(
        archive, {.remove = {"a"}, .add = {new_member("c", "third", archive.members().front())}});
  }
  const Archive archive = open_good(file);
  EXPECT_EQ(archive.storage(), GetParam());
  EXPECT_EQ(names(archive), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(archive.read(*archive.find("c")).value(), "third");
}

TEST_P(Filters, TruncatedDataIsRefused) {
  const std::string bytes = compressed(TarBuilder().file("m", std::string(100'000, 'x')).finish());
  const std::string message = refusal(write("a.tar", bytes.substr(0, bytes.size() / 2)));
  EXPECT_EQ(message.substr(0, 25), "damaged compressed data: ") << message;
}

TEST_P(Filters, DataBehindTheStreamIsRefused) {
  const std::string message = refusal(write("a.tar", small() + std::string(100, 'x')));
  EXPECT_TRUE(message == "data behind the end of the compressed stream" ||
              message.starts_with("damaged compressed data: "))
      << message;
}

TEST_P(Filters, DoubleCompressionIsRefused) {
  EXPECT_EQ(refusal(write("a.tar", compressed(small()))),
            "the archive is compressed more than once");
}

TEST_P(Filters, OtherContentIsRefused) {
  EXPECT_EQ(refusal(write("a.tar", compressed("hello"))),
            "not a tar archive, plain or compressed with gzip, xz or zstd");
  EXPECT_EQ(refusal(write("b.tar", compressed(""))), "the archive is empty");
}

TEST_P(Filters, ExpansionIsLimitedByWhatComesOut) {
  const std::string bytes = compressed(TarBuilder().file("m", std::string(4 << 20, '\0')).finish());
  const std::string file = write("a.tar", bytes);
  EXPECT_EQ(refusal(file, {.max_expansion = 100}),
            "the archive expands to more than 100 times its size (limit max_expansion)");
  EXPECT_EQ(refusal(file, {.max_expansion = 100'000}), "accepted");
  EXPECT_EQ(refusal(file, {.max_total_bytes = 1 << 20, .max_expansion = 100'000}),
            "the archive is larger than 1048576 bytes (limit max_total_bytes)");
}

TEST_P(Filters, TheFirstMegabyteIsFree) {
  const std::string bytes = compressed(TarBuilder().file("m", std::string(900'000, '\0')).finish());
  EXPECT_EQ(refusal(write("a.tar", bytes), {.max_expansion = 1}), "accepted");
}

std::string name_of(const testing::TestParamInfo<Storage>& storage) {
  switch (storage.param) {
    case Storage::tar_gzip:
      return "Gzip";
    case Storage::tar_xz:
      return "Xz";
    default:
      return "Zstd";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Filters,
                         testing::Values(Storage::tar_gzip, Storage::tar_xz, Storage::tar_zstd),
                         name_of);

TEST_F(ArchiveTest, GzipStoresNoTimeAndNoName) {
  const auto plain = support::File::open(write("plain", "x"), O_RDONLY);
  const std::string out = write("out", "");
  archive::compress(plain, Storage::tar_gzip, support::File::open(out, O_WRONLY));
  EXPECT_EQ(read_file(out).substr(0, 8), std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
}

}  // namespace
}  // namespace mlf::test
