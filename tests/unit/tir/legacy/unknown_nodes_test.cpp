// Operators, attributes and objects that the tables do not have stay what the text says.
#include "reading.h"
#include "unit/tir/write/writing.h"

namespace mlf::tir::legacy {
namespace {

using write_test::expect_same;
using write_test::save_json_of;
using write_test::script_of;
using write_test::tir_json_of;

constexpr std::string_view kUnknown =
    "#[version = \"0.0.5\"]\n"
    "@f = primfn(x: int32) -> ()\n"
    "  attr = {\"of\": \"the future\", \"object\": meta[my.Object][0]} {\n"
    "  attr [x] \"my_key\" = @tir.of_the_future(x, \"t\", dtype=uint8x3);\n"
    "  allocate(v: Pointer(my_scope int8), int8, [4]), storage_scope = my_scope, "
    "annotations = {\"new\": meta[my.Object][0]}) {\n"
    "    @tir.of_the_future(dtype=)\n"
    "    @tir.of_the_future(dtype=handle)\n"
    "  }\n"
    "}\n\n";

constexpr std::string_view kMetadata =
    "#[metadata]\n"
    R"({"root": 1, "nodes": [{"type_key": ""},)"
    R"( {"type_key": "Map", "keys": ["my.Object"], "data": [2]},)"
    R"( {"type_key": "Array", "data": [3]},)"
    R"( {"type_key": "my.Object", "attrs": {"flavour": "4", "weight": "2.5"}},)"
    R"( {"type_key": "runtime.String", "repr_str": "sweet"}],)"
    R"( "b64ndarrays": [], "attrs": {"tvm_version": "0.9.0"}})";

TEST(LegacyUnknownNodes, KeepTheirText) {
  const Document d = read_text(std::string(kUnknown) + std::string(kMetadata));
  const Node attr = body(d);
  ASSERT_EQ(attr.kind(), Kind::AttrStmt);
  EXPECT_EQ(attr.text(f::AttrStmt::attr_key), "my_key");
  const Node call = attr[f::AttrStmt::value];
  EXPECT_EQ(call[f::Call::op].text(f::Op::name), "tir.of_the_future");
  EXPECT_EQ(to_string(call.dtype()), "uint8x3");
  const Node allocate = attr[f::AttrStmt::body];
  const Node object = allocate.map(f::Allocate::annotations).find("new");
  ASSERT_EQ(object.kind(), Kind::Opaque);
  EXPECT_EQ(object.text(f::Opaque::type_key), "my.Object");
  EXPECT_EQ(object.map(f::Opaque::fields).find("flavour").text(f::String::value), "4");
  const Node nodes = d.module.root()[f::IRModule::source_nodes];
  EXPECT_EQ(nodes.map(f::StringMap::entries).find("4").text(f::String::value), "sweet");
  EXPECT_EQ(function(d)[f::PrimFunc::attrs].map(f::DictAttrs::dict).find("object"), object);
}

TEST(LegacyUnknownNodes, GoThroughTirJsonAndSaveJson) {
  const Document d = read_text(std::string(kUnknown) + std::string(kMetadata));
  const Document by_json = read_text(tir_json_of(d));
  expect_same(d.module, by_json.module);
  expect_same(d.module, read_text(save_json_of(d)).module);
  EXPECT_EQ(save_json_of(by_json), save_json_of(d));
}

TEST(LegacyUnknownNodes, BehindReferencesWithoutMetadataAreLostByName) {
  const Document d = read_text(kUnknown);
  const auto loss = std::ranges::find(d.losses, LossCode::attr_object, &Loss::code);
  ASSERT_NE(loss, d.losses.end());
  EXPECT_NE(loss->name.find("meta[my.Object][0]"), std::string::npos);
  expect_same(d.module, read_text(tir_json_of(d)).module);
  EXPECT_NE(save_json_of(d).find("metadata[\"my.Object\"][0] is not known"), std::string::npos);
}

TEST(LegacyUnknownNodes, OperatorsGoThroughTvmScript) {
  const std::string script = script_of(
      read_text("@f = primfn(x: int32) -> () {\n  @tir.of_the_future(x, dtype=uint8x3)\n}\n"));
  const Document d = read_text(script);
  EXPECT_EQ(value(d)[f::Call::op].text(f::Op::name), "tir.of_the_future");
  EXPECT_EQ(to_string(value(d).dtype()), "uint8x3");
}

TEST(LegacyUnknownNodes, ThatAreNoCallsOfOperatorsAreErrors) {
  EXPECT_EQ(error_of(in_function("  new_node(x)")).substr(0, 44),
            "4:3: 'new_node(x)' is declared nowhere in th");
}

}  // namespace
}  // namespace mlf::tir::legacy
