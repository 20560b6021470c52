#include "graph/ports.h"

#include <algorithm>
#include <map>

#include "graph/functions.h"

namespace mlf::graph {
namespace {

enum class Access : std::uint8_t { none, read, write };

using PortIndex = std::map<RootKey, std::size_t>;

/// The first thing that a step whose effects are known does to each port.
class FirstAccess {
 public:
  FirstAccess(const SlotTable& slots, KernelLibrary& kernels)
      : slots_(slots), kernels_(kernels), access_(slots.ports.size(), Access::none) {
    for (std::size_t i = 0; i < slots.ports.size(); ++i) ports_.emplace(slots.ports[i].root, i);
  }

  std::vector<Access> over(const MainBody& body) && {
    for (const Step& step : body.steps) {
      if (const auto* call = std::get_if<RawCall>(&step)) note(*call);
      if (const auto* copy = std::get_if<RawCopy>(&step)) {
        note(copy->from, Access::read);
        note(copy->to, Access::write);
      }
    }
    return std::move(access_);
  }

 private:
  void note(const Place& place, Access access) {
    const ArgumentRole role = slots_.role_of(place);
    if (role.kind != ArgumentRole::Kind::tensor) return;
    const auto port = ports_.find(role.root);
    if (port == ports_.end()) return;
    if (access_[port->second] == Access::none) access_[port->second] = access;
  }

  void note(const RawCall& call) {
    const auto slots = slots_for_call(kernels_.describe(call.symbol), call, slots_);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Effect& effect = slots[i].effect;
      const bool is_written = effect.written && effect.first != Effect::First::read;
      if (effect.escaped && !effect.written) continue;
      if (is_written || effect.read) {
        note(call.arguments[i].place, is_written ? Access::write : Access::read);
      }
    }
  }

  const SlotTable& slots_;
  KernelLibrary& kernels_;
  PortIndex ports_;
  std::vector<Access> access_;
};

/// "output", "output2", and what the printers make of them: "output_1".
bool is_output_name(std::string_view name) {
  constexpr std::string_view kOutput = "output";
  if (!name.starts_with(kOutput)) return false;
  name.remove_prefix(kOutput.size());
  if (name.starts_with('_')) name.remove_prefix(1);
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::size_t first_output(const std::vector<PortPlan>& ports, const std::vector<Access>& access) {
  const auto written = std::find(access.begin(), access.end(), Access::write);
  const auto named = std::find_if(ports.begin(), ports.end(),
                                  [](const PortPlan& port) { return is_output_name(port.name); });
  const auto by_name = static_cast<std::size_t>(named - ports.begin());
  if (written == access.end())
    return named == ports.end() && !ports.empty() ? ports.size() - 1 : by_name;
  const auto by_access = static_cast<std::size_t>(written - access.begin());
  // An output that a fault leaves unwritten still has its name, unless something reads it first.
  const bool name_holds = by_name < by_access && access[by_name] == Access::none;
  return name_holds ? by_name : by_access;
}

const NamedTensor* fact_named(const std::vector<NamedTensor>& facts, const std::string& parameter) {
  const auto at = std::find_if(facts.begin(), facts.end(), [&](const NamedTensor& fact) {
    return sanitized(fact.name) == parameter;
  });
  return at == facts.end() ? nullptr : &*at;
}

void adopt_names(std::vector<PortPlan>& ports, const ModuleFacts& facts, Topology& topology) {
  for (PortPlan& port : ports) {
    const auto& known = port.is_output ? facts.outputs : facts.inputs;
    const NamedTensor* fact = known ? fact_named(*known, port.name) : nullptr;
    if (fact == nullptr) continue;
    const auto bytes = port.type.bytes();
    if (bytes && fact->bytes && *bytes != *fact->bytes) {
      topology.checks.push_back({CheckCode::io_mismatch,
                                 "'" + fact->name + "' has " + std::to_string(*fact->bytes) +
                                     " bytes in the metadata and " + std::to_string(*bytes) +
                                     " in main",
                                 std::nullopt, std::nullopt});
    }
    port.name = fact->name;
  }
}

/// Inputs and outputs that the planner put into pools have lost the order of their parameters:
/// those that are written first become the last.
void order_planned_ports(std::vector<PortPlan>& ports, std::vector<Access>& access) {
  const bool is_planned = std::any_of(ports.begin(), ports.end(), [](const PortPlan& port) {
    return port.root.kind == RootKey::Kind::alias;
  });
  if (!is_planned) return;
  std::vector<PortPlan> ordered;
  std::vector<Access> ordered_access;
  for (const bool written : {false, true}) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if ((access[i] == Access::write) != written) continue;
      ordered.push_back(std::move(ports[i]));
      ordered_access.push_back(access[i]);
    }
  }
  ports = std::move(ordered);
  access = std::move(ordered_access);
}

/// How many outputs metadata names, where that fits the number of parameters.
std::optional<std::size_t> stated_outputs(const std::vector<PortPlan>& ports,
                                          const ModuleFacts& facts, Topology& topology) {
  if (!facts.outputs) return std::nullopt;
  const std::size_t outputs = facts.outputs->size();
  const std::size_t named = outputs + (facts.inputs ? facts.inputs->size() : 0);
  const bool fits = facts.inputs ? named == ports.size() : named <= ports.size();
  if (fits) return outputs;
  topology.checks.push_back({CheckCode::io_mismatch,
                             "metadata names " + std::to_string(named) +
                                 " inputs and outputs, main has " + std::to_string(ports.size()),
                             std::nullopt, std::nullopt});
  return std::nullopt;
}

}  // namespace

void plan_ports(SlotTable& slots, const MainBody& body, KernelLibrary& kernels,
                const ModuleFacts* facts, Topology& topology) {
  const auto stated = facts != nullptr ? stated_outputs(slots.ports, *facts, topology)
                                       : std::optional<std::size_t>();
  std::vector<Access> access = FirstAccess(slots, kernels).over(body);
  order_planned_ports(slots.ports, access);
  const std::size_t first =
      stated ? slots.ports.size() - *stated : first_output(slots.ports, access);
  for (std::size_t i = first; i < slots.ports.size(); ++i) slots.ports[i].is_output = true;
  if (facts != nullptr) adopt_names(slots.ports, *facts, topology);
}

}  // namespace mlf::graph
