#include "mutations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/every_kind.h"
#include "support/ir_editor.h"

namespace mlf::tir::mutation {
namespace {

// Numbers of new nodes start here, so that none of them looks like an old one.
constexpr std::int64_t kNewNumbers = 7'000'000;

/// Collects the changes to one field.
class Collector {
 public:
  Collector(Node node, std::uint8_t field)
      : node_(node), field_(field), row_(node.info().fields[field]) {}

  std::vector<Mutation> take() && {
    switch (row_.type) {
      case FieldType::node:
        of_node();
        break;
      case FieldType::list:
        of_list();
        break;
      case FieldType::string_map:
        of_map<NamedNode>([](const NodeMap& map, std::size_t i, Builder& b) {
          return NamedNode{b.string(map.name(i)), map.value(i).id()};
        });
        rename_key();
        break;
      case FieldType::node_map:
        of_map<NodePair>([](const NodeMap& map, std::size_t i, Builder&) {
          return NodePair{map.key(i).id(), map.value(i).id()};
        });
        break;
      case FieldType::bytes:
        of_bytes();
        break;
      default:
        of_scalar();
    }
    return std::move(result_);
  }

 private:
  template <class MakeValue>
  void add(std::string what, MakeValue&& make_value) {
    result_.push_back({node_.id(), field_, std::move(what),
                       [node = node_, field = field_, make_value](Builder& b) {
                         b.set(node.id(), field, make_value(b));
                       }});
  }

  void of_node() {
    const Expects expects = row_.expects;
    add("replace", [expects](Builder& b) -> FieldValue {
      return test::NodeMaker(b, kNewNumbers).make_for(expects);
    });
    if (node_.node(field_)) add("undefine", [](Builder&) -> FieldValue { return NodeId::none; });
  }

  void of_list() {
    using Ids = std::vector<NodeId>;
    const NodeList list = node_.list(field_);
    Ids ids;
    for (const Node element : list) ids.push_back(element.id());
    add(list.defined() ? "undefine" : "define", [defined = list.defined()](Builder& b) {
      return FieldValue(defined ? ListId::none : b.list({}));
    });
    add("append", [ids, expects = row_.expects](Builder& b) -> FieldValue {
      Ids longer = ids;
      longer.push_back(test::NodeMaker(b, kNewNumbers).make_for(expects));
      return b.list(longer);
    });
    if (ids.empty()) return;
    add("drop",
        [ids](Builder& b) -> FieldValue { return b.list(Ids(ids.begin(), ids.end() - 1)); });
    add("duplicate", [ids](Builder& b) -> FieldValue {
      Ids longer = ids;
      longer.push_back(ids.back());
      return b.list(longer);
    });
    if (ids.size() < 2 || list[0].kind() == list[1].kind()) return;
    add("swap", [ids](Builder& b) -> FieldValue {
      Ids swapped = ids;
      std::swap(swapped[0], swapped[1]);
      return b.list(swapped);
    });
  }

  template <class Entry, class EntryAt>
  void of_map(EntryAt entry_at) {
    const NodeMap map = node_.map(field_);
    const auto entries = [map, entry_at](Builder& b) {
      std::vector<Entry> all;
      for (std::size_t i = 0; i < map.size(); ++i) all.push_back(entry_at(map, i, b));
      return all;
    };
    add(map.defined() ? "undefine" : "define", [defined = map.defined()](Builder& b) {
      return FieldValue(defined ? ListId::none : b.map(std::span<const Entry>()));
    });
    if (map.empty()) return;
    add("drop", [entries](Builder& b) -> FieldValue {
      auto fewer = entries(b);
      fewer.pop_back();
      return b.map(fewer);
    });
    add("replace value", [entries, expects = row_.expects](Builder& b) -> FieldValue {
      auto other = entries(b);
      other.front().value = test::NodeMaker(b, kNewNumbers).make_for(expects);
      return b.map(other);
    });
    if (map.size() < 2) return;
    add("reorder", [entries](Builder& b) -> FieldValue {
      auto other = entries(b);
      std::swap(other.front(), other.back());
      return b.map(other);
    });
  }

  void rename_key() {
    const NodeMap map = node_.map(field_);
    if (map.empty()) return;
    add("rename", [map](Builder& b) -> FieldValue {
      std::vector<NamedNode> entries;
      for (std::size_t i = 0; i < map.size(); ++i) {
        const std::string name = std::string(map.name(i)) + (i == 0 ? "renamed" : "");
        entries.push_back({b.string(name), map.value(i).id()});
      }
      return b.map(entries);
    });
  }

  void of_bytes() {
    const auto bytes = node_.bytes(field_);
    if (!bytes) {
      return add("define", [](Builder& b) -> FieldValue { return b.bytes({std::byte{1}}); });
    }
    add("undefine", [](Builder&) -> FieldValue { return BytesId::none; });
    std::vector<std::byte> data(bytes->begin(), bytes->end());
    if (data.empty()) return;
    add("flip", [data](Builder& b) -> FieldValue {
      auto flipped = data;
      flipped.back() ^= std::byte{1};
      return b.bytes(flipped);
    });
    add("shorten", [data](Builder& b) -> FieldValue {
      return b.bytes(std::vector<std::byte>(data.begin(), data.end() - 1));
    });
  }

  void of_scalar() {
    const Node node = node_;
    const std::uint8_t field = field_;
    switch (row_.type) {
      case FieldType::string:
        add("change text", [node, field](Builder& b) -> FieldValue {
          return b.string(std::string(node.text(field)) + "?");
        });
        return add("undefine", [node, field](Builder& b) -> FieldValue {
          return node.has_text(field) ? StringId::none : b.string("");
        });
      case FieldType::integer:
        return add("add one", [node, field](Builder&) -> FieldValue {
          return static_cast<std::int64_t>(static_cast<std::uint64_t>(node.integer(field)) + 1);
        });
      case FieldType::real:
        return add("next", [node, field](Builder&) -> FieldValue {
          const double value = node.real(field);
          return std::isfinite(value)
                     ? std::nextafter(value, std::numeric_limits<double>::infinity())
                     : 0.0;
        });
      case FieldType::dtype:
        return add("double width", [node, field](Builder&) -> FieldValue {
          DType dtype = node.dtype(field);
          dtype.bits = static_cast<std::uint8_t>(dtype.bits == 64 ? 32 : dtype.bits + 8);
          return dtype;
        });
      case FieldType::integers:
        return add("append", [node, field](Builder& b) -> FieldValue {
          std::vector<std::int64_t> values(node.integers(field).begin(),
                                           node.integers(field).end());
          values.push_back(3);
          return b.integers(values);
        });
      default:  // boolean and enumeration
        return add("next", [node, field](Builder&) -> FieldValue {
          return node.integer(field) == 0 ? 1 : node.integer(field) - 1;
        });
    }
  }

  Node node_;
  std::uint8_t field_;
  const FieldInfo& row_;
  std::vector<Mutation> result_;
};

}  // namespace

std::vector<Mutation> mutations_of(Node node, std::uint8_t field) {
  return Collector(node, field).take();
}

}  // namespace mlf::tir::mutation
