// Operators, attributes and objects that the tables do not have stay what the text says.
#include "reading.h"
#include "unit/tir/write/writing.h"

namespace mlf::tir::repr {
namespace {

using write_test::expect_same;
using write_test::save_json_of;
using write_test::tir_json_of;

constexpr std::string_view kUnknown =
    "PrimFunc([n]) attrs={\"of\": \"the future\", \"tir.new\": [{\"k\": (int64)7}]} {\n"
    "  // attr [n] my_key = tir.of_the_future(n, \"t\", 1)\n"
    "  block b() {\n    reads([])\n    writes([])\n    annotations({\"new\": [n, 2f]})\n"
    "    tir.of_the_future()\n  }\n"
    "}\n";

TEST(ReprUnknownNodes, KeepTheirText) {
  const Document d = read_text(kUnknown);
  EXPECT_EQ(body(d).text(f::AttrStmt::attr_key), "my_key");
  const Node call = body(d)[f::AttrStmt::value];
  EXPECT_EQ(call[f::Call::op].text(f::Op::name), "tir.of_the_future");
  EXPECT_EQ(call.list(f::Call::args).size(), 3u);
  EXPECT_TRUE(lost(d, LossCode::call_dtype));
  const Node block = body(d)[f::AttrStmt::body][f::BlockRealize::block];
  EXPECT_EQ(block.map(f::Block::annotations).find("new").kind(), Kind::Array);
  EXPECT_EQ(attribute(d, "tir.new").kind(), Kind::Array);
}

TEST(ReprUnknownNodes, GoThroughTirJsonAndSaveJson) {
  const Document d = read_text(kUnknown);
  const Document by_json = read_text(tir_json_of(d));
  expect_same(d.module, by_json.module);
  expect_same(d.module, read_text(save_json_of(d)).module);
  EXPECT_EQ(save_json_of(by_json), save_json_of(d));
}

TEST(ReprUnknownNodes, ObjectsAreLostByName) {
  const Document d = read_text("PrimFunc([]) attrs={\"new\": my.Object(0x1f)} {\n  0\n}\n");
  EXPECT_EQ(attribute(d, "new").text(f::MissingObject::type_key), "my.Object");
  const auto loss = std::ranges::find(d.losses, LossCode::attr_object, &Loss::code);
  ASSERT_NE(loss, d.losses.end());
  EXPECT_EQ(loss->name, "my.Object(0x1f)");
  expect_same(d.module, read_text(tir_json_of(d)).module);
  EXPECT_NE(save_json_of(d).find("metadata[\"my.Object\"][0] is not known"), std::string::npos);
}

TEST(ReprUnknownNodes, StatementsAndFunctionsAreErrors) {
  EXPECT_EQ(error_of(in_function("  new_statement n {\n    n\n  }")).substr(0, 66),
            "2:17: expected the end of the statement, found 'n'\n    new_stateme");
  EXPECT_EQ(error_of(in_function("  new.node(n)")).substr(0, 45),
            "2:3: 'new.node' is not a function of TIR\n    ");
}

}  // namespace
}  // namespace mlf::tir::repr
