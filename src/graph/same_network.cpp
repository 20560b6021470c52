// Compares two topologies: values get equal numbers on both sides if they are computed in the same
// way.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "graph/compare.h"
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

std::set<std::string> names_of(const Topology& topology) {
  std::set<std::string> names;
  for (const Kernel& kernel : topology.kernels) names.insert(kernel.symbol);
  return names;
}

/// Sizes distinguish calls of one kernel, but only if both sides know all sizes: an unknown size
/// would differ from every known one.
bool knows_sizes(const Topology& topology) {
  return std::all_of(topology.calls.begin(), topology.calls.end(), [](const Call& call) {
    return std::all_of(call.arguments.begin(), call.arguments.end(), [](const Argument& argument) {
      return !argument.storage || argument.type.bytes();
    });
  });
}

/// Whether inputs in the same places have the same names. TVM adds a number where another parameter
/// of main has the name.
bool have_equal_inputs(const Topology& left, const Topology& right) {
  return std::ranges::equal(left.inputs, right.inputs, [](const Port& a, const Port& b) {
    const std::string one = support::sanitized(a.name);
    const std::string other = support::sanitized(b.name);
    return one == other || support::without_number(one) == other ||
           one == support::without_number(other);
  });
}

/// Properties that the comparison uses only if both sides have them.
struct Common {
  std::set<std::string> names;
  bool sizes = false;
  bool inputs = false;  ///< in the same order: their places identify them
};

using Groups = std::map<Number, std::vector<CallId>>;

/// One side with its numbers.
struct NumberedGraph {
  Groups calls;  // without reshapes
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
  ValueNumbering(const Topology& topology, const Common& common, NumberTable& numbers)
      : topology_(topology), common_(common), numbers_(numbers), values_(topology.values.size()) {}

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
      result_.inputs.push_back(common_.inputs ? std::to_string(result_.inputs.size())
                                              : support::sanitized(port.name));
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
    if (!kernel.is_reshape || common_.names.contains(kernel.symbol)) return std::nullopt;
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
               : numbers_.of_call(numbers_.of_label("name " + topology_.kernel_of(call).symbol),
                                  parts(call));
    if (!passed) result_.calls[own].push_back(id);
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
  NumberTable& numbers_;
  std::vector<std::optional<Number>> values_;  // nothing: never defined
  NumberedGraph result_;
};

/// Calls with equal numbers are interchangeable: of each number, those above the other side's count
/// have no partner.
void compare_calls(const Topology& topology, const Groups& groups, const Groups& others,
                   std::string_view side, std::vector<std::string>& differences) {
  for (const auto& [number, calls] : groups) {
    const auto other = others.find(number);
    const std::size_t matched = other == others.end() ? 0 : other->second.size();
    for (std::size_t i = matched; i < calls.size(); ++i) {
      differences.push_back("only the " + std::string(side) + " graph calls '" +
                            topology[calls[i]].name + "' with these producers");
    }
  }
}

/// Compares inputs by name and order, and outputs by value number, because their names depend on
/// the executor.
void compare_ports(const NumberedGraph& left, const NumberedGraph& right,
                   std::vector<std::string>& differences) {
  if (left.inputs != right.inputs) {
    differences.push_back("the inputs differ in name, number or order");
  }
  if (left.outputs.size() != right.outputs.size()) {
    differences.push_back("one graph has " + std::to_string(left.outputs.size()) +
                          " outputs, the other " + std::to_string(right.outputs.size()));
    return;
  }
  for (std::size_t i = 0; i < left.outputs.size(); ++i) {
    if (left.outputs[i] == right.outputs[i]) continue;
    differences.push_back("output " + std::to_string(i) + " comes from different calls");
  }
}

}  // namespace

std::vector<std::string> differences_between(const Topology& left, const Topology& right) {
  Common common{.names = {},
                .sizes = knows_sizes(left) && knows_sizes(right),
                .inputs = have_equal_inputs(left, right)};
  std::ranges::set_intersection(names_of(left), names_of(right),
                                std::inserter(common.names, common.names.end()));
  // Both sides use one table, so their numbers are comparable.
  NumberTable numbers;
  const NumberedGraph a = ValueNumbering(left, common, numbers).run();
  const NumberedGraph b = ValueNumbering(right, common, numbers).run();
  std::vector<std::string> differences;
  compare_calls(left, a.calls, b.calls, "first", differences);
  compare_calls(right, b.calls, a.calls, "second", differences);
  compare_ports(a, b, differences);
  return differences;
}

}  // namespace mlf::graph
