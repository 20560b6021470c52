// The plan in the metadata section of a printed text: `pool_args` refers to
// `meta[tir.usmp.AllocatedPoolInfo][0]` (`ir.AllocatedPoolInfo` from v0.13 on), and the section, a
// save_json document behind the code, has its number.
#include <set>
#include <string>

#include "json/document.h"
#include "replan/edits.h"
#include "tir/save_json/json_graph.h"

namespace mlf::replan {
namespace {

constexpr std::string_view kHeading = "\n#[metadata]\n";

using tir::save_json::JsonGraph;

/// Memory pools were a part of TIR's planner before v0.13 made them a part of IR.
bool is_pool(std::string_view type_key) {
  return type_key == "ir.AllocatedPoolInfo" || type_key == "tir.usmp.AllocatedPoolInfo";
}

/// The node that an attribute refers to; nothing where there is no such attribute.
std::optional<std::uint32_t> part_of(const JsonGraph& graph, std::uint32_t node,
                                     std::string_view name) {
  const auto attribute = graph.attr(node, name);
  return attribute ? graph.reference(*attribute) : std::nullopt;
}

/// The new size of the pool that a tir.usmp.PoolInfo describes, where `old_size` is its size now.
std::optional<std::uint64_t> new_size_of(const JsonGraph& graph, std::uint32_t pool_info,
                                         std::uint64_t old_size,
                                         std::span<const ModuleAssignment> assignments) {
  const auto text = part_of(graph, pool_info, "pool_name");
  if (!text) return std::nullopt;
  const std::string name = graph.repr(*text);
  for (const ModuleAssignment& assignment : assignments) {
    const auto size = assignment.sizes.find(name);
    if (size != assignment.sizes.end() && size->second.old_size == old_size) {
      return size->second.new_size;
    }
  }
  return std::nullopt;
}

}  // namespace

// Where the list of pools is in the text itself there may still be a section, with constants alone.
// A number that is none of the old sizes stays: that something was forgotten is found afterwards,
// when the whole text is read again.
void add_metadata_section_edits(const support::SourceText& source,
                                std::span<const ModuleAssignment> assignments,
                                std::vector<Edit>& edits) {
  const std::size_t heading = source.text.rfind(kHeading);
  if (heading == std::string_view::npos) return;
  const json::Document document(source, heading + kHeading.size(), source.text.size(),
                                {.strings = json::Strings::any_bytes});
  const JsonGraph graph(document);
  // Kernels share what they say of one pool.
  std::set<std::uint32_t> done;
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    if (!is_pool(graph.type_key(node))) continue;
    const auto pool_info = part_of(graph, node, "pool_info");
    const auto integer = part_of(graph, node, "allocated_size");
    if (!pool_info || !integer || !done.insert(*integer).second) continue;
    const auto digits = graph.attr(*integer, "value");
    std::uint64_t size = 0;
    if (!digits || !digits->is_string() || !tir::save_json::parse_whole(digits->text(), size)) {
      continue;
    }
    const auto wanted = new_size_of(graph, *pool_info, size, assignments);
    // save_json writes numbers as strings: the digits are between the quotes.
    if (wanted) edits.push_back({digits->offset() + 1, digits->length() - 2, *wanted});
  }
}

}  // namespace mlf::replan
