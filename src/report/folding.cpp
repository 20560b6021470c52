#include "report/folding.h"

#include <cstdint>
#include <vector>

#include "analysis/fingerprint.h"

namespace mlf {

graph::FoldedNetwork fold_repeats(const ModuleReport& module) {
  std::vector<std::uint64_t> shapes;
  for (const KernelReport& kernel : module.kernels) {
    // A unique shape, its position, for a kernel without TIR.
    shapes.push_back(kernel.document
                         ? analysis::arithmetic_shape(kernel.document->module.node(kernel.function))
                         : shapes.size());
  }
  return graph::fold_repeats(*module.network, shapes);
}

}  // namespace mlf
