// Removes objects that a dialect cannot express from a document, as far as nothing depends on them.
#include <utility>

#include "mlf/tir/builder.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "tir/node_queries.h"
#include "tir/tvm_features.h"

namespace mlf::tir {
namespace {

/// Attributes and annotations are maps of names in statements and in DictAttrs only. A map that is
/// itself a value stays whole or is removed whole.
bool has_attributes(Node node) {
  return node.is(Kind::DictAttrs) || node.category() == Category::stmt;
}

class Omitting {
 public:
  Omitting(Document& document, Dialect dialect)
      : document_(document),
        has_metadata_(dialect == Dialect::save_json ||
                      may_have(document.source.tvm_version, TvmFeature::script_of_nodes)) {}

  std::vector<OmittedAttribute> run() {
    const Node root = document_.module.root();
    if (!root.is(Kind::IRModule)) return {};
    mark_missing(root);
    find_in_module(root);
    apply();
    return std::move(omitted_);
  }

 private:
  /// A map without some of its entries.
  struct Change {
    NodeId node;
    std::uint8_t field;
    std::vector<std::pair<std::string, NodeId>> kept;
  };

  void find_in_module(Node root) {
    const NodeMap functions = root.map(f::IRModule::functions);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const Node name = functions.key(i);
      function_ = name.is(Kind::GlobalVar) ? name.text(f::GlobalVar::name_hint) : "";
      find_below(functions.value(i));
    }
    function_ = "";
    if (const Node attrs = root[f::IRModule::attrs]) find_below(attrs);
  }

  void find_below(Node root) {
    if (!root) return;
    for_each_pre_order(root, [this](Node node) {
      if (!has_attributes(node)) return;
      for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) {
        if (node.info().fields[i].type == FieldType::string_map) find_in_map(node, i);
      }
    });
  }

  void find_in_map(Node node, std::uint8_t field) {
    const NodeMap map = node.map(field);
    Change change{node.id(), field, {}};
    for (std::size_t i = 0; i < map.size(); ++i) {
      const Node value = map.value(i);
      if (value && holds_missing_[index(value.id())]) {
        omitted_.push_back({std::string(function_), std::string(map.name(i))});
      } else {
        change.kept.emplace_back(map.name(i), map.value(i).id());
      }
    }
    if (change.kept.size() < map.size()) changes_.push_back(std::move(change));
  }

  /// Notes for each node below `root` whether it is or contains a missing object.
  void mark_missing(Node root) {
    holds_missing_.resize(root.module().size());
    for_each_post_order(root, [this](Node node) {
      const bool is_value = node.category() >= Category::value;
      bool holds = node.is(Kind::MissingObject) || (!has_metadata_ && is_value && !has_words(node));
      for_each_child(node, [&](Node child, const FieldInfo&) {
        holds = holds || holds_missing_[index(child.id())];
      });
      holds_missing_[index(node.id())] = holds;
    });
  }

  void apply() {
    if (changes_.empty()) return;
    const NodeId root = document_.module.root().id();
    Builder builder(std::move(document_.module));
    for (const Change& change : changes_) {
      std::vector<NamedNode> entries;
      for (const auto& [name, value] : change.kept) {
        entries.push_back({builder.string(name), value});
      }
      builder.set(change.node, change.field, builder.map(entries));
    }
    document_.module = std::move(builder).finish(root);
  }

  Document& document_;
  bool has_metadata_;
  std::vector<bool> holds_missing_;  // by node id
  std::string_view function_;
  std::vector<Change> changes_;
  std::vector<OmittedAttribute> omitted_;
};

}  // namespace

std::vector<OmittedAttribute> omit_missing(Document& document, Dialect dialect) {
  return Omitting(document, dialect).run();
}

}  // namespace mlf::tir
