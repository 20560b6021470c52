// Reads tvm.ir.save_json: a module, or the objects of a metadata section.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tir/node_queries.h"
#include "tir/reader.h"
#include "tir/save_json/importer.h"
#include "tir/save_json/layout.h"
#include "tir/save_json/metadata.h"

namespace mlf::tir::save_json {
namespace {

// Attributes that follow from the rest of their node: compared, and reported if they differ.

// Types are small; if a comparison takes longer than this, they count as different.
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
      // A document can nest types without limit, and a difference is only reported.
      if (steps > kMostSteps || left == 0 || right == 0 || !same_content(left, right)) return false;
    }
    return true;
  }

 private:
  bool same_content(std::uint32_t a, std::uint32_t b) {
    if (graph_.type_key(a) != graph_.type_key(b) || graph_.repr(a) != graph_.repr(b)) return false;
    if (graph_.data_size(a) != graph_.data_size(b)) return false;
    auto right = graph_.data(b).begin();
    for (const json::Value left : graph_.data(a)) {
      pairs_.emplace_back(graph_.element(left), graph_.element(*right));
      ++right;
    }
    for (const json::Member left : graph_.attrs(a)) {
      // A span is the place of a type, not a part of it.
      if (left.key.text() != kSpan && !same_attribute(left, b)) return false;
    }
    return true;
  }

  bool same_attribute(json::Member left, std::uint32_t b) {
    const auto right = graph_.attr(b, left.key.text());
    if (!right) return false;
    if (use_of_name(left.key.text()).reference) {
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
    const std::uint32_t type = target_of(graph_, function, kCheckedType);
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
  const std::uint32_t names = target_of(graph, module, kGlobalVarMap);
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

/// Logs `checked_type` for every PrimFunc of the document whose `_checked_type_` is not the type
/// of its parameters and result, and for modules whose `global_var_map_` does not list exactly
/// their functions' GlobalVars.
void check_derived(const JsonGraph& graph, LossLog& losses) {
  // The module does not keep these attributes, because the writer derives them. So they are
  // compared here, while the document is available.
  CheckedTypes types(graph);
  for (std::uint32_t i = 1; i < graph.size(); ++i) {
    if (graph.node(i).kind == Kind::IRModule) {
      if (!names_agree(graph, i)) losses.add(LossCode::checked_type, "");
      const std::uint32_t functions = target_of(graph, i, "functions");
      std::uint32_t global_var = 0;
      for (const json::Value element : graph.data(functions)) {
        const std::uint32_t node = graph.element(element);
        if (graph.node(node).kind == Kind::PrimFunc && !types.agrees(node)) {
          losses.add(LossCode::checked_type, name_of(graph, global_var));
        }
        global_var = node;
      }
    }
  }
}

}  // namespace
}  // namespace mlf::tir::save_json

namespace mlf::tir {
namespace {

using save_json::JsonGraph;

// A PrimFunc that was saved without a module gets its name for callers, or TVM's name for a single
// function.
StringId name_of_lone(Builder& builder, NodeId function) {
  const Node symbol = attribute_of(builder.node(function), "global_symbol");
  if (symbol.is(Kind::String)) return builder.string(std::string(symbol.text(f::String::value)));
  return builder.string("main");
}

NodeId wrap(Builder& builder, NodeId function) {
  const NodeId var = builder.make(
      Kind::GlobalVar, {name_of_lone(builder, function), NodeId::none, NodeId::none, NodeId::none});
  const NodePair entry{var, function};
  const ListId functions = builder.map(std::span(&entry, 1));
  return builder.make(Kind::IRModule, {functions, NodeId::none, NodeId::none, NodeId::none,
                                       NodeId::none, NodeId::none});
}

// Other roots (a Target, a Stmt, an Array) are also save_json, but not the TIR of a program.
NodeId read_root(const JsonGraph& graph, save_json::Importer& importer, Builder& builder) {
  const std::uint32_t root = graph.root();
  const auto kind = graph.node(root).kind;
  if (kind != Kind::IRModule && kind != Kind::PrimFunc) {
    graph.fail(root, "expected an IRModule or a PrimFunc at the root");
  }
  const NodeId id = importer.import(root);
  return kind == Kind::PrimFunc ? wrap(builder, id) : id;
}

}  // namespace

Reading read_save_json(const support::SourceText& source, const ReadLimits& limits,
                       Places* places) {
  const json::Document document(source, {limits.max_nesting, json::Strings::any_bytes});
  const JsonGraph graph(document);
  Builder builder;
  LossLog losses;
  save_json::Importer importer(graph, limits, builder, losses);
  const NodeId root = read_root(graph, importer, builder);
  save_json::check_derived(graph, losses);
  if (places != nullptr) importer.note_places(*places);
  return {std::move(builder).finish(root), graph.version(), losses.finish()};
}

MetadataSection read_metadata(const support::SourceText& source, std::size_t begin, std::size_t end,
                              const ReadLimits& limits, Builder& builder, LossLog& losses,
                              Places* places) {
  const json::Document document(source, begin, end, {limits.max_nesting, json::Strings::any_bytes});
  const save_json::JsonGraph graph(document);
  save_json::Importer importer(graph, limits, builder, losses);
  const std::uint32_t root = graph.root();
  if (graph.node(root).kind != Kind::StringMap) {
    graph.fail(root, "expected a Map of type keys at the root of a metadata section");
  }
  MetadataSection section{.version = graph.version()};
  importer.import(root);
  // The importer has made the map. Its arrays are read from the document, because null elements
  // keep their positions: texts refer to objects by number.
  auto list = graph.data(root).begin();
  for (const json::Value key : graph.keys(root)) {
    const std::uint32_t array = graph.element(*list);
    if (graph.node(array).kind != Kind::Array) {
      graph.fail(array, "expected an Array of objects for " + save_json::clipped(key.text()));
    }
    std::vector<NodeId>& objects = section.objects[std::string(key.text())];
    for (const json::Value element : graph.data(array)) {
      const std::uint32_t object = graph.element(element);
      objects.push_back(object == 0 ? NodeId::none : importer.import(object));
    }
    ++list;
  }
  // The text after the section names Ops again and must find these.
  section.ops = importer.ops();
  if (places != nullptr) importer.note_places(*places);
  return section;
}

}  // namespace mlf::tir
