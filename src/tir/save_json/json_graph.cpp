#include "tir/save_json/json_graph.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/base64.h"
#include "support/numbers.h"
#include "tir/reader.h"
#include "tir/save_json/layout.h"

namespace mlf::tir::save_json {
namespace {

// Node 0 is null in every document of TVM (src/node/serialization.cc), so 0 can also mean that a
// member is absent.
json::Value required(json::Value object, std::string_view key, json::Type type) {
  const json::Value value = object.at(key);
  value.expect(type);
  return value;
}

// repr_b64 is a length of eight bytes, little-endian, and the bytes. TVM uses this form for strings
// that are not printable.
std::optional<std::string> unwrap(const std::vector<std::byte>& data) {
  if (data.size() < sizeof(std::uint64_t)) return std::nullopt;
  const auto size = load_little_endian<std::uint64_t>(data, 0);
  if (size != data.size() - sizeof size) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(data.data()) + sizeof size, size);
}

bool is_attributes(Kind kind) {
  switch (kind) {
#define MLF_NODE(name, type_key, category, encoding, ...) case Kind::name:
#include "mlf/tir/attrs.def"
#undef MLF_NODE
    return true;
    default:
      return false;
  }
}

}  // namespace

// Only the part before the second dot counts. An unknown version gives the widest range, for which
// readers and writers accept every spelling.
VersionRange version_named(std::string_view tvm_version) {
  VersionRange version{.exact = std::string(tvm_version)};
  if (!tvm_version.starts_with("0.")) return version;
  const std::string_view rest = tvm_version.substr(2);
  const auto minor = support::whole_number<std::uint8_t>(rest.substr(0, rest.find('.')));
  if (minor) version.first = version.last = *minor;
  return version;
}

bool is_development(const VersionRange& version) {
  return version.exact.find("dev") != std::string::npos;
}

// Reads the nodes before the root, to check the root's index; JSON does not fix the order of
// members.
JsonGraph::JsonGraph(const json::Document& document) : document_(document) {
  const json::Value root = document.root();
  if (!root.is_object()) root.fail("expected the object that tvm.ir.save_json writes");
  if (root.find("root_index")) {
    root.fail(refusal_of_other_tvm("JSON of tvm-ffi (root_index), which later TVMs write"));
  }
  if (root.find("arg_nodes")) root.fail("this is the graph of TVM's graph executor, not TIR");
  read_nodes(required(root, "nodes", json::Type::array));
  if (const auto tensors = root.find("b64ndarrays")) read_tensors(*tensors);
  // `attrs` of the document has the version and possibly more.
  if (const auto attrs = root.find("attrs")) {
    attrs->expect(json::Type::object);
    if (attrs->find("tvm_version")) {
      version_ = version_named(required(*attrs, "tvm_version", json::Type::string).text());
    }
  }
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (nodes_[i].kind && is_attributes(*nodes_[i].kind) && !has_known_fields(i)) {
      nodes_[i].kind.reset();
    }
  }
  root_ = element(required(root, "root", json::Type::integer));
}

void JsonGraph::read_nodes(json::Value nodes) {
  if (nodes.size() == 0) nodes.fail("expected at least the null node in \"nodes\"");
  nodes_.reserve(nodes.size());
  for (const json::Value object : nodes.elements()) nodes_.push_back(read_node(object));
  const GraphNode& null = nodes_.front();
  if (!type_key(0).empty() || null.attrs != 0 || null.data != 0 || null.repr != 0) {
    value(null.object).fail("expected the null node at index 0 of \"nodes\"");
  }
}

// Checks every node before it makes any: readers of nodes then rely on the types of all members.
GraphNode JsonGraph::read_node(json::Value object) {
  if (!object.is_object()) object.fail("expected an object for a node");
  GraphNode node{.object = object.index()};
  for (const json::Member member : object.members()) {
    const std::string_view key = member.key.text();
    const auto take = [&](std::uint32_t& place, json::Type type) {
      member.value.expect(type);
      place = member.value.index();
    };
    if (key == "type_key") {
      take(node.type_key, json::Type::string);
    } else if (key == "attrs") {
      take(node.attrs, json::Type::object);
      // TVM writes all attributes as strings, also numbers.
      for (const json::Member attribute : member.value.members()) {
        attribute.value.expect(json::Type::string);
      }
    } else if (key == "data") {
      take(node.data, json::Type::array);
    } else if (key == "keys") {
      take(node.keys, json::Type::array);
    } else if (key == "repr_str" || key == "repr_b64") {
      take(node.repr, json::Type::string);
      node.repr_is_base64 = key == "repr_b64";
    } else {
      // TVM ignores it. Here it shows that the document has another structure than expected.
      member.key.fail("unknown member " + clipped(key) + " of a node");
    }
  }
  // Node 0 has one too, but an empty one.
  if (node.type_key == 0) object.fail("missing key \"type_key\"");
  node.kind = kind_with_type_key(value(node.type_key).text());
  // Map is the key of two kinds; only a map whose keys are not all strings has data without keys.
  if (node.kind == Kind::StringMap && node.keys == 0 && node.data != 0) node.kind = Kind::ObjectMap;
  return node;
}

void JsonGraph::read_tensors(json::Value tensors) {
  tensors.expect(json::Type::array);
  tensors_.reserve(tensors.size());
  for (const json::Value tensor : tensors.elements()) {
    tensor.expect(json::Type::string);
    tensors_.push_back(tensor.index());
  }
}

// Vendors of TVM add fields to its attributes, and leave some out: such a class is an unknown one.
bool JsonGraph::has_known_fields(std::uint32_t node) const {
  const Kind kind = *nodes_[node].kind;
  for (const json::Member attribute : attrs(node)) {
    const auto field = field_named(kind, attribute.key.text());
    if (!field || !is_written(info(kind).fields[*field], version_)) return false;
  }
  return std::ranges::all_of(info(kind).fields, [&](const FieldInfo& field) {
    return !is_required(field, version_) || attr(node, field.name);
  });
}

std::string JsonGraph::repr(std::uint32_t node) const {
  const GraphNode& graph_node = nodes_[node];
  if (graph_node.repr == 0) return {};
  const json::Value text = value(graph_node.repr);
  if (!graph_node.repr_is_base64) return std::string(text.text());
  const auto data = support::base64_decode(text.text());
  auto content = data ? unwrap(*data) : std::nullopt;
  if (!content) fail(node, text, "repr_b64 is not base64 of a length and as many bytes");
  return std::move(*content);
}

std::uint32_t JsonGraph::element(json::Value element) const {
  const auto index = element.integer();
  if (!index) {
    element.fail(fmt::format("expected a node index, found {}", json::name_of(element.type())));
  }
  if (*index < 0 || *index >= size()) {
    element.fail(fmt::format("node index {} is out of range: there are {} nodes", *index, size()));
  }
  return static_cast<std::uint32_t>(*index);
}

std::uint32_t JsonGraph::reference(std::uint32_t node, json::Member attribute) const {
  if (const auto index = reference(attribute.value)) return *index;
  const std::string_view name = attribute.key.text();
  if (const auto number = support::whole_number<std::uint64_t>(attribute.value.text())) {
    fail(node, attribute.value,
         fmt::format("{}: node index {} is out of range: there are {} nodes", name, *number,
                     size()));
  }
  fail(node, attribute.value,
       fmt::format("{}: expected a node index, found {}", name, clipped(attribute.value.text())));
}

std::string clipped(std::string_view text) {
  // A constant's base64 may have megabytes; a message shows only one line.
  constexpr std::size_t kMost = 40;
  return fmt::format("\"{}{}\"", text.substr(0, kMost), text.size() > kMost ? "…" : "");
}

}  // namespace mlf::tir::save_json
