// save_json writes every node once: the number of a site is that of its IntImm.
#include <limits>

#include "json/document.h"
#include "replan/edits.h"
#include "support/error.h"
#include "tir/reader.h"
#include "tir/save_json/importer.h"
#include "tir/save_json/json_graph.h"

namespace mlf::replan {

// The reader of the room tir does the reading; here only the places of numbers are added, by which
// node of the graph became which node of the module.
SaveJsonPlaces read_with_places(const support::SourceText& source, const tir::ReadLimits& limits) {
  const json::Document document(source, {limits.max_nesting, json::Strings::any_bytes});
  const tir::save_json::JsonGraph graph(document);
  tir::Builder builder;
  tir::LossLog losses;
  tir::save_json::Importer importer(graph, limits, builder, losses);
  const tir::NodeId root = importer.import(graph.root());
  // Whatever is below the root is made; asking again only tells the id.
  std::vector<tir::SourceRange> integers(builder.size());
  for (std::uint32_t index = 0; index < graph.size(); ++index) {
    if (graph.node(index).kind != tir::Kind::IntImm) continue;
    const tir::NodeId id = importer.import(index);
    if (tir::index(id) >= integers.size()) continue;  // below nothing: no part of the module
    for (const json::Member attribute : graph.attrs(index)) {
      if (attribute.key.text() != "value") continue;
      // save_json writes numbers as strings: the digits are between the quotes.
      const std::size_t begin = attribute.value.offset() + 1;
      const std::size_t end = begin + attribute.value.length() - 2;
      integers[tir::index(id)] = {static_cast<std::uint32_t>(begin),
                                  static_cast<std::uint32_t>(end)};
    }
  }
  return {std::move(builder).finish(root), std::move(integers)};
}

}  // namespace mlf::replan
