#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "report/findings.h"
#include "tir/node_queries.h"

namespace mlf::report {
namespace {

using tir::Kind;
namespace f = tir::f;

constexpr std::array kOfConstants{CostFindingCode::constants_twice,
                                  CostFindingCode::widened_weights,
                                  CostFindingCode::uniform_constant};

/// External compilers write their own code: TVM's names for their functions say so.
bool is_of_external_compiler(const ModuleReport& module, const KernelReport& kernel) {
  if (!module.network) return false;
  const auto& kernels = module.network->kernels;
  const auto found = std::ranges::find(kernels, kernel.symbol, &graph::Kernel::symbol);
  return found != kernels.end() && found->origin == graph::KernelOrigin::external &&
         !found->target.empty();
}

/// Code that is not understood, or is not there: any finding may be in it.
std::vector<std::string> unseen_code(const ModuleReport& module) {
  std::vector<std::string> reasons;
  if (module.no_network && *module.no_network != NoNetwork::operators) {
    reasons.emplace_back(to_string(*module.no_network));
  }
  if (module.network) reasons = module.network->gaps;
  if (module.no_network && module.kernels.empty()) {
    reasons.emplace_back("no function of the module could be read");
  }
  for (const KernelReport& kernel : module.kernels) {
    const std::string name = graph::quoted(kernel.symbol);
    if (kernel.cost) {
      for (const std::string& gap : kernel.cost->gaps) reasons.push_back(name + ": " + gap);
    } else if (!is_of_external_compiler(module, kernel)) {
      reasons.push_back(name + " has no TIR");
    }
  }
  return reasons;
}

/// Offsets of the constants with data that main's pools have.
std::set<std::uint64_t> offsets_with_data(tir::Node main) {
  std::set<std::uint64_t> offsets;
  if (!main) return offsets;
  tir::for_each_pre_order(main, [&](tir::Node node) {
    if (!node.is(Kind::ConstantInfo)) return;
    const auto offset = graph::integer_of(node[f::ConstantInfo::byte_offset]);
    if (!offset || !tir::data_of(node[f::ConstantInfo::data])) return;
    offsets.insert(static_cast<std::uint64_t>(*offset));
  });
  return offsets;
}

void add_constants_of_pools(const graph::Topology& network, tir::Node main,
                            std::vector<std::string>& reasons) {
  const std::set<std::uint64_t> offsets = offsets_with_data(main);
  for (const graph::Kernel& kernel : network.kernels) {
    for (const graph::KernelBuffer& constant : kernel.constants) {
      const bool has_data =
          !constant.pool || (constant.offset && offsets.contains(*constant.offset));
      if (!has_data) {
        reasons.push_back("the data of " + graph::quoted(constant.name) + " is not known");
      }
    }
  }
}

std::vector<std::string> constants_without_data(const ModuleReport& module,
                                                const std::vector<NamedFunction>& functions,
                                                tir::Node main) {
  std::vector<std::string> reasons;
  for (const NamedFunction& function : functions) {
    tir::for_each_pre_order(function.function, [&](tir::Node node) {
      if (!node.is(Kind::AllocateConst)) return;
      if (tir::data_of(node[f::AllocateConst::data])) return;
      const std::string_view name = node[f::AllocateConst::buffer_var].text(f::Var::name);
      reasons.push_back("the data of " + graph::quoted(name) + " is not known");
    });
  }
  if (module.network) add_constants_of_pools(*module.network, main, reasons);
  return reasons;
}

}  // namespace

std::vector<UnsearchedFinding> unsearched_findings(const ModuleReport& module,
                                                   const std::vector<NamedFunction>& functions,
                                                   tir::Node main) {
  std::vector<UnsearchedFinding> unsearched;
  const std::vector<std::string> code = unseen_code(module);
  const std::vector<std::string> data = constants_without_data(module, functions, main);
  for (const CostFindingInfo& one : all_cost_findings()) {
    const bool is_of_constants = std::ranges::find(kOfConstants, one.finding) != kOfConstants.end();
    // The first reason of each kind is enough to decide nothing.
    if (!code.empty()) unsearched.push_back({one.finding, code.front()});
    if (is_of_constants && !data.empty()) unsearched.push_back({one.finding, data.front()});
  }
  if (!module.flash.copies.is_exact()) {
    unsearched.push_back(
        {CostFindingCode::metadata_copies, "generated C of the module is missing"});
  }
  return unsearched;
}

}  // namespace mlf::report
