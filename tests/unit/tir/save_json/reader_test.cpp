#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "save_json_text.h"
#include "support/error.h"
#include "tir/save_json/metadata.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir {
namespace {

using save_json_test::document;
using save_json_test::evaluated;
using save_json_test::kSeven;
using save_json_test::read;

std::string add(std::string_view a, std::string_view b) {
  return R"({"type_key": "tir.Add", "attrs": {"a": ")" + std::string(a) + R"(", "b": ")" +
         std::string(b) + R"(", "dtype": "int32", "span": "0"}})";
}

TEST(SaveJsonReader, ReadsAModuleWithItsFunction) {
  const Reading reading = read(document({MLF_EVALUATING_FUNCTION, kSeven}));
  const NodeMap functions = reading.module.root().map(f::IRModule::functions);
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions.key(0).text(f::GlobalVar::name_hint), "f");
  EXPECT_EQ(evaluated(reading.module).integer(f::IntImm::value), 7);
  EXPECT_EQ(reading.version, (VersionRange{18, 18, "0.18.0"}));
}

TEST(SaveJsonReader, KeepsSharedNodesShared) {
  // 40 times x + x: 2^40 nodes as a tree.
  std::string nodes;
  std::vector<std::string> chain;
  for (int i = 0; i < 40; ++i) {
    const std::string next = std::to_string(11 + i);
    nodes += add(next, next) + ",\n";
  }
  const std::string text = document({MLF_EVALUATING_FUNCTION, nodes + std::string(kSeven)});
  const Module module = read(text).module;
  Node node = evaluated(module);
  int distinct = 1;
  for (; node.is(Kind::Add); ++distinct) {
    ASSERT_EQ(node[f::Add::a], node[f::Add::b]);
    node = node[f::Add::a];
  }
  EXPECT_EQ(distinct, 41);
}

TEST(SaveJsonReader, ReadsNumbersThatJsonCannotSay) {
  const auto value_of = [](std::string_view text) {
    const std::string node = R"({"type_key": "FloatImm", "attrs": {"dtype": "float32",)"
                             R"( "span": "0", "value": ")" +
                             std::string(text) + R"("}})";
    return evaluated(read(document({MLF_EVALUATING_FUNCTION, node})).module)
        .real(f::FloatImm::value);
  };
  EXPECT_EQ(value_of("0.020408163265306121"), 0.020408163265306121);
  EXPECT_EQ(value_of("inf"), HUGE_VAL);
  EXPECT_EQ(value_of("-inf"), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(value_of("nan")));
}

TEST(SaveJsonReader, TakesLanesAsANumberUpToV015AndAsANodeFromV016) {
  const auto lanes_in = [](std::string_view version, std::string_view lanes) {
    const std::string node = R"({"type_key": "tir.Broadcast", "attrs": {"dtype": "int32x4",)"
                             R"( "lanes": ")" +
                             std::string(lanes) + R"(", "span": "0", "value": "11"}})";
    constexpr std::string_view kFour =
        R"({"type_key": "IntImm", "attrs": {"dtype": "int32", "span": "0", "value": "4"}})";
    const Module module =
        read(document({MLF_EVALUATING_FUNCTION, node, kSeven, kFour}, version)).module;
    return evaluated(module)[f::Broadcast::lanes].integer(f::IntImm::value);
  };
  EXPECT_EQ(lanes_in("0.11.0", "4"), 4);
  EXPECT_EQ(lanes_in("0.15.0", "4"), 4);
  EXPECT_EQ(lanes_in("0.16.0", "12"), 4);
  EXPECT_EQ(lanes_in("0.16.dev0", "4"), 4);
  EXPECT_EQ(lanes_in("0.16.dev0", "12"), 4);
}

TEST(SaveJsonReader, DoesWithoutFieldsThatTheVersionLacks) {
  // v0.8: no virtual_device_ of GlobalVar, no global_infos.
  const Module module =
      read(
          document(
              {R"({"type_key": "IRModule", "attrs": {"attrs": "0", "functions": "2", "global_var_map_":
          "0", "global_type_var_map_": "0", "source_map": "0", "type_definitions": "0"}})",
               R"({"type_key": "Map"})"},
              "0.8.0"))
          .module;
  EXPECT_FALSE(module.root()[f::IRModule::global_infos]);
}

TEST(SaveJsonReader, KeepsSpansOfTvm) {
  const std::string imm =
      R"({"type_key": "IntImm", "attrs": {"dtype": "int32", "span": "11", "value": "7"}})";
  const std::string span = R"({"type_key": "Span", "attrs": {"column": "3", "end_column": "4",)"
                           R"( "end_line": "2", "line": "2", "source_name": "12"}})";
  const std::string name = R"({"type_key": "SourceName", "repr_str": "model.tflite"})";
  const Module module = read(document({MLF_EVALUATING_FUNCTION, imm, span, name})).module;
  const Node read_span = module.span(evaluated(module).id());
  EXPECT_EQ(read_span.integer(f::Span::column), 3);
  EXPECT_EQ(read_span[f::Span::source_name].text(f::SourceName::name), "model.tflite");
}

TEST(SaveJsonReader, WrapsALoneFunctionIntoAModule) {
  const Module module =
      read(document(
               {R"({"type_key": "tir.PrimFunc", "attrs": {"_checked_type_": "0", "attrs": "4",)"
                R"( "body": "2", "buffer_map": "0", "params": "0", "ret_type": "3", "span": "0"}})",
                R"({"type_key": "tir.SeqStmt", "attrs": {"seq": "0", "span": "0"}})",
                R"({"type_key": "TupleType", "attrs": {"fields": "0", "span": "0"}})",
                R"({"type_key": "DictAttrs", "attrs": {"__dict__": "5"}})",
                R"({"type_key": "Map", "keys": ["global_symbol"], "data": [6]})",
                R"({"type_key": "runtime.String", "repr_str": "kernel"})"}))
          .module;
  const NodeMap functions = module.root().map(f::IRModule::functions);
  EXPECT_EQ(functions.key(0).text(f::GlobalVar::name_hint), "kernel");
}

TEST(SaveJsonReader, ReadsStringsThatAreNotPrintable) {
  // Eight bytes of length and "a\nb".
  const std::string imm = R"({"type_key": "tir.StringImm", "attrs": {"dtype": "handle",)"
                          R"( "span": "0", "value": "11"}})";
  const std::string text = R"({"type_key": "runtime.String", "repr_b64": "AwAAAAAAAABhCmI="})";
  const Module module = read(document({MLF_EVALUATING_FUNCTION, imm, text})).module;
  EXPECT_EQ(evaluated(module).text(f::StringImm::value), "a\nb");
}

TEST(SaveJsonReader, KeepsTheTextsOfUnknownNodesAndTheNodesThatTheyMayBe) {
  const std::string unknown =
      R"({"type_key": "tir.NewExpr", "attrs": {"a": "12", "count": "4", "dtype": "int32",)"
      R"( "flavour": "11", "root": "1", "size": "700", "span": "0", "value": "12"}})";
  const std::string other = R"({"type_key": "new.Thing", "attrs": {"type": "9"}})";
  const Reading reading = read(document({MLF_EVALUATING_FUNCTION, unknown, other, kSeven}));
  const Node node = evaluated(reading.module);
  ASSERT_EQ(node.kind(), Kind::OpaqueExpr);
  EXPECT_EQ(node.text(f::OpaqueExpr::type_key), "tir.NewExpr");
  EXPECT_EQ(node.dtype(), DType::Int(32));
  const NodeMap fields = node.map(f::OpaqueExpr::fields);
  EXPECT_EQ(fields.size(), 7u);
  EXPECT_EQ(fields.find("a").text(f::String::value), "12");
  EXPECT_EQ(fields.find("flavour").text(f::String::value), "11");
  const NodeMap nodes = reading.module.root()[f::IRModule::source_nodes].map(f::StringMap::entries);
  EXPECT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes.find("4").text(f::String::value), "f");
  EXPECT_EQ(nodes.find("11").text(f::Opaque::type_key), "new.Thing");
  EXPECT_EQ(nodes.find("12").integer(f::IntImm::value), 7);
  EXPECT_TRUE(nodes.find("9"));
  ASSERT_FALSE(reading.losses.empty());
  const Loss opaque{LossCode::opaque_fields, LossScope::everywhere, "", "tir.NewExpr"};
  EXPECT_NE(std::find(reading.losses.begin(), reading.losses.end(), opaque), reading.losses.end());
}

TEST(SaveJsonReader, TakesLayoutsAsTextInV08AndAsStringsSince) {
  const auto layout_in = [](std::string_view version, std::string_view layout) {
    const std::string load = R"({"type_key": "tir.ProducerLoad", "attrs": {"dtype": "int8",)"
                             R"( "indices": "0", "producer": "11", "span": "0"}})";
    const std::string attrs = R"({"type_key": "relay.attrs.TakeAttrs", "attrs": {"axis": "0",)"
                              R"( "batch_dims": "0", "mode": ")" +
                              std::string(layout) + R"("}})";
    const std::string text = R"({"type_key": "runtime.String", "repr_str": "clip"})";
    const Module module =
        read(document({MLF_EVALUATING_FUNCTION, load, attrs, text}, version)).module;
    return std::string(evaluated(module)[f::ProducerLoad::producer].text(f::TakeAttrs::mode));
  };
  EXPECT_EQ(layout_in("0.8.0", "wrap"), "wrap");
  EXPECT_EQ(layout_in("0.9.dev0", "wrap"), "wrap");
  EXPECT_EQ(layout_in("0.9.dev0", "12"), "clip");
  EXPECT_EQ(layout_in("0.16.0", "12"), "clip");
}

TEST(SaveJsonReader, ReportsAnUnknownAttributeOfAKnownKind) {
  const Reading reading = read(
      document({MLF_EVALUATING_FUNCTION,
                R"({"type_key": "IntImm", "attrs": {"dtype": "int32", "new": "1", "span": "0",)"
                R"( "value": "7"}})"}));
  const Loss loss{LossCode::opaque_fields, LossScope::everywhere, "", "IntImm.new"};
  EXPECT_NE(std::find(reading.losses.begin(), reading.losses.end(), loss), reading.losses.end());
}

TEST(SaveJsonReader, KeepsAttributesThatHaveOtherFieldsThanTvms) {
  const auto attributes = [](std::string_view fields, std::string_view version) {
    const std::string load = R"({"type_key": "tir.ProducerLoad", "attrs": {"dtype": "int8",)"
                             R"( "indices": "0", "producer": "11", "span": "0"}})";
    const std::string attrs =
        R"({"type_key": "relay.attrs.BatchMatmulAttrs", "attrs": {)" + std::string(fields) + "}}";
    const Reading reading = read(document({MLF_EVALUATING_FUNCTION, load, attrs, kSeven}, version));
    const Node node = evaluated(reading.module)[f::ProducerLoad::producer];
    if (node.is(Kind::BatchMatmulAttrs)) return std::string("known");
    const Node nodes = reading.module.root()[f::IRModule::source_nodes];
    std::string found(node.text(f::Opaque::type_key));
    for (std::size_t i = 0; i < node.map(f::Opaque::fields).size(); ++i) {
      const NodeMap kept = node.map(f::Opaque::fields);
      found += fmt::format(" {}={}", kept.name(i), kept.value(i).text(f::String::value));
    }
    return found + (nodes && nodes.map(f::StringMap::entries).find("12") ? ", has 7" : "");
  };
  const std::string known = R"("out_dtype": "int8", "transpose_a": "0", "transpose_b": "1")";
  EXPECT_EQ(attributes(known, "0.16.0"), "known");
  EXPECT_EQ(
      attributes(known + R"(, "vendor": "12")", "0.16.0"),
      "relay.attrs.BatchMatmulAttrs out_dtype=int8 transpose_a=0 transpose_b=1 vendor=12, has 7");
  EXPECT_EQ(attributes(R"("out_dtype": "int8", "transpose_a": "0")", "0.16.0"),
            "relay.attrs.BatchMatmulAttrs out_dtype=int8 transpose_a=0");
}

TEST(SaveJsonReader, ReportsTypesThatDoNotFollow) {
  const Reading reading = read(document({MLF_EVALUATING_FUNCTION, kSeven}));
  const auto found = std::ranges::find(reading.losses, LossCode::checked_type, &Loss::code);
  ASSERT_NE(found, reading.losses.end());
}

TEST(SaveJsonReader, ReportsListsThatAreUndefined) {
  // `params` of the function is one, TVM's own are always there.
  const Reading reading = read(document({MLF_EVALUATING_FUNCTION, kSeven}));
  const Loss loss{LossCode::undefined_list, LossScope::everywhere, "", "tir.PrimFunc.params"};
  EXPECT_NE(std::ranges::find(reading.losses, loss), reading.losses.end());
}

TEST(SaveJsonMetadata, GivesTheObjectsOfASectionByTypeKey) {
  const std::string text =
      "#[metadata]\n" +
      document(
          {R"({"type_key": "Map", "keys": ["Runtime", "Op"], "data": [2, 6]})",
           R"({"type_key": "Array", "data": [3, 0]})",
           R"({"type_key": "Runtime", "attrs": {"attrs": "5", "name": "4"}})",
           R"({"type_key": "runtime.String", "repr_str": "crt"})",
           R"({"type_key": "DictAttrs", "attrs": {"__dict__": "0"}})",
           R"({"type_key": "Array", "data": [7]})", R"({"type_key": "Op", "repr_str": "tir.exp"})"},
          "0.11.1");
  Builder builder;
  LossLog losses;
  const MetadataSection section =
      read_metadata({"tir-1.txt", "", text}, 12, text.size(), {}, builder, losses);
  ASSERT_EQ(section.objects.at("Runtime").size(), 2u);
  const NodeId runtime = section.objects.at("Runtime")[0];
  EXPECT_EQ(builder.node(runtime).text(f::Runtime::name), "crt");
  EXPECT_EQ(section.objects.at("Runtime")[1], NodeId::none);
  text::ExprFactory make(builder, losses);
  make.adopt_shared_nodes();
  EXPECT_EQ(make.op("tir.exp"), section.objects.at("Op")[0]);
  EXPECT_EQ(section.version.exact, "0.11.1");
}

/// `depth` additions inside one another.
std::string deep(int depth) {
  std::string nodes;
  for (int i = 0; i < depth; ++i) {
    nodes += add(std::to_string(11 + i), std::to_string(10 + depth)) + ",\n";
  }
  return document({MLF_EVALUATING_FUNCTION, nodes + std::string(kSeven)});
}

TEST(SaveJsonReader, ReadsDeepExpressionsWithoutRecursion) {
  EXPECT_EQ(evaluated(read(deep(100'000)).module).kind(), Kind::Add);
}

TEST(SaveJsonReader, RefusesNestingBeyondTheLimit) {
  ReadLimits limits;
  limits.max_nesting = 1000;
  try {
    read(deep(1000), limits);
    FAIL();
  } catch (const support::Error& error) {
    EXPECT_TRUE(error.diagnostic().message.ends_with("nested deeper than 1000 levels"))
        << error.diagnostic().message;
  }
}

}  // namespace
}  // namespace mlf::tir
