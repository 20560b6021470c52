#include <gtest/gtest.h>

#include "mlf/run.h"
#include "run/npy.h"
#include "support/error.h"

namespace mlf::run {
namespace {

using std::string_literals::operator""s;

/// As numpy.save writes it.
std::string npy(const std::string& head, const std::string& data) {
  std::string bytes = "\x93NUMPY\x01\0"s;
  bytes += static_cast<char>(head.size() & 0xff);
  bytes += static_cast<char>(head.size() >> 8);
  return bytes + head + data;
}

std::string head_of(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

TEST(Npy, IsReadAsItWasWritten) {
  for (const tir::DType dtype :
       {tir::DType::Bool(), tir::DType::Int(8), tir::DType::Int(64), tir::DType::UInt(16),
        tir::DType::Float(16), tir::DType::Float(32), tir::DType::Float(64)}) {
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{}, {3}, {2, 3}, {0, 4}, {1, 2, 3, 1}}) {
      std::size_t size = dtype.element_bytes();
      for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
      const Tensor tensor{
          .name = "x", .dtype = dtype, .shape = shape, .bytes = std::string(size, '\7')};
      const std::string bytes = npy_bytes(tensor);
      EXPECT_EQ((bytes.size() - size) % 64, 0U);
      const Tensor again = read_npy(bytes, "x");
      EXPECT_EQ(again.dtype, dtype);
      EXPECT_EQ(again.shape, shape);
      EXPECT_EQ(again.bytes, tensor.bytes);
    }
  }
}

TEST(Npy, HasUnsignedIntegersForTypesThatNumpyLacks) {
  const Tensor tensor{
      .name = "x", .dtype = {tir::TypeCode::BFloat, 16, 1}, .shape = {1}, .bytes = "ab"};
  EXPECT_EQ(read_npy(npy_bytes(tensor), "x").dtype, tir::DType::UInt(16));
  EXPECT_EQ(numpy_type(tensor.dtype), "uint16");
  EXPECT_THROW(npy_bytes({.dtype = tir::DType::Int(4)}), support::Error);
}

TEST(Npy, IsReadInEverySpelling) {
  EXPECT_EQ(read_npy(npy(head_of("<f4", "(2,)") + "   \n", "abcdefgh"), {}).shape.size(), 1U);
  const std::string other = "{\"shape\":(),\"fortran_order\":False,\"descr\":\"<i2\"}";
  EXPECT_EQ(read_npy(npy(other, "ab"), {}).dtype, tir::DType::Int(16));
  std::string second = "\x93NUMPY\x02\0"s;
  const std::string head = head_of("|i1", "(1, 1)");
  second += static_cast<char>(head.size());
  second += "\0\0\0"s + head + "a";
  EXPECT_EQ(read_npy(second, {}).shape.size(), 2U);
}

TEST(Npy, IsRefusedWhereItIsAnythingElse) {
  const std::string good = npy(head_of("<i4", "(2,)"), "abcdefgh");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(read_npy(good.substr(0, size), {}), support::Error) << size;
  }
  EXPECT_THROW(read_npy(good + "x", {}), support::Error);
  for (const char* shape :
       {"(-1,)", "(2", "2", "(2,,)", "(99999999999999999999,)", "(2L,)",
        "(4294967296, 4294967296, 4294967296)", "[2]", "('a',)", "(9223372036854775807, 2)"}) {
    EXPECT_THROW(read_npy(npy(head_of("<i4", shape), "abcdefgh"), {}), support::Error) << shape;
  }
  for (const char* descr : {">i4", "O", "<U4", "<c8", "<M8[s]", "i4", "<i3", "|V8", ""}) {
    EXPECT_THROW(read_npy(npy(head_of(descr, "(2,)"), "abcdefgh"), {}), support::Error) << descr;
  }
  for (const char* head :
       {"", "{", "{}", "{'descr': '<i4', 'shape': (2,), }",
        "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<i4', 'fortran_order': True, 'shape': (2,), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), 'other': 1}",
        "{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), } x"}) {
    EXPECT_THROW(read_npy(npy(head, "abcdefgh"), {}), support::Error) << head;
  }
}

const std::vector<ZipFile> kFiles{
    {"a.npy", "first"}, {"b/\xc3\xa4.npy", std::string(1000, 'x')}, {"empty", ""}};

TEST(Zip, IsReadAsItWasWritten) {
  const std::string bytes = zip_bytes(kFiles);
  EXPECT_TRUE(begins_as_zip(bytes));
  const std::vector<ZipFile> again = read_zip(bytes);
  ASSERT_EQ(again.size(), kFiles.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_EQ(again[i].name, kFiles[i].name);
    EXPECT_EQ(again[i].bytes, kFiles[i].bytes);
  }
  EXPECT_TRUE(read_zip(zip_bytes({})).empty());
}

TEST(Zip, IsRefusedWhereItIsCutOffOrChanged) {
  const std::string good = zip_bytes(kFiles);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(read_zip(good.substr(0, size)), support::Error) << size;
  }
  // Nothing but times, versions and attributes may be other bytes.
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string wrong = good;
      wrong[at] = static_cast<char>(wrong[at] ^ change);
      try {
        const std::vector<ZipFile> files = read_zip(wrong);
        for (std::size_t i = 0; i < files.size(); ++i) EXPECT_EQ(files[i].bytes, kFiles[i].bytes);
      } catch (const support::Error&) {
      }
    }
  }
  EXPECT_THROW(read_zip(zip_bytes({kFiles[0], kFiles[0]})), support::Error);
}

TEST(Zip, DoesNotInflateMoreThanItsDirectorySays) {
  // A directory that states 4 GiB for nothing.
  std::string bytes = zip_bytes({{"a", ""}});
  const std::size_t entry = bytes.find("PK\1\2");
  bytes.replace(entry + 24, 4, "\xfe\xff\xff\xff");
  bytes[entry + 10] = 8;
  EXPECT_THROW(read_zip(bytes), support::Error);
}

}  // namespace
}  // namespace mlf::run
