#include <fmt/core.h>

#include <set>
#include <string>
#include <utility>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "report/findings.h"

namespace mlf::report {
namespace {

using analysis::Count;
using tir::Kind;
namespace f = tir::f;

const Count kUnknownBytes{0, std::nullopt};

/// What an AllocateConst puts into flash; those in pools are main's, whatever is called.
Count bytes_of_constants(tir::Node function) {
  if (!function) return kUnknownBytes;
  Count bytes;
  tir::for_each_pre_order(function, [&](tir::Node node) {
    if (!node.is(Kind::AllocateConst)) return;
    bytes += analysis::to_count(
        graph::bytes_of(node.dtype(f::AllocateConst::dtype), node.list(f::AllocateConst::extents)));
  });
  return bytes;
}

void find_unused_kernels(const std::vector<NamedFunction>& uncalled,
                         std::vector<CostFinding>& findings) {
  for (const NamedFunction& function : uncalled) {
    findings.push_back({CostFindingCode::unused_kernel, std::string(function.symbol),
                        bytes_of_constants(function.function),
                        fmt::format("main does not call '{}'", function.symbol)});
  }
}

/// Each parameter of a kernel once, however often it is called.
void find_unused_parameters(const graph::Topology& network, std::vector<CostFinding>& findings) {
  std::set<std::pair<graph::KernelId, std::size_t>> seen;
  for (const graph::Call& call : network.calls) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const graph::Argument& argument = call.arguments[i];
      // A pool or a context may well be for what the kernel calls.
      const bool is_tensor = argument.storage && !argument.pool;
      if (!is_tensor || argument.decided_by != graph::DecidedBy::untouched) continue;
      if (!seen.emplace(call.kernel, i).second) continue;
      findings.push_back(
          {CostFindingCode::unused_parameter, network.kernel_of(call).symbol,
           analysis::to_count(argument.type.bytes()),
           fmt::format("argument {}, '{}', is neither loaded nor stored", i, argument.parameter)});
    }
  }
  // What is not understood of main may read any constant.
  if (!network.gaps.empty()) return;
  for (const graph::Value& value : network.values) {
    if (value.kind != graph::ValueKind::constant || !value.consumers.empty()) continue;
    findings.push_back({CostFindingCode::unused_parameter, value.name,
                        analysis::to_count(value.bytes), "no call reads this constant of main"});
  }
}

void find_unused_pools(const graph::Topology& network, std::vector<CostFinding>& findings) {
  for (const graph::MemoryUse& use : network.memory) {
    const bool is_empty =
        use.pool && use.used == 0 && use.exactness == graph::Exactness::exact && use.bytes != 0;
    if (!is_empty) continue;
    findings.push_back({CostFindingCode::unused_pool, network[*use.pool].name,
                        analysis::to_count(use.bytes), "no tensor and no workspace is in it"});
  }
}

}  // namespace

void find_unused(const ModuleReport& module, const std::vector<NamedFunction>& uncalled,
                 std::vector<CostFinding>& findings) {
  find_unused_kernels(uncalled, findings);
  if (!module.network) return;
  find_unused_parameters(*module.network, findings);
  find_unused_pools(*module.network, findings);
}

}  // namespace mlf::report
