#include "mlf/model_library.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>

namespace mlf {
namespace {

/// Writes the format from its description, so that the reader is not compared with itself.
class Bytes {
 public:
  template <class Integer>
  Bytes& put(Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff));
    }
    return *this;
  }
  Bytes& text(std::string_view value) {
    for (const char c : value) bytes_.push_back(static_cast<std::byte>(c));
    return *this;
  }
  Bytes& name(std::string_view value) { return put<std::uint64_t>(value.size()).text(value); }
  Bytes& head(std::uint64_t names) {
    return put<std::uint64_t>(0xF7E58D4F05049CB7).put<std::uint64_t>(0).put(names);
  }
  Bytes& array(ParamType type, const std::vector<std::int64_t>& shape, std::uint64_t size) {
    put<std::uint64_t>(0xDD5E40F096B4A13F).put<std::uint64_t>(0);
    put<std::int32_t>(1).put<std::int32_t>(0).put(static_cast<std::int32_t>(shape.size()));
    put(type.code).put(type.bits).put(type.lanes);
    for (const std::int64_t extent : shape) put(extent);
    return put(size);
  }
  std::span<const std::byte> span() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

constexpr ParamType kFloat32{2, 32, 1};
constexpr ParamType kBool{1, 1, 1};

Bytes two_params() {
  Bytes bytes;
  bytes.head(2).name("p0").name("a b").put<std::uint64_t>(2);
  bytes.array(kFloat32, {2, 1}, 8).text("12345678");
  bytes.array(kBool, {}, 1).text("x");
  return bytes;
}

std::string text_of(std::span<const std::byte> data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

TEST(Params, AreNamesTypesShapesAndViewsOfTheData) {
  const Bytes bytes = two_params();
  const auto params = read_params(bytes.span(), "parameters/default.params");
  ASSERT_TRUE(params.has_value()) << to_string(params.error());
  ASSERT_EQ(params->size(), 2u);
  const Param& weights = params->front();
  EXPECT_EQ(weights.name, "p0");
  EXPECT_EQ(to_string(weights.type), "float32");
  EXPECT_EQ(weights.shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(weights.device_type, 1);
  EXPECT_EQ(text_of(weights.data), "12345678");
  EXPECT_EQ(weights.data.data(), bytes.span().data() + weights.offset);
  const Param& flag = params->back();
  EXPECT_EQ(flag.name, "a b");
  EXPECT_EQ(to_string(flag.type), "bool");
  EXPECT_TRUE(flag.shape.empty());
  EXPECT_EQ(text_of(flag.data), "x");
}

TEST(Params, MayBeNone) {
  Bytes bytes;
  bytes.head(0).put<std::uint64_t>(0);
  const auto params = read_params(bytes.span(), "m");
  ASSERT_TRUE(params.has_value());
  EXPECT_TRUE(params->empty());
}

TEST(Params, DoNotCountLanesInTheDataSize) {
  Bytes bytes;
  bytes.head(1).name("v").put<std::uint64_t>(1).array({0, 16, 4}, {3}, 6).text("abcdef");
  const auto params = read_params(bytes.span(), "m");
  ASSERT_TRUE(params.has_value()) << to_string(params.error());
  EXPECT_EQ(to_string(params->front().type), "int16x4");
}

TEST(Params, MayHaveNoElements) {
  Bytes bytes;
  bytes.head(1).name("v").put<std::uint64_t>(1).array(kFloat32, {INT64_MAX, INT64_MAX, 0}, 0);
  EXPECT_TRUE(read_params(bytes.span(), "m").has_value());
}

TEST(ParamType, IsSpelledAsTvmSpellsIt) {
  EXPECT_EQ(to_string(ParamType{4, 16, 1}), "bfloat16");
  EXPECT_EQ(to_string(ParamType{1, 1, 4}), "uint1x4");
  EXPECT_EQ(to_string(ParamType{129, 8, 2}), "code129_8x2");
}

struct ParamsCase {
  std::string_view name;
  std::function<void(Bytes&)> write;
  std::string_view message;
};

std::ostream& operator<<(std::ostream& out, const ParamsCase& test) {
  return out << test.name;
}

class MalformedParams : public testing::TestWithParam<ParamsCase> {};

TEST_P(MalformedParams, NameTheByte) {
  Bytes bytes;
  GetParam().write(bytes);
  const auto params = read_params(bytes.span(), "parameters/m.params");
  ASSERT_FALSE(params.has_value());
  EXPECT_EQ(params.error().kind, ErrorKind::invalid_input);
  EXPECT_EQ(to_string(params.error()), "parameters/m.params: " + std::string(GetParam().message));
}

Bytes& one_name(Bytes& bytes) {
  return bytes.head(1).name("p").put<std::uint64_t>(1);
}

INSTANTIATE_TEST_SUITE_P(
    EveryField, MalformedParams,
    testing::Values(
        ParamsCase{"empty", [](Bytes&) {},
                   "byte 0: the file ends within a magic number: 8 bytes wanted, 0 left"},
        ParamsCase{
            "list_magic", [](Bytes& b) { b.put<std::uint64_t>(1); },
            "byte 0: a parameter file begins with the magic number 0xf7e58d4f05049cb7, found "
            "0x0000000000000001"},
        ParamsCase{"hostile_count", [](Bytes& b) { b.head(UINT64_MAX); },
                   "byte 16: 18446744073709551615 names do not fit in the file"},
        ParamsCase{"long_name", [](Bytes& b) { b.head(1).put<std::uint64_t>(9).text("short"); },
                   "byte 32: the file ends within a name: 9 bytes wanted, 5 left"},
        ParamsCase{"twin_names", [](Bytes& b) { b.head(2).name("p").name("p"); },
                   "byte 33: the name \"p\" is given twice"},
        ParamsCase{"count_differs", [](Bytes& b) { b.head(1).name("p").put<std::uint64_t>(2); },
                   "byte 33: 2 arrays for 1 names"},
        ParamsCase{"array_magic", [](Bytes& b) { one_name(b).put<std::uint64_t>(2); },
                   "byte 41: an array begins with the magic number 0xdd5e40f096b4a13f, found "
                   "0x0000000000000002"},
        ParamsCase{"negative_rank",
                   [](Bytes& b) {
                     one_name(b).put<std::uint64_t>(0xDD5E40F096B4A13F).put<std::uint64_t>(0);
                     b.put<std::uint64_t>(1).put<std::int32_t>(-1).put<std::uint32_t>(0x00012002);
                   },
                   "byte 65: negative rank -1"},
        ParamsCase{"hostile_rank",
                   [](Bytes& b) {
                     one_name(b).put<std::uint64_t>(0xDD5E40F096B4A13F).put<std::uint64_t>(0);
                     b.put<std::uint64_t>(1).put<std::int32_t>(INT32_MAX).put<std::uint32_t>(
                         0x00012002);
                   },
                   "byte 65: a shape of rank 2147483647 does not fit in the file"},
        ParamsCase{"negative_extent",
                   [](Bytes& b) {
                     one_name(b).array(kFloat32, {2, -2}, 8);
                   },
                   "byte 81: negative extent -2"},
        ParamsCase{"overflow",
                   [](Bytes& b) {
                     one_name(b).array(kFloat32, {INT64_MAX, 2, INT64_MAX}, 8);
                   },
                   "byte 97: type and shape make more than 2^63-1 bytes"},
        ParamsCase{"size_differs",
                   [](Bytes& b) { one_name(b).array(kFloat32, {3}, 8).text("12345678"); },
                   "byte 81: data size 8, but type float32 and shape make 12 bytes"},
        ParamsCase{"data_truncated",
                   [](Bytes& b) { one_name(b).array(kFloat32, {2}, 8).text("1234"); },
                   "byte 89: the file ends within the data of an array: 8 bytes wanted, 4 left"},
        ParamsCase{"bytes_behind",
                   [](Bytes& b) { one_name(b).array(kFloat32, {1}, 4).text("1234").text("zz"); },
                   "byte 93: 2 bytes behind the last array"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(MalformedParams, IncludeEveryTruncation) {
  const Bytes bytes = two_params();
  for (std::size_t size = 0; size < bytes.span().size(); ++size) {
    EXPECT_FALSE(read_params(bytes.span().first(size), "m").has_value()) << size;
  }
}

}  // namespace
}  // namespace mlf
