#include "graph/kernel_library.h"

namespace mlf::graph {

const KernelInfo& KernelLibrary::describe(std::string_view symbol) {
  std::unique_ptr<KernelInfo>& known = known_[std::string(symbol)];
  if (!known) {
    const FunctionRef* function = functions_.find(symbol, main_source_);
    known = std::make_unique<KernelInfo>(function != nullptr
                                             ? describe_kernel(*function, sources_)
                                             : describe_external(symbol, facts_, module_));
    known->kernel.symbol = symbol;
  }
  return *known;
}

}  // namespace mlf::graph
