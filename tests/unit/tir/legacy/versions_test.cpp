// What only some versions of TVM print.
#include "reading.h"

namespace mlf::tir::legacy {
namespace {

std::string with_target(std::string_view target) {
  return "@f = primfn(h: handle) -> ()\n  attr = {\"target\": " + std::string(target) +
         "}\n  buffers = {A: Buffer(A_1: Pointer(int8), int8, [4], [])}\n"
         "  buffer_map = {h: A} {\n  A[0] = 1i8\n}\n";
}

Node target_attr(const Document& d, std::string_view name) {
  return function(d)[f::PrimFunc::attrs]
      .map(f::DictAttrs::dict)
      .find("target")
      .map(f::Target::attrs)
      .find(name);
}

std::int64_t alignment(const Document& d) {
  return function(d).map(f::PrimFunc::buffer_map).value(0).integer(f::Buffer::data_alignment);
}

TEST(LegacyV8, OpensTheKeysOfTargetAttributesWithTheWrongQuote) {
  const Document d =
      read_text(with_target("Target(kind='c', keys={'cpu'}, attrs={\"mcpu': \"x\", \"n': 16})"));
  EXPECT_EQ(target_attr(d, "mcpu").text(f::String::value), "x");
  EXPECT_EQ(d.source.tvm_version, (VersionRange{8, 8, ""}));
  EXPECT_EQ(alignment(d), 128);
}

TEST(LegacyV8, PrintsStringsAsTheyAre) {
  const Document d =
      read_text(in_function("  attr [n] \"pragma_import_c\" = \"#include \"x.h\"\n"
                            "extern \"C\" int f() { return puts(\"a;b\\n\"); }\n"
                            "int g;\";\n"
                            "  @tir.call_extern(\"say \"hi\" now\", n, dtype=int32)"));
  EXPECT_EQ(body(d)[f::AttrStmt::value].text(f::StringImm::value),
            "#include \"x.h\"\nextern \"C\" int f() { return puts(\"a;b\\n\"); }\nint g;");
  const Node call = body(d)[f::AttrStmt::body][f::Evaluate::value];
  EXPECT_EQ(call.list(f::Call::args)[0].text(f::StringImm::value), "say \"hi\" now");
  EXPECT_TRUE(lost(d, LossCode::string_escape));
  EXPECT_EQ(d.source.tvm_version.last, 8);
}

// Behind every such value the body goes on, in a line of its own.
TEST(LegacyV8, ASourceFileWithoutItsEndIsAnError) {
  const auto d = read({.file = "f",
                       .member = "",
                       .text = in_function("  attr [n] \"pragma_import_c\" = \"say \"hi\"; 0")});
  ASSERT_FALSE(d.has_value());
  EXPECT_NE(to_string(d.error()).find("string"), std::string::npos);
}

TEST(LegacyV8, LowersToLoadsAndStoresThroughPointers) {
  const Document d = read_text(
      "@run_model = primfn(input: handle, output: handle) -> ()\n"
      "  attr = {\"global_symbol\": \"tvmgen_default_run_model\", \"runner_function\": True} {\n"
      "  attr [(nullptr)] \"device_id\" = 0;\n"
      "  attr [(nullptr)] \"device_type\" = 1;\n"
      "  allocate(sid_2: Pointer(global.workspace int8), int8, [40]), storage_scope = "
      "global.workspace {\n"
      "     {\n"
      "      @tir.tvm_call_cpacked(\"fused_add\", input, @tir.lookup_param(\"p0\", dtype=handle), "
      "sid_2, dtype=int32)\n"
      "    }\n"
      "  }\n"
      "}\n");
  const Node allocate = body(d)[f::AttrStmt::body][f::AttrStmt::body];
  ASSERT_EQ(allocate.kind(), Kind::Allocate);
  const Node one = allocate[f::Allocate::body].list(f::SeqStmt::seq)[0];
  EXPECT_EQ(one.list(f::SeqStmt::seq).size(), 1u);
}

TEST(LegacyV9, EscapesStrings) {
  const Document d =
      read_text(in_function(R"(  @tir.call_extern("a \"q\" \\ \t\r\n \x01\xE2", n, dtype=int32))"));
  EXPECT_EQ(value(d).list(f::Call::args)[0].text(f::StringImm::value),
            "a \"q\" \\ \t\r\n \x01\xE2");
  EXPECT_FALSE(lost(d, LossCode::string_escape));
}

TEST(LegacyV10, WritesIntegersInTargetsInHexadecimalBehindTheId) {
  const Document d = read_text(with_target("Target(id=55d0c8e0, kind='c', attrs={'n': 10})"));
  EXPECT_EQ(target_attr(d, "n").integer(f::IntImm::value), 16);
  EXPECT_EQ(d.source.tvm_version, (VersionRange{10, 11, ""}));
  EXPECT_EQ(alignment(d), 64);
}

TEST(LegacyV11, HasNoPreflattenedBuffers) {
  const Document d = read_text(
      "@f = primfn(h: handle) -> ()\n"
      "  attr = {\"from_legacy_te_schedule\": True, \"target\": Target(id=55d0, kind='c')}\n"
      "  buffers = {A: Buffer(A_1: Pointer(int8), int8, [2, 2], [])}\n"
      "  buffer_map = {h: A} {\n"
      "  A_2: Buffer(A_1, int8, [4], [])[0] = 1i8\n}\n");
  EXPECT_FALSE(function(d).map(f::PrimFunc::preflattened_buffer_map).defined());
  EXPECT_EQ(d.source.tvm_version, (VersionRange{11, 11, ""}));
}

TEST(LegacyVersions, AnExplicitAlignmentIsNotTheDefault) {
  const auto versions = [](std::string_view align) {
    const Document d = read_text(
        in_function("  B: Buffer(p, int8, [4], [], align=" + std::string(align) + ")[0] = 1i8"));
    return std::pair(d.source.tvm_version.first, d.source.tvm_version.last);
  };
  EXPECT_EQ(versions("128"), (std::pair<std::uint8_t, std::uint8_t>(10, 11)));
  EXPECT_EQ(versions("64"), (std::pair<std::uint8_t, std::uint8_t>(8, 9)));
}

TEST(LegacyVersions, OnlyAstextIsPrintedByLaterOnes) {
  const std::string text = in_function("  n");
  EXPECT_EQ(read_text(text).source.tvm_version.last, 11);
  EXPECT_EQ(read_text("#[version = \"0.0.5\"]\n" + text).source.tvm_version.last, 18);
}

}  // namespace
}  // namespace mlf::tir::legacy
