// Every input an archive may be refused for, with the whole message it is refused with.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "unit/archive/archive_fixture.h"
#include "unit/archive/tar_builder.h"

namespace mlf::test {
namespace {

struct Hostile {
  std::string what;
  std::string bytes;
  std::string message;
};

std::ostream& operator<<(std::ostream& out, const Hostile& hostile) {
  return out << hostile.what;
}

class HostileArchive : public ArchiveTest, public testing::WithParamInterface<Hostile> {};

std::string tar_named(std::string_view name) {
  return TarBuilder().file(name, "x").finish();
}

std::string tar_pax_named(std::string_view name) {
  return TarBuilder().pax({"path=" + std::string(name)}).file("short", "x").finish();
}

std::string bent(std::size_t offset, std::size_t length, std::string_view bytes) {
  return TarBuilder()
      .entry("m", '0', "x", [&](HeaderBlock& h) { h.set(offset, length, bytes); })
      .finish();
}

std::string bent_size(std::string_view bytes) {
  return bent(kSize, 12, bytes);
}

/// A PAX header with this body, in front of a file.
std::string pax_body(std::string_view body) {
  return TarBuilder().entry("././@PaxHeader", 'x', body).file("m", "x").finish();
}

std::string good() {
  return TarBuilder().file("a", "1").file("b", "2").finish();
}

std::vector<Hostile> names_that_escape() {
  return {
      {"ParentDirectory", tar_named("../x"), "../x: member name leaves the archive through '..'"},
      {"ParentInside", tar_named("./a/../../x"),
       "./a/../../x: member name leaves the archive through '..'"},
      {"ParentAtTheEnd", tar_named("a/.."), "a/..: member name leaves the archive through '..'"},
      {"ParentInPax", tar_pax_named("a/../x"),
       "a/../x: member name leaves the archive through '..'"},
      {"ParentInGnuName", TarBuilder().gnu_name("../x").file("x", "1").finish(),
       "../x: member name leaves the archive through '..'"},
      {"ParentWithBackslash", tar_named("a\\..\\..\\x"),
       "a\\..\\..\\x: member name leaves the archive through '..'"},
      {"Absolute", tar_named("/etc/passwd"), "/etc/passwd: member name is absolute"},
      {"AbsoluteWithBackslash", tar_named("\\x"), "\\x: member name is absolute"},
      {"Drive", tar_named("C:x"), "C:x: member name starts with a drive letter"},
      {"Empty", tar_named(""), "member name is empty (header at byte 0)"},
      {"EmptyLinkName", TarBuilder().link("", "target").finish(),
       "member name is empty (header at byte 0)"},
      {"Newline", tar_named("a\nb"), "a\\x0ab: member name contains a control character"},
      {"AnsiEscape", tar_named("\x1b[31m"), "\\x1b[31m: member name contains a control character"},
      {"Delete", tar_named("a\x7f"), "a\\x7f: member name contains a control character"},
      {"C1Control", tar_named("a\xc2\x9b"), "a\\u{9b}: member name contains a control character"},
      {"RightToLeft", tar_named("a\xe2\x80\xae"),
       "a\\u{202e}: member name contains a text direction control"},
      {"NulInPaxName", tar_pax_named(std::string_view("a\0b", 3)),
       "a\\x00b: member name contains a NUL byte"},
      {"NulInGnuName", TarBuilder().gnu_name(std::string_view("a\0b", 3)).file("m", "x").finish(),
       "GNU long name contains a NUL byte (header at byte 0)"},
      {"NotUtf8", tar_named("a\xff"), "a\\xff: member name is not valid UTF-8"},
      {"OverlongUtf8", tar_named("\xc0\xae\xc0\xae/x"),
       "\\xc0\\xae\\xc0\\xae/x: member name is not valid UTF-8"},
      {"Surrogate", tar_named("\xed\xa0\x80"), "\\xed\\xa0\\x80: member name is not valid UTF-8"},
      {"ControlInLinkTarget", TarBuilder().link("l", "a\tb").finish(),
       "l: link target contains a control character (header at byte 0)"},
  };
}

std::vector<Hostile> numbers_that_lie() {
  const std::string b_header = HeaderBlock("b", '0', 1).sealed();
  return {
      {"BadChecksum",
       TarBuilder().file("a", "1").raw(HeaderBlock("b", '0', 0).with_bad_checksum()).finish(),
       "bad header checksum (header at byte 1024)"},
      {"BadFirstChecksum", TarBuilder().raw(HeaderBlock("b", '0', 0).with_bad_checksum()).finish(),
       "bad header checksum (header at byte 0)"},
      {"NegativeSize", bent_size(base256(-1, 12)), "m: member size is negative (header at byte 0)"},
      {"HugeSize", bent_size("\x80\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
       "m: member size is too large (header at byte 0)"},
      {"SizeOverTheLimit", bent_size(base256(std::int64_t{1} << 62, 12)),
       "m: the member is larger than 2147483648 bytes (--limit member-bytes=N) "
       "(header at byte 0)"},
      {"SizeWithLetters", bent_size("0000000000z"),
       "m: member size is not a number (header at byte 0)"},
      {"SizeWithMinus", bent_size("-0000000001"),
       "m: member size is not a number (header at byte 0)"},
      {"SizeWithDigitNine", bent_size("00000000009"),
       "m: member size is not a number (header at byte 0)"},
      {"SizeWithTextBehind", bent_size("0000001 1"),
       "m: member size is not a number (header at byte 0)"},
      {"NegativeUid", bent(kUid, 8, base256(-5, 8)),
       "m: member uid is negative (header at byte 0)"},
      {"ModeWithLetters", bent(kMode, 8, "rwxrwxr"),
       "m: member mode is not a number (header at byte 0)"},
      {"MtimeWithLetters", bent(kMtime, 12, "yesterday"),
       "m: member mtime is not a number (header at byte 0)"},
      {"PrefixInGnuHeader",
       TarBuilder()
           .entry("m", '0', "x",
                  [](HeaderBlock& h) {
                    h.set(kMagic, 8, std::string_view("ustar  \0", 8)).set(kPrefix, 5, "other");
                  })
           .finish(),
       "a name prefix in a header that is not of POSIX ustar (header at byte 0)"},
      {"PrefixInV7Header",
       TarBuilder()
           .entry("m", '0', "x",
                  [](HeaderBlock& h) {
                    h.set(kMagic, 8, std::string(8, '\0')).set(kPrefix, 5, "other");
                  })
           .finish(),
       "a name prefix in a header that is not of POSIX ustar (header at byte 0)"},
      {"UnknownFormat", bent(kMagic, 8, "ustar\0zz"), "unknown tar format (header at byte 0)"},
      {"PaxSizeSmaller", TarBuilder().pax({"size=0"}).entry("m", '0', b_header).finish(),
       "m: the PAX header gives size 0, the member's header 512 (header at byte 1024)"},
      {"PaxSizeLarger",
       TarBuilder().pax({"size=1024"}).entry("m", '0', b_header).raw(b_header).finish(),
       "m: the PAX header gives size 1024, the member's header 512 (header at byte 1024)"},
      {"PaxSizeOnZero", TarBuilder().pax({"size=512"}).file("m").raw(b_header).finish(),
       "m: the PAX header gives size 512, the member's header 0 (header at byte 1024)"},
      {"PaxSizeHuge", TarBuilder().pax({"size=99999999999"}).file("m").finish(),
       "m: the member is larger than 2147483648 bytes (--limit member-bytes=N) "
       "(header at byte 1024)"},
      {"PaxSizeNegative", TarBuilder().pax({"size=-1"}).file("m", "x").finish(),
       "PAX header: size '-1' is not a number (header at byte 0)"},
      {"PaxSizeOverflow", TarBuilder().pax({"size=99999999999999999999"}).file("m").finish(),
       "PAX header: size '99999999999999999999' is not a number (header at byte 0)"},
  };
}

std::vector<Hostile> extended_headers() {
  return {
      {"PaxLengthMissing", pax_body("path=x\n"),
       "malformed PAX header: a record's length is not a number (header at byte 0)"},
      {"PaxLengthTooLong", pax_body("99 path=x\n"),
       "malformed PAX header: a record's length does not fit (header at byte 0)"},
      {"PaxLengthTooShort", pax_body("2 path=x\n"),
       "malformed PAX header: a record's length does not fit (header at byte 0)"},
      {"PaxWithoutNewline", pax_body("9 path=xy"),
       "malformed PAX header: a record does not end with a newline (header at byte 0)"},
      {"PaxWithoutEquals", pax_body("8 path!\n"),
       "malformed PAX header: a record has no key (header at byte 0)"},
      {"PaxWithoutKey", pax_body("5 =x\n"),
       "malformed PAX header: a record has no key (header at byte 0)"},
      {"PaxPathTwice", TarBuilder().pax({"path=a", "path=b"}).file("m").finish(),
       "PAX header gives 'path' twice (header at byte 0)"},
      {"PaxTimeMalformed", TarBuilder().pax({"mtime=1.2.3"}).file("m").finish(),
       "PAX header: mtime '1.2.3' is not a time (header at byte 0)"},
      {"PaxCharset", TarBuilder().pax({"hdrcharset=BINARY"}).file("m").finish(),
       "PAX header: hdrcharset 'BINARY' is not supported, only UTF-8 is (header at byte 0)"},
      {"PaxSparse", TarBuilder().pax({"GNU.sparse.major=1"}).file("m").finish(),
       "sparse members are not supported (header at byte 0)"},
      {"PaxRealSize", TarBuilder().pax({"SCHILY.realsize=9"}).file("m").finish(),
       "sparse members are not supported (header at byte 0)"},
      {"GnuSparse", TarBuilder().entry("m", 'S', "").finish(),
       "m: sparse members are not supported (header at byte 0)"},
      {"TwoPaxHeaders", TarBuilder().pax({"path=a"}).pax({"path=b"}).file("m").finish(),
       "two PAX headers for one member (header at byte 1024)"},
      {"TwoGnuNames", TarBuilder().gnu_name("a").gnu_name("b").file("m").finish(),
       "two GNU long names for one member (header at byte 1024)"},
      {"PaxThenGnu", TarBuilder().pax({"path=a"}).gnu_name("b").file("m").finish(),
       "PAX and GNU headers mixed for one member (header at byte 1024)"},
      {"GnuThenPax", TarBuilder().gnu_name("b").pax({"size=9"}).file("m").finish(),
       "PAX and GNU headers mixed for one member (header at byte 1024)"},
      {"PaxWithoutMember", TarBuilder().pax({"path=a"}).finish(),
       "an extended header without a member (header at byte 0)"},
      {"GlobalPath", TarBuilder().pax({"path=evil"}, 'g').file("m").finish(),
       "a global PAX header must not set path, linkpath or size (header at byte 0)"},
      {"GlobalSize", TarBuilder().pax({"size=0"}, 'g').file("m", "x").finish(),
       "a global PAX header must not set path, linkpath or size (header at byte 0)"},
      {"GlobalInside", TarBuilder().pax({"path=a"}).pax({"comment=b"}, 'g').file("m").finish(),
       "a global PAX header between a member and its header (header at byte 1024)"},
      {"PaxClaimsGigabytes",
       TarBuilder()
           .raw(HeaderBlock("././@PaxHeader", 'x', std::uint64_t{4} << 30).sealed())
           .finish(),
       "extended headers are longer than 262144 bytes (--limit header-bytes=N) "
       "(header at byte 0)"},
      {"PaxCutOff", HeaderBlock("././@PaxHeader", 'x', 2000).sealed() + padded("20 path="),
       "truncated: the extended header is cut off (header at byte 0)"},
      {"PaxNegativeSize",
       TarBuilder()
           .entry("././@PaxHeader", 'x', "",
                  [](HeaderBlock& h) { h.set(kSize, 12, base256(-512, 12)); })
           .finish(),
       "size of the extended header is negative (header at byte 0)"},
      {"UnknownType", TarBuilder().entry("m", 'Z', "").finish(),
       "m: unknown member type 'Z' (header at byte 0)"},
      {"MultiVolume", TarBuilder().entry("m", 'M', "").finish(),
       "m: unknown member type 'M' (header at byte 0)"},
      {"SymlinkWithContent", TarBuilder().entry("l", '2', "x").finish(),
       "l: a member that is not a file has content (header at byte 0)"},
      {"HardLinkWithContent", TarBuilder().entry("l", '1', "x").finish(),
       "l: a member that is not a file has content (header at byte 0)"},
      {"DirectoryWithContent", TarBuilder().entry("d/", '5', "x").finish(),
       "d: a member that is not a file has content (header at byte 0)"},
      {"DeviceWithContent", TarBuilder().entry("null", '3', "x").finish(),
       "null: a member that is not a file has content (header at byte 0)"},
      {"OldDirectoryWithContent", TarBuilder().entry("d/", '0', "x").finish(),
       "d: a member that is not a file has content (header at byte 0)"},
  };
}

std::vector<Hostile> shapes_of_the_whole() {
  const TarBuilder two = TarBuilder().file("a", "1").file("b", "2");
  return {
      {"EmptyFile", "", "the archive is empty"},
      {"Library", "!<arch>\nmod.o/",
       "a static library: name its directory, where mlf reads mod.a and codegen/host/lib/*.a"},
      {"C", "// tvm target: c\n#include <math.h>\n" + std::string(2000, '\n'),
       "a file of C: name its directory, which mlf reads as an archive; mlf tir reads the file"},
      {"Text", "hello", "not a tar archive, plain or compressed with gzip, xz or zstd"},
      {"LongText", std::string(20000, 'x'),
       "not a tar archive, plain or compressed with gzip, xz or zstd"},
      {"Zip", "PK\x03\x04" + std::string(2000, '\1'),
       "not a tar archive, plain or compressed with gzip, xz or zstd"},
      {"NoEndBlocks", two.unfinished(),
       "truncated: the archive ends without end-of-archive blocks"},
      {"OneEndBlock", two.finish_with(1), "truncated: the second end-of-archive block is missing"},
      {"HeaderCutOff", two.unfinished().substr(0, 1024 + 100),
       "truncated: the header is cut off (header at byte 1024)"},
      {"ContentCutOff", two.unfinished().substr(0, 1024 + 512),
       "b: truncated: the member's content is cut off (header at byte 1024)"},
      {"PaddingCutOff", two.unfinished().substr(0, 1024 + 513),
       "b: truncated: the member's content is cut off (header at byte 1024)"},
      {"LoneZeroBlock", TarBuilder().file("a").raw(std::string(512, '\0')).file("b").finish(),
       "a lone zero block at byte 512 inside the archive"},
      {"Concatenated", good() + good(), "data behind the end of the archive, at byte 10240"},
      {"GarbageBehind", good() + "x", "data behind the end of the archive, at byte 10240"},
      {"GarbageInPadding", two.finish_with(2) + std::string(600, '\0') + "x",
       "data behind the end of the archive, at byte 3672"},
      {"Duplicate", TarBuilder().file("a", "1").file("b").file("a", "2").finish(),
       "a: the archive has two members of this name, at byte 0 and at byte 1536"},
      {"DuplicateSpelledDifferently", TarBuilder().file("a/b", "1").file("./a//b", "2").finish(),
       "a/b: the archive has two members of this name, at byte 0 and at byte 1024"},
      {"DuplicateOfAnotherType", TarBuilder().link("a", "/etc").file("a", "2").finish(),
       "a: the archive has two members of this name, at byte 0 and at byte 512"},
      {"DuplicateDirectory", TarBuilder().directory("d/").directory("d").finish(),
       "d: the archive has two members of this name, at byte 0 and at byte 512"},
  };
}

TEST_P(HostileArchive, IsRefusedWithOneClearError) {
  const std::string file = write("hostile.tar", GetParam().bytes);
  EXPECT_EQ(refusal(file), GetParam().message);
  EXPECT_EQ(read_file(file), GetParam().bytes);
}

std::string hostile_name(const testing::TestParamInfo<Hostile>& info) {
  return info.param.what;
}

INSTANTIATE_TEST_SUITE_P(Names, HostileArchive, testing::ValuesIn(names_that_escape()),
                         hostile_name);
INSTANTIATE_TEST_SUITE_P(Numbers, HostileArchive, testing::ValuesIn(numbers_that_lie()),
                         hostile_name);
INSTANTIATE_TEST_SUITE_P(Headers, HostileArchive, testing::ValuesIn(extended_headers()),
                         hostile_name);
INSTANTIATE_TEST_SUITE_P(Shapes, HostileArchive, testing::ValuesIn(shapes_of_the_whole()),
                         hostile_name);

}  // namespace
}  // namespace mlf::test
