#include "graph/short_names.h"

#include <map>
#include <string_view>

namespace mlf::graph {
namespace {

std::string_view shortened(std::string_view name, std::string_view prefix) {
  const bool leaves_something = name.starts_with(prefix) && name.size() > prefix.size();
  return leaves_something ? name.substr(prefix.size()) : name;
}

}  // namespace

std::vector<std::string> short_names(const Topology& topology) {
  const std::string module =
      "tvmgen_" + (topology.module.empty() ? "default" : topology.module) + "_";
  // How many kernels a name could mean. Every kernel counts for all that it may be called.
  std::map<std::string_view, int> meanings;
  const auto forms = [&](const Kernel& kernel) {
    const std::string_view inner = shortened(kernel.symbol, module);
    return std::vector<std::string_view>{shortened(inner, "fused_"), inner, kernel.symbol};
  };
  for (const Kernel& kernel : topology.kernels) {
    std::string_view last;
    for (const std::string_view form : forms(kernel)) {
      if (form != last) ++meanings[form];
      last = form;
    }
  }
  std::vector<std::string> names;
  for (const Kernel& kernel : topology.kernels) {
    std::string_view chosen = kernel.symbol;
    for (const std::string_view form : forms(kernel)) {
      if (meanings[form] > 1) continue;
      chosen = form;
      break;
    }
    names.emplace_back(chosen);
  }
  return names;
}

}  // namespace mlf::graph
