// Compressed archives: reading under limits, and keeping the compression on output.
#include <gtest/gtest.h>

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
            "the archive expands to more than 100 times its size (--limit expansion=N)");
  EXPECT_EQ(refusal(file, {.max_expansion = 100'000}), "accepted");
  EXPECT_EQ(refusal(file, {.max_total_bytes = 1 << 20, .max_expansion = 100'000}),
            "the archive is larger than 1048576 bytes (--limit total-bytes=N)");
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

/// What is left of an archive that mlf accepts: "accepted" means "as it was".
std::string verdict(const std::string& file, const std::string& content) {
  const std::string message = refusal(file);
  if (message != "accepted") return message;
  const Archive archive = open_good(file);
  return archive.find("m") != nullptr && archive.read(*archive.find("m")).value() == content
             ? "accepted"
             : "accepted, and another content";
}

std::string with_flipped_bit(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
  return bytes;
}

/// Those compressions of ours that always have a checksum.
class CheckedFilters : public Filters {};

TEST_P(CheckedFilters, NoFlippedBitChangesAContent) {
  std::string content;
  for (unsigned i = 0; i < 300; ++i) content += static_cast<char>(i * i * 31 + i / 7);
  const std::string bytes = compressed(TarBuilder().file("m", content).finish());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::string file = write("a.tar", with_flipped_bit(bytes, at));
    EXPECT_NE(verdict(file, content), "accepted, and another content") << at;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CheckedFilters, testing::Values(Storage::tar_gzip, Storage::tar_xz),
                         name_of);

TEST_F(ArchiveTest, ChecksumAndLengthOfGzipCount) {
  const auto plain = support::File::open(write("plain", TarBuilder().file("m").finish()), O_RDONLY);
  const std::string out = write("out", "");
  archive::compress(plain, Storage::tar_gzip, support::File::open(out, O_WRONLY));
  const std::string bytes = read_file(out);
  EXPECT_EQ(refusal(write("a.tar", with_flipped_bit(bytes, bytes.size() - 8))),
            "damaged compressed data: incorrect data check");
  EXPECT_EQ(refusal(write("a.tar", with_flipped_bit(bytes, bytes.size() - 4))),
            "damaged compressed data: incorrect length check");
  EXPECT_EQ(refusal(write("a.tar", bytes.substr(0, bytes.size() - 1))),
            "damaged compressed data: cut off");
}

TEST_F(ArchiveTest, GzipMayHaveSeveralMembers) {
  const std::string tar = TarBuilder().file("m", "content").finish();
  std::string bytes;
  for (const std::string& part : {tar.substr(0, 700), tar.substr(700)}) {
    const auto plain = support::File::open(write("plain", part), O_RDONLY);
    const std::string out = write("out", "");
    archive::compress(plain, Storage::tar_gzip, support::File::open(out, O_WRONLY));
    bytes += read_file(out);
  }
  EXPECT_EQ(verdict(write("a.tar", bytes), "content"), "accepted");
  EXPECT_EQ(refusal(write("b.tar", bytes + '\0')), "data behind the end of the compressed stream");
}

/// A frame of one raw block with a checksum, which libarchive's own writer leaves out.
std::string zstd_frame(std::string_view text, std::string_view checksum) {
  const std::size_t block = 1 | text.size() << 3;
  std::string frame("\x28\xb5\x2f\xfd\x64", 5);
  for (const std::size_t byte : {(text.size() - 256) & 0xff, (text.size() - 256) >> 8, block & 0xff,
                                 block >> 8 & 0xff, block >> 16}) {
    frame += static_cast<char>(byte);
  }
  return frame.append(text).append(checksum);
}

TEST_F(ArchiveTest, AChecksumOfZstdCounts) {
  const std::string tar = TarBuilder().file("m", "content").finish();
  const std::string bytes = zstd_frame(tar, "\xe8\x96\x4e\xd0");
  EXPECT_EQ(verdict(write("a.tar", bytes), "content"), "accepted");
  for (const std::size_t at : {std::size_t{600}, bytes.size() - 1}) {
    const std::string message = refusal(write("b.tar", with_flipped_bit(bytes, at)));
    EXPECT_TRUE(message.starts_with("damaged compressed data: ")) << at << message;
  }
}

/// A directory opens like a file, and every read of it fails.
TEST_P(Filters, AFileThatCannotBeReadIsNotDamaged) {
  const auto directory = support::File::open(path("."), O_RDONLY);
  EXPECT_TRUE(error_of([&] {
                archive::decompress(directory, GetParam(), {});
              }).ends_with("cannot read: Is a directory"));
}

TEST_F(ArchiveTest, GzipStoresNoTimeAndNoName) {
  const auto plain = support::File::open(write("plain", "x"), O_RDONLY);
  const std::string out = write("out", "");
  archive::compress(plain, Storage::tar_gzip, support::File::open(out, O_WRONLY));
  EXPECT_EQ(read_file(out).substr(0, 8), std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
}

}  // namespace
}  // namespace mlf::test
