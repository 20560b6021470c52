#include "graph/kernels/functions.h"

#include <algorithm>

#include "graph/node_queries.h"
#include "mlf/target.h"
#include "support/lookup.h"
#include "support/prefix_table.h"
#include "tir/node_queries.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

bool has_main_name(const FunctionRef& function) {
  return tir::ends_with_main_name(function.symbol) || tir::ends_with_main_name(function.name);
}

// AOTExecutorCodegen marks its main with the attribute `runner_function` in all versions.
bool is_runner(const FunctionRef& function) {
  const Node runner = attribute_of(function.function, "runner_function");
  return runner && integer_of(runner).value_or(0) != 0;
}

// Names count only if no function has the attribute: a kernel may also be called "run_model".
std::vector<const FunctionRef*> mains_of(std::span<const FunctionRef> functions) {
  std::vector<const FunctionRef*> runners;
  std::vector<const FunctionRef*> named;
  for (const FunctionRef& function : functions) {
    if (is_runner(function)) runners.push_back(&function);
    if (has_main_name(function)) named.push_back(&function);
  }
  std::vector<const FunctionRef*>& mains = runners.empty() ? named : runners;
  std::stable_sort(mains.begin(), mains.end(), [](const FunctionRef* a, const FunctionRef* b) {
    return a->symbol < b->symbol;
  });
  return mains;
}

/// The device of functions that have no target of their own.
std::optional<Device> device_of_document(const tir::Document& document) {
  if (!document.target) return std::nullopt;
  const auto target = parse_target(*document.target);
  return target ? target->device_type : std::nullopt;
}

}  // namespace

std::optional<Device> device_of_target(Node function) {
  const std::string_view kind = tir::target_kind_of(function);
  if (kind.empty()) return std::nullopt;
  const tir::NodeMap attrs = attribute_of(function, "target").map(f::Target::attrs);
  const Node stated = attrs.find("target_device_type");
  const auto number = stated ? integer_of(stated) : std::nullopt;
  return number && *number > 0 && *number <= INT32_MAX ? static_cast<Device>(*number)
                                                       : default_device_type(kind);
}

// A call names its callee by symbol or by GlobalVar, so the table has both.
FunctionTable::FunctionTable(std::span<const TirInput> sources) {
  for (std::size_t source = 0; source < sources.size(); ++source) {
    const auto* const without = sources[source].without;
    const auto device = device_of_document(*sources[source].document);
    for (const auto& one : tir::prim_functions_of(sources[source].document->module)) {
      if (without != nullptr && without->contains(one.symbol)) continue;
      const auto own = device_of_target(one.function);
      functions_.push_back({one.function, one.name, one.symbol, source, own ? own : device});
    }
  }
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    by_symbol_[functions_[i].symbol].push_back(i);
    if (functions_[i].name != functions_[i].symbol) by_symbol_[functions_[i].name].push_back(i);
  }
  mains_ = mains_of(functions_);
  support::PrefixTable modules;
  std::vector<std::vector<const FunctionRef*>*> lists;
  for (const FunctionRef* main : mains_) {
    const std::string module = module_of_main(main->symbol);
    modules.add("tvmgen_" + module + '_', lists.size());
    lists.push_back(&of_module_[module]);
  }
  for (const FunctionRef& function : functions_) {
    if (const auto module = modules.longest_of(function.symbol)) {
      lists[*module]->push_back(&function);
    } else if (function.symbol.starts_with("tvmgen_")) {
      of_module_[""].push_back(&function);
    }
  }
}

// Two targets of one build may both have a function with this name: main's own TIR has priority.
const FunctionRef* FunctionTable::find(std::string_view symbol,
                                       std::size_t preferred_source) const {
  const auto same = by_symbol_.find(symbol);
  if (same == by_symbol_.end()) return nullptr;
  // In the order of their sources.
  const auto preferred = std::ranges::lower_bound(
      same->second, preferred_source, {}, [&](std::size_t i) { return functions_[i].source; });
  const bool is_there =
      preferred != same->second.end() && functions_[*preferred].source == preferred_source;
  return &functions_[is_there ? *preferred : same->second.front()];
}

std::span<const FunctionRef* const> FunctionTable::of_module(std::string_view module) const {
  const auto* const found = support::find_value(of_module_, module);
  return found == nullptr ? std::span<const FunctionRef* const>() : *found;
}

std::map<std::string, Node, std::less<>> linked_parameters(const TirInput& source) {
  std::map<std::string, Node, std::less<>> linked;
  for (const tir::NamedFunction& one : tir::prim_functions_of(source.document->module)) {
    const Node params = tir::linked_params_of(one.function);
    if (!params) continue;
    const tir::NodeMap entries = params.map(f::StringMap::entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Node entry = entries.value(i);
      const bool has_array =
          entry.is(Kind::LinkedParam) && entry[f::LinkedParam::param].is(Kind::NDArray);
      if (has_array) linked.emplace(entries.name(i), entry);
    }
  }
  return linked;
}

TensorType type_of(Node array) {
  const auto shape = array.integers(f::NDArray::shape);
  return {array.dtype(f::NDArray::dtype), std::vector(shape.begin(), shape.end())};
}

std::string module_of_main(std::string_view symbol) {
  constexpr std::string_view kPrefix = "tvmgen_";
  if (!symbol.starts_with(kPrefix)) return {};
  symbol.remove_prefix(kPrefix.size());
  for (const std::string_view main : tir::kMainNames) {
    if (!symbol.ends_with(main)) continue;
    symbol.remove_suffix(main.size());
    // "_" separates the parts; without a module name, only main's own name remains.
    if (symbol.ends_with('_')) symbol.remove_suffix(1);
    return std::string(symbol);
  }
  return std::string(symbol);
}

}  // namespace mlf::graph
