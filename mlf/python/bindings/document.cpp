// A TIR document: fields of its nodes, its origin, and its texts.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "documents.h"
#include "errors.h"
#include "mlf/tir/compare.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "strings.h"

namespace mlf::python {
namespace {

namespace nb = nanobind;
using tir::Document;
using tir::FieldType;
using tir::Node;

/// Makes the Python object of a node: `make(document, kind, id)`; None if it is undefined.
class NodeMaker {
 public:
  NodeMaker(nb::handle document, nb::handle make) : document_(document), make_(make) {}

  nb::object operator()(Node node) const {
    if (!node) return nb::none();
    return make_(document_, static_cast<unsigned>(node.kind()), index(node.id()));
  }

 private:
  nb::handle document_;
  nb::handle make_;
};

Node node_of(const Document& document, std::uint32_t id) {
  return document.module.node(static_cast<tir::NodeId>(id));
}

nb::object list_value(const tir::NodeList& list, const NodeMaker& make) {
  if (!list.defined()) return nb::none();
  nb::list nodes;
  for (const Node element : list) nodes.append(make(element));
  return nb::tuple(nodes);
}

nb::object map_value(const tir::NodeMap& map, bool has_names, const NodeMaker& make) {
  if (!map.defined()) return nb::none();
  nb::dict entries;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const nb::object key = has_names ? nb::object(str(map.name(i))) : make(map.key(i));
    entries[key] = make(map.value(i));
  }
  return entries;
}

/// Returns the bytes without a copy; the view keeps the document alive.
nb::object bytes_value(std::span<const std::byte> bytes, nb::handle document) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return nb::cast(nb::ndarray<nb::memview, const std::uint8_t, nb::ndim<1>, nb::c_contig>(
      data, {bytes.size()}, document));
}

nb::object integers_value(std::span<const std::int64_t> values) {
  nb::list list;
  for (const std::int64_t value : values) list.append(value);
  return nb::tuple(list);
}

/// A field of a node as a value of Python; None if it is undefined.
nb::object field(nb::handle self, std::uint32_t id, std::uint8_t i, nb::handle make_node) {
  const auto& document = nb::cast<const Document&>(self);
  const Node node = node_of(document, id);
  if (i >= node.info().fields.size()) throw nb::index_error("its kind has no such field");
  const tir::FieldInfo& row = node.info().fields[i];
  const NodeMaker make(self, make_node);
  switch (row.type) {
    case FieldType::node:
      return make(node.node(i));
    case FieldType::list:
      return list_value(node.list(i), make);
    case FieldType::string_map:
    case FieldType::node_map:
      return map_value(node.map(i), row.type == FieldType::string_map, make);
    case FieldType::string:
      return node.has_text(i) ? nb::object(str(node.text(i))) : nb::none();
    case FieldType::integer:
      if (node.integer(i) == tir::kAbsentInteger) return nb::none();
      return nb::int_(node.integer(i));
    case FieldType::boolean:
      return nb::bool_(node.integer(i) != 0);
    case FieldType::enumeration:
      return str(tir::enum_names(row.expects)[static_cast<std::size_t>(node.integer(i))]);
    case FieldType::real:
      return nb::float_(node.real(i));
    case FieldType::dtype:
      return str(to_string(node.dtype(i)));
    case FieldType::integers:
      return integers_value(node.integers(i));
    case FieldType::bytes:
      if (const auto bytes = node.bytes(i)) return bytes_value(*bytes, self);
      return nb::none();
  }
  return nb::none();
}

/// A node and all nodes below it, each once.
nb::list walk(nb::handle self, std::uint32_t id, nb::handle make_node) {
  const auto& document = nb::cast<const Document&>(self);
  const NodeMaker make(self, make_node);
  nb::list nodes;
  tir::for_each_pre_order(node_of(document, id), [&](Node node) { nodes.append(make(node)); });
  return nodes;
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> source_range(const Document& document,
                                                                    std::uint32_t id) {
  const auto range = document.module.source_range(node_of(document, id).id());
  if (!range) return std::nullopt;
  return std::pair(range->begin, range->end);
}

/// Code, severity, function, name, count and meaning of each loss.
nb::list losses(const Document& document) {
  nb::list list;
  for (const tir::Loss& loss : document.losses) {
    const tir::LossInfo& info = tir::info(loss.code);
    list.append(nb::make_tuple(str(info.code), str(to_string(info.severity)), str(loss.where),
                               str(loss.name), loss.count, str(info.meaning)));
  }
  return list;
}

DocumentPtr read(const nb::bytes& text, const std::string& name) {
  // Python keeps the bytes during the call.
  const tir::Input input{name, {}, {text.c_str(), text.size()}};
  auto document = without_gil([&] { return tir::read(input); });
  return std::make_shared<Document>(value_or_raise(std::move(document)));
}

/// The document without missing objects, and the names of the removed parts.
nb::tuple without_missing(const Document& self) {
  const DocumentPtr copy = rebuilt(self, {}, index(self.module.root().id()), std::nullopt);
  const auto omitted = without_gil([&] { return omit_missing(*copy); });
  nb::list names;
  for (const tir::OmittedAttribute& attribute : omitted) {
    names.append(nb::make_tuple(attribute.function, attribute.name));
  }
  return nb::make_tuple(copy, names);
}

template <class Write>
nb::bytes written(Write&& write) {
  const std::string text =
      value_or_raise(without_gil([&] { return text_of(std::forward<Write>(write)); }));
  return nb::bytes(text.data(), text.size());
}

std::vector<std::string> differences(const Document& left, const Document& right) {
  return without_gil([&] {
    std::vector<std::string> lines;
    for (const auto& found : tir::differences(left.module, right.module)) {
      lines.push_back(to_string(found));
    }
    return lines;
  });
}

void def_texts(nb::class_<Document>& document) {
  document
      .def("save_json",
           [](const Document& self) {
             return written([&](const Sink& sink) { return write_save_json(self, sink); });
           })
      .def("tir_json",
           [](const Document& self) {
             return written([&](const Sink& sink) {
               return write_tir_json(self, {}, sink).map([](const auto&) {});
             });
           })
      .def("tvmscript", [](const Document& self) {
        return written([&](const Sink& sink) { return write_tvmscript(self, {}, sink); });
      });
}

}  // namespace

void bind_document(nb::module_& module) {
  nb::class_<Document> document(module, "Document", nb::is_weak_referenceable());
  document.def_prop_ro("member", [](const Document& self) { return self.source.member; })
      .def_prop_ro("dialect",
                   [](const Document& self) { return str(to_string(self.source.dialect)); })
      .def_prop_ro("stage", [](const Document& self) { return self.source.stage; })
      .def_prop_ro("sha256", [](const Document& self) { return self.source.sha256; })
      .def_prop_ro("tvm_version",
                   [](const Document& self) {
                     const tir::VersionRange& range = self.source.tvm_version;
                     return std::pair<unsigned, unsigned>(range.first, range.last);
                   })
      .def_prop_ro("losses", &losses,
                   nb::for_getter(
                       nb::sig("def losses(self, /) -> list[tuple[str, str, str, str, int, str]]")))
      .def_prop_ro("root", [](const Document& self) { return index(self.module.root().id()); })
      .def("kind", [](const Document& self,
                      std::uint32_t id) { return static_cast<unsigned>(node_of(self, id).kind()); })
      .def("source_range", &source_range)
      .def("without_missing", &without_missing,
           nb::sig("def without_missing(self) -> tuple[Document, list[tuple[str, str]]]"))
      .def("differences", &differences)
      .def("rebuilt", &rebuilt,
           nb::sig("def rebuilt(self, nodes: list[tuple[int, list[typing.Any]]], root: int, "
                   "tvm_version: str | None) -> Document"));
  // These need the Python object of the document, because views and nodes keep it alive.
  document.def(
      "field",
      [](nb::handle_t<Document> self, std::uint32_t id, std::uint8_t position, nb::handle make) {
        return field(self, id, position, make);
      },
      nb::sig("def field(self, id: int, position: int, make: typing.Any) -> typing.Any"));
  document.def(
      "walk",
      [](nb::handle_t<Document> self, std::uint32_t id, nb::handle make) {
        return walk(self, id, make);
      },
      nb::sig("def walk(self, id: int, make: typing.Any) -> list[typing.Any]"));
  def_texts(document);
  module.def("read_tir", &read, nb::arg("text"), nb::arg("name"));
}

}  // namespace mlf::python
