#include "deployment/graph_signatures.h"

#include <set>
#include <string_view>

#include "mlf/graph/graph_json.h"
#include "support/error.h"

namespace mlf::deployment {
namespace {

tir::CTensor tensor(const graph::TensorType& type) {
  if (!type.shape) return {};
  return {type.dtype, *type.shape};
}

}  // namespace

std::vector<tir::CSignature> graph_signatures(const archive::Archive& archive,
                                              const Module& module) {
  if (!module.files.graph) return {};
  const FileRef& file = *module.files.graph;
  const std::string_view text = support::get_or_throw(archive.read(*archive.find(file.name)));
  const auto topology =
      graph::read_graph_json({.file = archive.path(), .member = file.name, .text = text});
  if (!topology) return {};

  std::vector<tir::CSignature> signatures;
  std::set<std::string_view> known;
  for (const graph::Call& call : topology->calls) {
    const std::string& symbol = topology->kernels[index(call.kernel)].symbol;
    if (!known.insert(symbol).second) continue;
    tir::CSignature signature{symbol, {}};
    for (const graph::Argument& argument : call.arguments) {
      signature.params.push_back(tensor(argument.type));
    }
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

}  // namespace mlf::deployment
