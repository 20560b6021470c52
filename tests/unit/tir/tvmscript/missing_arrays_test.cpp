// Arrays of a metadata section that the text left out, where the reader has them from elsewhere.
#include <gtest/gtest.h>

#include <map>

#include "reading.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr std::string_view kText =
    "# from tvm.script import ir as I\n"
    "# from tvm.script import tir as T\n"
    "\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    I.module_attrs({\"constants\": [metadata[\"runtime.NDArray\"][1]], \"pool_args\": "
    "[I.ConstantPoolInfo([I.ConstantInfo(\"a_let\", byte_offset=16, "
    "data=metadata[\"runtime.NDArray\"][0]), I.ConstantInfo(\"b_let\", byte_offset=0, "
    "data=metadata[\"runtime.NDArray\"][1])])]})\n"
    "    @T.prim_func\n"
    "    def f():\n"
    "        T.func_attr({\"own\": {\"w\": metadata[\"runtime.NDArray\"][2]}})\n"
    "        T.evaluate(0)\n";

/// What is known, by the place as text.
class Knowing {
 public:
  void add(std::string place, std::vector<std::byte> data, bool is_flat = false) {
    known_[std::move(place)] = {std::move(data), is_flat};
  }

  Document read() {
    auto document =
        tir::read({.file = "test.txt",
                   .member = "",
                   .text = kText,
                   .constants = [&](const ConstantQuery& query) { return find(query); }});
    if (!document) throw std::runtime_error(to_string(document.error()));
    return *std::move(document);
  }

 private:
  struct Known {
    std::vector<std::byte> data;
    bool is_flat;
  };

  std::optional<FoundConstant> find(const ConstantQuery& query) {
    EXPECT_EQ(query.function, "f");
    std::string place(query.name);
    if (query.site == ConstantSite::pool) place += "@" + std::to_string(*query.pool_offset);
    if (query.site == ConstantSite::module_attribute) place = "module." + place;
    const auto found = known_.find(place);
    if (found == known_.end()) return std::nullopt;
    const auto size = static_cast<std::int64_t>(found->second.data.size());
    return FoundConstant{.dtype = DType::Int(8),
                         .shape = {size},
                         .data = found->second.data,
                         .source = "elsewhere",
                         .is_flat = found->second.is_flat};
  }

  std::map<std::string, Known> known_;
};

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> made;
  for (const int value : values) made.push_back(static_cast<std::byte>(value));
  return made;
}

Node module_attr(const Document& d, std::string_view name) {
  return d.module.root()[f::IRModule::attrs].map(f::DictAttrs::dict).find(name);
}
Node in_pool(const Document& d, std::size_t i) {
  const Node pool = module_attr(d, "pool_args").list(f::Array::elements)[0];
  return pool.list(f::ConstantPoolInfo::constant_info_array)[i][f::ConstantInfo::data];
}
bool is_lost(const Document& d, std::string_view reference) {
  return std::ranges::any_of(d.losses, [&](const Loss& loss) {
    return loss.code == LossCode::attr_object && loss.name.starts_with(reference);
  });
}

TEST(MissingArrays, OfAPoolAreFoundByNameAndOffset) {
  Knowing knowing;
  knowing.add("a_let@16", bytes({1, 2, 3}));
  const Document d = knowing.read();
  ASSERT_EQ(in_pool(d, 0).kind(), Kind::NDArray);
  EXPECT_TRUE(std::ranges::equal(*in_pool(d, 0).bytes(f::NDArray::data), bytes({1, 2, 3})));
  ASSERT_EQ(d.recovered.size(), 1u);
  EXPECT_EQ(d.recovered[0].constant, in_pool(d, 0).id());
  EXPECT_EQ(d.recovered[0].source, "elsewhere");
  EXPECT_FALSE(is_lost(d, "metadata[\"runtime.NDArray\"][0]"));
  EXPECT_TRUE(is_lost(d, "metadata[\"runtime.NDArray\"][1]"));
  EXPECT_EQ(in_pool(d, 1).kind(), Kind::MissingObject);
}

TEST(MissingArrays, AreOneNodeWhereverTheyAreMentioned) {
  Knowing knowing;
  knowing.add("b_let@0", bytes({4}));
  const Document d = knowing.read();
  const Node constant = module_attr(d, "constants").list(f::Array::elements)[0];
  EXPECT_EQ(constant, in_pool(d, 1));
  EXPECT_EQ(constant.kind(), Kind::NDArray);
}

TEST(MissingArrays, OfAttributesAreFoundByTheWayToThem) {
  Knowing knowing;
  knowing.add("own.w", bytes({5}));
  knowing.add("module.constants[0]", bytes({6, 7}));
  const Document d = knowing.read();
  EXPECT_EQ(attribute(d, "own").map(f::StringMap::entries).find("w").kind(), Kind::NDArray);
  EXPECT_EQ(in_pool(d, 1).integers(f::NDArray::shape)[0], 2);
  EXPECT_EQ(d.recovered.size(), 2u);
}

TEST(MissingArrays, OfAStatementLackNothingButTheirData) {
  const Document d = statements(
      "c = T.allocate_const(metadata[\"runtime.NDArray\"][7], \"int16\", [2, 3])\nT.evaluate(c)");
  const Node data = body(d)[f::AllocateConst::data];
  ASSERT_EQ(data.kind(), Kind::NDArray);
  EXPECT_EQ(data.dtype(f::NDArray::dtype), DType::Int(16));
  EXPECT_EQ(data.integers(f::NDArray::shape).size(), 2u);
  EXPECT_FALSE(data.bytes(f::NDArray::data));
  EXPECT_TRUE(lost(d, LossCode::constant_data));
  EXPECT_FALSE(lost(d, LossCode::attr_object));
}

TEST(MissingArrays, OfStatementsThatDisagreeStayReferences) {
  const Document d = statements(
      "c = T.allocate_const(metadata[\"runtime.NDArray\"][7], \"int16\", [2, 3])\n"
      "e = T.allocate_const(metadata[\"runtime.NDArray\"][7], \"int8\", [2, 3])\nT.evaluate(c)");
  EXPECT_EQ(body(d)[f::AllocateConst::data].kind(), Kind::MissingObject);
  EXPECT_TRUE(lost(d, LossCode::attr_object));
}

TEST(MissingArrays, OfTwoPlacesThatDisagreeAreLost) {
  Knowing knowing;
  knowing.add("module.constants[0]", bytes({6}));
  knowing.add("b_let@0", bytes({7}));
  const Document d = knowing.read();
  EXPECT_EQ(in_pool(d, 1).kind(), Kind::MissingObject);
  EXPECT_TRUE(is_lost(d, "metadata[\"runtime.NDArray\"][1]"));
}

TEST(MissingArrays, WithoutAShapeOfTheirOwnAreFlatWhichIsALoss) {
  Knowing knowing;
  knowing.add("a_let@16", bytes({1, 2}), true);
  const Document d = knowing.read();
  EXPECT_EQ(in_pool(d, 0).kind(), Kind::NDArray);
  EXPECT_TRUE(lost(d, LossCode::buffer_shape));
}

TEST(MissingArrays, HaveTheShapeThatOneOfTheirPlacesKnows) {
  Knowing knowing;
  knowing.add("module.constants[0]", bytes({6}), true);
  knowing.add("b_let@0", bytes({6}));
  const Document d = knowing.read();
  EXPECT_EQ(in_pool(d, 1).kind(), Kind::NDArray);
  EXPECT_FALSE(lost(d, LossCode::buffer_shape));
}

}  // namespace
}  // namespace mlf::tir::tvmscript
