#include "deployment/folding.h"

#include <map>
#include <string>

#include "analysis/fingerprint.h"
#include "support/error.h"

namespace mlf {
namespace {

namespace f = tir::f;

using Functions = std::map<std::string, tir::Node, std::less<>>;

/// By the name of the GlobalVar. The deployment keeps the document.
Functions functions_of(const Deployment& deployment, std::string_view stem) {
  Functions functions;
  const TirSource* source = deployment.find_tir(stem);
  if (source == nullptr) return functions;
  const auto document = support::get_or_throw(deployment.document(*source));
  for (const tir::NamedFunction& one : tir::prim_functions_of(document->module)) {
    functions.try_emplace(std::string(one.name), one.function);
  }
  return functions;
}

}  // namespace

graph::FoldedNetwork fold_repeats(const Deployment& deployment, const graph::Topology& network) {
  std::map<std::string, Functions, std::less<>> by_stem;
  std::vector<std::uint64_t> shapes;
  for (const graph::Kernel& kernel : network.kernels) {
    if (!by_stem.contains(kernel.source)) {
      by_stem.emplace(kernel.source, functions_of(deployment, kernel.source));
    }
    const Functions& functions = by_stem.find(kernel.source)->second;
    const auto found = functions.find(kernel.function);
    // A unique shape, its position, for a kernel without TIR.
    shapes.push_back(found == functions.end() ? shapes.size()
                                              : analysis::arithmetic_shape(found->second));
  }
  return graph::fold_repeats(network, shapes);
}

}  // namespace mlf
