// New trees: nodes made in Python, around nodes of a document.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "documents.h"
#include "mlf/tir/builder.h"
#include "mlf/tir/visit.h"

namespace mlf::python {
namespace {

namespace nb = nanobind;
using tir::FieldType;
using tir::FieldValue;
using tir::Node;
using tir::NodeId;

/// Copies nodes of a frozen module into a builder, each once, with their spans and places.
class NodeCopier {
 public:
  NodeCopier(const tir::Module& from, tir::Builder& to)
      : from_(&from), to_(&to), copies_(from.size()) {}

  /// The copy of a node and everything below it.
  NodeId copy(NodeId id) {
    if (id == NodeId::none) return id;
    // Skips copied nodes: a module is a DAG, and as a tree it may be large.
    tir::walk_once(
        from_->node(id), [&](Node node) { return copied(node.id()) == NodeId::none; },
        [&](Node node, auto&& push) {
          const auto push_new = [&](Node part) {
            if (part && copied(part.id()) == NodeId::none) push(part);
          };
          tir::for_each_child(node, [&](Node child, const tir::FieldInfo&) { push_new(child); });
          push_new(from_->span(node.id()));
        },
        [&](Node node) { copy_one(node); });
    return copied(id);
  }

  /// The existing copy; otherwise `none`.
  NodeId copied(NodeId id) const { return copies_[index(id)]; }

 private:
  void copy_one(Node node) {
    std::vector<FieldValue> fields;
    const auto copy_of = [&](Node part) { return copied(part.id()); };
    for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) {
      fields.push_back(tir::copied_field(*to_, node, i, copy_of));
    }
    const NodeId made = to_->make(node.kind(), fields);
    copies_[index(node.id())] = made;
    if (const Node span = from_->span(node.id())) to_->set_span(made, copied(span.id()));
    if (const auto range = from_->source_range(node.id())) to_->set_source_range(made, *range);
  }

  const tir::Module* from_;
  tir::Builder* to_;
  std::vector<NodeId> copies_;  ///< by id; `none`: not yet copied
};

class TreeBuilder {
 public:
  explicit TreeBuilder(const tir::Document& base) : base_(&base), copier_(base.module, builder_) {}

  void add(const nb::handle& row) {
    const auto kind_number = nb::cast<unsigned>(row[0]);
    if (kind_number >= tir::all_kinds().size()) throw nb::value_error("there is no such kind");
    const auto kind = static_cast<tir::Kind>(kind_number);
    const nb::handle values = row[1];
    std::vector<FieldValue> fields;
    for (const tir::FieldInfo& field : tir::info(kind).fields) {
      const nb::object given = values[fields.size()];
      try {
        fields.push_back(value(field, given));
      } catch (const nb::cast_error&) {
        const std::string text = std::string(tir::info(kind).name) + "." + std::string(field.name) +
                                 " cannot be " + nb::cast<std::string>(nb::repr(given));
        throw nb::type_error(text.c_str());
      }
    }
    made_.push_back(builder_.make(kind, fields));
  }

  tir::Document finish(std::int64_t root) && {
    const NodeId top = reference(root);
    tir::Document document{base_->source, base_->target, std::move(builder_).finish(top),
                           base_->losses};
    // For functions that keep their names; those of others are not written.
    document.c_places = base_->c_places;
    document.imported_c = base_->imported_c;
    for (const tir::Recovered& found : base_->recovered) {
      const NodeId copy = copier_.copied(found.constant);
      if (copy != NodeId::none) document.recovered.push_back({copy, found.source});
    }
    for (const tir::LeftOut& left : base_->left_out) {
      const NodeId copy = copier_.copied(left.constant);
      if (copy != NodeId::none) document.left_out.push_back({copy, left.sha256});
    }
    return document;
  }

 private:
  NodeId reference(std::int64_t number) {
    if (number < 0) return made_.at(static_cast<std::size_t>(-1 - number));
    if (number >= base_->module.size()) throw nb::value_error("the document has no such node");
    return copier_.copy(static_cast<NodeId>(number));
  }

  std::vector<NodeId> references(const nb::handle& numbers) {
    std::vector<NodeId> ids;
    for (const auto number : nb::cast<std::vector<std::int64_t>>(numbers)) {
      ids.push_back(reference(number));
    }
    return ids;
  }

  FieldValue string_map(const nb::handle& given) {
    std::vector<tir::NamedNode> entries;
    for (const auto& [name, number] :
         nb::cast<std::vector<std::pair<std::string, std::int64_t>>>(given)) {
      entries.push_back({builder_.string(name), reference(number)});
    }
    return builder_.map(entries);
  }

  FieldValue node_map(const nb::handle& given) {
    std::vector<tir::NodePair> entries;
    for (const auto& [key, number] :
         nb::cast<std::vector<std::pair<std::int64_t, std::int64_t>>>(given)) {
      entries.push_back({reference(key), reference(number)});
    }
    return builder_.map(entries);
  }

  static FieldValue enumeration(tir::Expects which, const std::string& name) {
    const auto names = tir::enum_names(which);
    const auto found = std::ranges::find(names, name);
    if (name.empty() || found == names.end()) {
      throw nb::value_error(("there is no " + name).c_str());
    }
    return static_cast<std::int64_t>(found - names.begin());
  }

  static FieldValue dtype(const std::string& text) {
    const auto dtype = tir::parse_dtype(text);
    if (!dtype) throw nb::value_error((text + " is not a dtype").c_str());
    return *dtype;
  }

  FieldValue bytes(const nb::bytes& given) {
    const auto* data = reinterpret_cast<const std::byte*>(given.c_str());
    return builder_.bytes(std::vector<std::byte>(data, data + given.size()));
  }

  /// None is "undefined" for fields that may be undefined; the rows state which, and writers reject
  /// it elsewhere.
  static std::optional<FieldValue> undefined(FieldType type) {
    switch (type) {
      case FieldType::node:
        return NodeId::none;
      case FieldType::list:
      case FieldType::string_map:
      case FieldType::node_map:
        return tir::ListId::none;
      case FieldType::string:
        return tir::StringId::none;
      case FieldType::bytes:
        return tir::BytesId::none;
      case FieldType::integer:
        return tir::kAbsentInteger;
      default:
        return std::nullopt;
    }
  }

  FieldValue value(const tir::FieldInfo& field, const nb::handle& given) {
    if (given.is_none()) {
      if (const auto nothing = undefined(field.type)) return *nothing;
      throw nb::cast_error();
    }
    switch (field.type) {
      case FieldType::node:
        return reference(nb::cast<std::int64_t>(given));
      case FieldType::list:
        return builder_.list(references(given));
      case FieldType::string_map:
        return string_map(given);
      case FieldType::node_map:
        return node_map(given);
      case FieldType::string:
        return builder_.string(nb::cast<std::string>(given));
      case FieldType::integer:
        return nb::cast<std::int64_t>(given);
      case FieldType::boolean:
        return nb::cast<bool>(given);
      case FieldType::enumeration:
        return enumeration(field.expects, nb::cast<std::string>(given));
      case FieldType::real:
        return nb::cast<double>(given);
      case FieldType::dtype:
        return dtype(nb::cast<std::string>(given));
      case FieldType::integers:
        return builder_.integers(nb::cast<std::vector<std::int64_t>>(given));
      case FieldType::bytes:
        return bytes(nb::cast<nb::bytes>(given));
    }
    throw nb::cast_error();
  }

  const tir::Document* base_;
  tir::Builder builder_;
  NodeCopier copier_;
  std::vector<NodeId> made_;  ///< by position among the nodes that Python made
};

}  // namespace

DocumentPtr rebuilt(const tir::Document& base, const nb::list& nodes, std::int64_t root,
                    const std::optional<std::string>& tvm_version) {
  TreeBuilder tree(base);
  for (const nb::handle& row : nodes) tree.add(row);
  auto document = std::make_shared<tir::Document>(std::move(tree).finish(root));
  if (tvm_version) {
    const auto range = tir::tvm_version_named(*tvm_version);
    if (!range) throw nb::value_error((*tvm_version + " is not a version of TVM").c_str());
    document->source.tvm_version = *range;
  }
  return document;
}

}  // namespace mlf::python
