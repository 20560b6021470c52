// The functions that main calls, each described once.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "graph/functions.h"
#include "graph/kernel_info.h"

namespace mlf::graph {

class KernelLibrary {
 public:
  /// All must outlive the library. `main_source` is where callees are looked for first.
  KernelLibrary(const FunctionTable& functions, std::span<const TirInput> sources,
                std::size_t main_source, const ModuleFacts* facts, std::string_view module)
      : functions_(functions),
        sources_(sources),
        main_source_(main_source),
        facts_(facts),
        module_(module) {}

  /// The description of a function; it lives as long as the library.
  const KernelInfo& describe(std::string_view symbol);

 private:
  const FunctionTable& functions_;
  std::span<const TirInput> sources_;
  std::size_t main_source_;
  const ModuleFacts* facts_;
  std::string module_;
  std::unordered_map<std::string, std::unique_ptr<KernelInfo>> known_;
};

}  // namespace mlf::graph
