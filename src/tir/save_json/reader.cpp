// Reads tvm.ir.save_json: a module, or the objects of a metadata section.
#include <utility>

#include "tir/node_queries.h"
#include "tir/reader.h"
#include "tir/save_json/importer.h"
#include "tir/save_json/layout.h"
#include "tir/save_json/metadata.h"

namespace mlf::tir {
namespace {

using save_json::JsonGraph;

// A PrimFunc that was saved without a module gets its name for callers, or TVM's name for a single
// function.
NodeId wrap(Builder& builder, NodeId function) {
  const Node symbol = attribute_of(builder.node(function), "global_symbol");
  const std::string name(symbol.is(Kind::String) ? symbol.text(f::String::value) : "main");
  const NodeId var = builder.make(Kind::GlobalVar, {builder.string(name)});
  const NodePair entry{var, function};
  return builder.make(Kind::IRModule, {builder.map(std::span(&entry, 1))});
}

// Other roots (a Target, a Stmt, an Array) are also save_json, but not the TIR of a program.
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

NodeId with_source_nodes(Builder& builder, NodeId module, NodeId nodes) {
  if (nodes == NodeId::none) return module;
  const auto same = [](Node node) { return node.id(); };
  std::vector<FieldValue> fields;
  for (std::uint8_t i = 0; i < info(Kind::IRModule).fields.size(); ++i) {
    fields.push_back(copied_field(builder, builder.node(module), i, same));
  }
  fields[f::IRModule::source_nodes] = nodes;
  return builder.make(Kind::IRModule, fields);
}

Reading read_save_json(const support::SourceText& source, const ReadLimits& limits) {
  const json::Document document(source, {limits.max_nesting, json::Strings::any_bytes});
  const JsonGraph graph(document);
  Builder builder;
  LossLog losses;
  save_json::Importer importer(graph, limits, builder, losses);
  const NodeId module = read_root(graph, importer, builder);
  const NodeId root = with_source_nodes(builder, module, importer.source_nodes());
  return {std::move(builder).finish(root), graph.version(), losses.finish()};
}

MetadataSection read_metadata(const support::SourceText& source, std::size_t begin, std::size_t end,
                              const ReadLimits& limits, Builder& builder, LossLog& losses,
                              Places* places) {
  const json::Document document(source, begin, end, {limits.max_nesting, json::Strings::any_bytes});
  const save_json::JsonGraph graph(document);
  save_json::Importer importer(graph, limits, builder, losses);
  const std::uint32_t root = graph.root();
  if (graph.node(root).kind != Kind::StringMap) {
    graph.fail(root, "expected a Map of type keys at the root of a metadata section");
  }
  MetadataSection section{.version = graph.version()};
  importer.import(root);
  // The importer has made the map. Its arrays are read from the document, because null elements
  // keep their positions: texts refer to objects by number.
  auto list = graph.data(root).begin();
  for (const json::Value key : graph.keys(root)) {
    const std::uint32_t array = graph.element(*list);
    if (graph.node(array).kind != Kind::Array) {
      graph.fail(array, "expected an Array of objects for " + save_json::clipped(key.text()));
    }
    std::vector<NodeId>& objects = section.objects[std::string(key.text())];
    for (const json::Value element : graph.data(array)) {
      const std::uint32_t object = graph.element(element);
      objects.push_back(object == 0 ? NodeId::none : importer.import(object));
    }
    ++list;
  }
  section.source_nodes = importer.source_nodes();
  if (places != nullptr) importer.note_integers(*places);
  return section;
}

}  // namespace mlf::tir
