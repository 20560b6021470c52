// Compares what other members state of inputs and outputs with the network.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "graph/network/completion.h"
#include "graph/node_queries.h"
#include "support/characters.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/pools.h"

namespace mlf::graph {
namespace {

/// What reads and writes a value.
std::vector<Endpoint> ends_of(const Value& value) {
  std::vector<Endpoint> ends = value.consumers;
  if (value.producer) ends.push_back(*value.producer);
  return ends;
}

}  // namespace

std::optional<std::uint64_t> accessed_bytes(const Topology& topology, const Value& value,
                                            const ParametersOf& parameters_of) {
  std::uint64_t most = 0;
  for (const Endpoint& end : ends_of(value)) {
    if (end.kind != EndpointKind::call) return std::nullopt;
    const auto parameters = parameters_of(topology.calls[end.step].kernel);
    if (end.argument >= parameters.size()) return std::nullopt;
    const auto bytes = parameters[end.argument].accessed;
    if (!bytes) return std::nullopt;
    most = std::max(most, *bytes);
  }
  return most;
}

bool are_other_types(tir::DType a, tir::DType b) {
  const auto is_plain = [](tir::DType type) {
    const bool is_number = type.is_int() || type.is_uint() || type.code == tir::TypeCode::Float;
    return is_number && type.bits % 8 == 0 && type.bits > 0 &&
           !(type.bits == 16 && type.is_float());
  };
  return is_plain(a) && is_plain(b) && a.element() != b.element();
}

namespace {

using tir::DType;

/// The type of elements in all calls that access a value, if their code is understood. A copy may
/// use any type.
DType dtype_in_calls(const Topology& topology, const Value& value,
                     const ParametersOf& parameters_of) {
  DType dtype;
  for (const Endpoint& end : ends_of(value)) {
    if (end.kind != EndpointKind::call) return {};
    const Kernel& kernel = topology.kernel_of(topology.calls[end.step]);
    const auto parameters = parameters_of(topology.calls[end.step].kernel);
    if (!kernel.is_understood() || kernel.is_reshape || end.argument >= parameters.size()) {
      return {};
    }
    const DType one = parameters[end.argument].type.dtype.element();
    if (!dtype.is_void() && one != dtype) return {};
    dtype = one;
  }
  return dtype;
}

constexpr std::string_view kRelay = "Relay";
constexpr std::string_view kHeader = "the C header";

/// What a member of the archive states of a tensor.
struct Statement {
  std::string_view member;
  std::optional<std::uint64_t> bytes{};
  DType dtype{};
};

/// By name, else by the only name that C cannot tell from it; null if there is none.
const NamedTensor* find(std::span<const NamedTensor> tensors, std::string_view name) {
  const auto exact = std::ranges::find(tensors, name, &NamedTensor::name);
  if (exact != tensors.end()) return &*exact;
  const NamedTensor* found = nullptr;
  for (const NamedTensor& one : tensors) {
    if (support::sanitized(one.name) != support::sanitized(name)) continue;
    if (found != nullptr) return nullptr;
    found = &one;
  }
  return found;
}

class StatedPorts {
 public:
  StatedPorts(Topology& topology, const ModuleFacts& facts, const ParametersOf& parameters_of)
      : topology_(topology),
        facts_(facts),
        parameters_of_(parameters_of),
        is_graph_(topology.provenance.kind == ProvenanceKind::graph_json) {}

  void check() {
    for (const Port& port : topology_.inputs) check_parameter(port);
    check_ports("inputs", topology_.inputs, facts_.inputs, facts_.input_fields);
    check_ports("outputs", topology_.outputs, facts_.outputs, facts_.output_fields);
  }

 private:
  void note(std::string detail) {
    topology_.checks.push_back({CheckCode::io_mismatch, std::move(detail), {}, {}});
  }

  /// Relay of another network: no parameter has the name or the size of the input.
  void check_parameter(const Port& port) {
    // The header states bytes and no type.
    std::vector<NamedTensor> relay;
    std::ranges::copy_if(facts_.declared, std::back_inserter(relay), [](const NamedTensor& one) {
      return !one.bytes || !one.type.dtype.is_void();
    });
    const auto may_be = [&](const NamedTensor& one) {
      return !one.type.bytes() || !port.type.bytes() || *one.type.bytes() == *port.type.bytes();
    };
    const bool is_known =
        !facts_.declares_all || relay.empty() || find(relay, port.name) != nullptr;
    if (is_known || std::ranges::any_of(relay, may_be)) return;
    note(fmt::format("Relay's main has no parameter {}, and none of {} bytes", quoted(port.name),
                     *port.type.bytes()));
  }

  void check_ports(std::string_view what, const std::vector<Port>& ports,
                   const std::optional<std::vector<NamedTensor>>& stated,
                   const std::vector<std::string>& fields) {
    if (stated && !has_names_of(ports, *stated, fields)) {
      const auto names = [](const auto& list) {
        std::vector<std::string> quoted_names;
        for (const auto& one : list) quoted_names.push_back(quoted(one.name));
        return list.empty() ? "none" : fmt::format("{}", fmt::join(quoted_names, ", "));
      };
      note(fmt::format("metadata.json names the {} {}, and the network has {}", what,
                       names(*stated), names(ports)));
    }
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const NamedTensor* const in_metadata = stated ? find(*stated, ports[i].name) : nullptr;
      if (ports[i].value) check_port(ports[i], statements_of(ports, i, in_metadata));
    }
  }

  /// The header's structs have the names of the AOT executor, unless people renamed them there. A
  /// graph may have parameters among its inputs. Names that Relay has as well are no others.
  bool has_names_of(const std::vector<Port>& ports, const std::vector<NamedTensor>& stated,
                    const std::vector<std::string>& fields) const {
    const bool are_outputs = &ports == &topology_.outputs;
    const bool knows_fields = facts_.knows_fields() && fields.size() == ports.size();
    // Some versions name outputs as the framework does in one place and as TVM does in the other.
    if (are_outputs) return stated.size() == ports.size() || !(is_graph_ || knows_fields);
    if (knows_fields && stated.size() != ports.size()) return false;
    const auto is_missing = [&](const Port& port) {
      return find(facts_.declared, port.name) != nullptr && find(stated, port.name) == nullptr;
    };
    if (std::ranges::any_of(ports, is_missing)) return false;
    if (!is_graph_ && !knows_fields) return true;
    return std::ranges::all_of(stated, [&](const NamedTensor& one) {
      const std::string name = support::sanitized(one.name);
      return std::ranges::any_of(ports, [&](const Port& port) {
        return support::sanitized(port.name) == name || port.parameter == name ||
               port.parameter == name + "_buffer_var";
      });
    });
  }

  std::vector<Statement> statements_of(const std::vector<Port>& ports, std::size_t i,
                                       const NamedTensor* in_metadata) const {
    const Port& port = ports[i];
    std::vector<Statement> all;
    if (is_graph_) all.push_back({"the graph", port.type.bytes(), port.type.dtype});
    if (in_metadata != nullptr) {
      all.push_back({"metadata.json", in_metadata->bytes, in_metadata->type.dtype});
    }
    if (const NamedTensor* const one = find(facts_.header_sizes, port.name)) {
      all.push_back({kHeader, one->bytes});
    }
    const NamedTensor* const one = find(facts_.declared, port.name);
    const bool is_output = &ports == &topology_.outputs;
    if (is_output && facts_.declared_outputs.size() == ports.size()) {
      const TensorType& type = facts_.declared_outputs[i];
      all.push_back({kRelay, type.bytes(), type.dtype});
    } else if (!is_output && one != nullptr) {
      all.push_back({kRelay, one->type.bytes(), one->type.dtype});
    }
    return all;
  }

  /// One member alone contradicts the calls, if another one agrees with them: calls need not access
  /// all bytes. That they access more is found elsewhere.
  void check_port(const Port& port, const std::vector<Statement>& all) {
    const Value& value = topology_[*port.value];
    const auto accessed = accessed_bytes(topology_, value, parameters_of_);
    DType dtype = dtype_in_calls(topology_, value, parameters_of_);
    const auto state = [](auto field, auto what) {
      return [=](const Statement& one) { return one.*field == what; };
    };
    // What the graph or main's parameter states decides, if Relay states the same.
    const bool is_confirmed = is_graph_ || (!all.empty() && all.back().member == kRelay &&
                                            all.back().dtype == port.type.dtype);
    if (dtype.is_void() && is_confirmed) dtype = port.type.dtype;
    for (const Statement& one : all) {
      if (one.member == kHeader || (one.member == kRelay && !is_graph_)) continue;
      if (accessed && one.bytes > accessed && *accessed > 0 &&
          std::ranges::any_of(all, state(&Statement::bytes, accessed))) {
        note(fmt::format("{} has {} bytes in {}, of which the calls access {}", quoted(port.name),
                         *one.bytes, one.member, *accessed));
      } else if (is_graph_ && one.bytes && all[0].bytes && one.bytes != all[0].bytes) {
        note(fmt::format("{} has {} bytes in {}, and {} in the graph", quoted(port.name),
                         *one.bytes, one.member, *all[0].bytes));
      }
      const bool is_alone = std::ranges::count_if(all, state(&Statement::dtype, one.dtype)) == 1;
      const DType other = is_graph_ && &one != &all[0] ? all[0].dtype : dtype;
      if ((!is_alone && !is_graph_) || !are_other_types(one.dtype, other)) continue;
      note(fmt::format("{} has elements of {} in {}, and of {} in the network", quoted(port.name),
                       to_string(one.dtype), one.member, to_string(other)));
    }
  }

  Topology& topology_;
  const ModuleFacts& facts_;
  const ParametersOf& parameters_of_;
  bool is_graph_;
};

}  // namespace

void check_stated_ports(Topology& topology, const ModuleFacts& facts,
                        const ParametersOf& parameters_of) {
  // Code that is not understood may do the rest. All names are compared with all others.
  constexpr std::size_t kMostPorts = 500;
  const std::size_t ports = topology.inputs.size() + topology.outputs.size();
  const std::size_t stated = facts.declared.size() + facts.header_sizes.size() +
                             (facts.inputs ? facts.inputs->size() : 0) +
                             (facts.outputs ? facts.outputs->size() : 0);
  if (!topology.gaps.empty() || ports > kMostPorts || stated > 4 * kMostPorts) return;
  StatedPorts(topology, facts, parameters_of).check();
}

namespace {

/// The names of main's parameters as the header's structs and the pools have them; empty for one
/// that has another name, or that of another parameter.
std::vector<std::string> field_names(tir::Node main, const ModuleFacts& facts) {
  std::vector<std::string> names;
  for (const tir::Node param : main.list(tir::f::PrimFunc::params)) {
    std::string name(param.text(tir::f::Var::name));
    if (const auto pool = tir::pool_name(name); !pool.empty()) {
      name = pool;
    } else if (constexpr std::string_view kSuffix = "_buffer_var"; name.ends_with(kSuffix)) {
      name.resize(name.size() - kSuffix.size());
    }
    names.push_back(std::move(name));
  }
  // TVM counts outputs from 0 in headers, and as "output", "output2", "output3" in main.
  const std::size_t outputs = facts.output_fields.size();
  for (std::size_t k = 0; outputs > 1 && k < outputs; ++k) {
    const std::size_t at = facts.input_fields.size() + k;
    const std::string counted = k == 0 ? "output" : fmt::format("output{}", k + 1);
    const bool is_counted = at < names.size() && names[at] == counted;
    if (at < names.size()) names[at] = is_counted ? fmt::format("output{}", k) : "";
  }
  auto sorted = names;
  std::ranges::sort(sorted);
  for (std::string& name : names) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), name);
    if (last - first > 1) name.clear();
  }
  return names;
}

}  // namespace

void check_passed_names(Topology& topology, const ModuleFacts& facts, tir::Node main) {
  const std::vector<std::string> names = field_names(main, facts);
  const bool knows_fields = facts.knows_fields() && !facts.input_fields.empty();
  if (names.size() != facts.passed.size() || !topology.is_understood()) return;
  if (!knows_fields && !facts.is_packed) return;
  support::NameSet<std::string_view> fields(facts.input_fields.begin(), facts.input_fields.end());
  fields.insert(facts.output_fields.begin(), facts.output_fields.end());
  const std::size_t ports = facts.is_packed
                                ? topology.inputs.size() + topology.outputs.size()
                                : facts.input_fields.size() + facts.output_fields.size();
  const auto note = [&](CheckCode code, std::string detail) {
    topology.checks.push_back({code, std::move(detail), {}, {}});
  };
  support::NameSet<std::string_view> pools;
  for (std::size_t i = ports; i < names.size(); ++i) pools.insert(names[i]);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string field = facts.is_packed ? std::string() : facts.passed_fields[i];
    if (i < ports && facts.is_packed) {
      const auto before = std::span(facts.passed).first(i);
      if (!support::is_among(before, facts.passed[i])) continue;
      note(CheckCode::io_mismatch,
           fmt::format("the entry point passes one tensor twice, also where main takes {}",
                       quoted(names[i])));
      continue;
    }
    if (i < ports) {
      if (field.empty()) continue;
      // Macros may make other names of fields.
      if (fields.contains(field) && field != names[i] && fields.contains(names[i])) {
        note(CheckCode::io_mismatch, fmt::format("the entry point passes {} where main takes {}",
                                                 quoted(field), quoted(names[i])));
      }
      continue;
    }
    std::string_view passed = facts.passed[i];
    const bool is_computed = passed.find_first_of("+?[") != passed.npos;
    if (names[i].empty() || is_computed || passed.find(names[i]) != passed.npos) continue;
    // Words have blanks between them.
    while (!passed.empty()) {
      const std::string_view word = passed.substr(0, passed.find(' '));
      passed.remove_prefix(std::min(word.size() + 1, passed.size()));
      if (word.empty() || !pools.contains(word)) continue;
      note(CheckCode::argument_kind,
           fmt::format("the entry point passes the pool {} where main takes {}", quoted(word),
                       quoted(names[i])));
    }
  }
}

}  // namespace mlf::graph
