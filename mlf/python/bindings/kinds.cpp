// The rows of nodes.def, from which the package makes its classes.
#include "mlf/tir/module.h"

#include <nanobind/nanobind.h>

#include <string>

#include "bindings.h"
#include "strings.h"

namespace mlf::python {
namespace {

namespace nb = nanobind;
using tir::Category;
using tir::Expects;
using tir::FieldType;

const char* name_of(Category category) {
  switch (category) {
    case Category::expr:
      return "expr";
    case Category::stmt:
      return "stmt";
    case Category::buffer:
      return "buffer";
    case Category::part:
      return "part";
    case Category::function:
      return "function";
    case Category::module:
      return "module";
    case Category::type:
      return "type";
    case Category::value:
      return "value";
    case Category::constant:
      return "constant";
    case Category::object:
      return "object";
  }
  return "";
}

const char* name_of(FieldType type) {
  switch (type) {
    case FieldType::node:
      return "node";
    case FieldType::list:
      return "list";
    case FieldType::string_map:
      return "string_map";
    case FieldType::node_map:
      return "node_map";
    case FieldType::string:
      return "string";
    case FieldType::integer:
      return "integer";
    case FieldType::real:
      return "real";
    case FieldType::boolean:
      return "boolean";
    case FieldType::dtype:
      return "dtype";
    case FieldType::enumeration:
      return "enumeration";
    case FieldType::integers:
      return "integers";
    case FieldType::bytes:
      return "bytes";
  }
  return "";
}

const char* name_of(Expects expects) {
  switch (expects) {
    case Expects::none:
      return "none";
    case Expects::any:
      return "any";
    case Expects::expr:
      return "expr";
    case Expects::var:
      return "var";
    case Expects::buffer:
      return "buffer";
    case Expects::stmt:
      return "stmt";
    case Expects::range:
      return "range";
    case Expects::iter_var:
      return "iter_var";
    case Expects::buffer_region:
      return "buffer_region";
    case Expects::match_buffer_region:
      return "match_buffer_region";
    case Expects::comm_reducer:
      return "comm_reducer";
    case Expects::type:
      return "type";
    case Expects::function:
      return "function";
    case Expects::object:
      return "object";
    case Expects::attributes:
      return "attributes";
    case Expects::attr_value:
      return "attr_value";
    case Expects::callee:
      return "callee";
    case Expects::constant:
      return "constant";
    case Expects::tensor:
      return "tensor";
    case Expects::text:
      return "text";
    case Expects::text_until_8:
      return "text_until_8";
    case Expects::for_kind:
      return "for_kind";
    case Expects::iter_var_type:
      return "iter_var_type";
    case Expects::buffer_type:
      return "buffer_type";
  }
  return "";
}

/// The field's name in nodes.def: save_json adds underscores to some names, and `__dict__` has
/// another meaning in Python.
std::string_view name_of(const tir::FieldInfo& field) {
  const std::string_view spelling = field.name;
  const std::size_t first = spelling.find_first_not_of('_');
  return spelling.substr(first, spelling.find_last_not_of('_') + 1 - first);
}

nb::tuple field_row(const tir::FieldInfo& field) {
  nb::list names;
  if (field.type == FieldType::enumeration) {
    for (const std::string_view name : tir::enum_names(field.expects)) {
      if (!name.empty()) names.append(str(name));
    }
  }
  return nb::make_tuple(str(name_of(field)), name_of(field.type), name_of(field.expects),
                        field.nullable, nb::tuple(names));
}

/// All kinds in the order of their numbers: name, type key, category, fields.
nb::list kinds() {
  nb::list rows;
  for (const tir::KindInfo& kind : tir::all_kinds()) {
    nb::list fields;
    for (const tir::FieldInfo& field : kind.fields) fields.append(field_row(field));
    rows.append(nb::make_tuple(str(kind.name), str(kind.type_key), name_of(kind.category),
                               nb::tuple(fields)));
  }
  return rows;
}

}  // namespace

void bind_kinds(nb::module_& module) {
  module.def("kinds", &kinds,
             nb::sig("def kinds() -> list[tuple[str, str, str, "
                     "tuple[tuple[str, str, str, bool, tuple[str, ...]], ...]]]"),
             "Rows of all node kinds: name, type key, category, and fields (name, type, what is "
             "expected, whether it may be undefined, names of values).");
}

}  // namespace mlf::python
