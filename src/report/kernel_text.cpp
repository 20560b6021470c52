#include "report/kernel_text.h"

#include <algorithm>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/error.h"

namespace mlf::report {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

std::optional<std::uint64_t> allocated_bytes(Node node) {
  switch (node.kind()) {
    case Kind::Allocate:
      return graph::bytes_of(node.dtype(f::Allocate::dtype), node.list(f::Allocate::extents));
    case Kind::AllocateConst:
      return graph::bytes_of(node.dtype(f::AllocateConst::dtype),
                             node.list(f::AllocateConst::extents));
    case Kind::Buffer:
      return graph::bytes_of(node.dtype(f::Buffer::dtype), node.list(f::Buffer::shape));
    default:
      return std::nullopt;
  }
}

/// TVMScript of the kernel; nothing if it cannot be written.
std::optional<tir::FunctionScript> script_of(const KernelReport& kernel) {
  for (const tir::NamedFunction& one : tir::functions_of(kernel.document->module)) {
    if (one.function.id() != kernel.function) continue;
    return support::value_if_valid(tir::write_function(*kernel.document, one));
  }
  return std::nullopt;
}

/// The lines of the text that the kernel was read from.
KernelText own_text(const Deployment& deployment, const KernelReport& kernel) {
  const std::optional<CodeLines>& place = kernel.tir ? kernel.tir : kernel.c;
  const archive::Member* member = place ? deployment.archive().find(place->file) : nullptr;
  if (member == nullptr) return {};
  const std::string_view whole = support::get_or_throw(deployment.archive().read(*member));
  const LineTable table(whole);
  KernelText own{.text = std::string(table.lines_of(whole, *place))};
  const TirSource* source = deployment.find_tir(kernel.source);
  if (source != nullptr && source->name == place->file) {
    own.lines = statement_lines(kernel.document->module.node(kernel.function), table, place->first);
  }
  return own;
}

}  // namespace

StatementLines statement_lines(Node function, const LineTable& lines, std::uint32_t first) {
  StatementLines found;
  const tir::Module& module = function.module();
  tir::for_each_pre_order(function[f::PrimFunc::body], [&](Node node) {
    if (node.category() != tir::Category::stmt) return;
    const auto range = module.source_range(node.id());
    if (range) found.emplace(node.id(), lines.line_of(range->begin) - first + 1);
  });
  return found;
}

KernelText kernel_text(const Deployment& deployment, const KernelReport& kernel) {
  KernelText text;
  if (auto script = script_of(kernel)) {
    text = {
        .text = std::move(script->text), .is_tvmscript = true, .lines = std::move(script->lines)};
  } else {
    text = own_text(deployment, kernel);
  }
  for (const auto& [node, line] : text.lines) {
    const auto bytes = allocated_bytes(kernel.document->module.node(node));
    if (bytes) text.costs[line].bytes = bytes;
  }
  if (!kernel.cost) return text;
  for (std::size_t i = 0; i < kernel.cost->loops.size(); ++i) {
    // A loop that several paths reach has the cost of the first one.
    const auto line = text.lines.find(kernel.cost->loops[i].node);
    if (line == text.lines.end()) continue;
    LineCost& cost = text.costs[line->second];
    if (!cost.loop) cost.loop = i;
  }
  return text;
}

}  // namespace mlf::report
