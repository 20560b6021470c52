#include "tir/save_json/derived.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tir/save_json/layout.h"

namespace mlf::tir::save_json {
namespace {

// Types are small; if a comparison takes longer than this, they count as different, and are kept.
constexpr std::size_t kMostSteps = 10'000;

// Returns 0, the null node, for a missing attribute.
std::uint32_t target_of(const JsonGraph& graph, std::uint32_t node, std::string_view name) {
  const auto attribute = graph.attr(node, name);
  return attribute ? graph.reference(*attribute).value_or(0) : 0;
}

/// Compares the trees below two nodes, with the remaining pairs on a stack.
class SameNodes {
 public:
  explicit SameNodes(const JsonGraph& graph) : graph_(graph) {}

  bool operator()(std::uint32_t a, std::uint32_t b) {
    pairs_.assign(1, {a, b});
    for (std::size_t steps = 0; !pairs_.empty(); ++steps) {
      const auto [left, right] = pairs_.back();
      pairs_.pop_back();
      if (left == right) continue;
      // A document can nest types without limit.
      if (steps > kMostSteps || left == 0 || right == 0 || !same_content(left, right)) return false;
    }
    return true;
  }

 private:
  bool same_content(std::uint32_t a, std::uint32_t b) {
    if (graph_.type_key(a) != graph_.type_key(b) || graph_.repr(a) != graph_.repr(b)) return false;
    if (!graph_.node(a).kind) return false;
    if (graph_.data_size(a) != graph_.data_size(b)) return false;
    auto right = graph_.data(b).begin();
    for (const json::Value left : graph_.data(a)) {
      pairs_.emplace_back(graph_.element(left), graph_.element(*right));
      ++right;
    }
    for (const json::Member left : graph_.attrs(a)) {
      if (!same_attribute(*graph_.node(a).kind, left, b)) return false;
    }
    return true;
  }

  bool same_attribute(Kind kind, json::Member left, std::uint32_t b) {
    const auto right = graph_.attr(b, left.key.text());
    if (!right) return false;
    const auto field = field_named(kind, left.key.text());
    const bool is_index =
        field ? is_reference(info(kind).fields[*field]) : left.key.text() == kSpan;
    if (is_index) {
      const auto left_target = graph_.reference(left.value);
      const auto right_target = graph_.reference(*right);
      if (left_target && right_target) pairs_.emplace_back(*left_target, *right_target);
      return left_target.has_value() && right_target.has_value();
    }
    return left.value.text() == right->text();
  }

  const JsonGraph& graph_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

/// Derives the type of a function and compares it.
class CheckedTypes {
 public:
  explicit CheckedTypes(const JsonGraph& graph) : graph_(graph), same_(graph) {}

  // FuncType of the parameters' types and the result, without type parameters: PrimFunc's
  // constructor derives it.
  bool agrees(std::uint32_t function) {
    const std::uint32_t type = target_of(graph_, function, "_checked_type_");
    const std::uint32_t params = target_of(graph_, function, "params");
    if (type == 0 || graph_.node(type).kind != Kind::FuncType) return false;
    const std::uint32_t arguments = target_of(graph_, type, "arg_types");
    if (graph_.data_size(arguments) != graph_.data_size(params)) return false;
    auto argument = graph_.data(arguments).begin();
    for (const json::Value param : graph_.data(params)) {
      if (!is_type_of(graph_.element(*argument), graph_.element(param))) return false;
      ++argument;
    }
    return graph_.data_size(target_of(graph_, type, "type_params")) == 0 &&
           graph_.data_size(target_of(graph_, type, "type_constraints")) == 0 &&
           target_of(graph_, type, kSpan) == 0 &&
           same_(target_of(graph_, type, "ret_type"), target_of(graph_, function, "ret_type"));
  }

 private:
  bool is_type_of(std::uint32_t type, std::uint32_t var) {
    const std::uint32_t annotation = target_of(graph_, var, "type_annotation");
    if (annotation != 0) return same_(type, annotation);
    // v0.8: a Var made from a dtype has no type itself.
    const auto var_dtype = graph_.attr(var, "dtype");
    const auto type_dtype = graph_.attr(type, "dtype");
    return graph_.node(type).kind == Kind::PrimType && var_dtype && type_dtype &&
           var_dtype->text() == type_dtype->text();
  }

  const JsonGraph& graph_;
  SameNodes same_;
};

// The name is a separate String node.
std::string name_of(const JsonGraph& graph, std::uint32_t global_var) {
  return graph.repr(target_of(graph, global_var, "name_hint"));
}

bool names_agree(const JsonGraph& graph, std::uint32_t module) {
  const std::uint32_t functions = target_of(graph, module, "functions");
  const std::uint32_t names = target_of(graph, module, "global_var_map_");
  std::map<std::string, std::uint32_t, std::less<>> expected;
  std::size_t position = 0;
  for (const json::Value element : graph.data(functions)) {
    const std::uint32_t node = graph.element(element);
    // Keys and values alternate.
    if (position++ % 2 == 0) expected.emplace(name_of(graph, node), node);
  }
  if (graph.data_size(names) != expected.size()) return false;
  auto value = graph.data(names).begin();
  for (const json::Value key : graph.keys(names)) {
    const auto found = expected.find(key.text());
    if (found == expected.end() || found->second != graph.element(*value)) return false;
    ++value;
  }
  return true;
}

}  // namespace

bool follows(const JsonGraph& graph, std::uint32_t node, Kind kind) {
  return kind == Kind::IRModule ? names_agree(graph, node) : CheckedTypes(graph).agrees(node);
}

}  // namespace mlf::tir::save_json
