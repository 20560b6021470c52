// Which module and target a TIR belongs to.
#include "deployment/tir_name.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "mlf/tir/builder.h"

namespace mlf {
namespace {

using tir::Builder;
using tir::Kind;
using tir::ListId;
using tir::NodeId;

/// A function with a symbol and, unless empty, the kind of its target.
struct Function {
  std::string_view symbol;
  std::string_view target_kind;
};

NodeId text(Builder& builder, std::string_view value) {
  return builder.make(Kind::String, {builder.string(value)});
}

NodeId target(Builder& builder, std::string_view kind) {
  const NodeId its_kind =
      builder.make(Kind::TargetKind, {builder.string(kind), 1, 1, ListId::none});
  return builder.make(Kind::Target,
                      {its_kind, builder.string(""), builder.list({}),
                       builder.map(std::span<const tir::NamedNode>{}), NodeId::none, NodeId::none});
}

NodeId function(Builder& builder, const Function& what) {
  std::vector<tir::NamedNode> attrs{{builder.string("global_symbol"), text(builder, what.symbol)}};
  if (!what.target_kind.empty()) {
    attrs.push_back({builder.string("target"), target(builder, what.target_kind)});
  }
  const NodeId dict = builder.make(Kind::DictAttrs, {builder.map(attrs)});
  const NodeId void_type = builder.make(Kind::TupleType, {builder.list({})});
  const NodeId zero = builder.make(Kind::IntImm, {tir::DType::Int(32), 0});
  const NodeId body = builder.make(Kind::Evaluate, {zero});
  const ListId no_buffers = builder.map(std::span<const tir::NodePair>{});
  return builder.make(Kind::PrimFunc,
                      {builder.list({}), void_type, no_buffers, ListId::none, dict, body});
}

tir::Module module_of(const std::vector<Function>& functions) {
  Builder builder;
  std::vector<tir::NodePair> entries;
  for (const Function& what : functions) {
    const NodeId var = builder.make(
        Kind::GlobalVar, {builder.string("f"), NodeId::none, NodeId::none, NodeId::none});
    entries.push_back({var, function(builder, what)});
  }
  const NodeId root = builder.make(
      Kind::IRModule,
      {builder.map(entries), NodeId::none, NodeId::none, NodeId::none, NodeId::none, NodeId::none});
  return std::move(builder).finish(root);
}

ModelLibrary library_of(std::initializer_list<std::string_view> modules,
                        std::initializer_list<std::string_view> targets) {
  ModelLibrary library;
  for (const std::string_view name : modules) {
    Module& module = library.modules.emplace_back();
    module.name = name;
    for (const std::string_view text : targets) {
      module.targets.push_back({*parse_target(text), 0});
    }
  }
  return library;
}

TirOwners owners_of(const tir::Module& module, std::string_view stem, const ModelLibrary& library) {
  return deployment::owners_of(module, stem, library, deployment::ModuleSymbols(library),
                               deployment::StatedOwners(library));
}

using Indices = std::vector<std::size_t>;

TEST(TirOwnersTest, TheOnlyModuleOwnsEverything) {
  const ModelLibrary library = library_of({"default"}, {"c"});
  EXPECT_EQ(deployment::ModuleSymbols(library).module_of("anything"), 0U);
  EXPECT_EQ(owners_of(module_of({{"f", ""}}), "tir-1", library).modules, Indices{0});
}

TEST(TirOwnersTest, OfSeveralModulesTheSymbolNamesTheOwner) {
  const ModelLibrary library = library_of({"first", "second"}, {"c"});
  EXPECT_EQ(deployment::ModuleSymbols(library).module_of("tvmgen_second_fused_add"), 1U);
  EXPECT_EQ(deployment::ModuleSymbols(library).module_of("tvmgen_third_fused_add"), std::nullopt);
  EXPECT_EQ(deployment::ModuleSymbols(library).module_of("tvmgen_firstborn_add"), std::nullopt);
}

TEST(TirOwnersTest, TheLongerNameWinsWhereOneBeginsWithTheOther) {
  const ModelLibrary library = library_of({"net", "net_2"}, {"c"});
  EXPECT_EQ(deployment::ModuleSymbols(library).module_of("tvmgen_net_2_add"), 1U);
  EXPECT_EQ(deployment::ModuleSymbols(library).module_of("tvmgen_net_add"), 0U);
}

TEST(TirOwnersTest, CharactersThatCNamesCannotHaveAreUnderscores) {
  const ModelLibrary library = library_of({"my-net.v1", "other"}, {"c"});
  EXPECT_EQ(deployment::ModuleSymbols(library).module_of("tvmgen_my_net_v1_add"), 0U);
}

TEST(TirOwnersTest, AFileWithFunctionsOfTwoModulesBelongsToBoth) {
  const ModelLibrary library = library_of({"first", "second"}, {"c"});
  const auto module = module_of({{"tvmgen_second_a", ""}, {"tvmgen_first_b", ""}, {"other", ""}});
  EXPECT_EQ(owners_of(module, "tir-1", library).modules, (Indices{0, 1}));
}

TEST(TirOwnersTest, TheFunctionsNameTheirTarget) {
  const ModelLibrary library = library_of({"default"}, {"cmsis-nn", "c -keys=cpu"});
  const auto owners = owners_of(module_of({{"f", "c"}}), "tir-1", library);
  ASSERT_NE(owners.target, nullptr);
  EXPECT_EQ(owners.target->text, "c -keys=cpu");
}

TEST(TirOwnersTest, TheStemNamesTheTargetWhereFunctionsDoNot) {
  const ModelLibrary library = library_of({"default"}, {"c", "cmsis-nn", "cuda"});
  const auto module = module_of({{"f", ""}});
  EXPECT_EQ(owners_of(module, "tir-1", library).target->kind, "c");
  EXPECT_EQ(owners_of(module, "tir-1-cmsis-nn", library).target->kind, "cmsis-nn");
  EXPECT_EQ(owners_of(module, "tir-2", library).target->kind, "cuda");
  EXPECT_EQ(owners_of(module, "tir-4", library).target, nullptr);
}

}  // namespace
}  // namespace mlf
