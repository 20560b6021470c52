// tvm.ir.save_json in, a module out.
#include "tir/reader.h"
#include "tir/save_json/derived.h"
#include "tir/save_json/importer.h"

namespace mlf::tir {
namespace {

using save_json::JsonGraph;

// The name that the function has for its callers, else the one TVM gives to a lone function.
StringId name_of_lone(Builder& builder, NodeId function) {
  const Node attrs = builder.node(function)[f::PrimFunc::attrs];
  if (attrs.is(Kind::DictAttrs)) {
    const Node symbol = attrs.map(f::DictAttrs::dict).find("global_symbol");
    if (symbol.is(Kind::String)) return builder.string(std::string(symbol.text(f::String::value)));
  }
  return builder.string("main");
}

NodeId wrap(Builder& builder, NodeId function) {
  const NodeId var = builder.make(
      Kind::GlobalVar, {name_of_lone(builder, function), NodeId::none, NodeId::none, NodeId::none});
  const NodePair entry{var, function};
  const ListId functions = builder.map(std::span(&entry, 1));
  return builder.make(Kind::IRModule, {functions, NodeId::none, NodeId::none, NodeId::none,
                                       NodeId::none, NodeId::none});
}

NodeId read_root(const JsonGraph& graph, save_json::Importer& importer, Builder& builder) {
  const std::uint32_t root = graph.root();
  const auto kind = graph.node(root).kind;
  if (kind != Kind::IRModule && kind != Kind::PrimFunc) {
    graph.fail(root, "expected an IRModule or a PrimFunc at the root");
  }
  const NodeId id = importer.import(root);
  return kind == Kind::PrimFunc ? wrap(builder, id) : id;
}

}  // namespace

Reading read_save_json(const support::SourceText& source, const ReadLimits& limits) {
  const json::Document document(source, {limits.max_nesting, json::Strings::any_bytes});
  const JsonGraph graph(document);
  Builder builder;
  LossLog losses;
  save_json::Importer importer(graph, limits, builder, losses);
  const NodeId root = read_root(graph, importer, builder);
  save_json::check_derived(graph, losses);
  return {std::move(builder).finish(root), graph.version(), losses.finish()};
}

}  // namespace mlf::tir
