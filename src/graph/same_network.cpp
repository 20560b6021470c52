// Compares two topologies: values get equal numbers on both sides if they are computed in the same
// way.
#include <algorithm>
#include <map>
#include <set>

#include "graph/compare.h"
#include "graph/kernels/functions.h"
#include "support/characters.h"

namespace mlf::graph {
namespace {

using Number = std::uint32_t;

/// Gives equal things equal numbers, on both sides.
class NumberTable {
 public:
  Number of_label(const std::string& label) {
    return labels_.try_emplace(label, static_cast<Number>(labels_.size())).first->second;
  }
  /// The number of a call from its label and its inputs.
  Number of_call(Number label, std::vector<Number> parts) {
    parts.insert(parts.begin(), label);
    return calls_.try_emplace(std::move(parts), static_cast<Number>(calls_.size())).first->second;
  }

 private:
  std::map<std::string, Number> labels_;
  std::map<std::vector<Number>, Number> calls_;
};

// TVM counts kernels of one name per build: "fused_add_1" here may be "fused_add" there.
std::string_view without_number(std::string_view name) {
  std::string_view head = name;
  while (!head.empty() && support::is_digit(head.back())) head.remove_suffix(1);
  const bool has_number = head.size() < name.size() && head.ends_with('_') && head.size() > 1;
  return has_number ? head.substr(0, head.size() - 1) : name;
}

/// The operators in the name of a kernel, without parts that depend on the build.
std::string stem(const std::string& symbol, const std::string& module) {
  const std::string prefix = "tvmgen_" + (module.empty() ? "" : module + "_");
  std::string_view name = symbol;
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  return std::string(without_number(name));
}

std::set<std::string> hashes_of(const Topology& topology) {
  std::set<std::string> hashes;
  for (const Kernel& kernel : topology.kernels) {
    if (!kernel.hash.empty()) hashes.insert(kernel.hash);
  }
  return hashes;
}

/// The parts of kernel names that are equal on both sides.
class ComparedNames {
 public:
  ComparedNames(Relation relation, std::string module)
      : relation_(relation), module_(std::move(module)) {}

  std::string of(const Kernel& kernel) const {
    return relation_ == Relation::same_build ? kernel.symbol : stem(kernel.symbol, module_);
  }
  std::set<std::string> of(const Topology& topology) const {
    std::set<std::string> names;
    for (const Kernel& kernel : topology.kernels) names.insert(of(kernel));
    return names;
  }

 private:
  Relation relation_;
  std::string module_;
};

std::set<std::string> intersection(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}

/// Sizes distinguish kernels of one stem, but only if both sides know all sizes: an unknown size
/// would differ from every known one.
bool knows_sizes(const Topology& topology) {
  return std::all_of(topology.calls.begin(), topology.calls.end(), [](const Call& call) {
    return std::all_of(call.arguments.begin(), call.arguments.end(), [](const Argument& argument) {
      return !argument.storage || argument.type.bytes();
    });
  });
}

/// Properties that the comparison uses only if both sides have them.
struct Common {
  std::set<std::string> hashes;
  std::set<std::string> names;
  bool sizes = false;
};

struct NumberedCall {
  Number number;
  CallId call;
};

/// One side with its numbers.
struct NumberedGraph {
  std::vector<NumberedCall> calls;  // without reshapes
  std::vector<std::optional<Number>> outputs;
  std::vector<std::string> inputs;
};

/// Numbers the values of one side, like value numbering in compilers: a call's number depends on
/// its kernel, the directions and sizes of its tensors, and the numbers of the values that it
/// reads. Both sides share the table, so equal numbers mean "computed in the same way from the same
/// inputs". Two networks are equal if the calls on both sides have the same numbers, each equally
/// often, and the outputs have equal numbers; no search for a matching is needed.
class ValueNumbering {
 public:
  ValueNumbering(const Topology& topology, const Common& common, const ComparedNames& names,
                 NumberTable& numbers)
      : topology_(topology),
        common_(common),
        names_(names),
        numbers_(numbers),
        values_(topology.values.size()) {}

  NumberedGraph run() && {
    number_leaves();
    // Copies give a value a second name. They are between the calls, by position.
    std::size_t copy = 0;
    const auto copies_before = [&](Position position) {
      for (; copy < topology_.copies.size() && topology_.copies[copy].position < position; ++copy) {
        const Copy& one = topology_.copies[copy];
        if (one.reads) values_[index(one.writes)] = values_[index(*one.reads)];
      }
    };
    for (std::size_t i = 0; i < topology_.calls.size(); ++i) {
      copies_before(topology_.calls[i].position);
      number(topology_.calls[i], static_cast<CallId>(i));
    }
    copies_before(UINT32_MAX);
    for (const Port& port : topology_.outputs) {
      result_.outputs.push_back(port.value ? values_[index(*port.value)] : std::nullopt);
    }
    return std::move(result_);
  }

 private:
  void number_leaves() {
    for (const Port& port : topology_.inputs) {
      result_.inputs.push_back(sanitized(port.name));
      const std::string name = "input " + result_.inputs.back();
      if (port.value) {
        values_[index(*port.value)] = numbers_.of_call(numbers_.of_label(name), {});
      }
    }
    // All constants count as equal: one side may not distinguish them, or may fold them into
    // kernels.
    const Number constant = numbers_.of_call(numbers_.of_label("constant"), {});
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (topology_.values[i].kind == ValueKind::constant) values_[i] = constant;
    }
  }

  std::string label(const Kernel& kernel) const {
    if (common_.hashes.contains(kernel.hash)) return "hash " + kernel.hash;
    return "name " + names_.of(kernel);
  }

  /// The parts of a call's number: for every tensor its direction, its size and the value that it
  /// reads.
  std::vector<Number> parts(const Call& call) {
    std::vector<Number> parts;
    for (const Argument& argument : call.arguments) {
      if (!argument.storage) continue;
      const bool is_constant =
          argument.reads && topology_[*argument.reads].kind == ValueKind::constant;
      if (is_constant) continue;
      // Not shapes: v0.9 and v0.10 flatten them, and removed reshapes change them.
      const std::uint64_t bytes = common_.sizes ? argument.type.bytes().value_or(0) : 0;
      const std::string_view direction = to_string(argument.direction);
      parts.push_back(numbers_.of_label(std::string(direction) + std::to_string(bytes)));
      if (argument.reads) parts.push_back(values_[index(*argument.reads)].value_or(UINT32_MAX));
    }
    return parts;
  }

  // A reshape that only one side calls is an edge on the other side.
  std::optional<Number> passed_through(const Call& call) const {
    const Kernel& kernel = topology_.kernel_of(call);
    const bool is_common =
        common_.hashes.contains(kernel.hash) || common_.names.contains(names_.of(kernel));
    if (!kernel.is_reshape || is_common) return std::nullopt;
    for (const Argument& argument : call.arguments) {
      if (argument.reads) return values_[index(*argument.reads)];
    }
    return std::nullopt;
  }

  void number(const Call& call, CallId id) {
    // A skipped reshape makes no value and does not count as a call.
    const auto passed = passed_through(call);
    const Number own =
        passed ? *passed
               : numbers_.of_call(numbers_.of_label(label(topology_.kernel_of(call))), parts(call));
    if (!passed) result_.calls.push_back({own, id});
    Number output = 0;
    for (const Argument& argument : call.arguments) {
      if (!argument.writes) continue;
      // The numbers of later outputs of a call follow from that of the first.
      values_[index(*argument.writes)] =
          output == 0
              ? own
              : numbers_.of_call(numbers_.of_label("output " + std::to_string(output)), {own});
      ++output;
    }
  }

  const Topology& topology_;
  const Common& common_;
  const ComparedNames& names_;
  NumberTable& numbers_;
  std::vector<std::optional<Number>> values_;  // nothing: never defined
  NumberedGraph result_;
};

using Groups = std::map<Number, std::vector<CallId>>;

Groups groups_of(const NumberedGraph& side) {
  Groups groups;
  for (const NumberedCall& call : side.calls) groups[call.number].push_back(call.call);
  return groups;
}

/// Calls with equal numbers are interchangeable: of each number, those above the other side's count
/// have no partner.
void compare_calls(const Topology& topology, const Groups& groups, const Groups& others,
                   std::string_view side, GraphComparison& result) {
  for (const auto& [number, calls] : groups) {
    const auto other = others.find(number);
    const std::size_t matched = other == others.end() ? 0 : other->second.size();
    for (std::size_t i = matched; i < calls.size(); ++i) {
      result.differences.push_back("only the " + std::string(side) + " graph calls '" +
                                   topology[calls[i]].name + "' with these producers");
    }
  }
}

/// Notes kernels with different names and equal calls: the comparison would not detect a swap.
void note_twins(const Topology& topology, const Groups& groups, GraphComparison& result) {
  for (const auto& [number, calls] : groups) {
    std::set<std::string> symbols;
    for (const CallId call : calls) symbols.insert(topology.kernel_of(topology[call]).symbol);
    if (symbols.size() < 2) continue;
    std::string names;
    for (const std::string& symbol : symbols) names += (names.empty() ? "" : ", ") + symbol;
    result.indistinguishable.push_back(std::move(names));
  }
}

/// Counts the calls with a partner, and those that TVM's hash of the function confirms.
void count_matches(const Topology& left, const Groups& ours, const Groups& theirs,
                   const Common& common, GraphComparison& result) {
  for (const auto& [number, calls] : ours) {
    const auto other = theirs.find(number);
    if (other == theirs.end()) continue;
    const std::size_t matched = std::min(calls.size(), other->second.size());
    result.calls += matched;
    if (common.hashes.contains(left.kernel_of(left[calls.front()]).hash)) {
      result.by_hash += matched;
    }
  }
}

/// Compares inputs by name and order, and outputs by value number, because their names depend on
/// the executor.
void compare_ports(const NumberedGraph& left, const NumberedGraph& right, GraphComparison& result) {
  if (left.inputs != right.inputs) {
    result.differences.push_back("the inputs differ in name, number or order");
  }
  if (left.outputs.size() != right.outputs.size()) {
    result.differences.push_back("one graph has " + std::to_string(left.outputs.size()) +
                                 " outputs, the other " + std::to_string(right.outputs.size()));
    return;
  }
  for (std::size_t i = 0; i < left.outputs.size(); ++i) {
    if (left.outputs[i] == right.outputs[i]) continue;
    result.differences.push_back("output " + std::to_string(i) + " comes from different calls");
  }
}

}  // namespace

GraphComparison compare(const Topology& left, const Topology& right, Relation relation) {
  // The graph executor's graph does not name its module; both sides belong to the same.
  const ComparedNames names(relation, left.module.empty() ? right.module : left.module);
  Common common;
  // One build may give kernels with one hash several names; the names distinguish more.
  if (relation == Relation::same_network) {
    common.hashes = intersection(hashes_of(left), hashes_of(right));
  }
  common.names = intersection(names.of(left), names.of(right));
  common.sizes = knows_sizes(left) && knows_sizes(right);
  // Both sides use one table, so their numbers are comparable.
  NumberTable numbers;
  const NumberedGraph a = ValueNumbering(left, common, names, numbers).run();
  const NumberedGraph b = ValueNumbering(right, common, names, numbers).run();
  GraphComparison result;
  const Groups left_groups = groups_of(a);
  const Groups right_groups = groups_of(b);
  count_matches(left, left_groups, right_groups, common, result);
  compare_calls(left, left_groups, right_groups, "first", result);
  compare_calls(right, right_groups, left_groups, "second", result);
  note_twins(left, left_groups, result);
  compare_ports(a, b, result);
  return result;
}

}  // namespace mlf::graph
