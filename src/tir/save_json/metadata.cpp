#include "tir/save_json/metadata.h"

#include "tir/save_json/importer.h"

namespace mlf::tir {

MetadataSection read_metadata(const support::SourceText& source, std::size_t begin, std::size_t end,
                              const ReadLimits& limits, Builder& builder, LossLog& losses) {
  const json::Document document(source, begin, end, {limits.max_nesting, json::Strings::any_bytes});
  const save_json::JsonGraph graph(document);
  save_json::Importer importer(graph, limits, builder, losses);
  const std::uint32_t root = graph.root();
  if (graph.node(root).kind != Kind::StringMap) {
    graph.fail(root, "expected a Map of type keys at the root of a metadata section");
  }
  MetadataSection section{.version = graph.version()};
  importer.import(root);
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
  section.ops = importer.ops();
  return section;
}

}  // namespace mlf::tir
