// The rows of nodes.def, from which the package makes its classes.
#include "mlf/tir/module.h"

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <string_view>

#include "bindings.h"
#include "strings.h"

namespace mlf::python {
namespace {

namespace nb = nanobind;

// Nullability as a truth value, so that nodes.def can say `some` and `null`.
enum Nullability : bool { some = false, null = true };

/// A field in the words of nodes.def. save_json adds underscores to some names, and `__dict__` has
/// another meaning in Python.
struct FieldWords {
  const char* name;
  const char* type;
  const char* expects;
  bool nullable;
  tir::Expects names;  ///< of its values
};

nb::tuple row_of(const char* name, const char* type_key, const char* category,
                 std::initializer_list<FieldWords> fields) {
  nb::list rows;
  for (const FieldWords& field : fields) {
    nb::list names;
    for (const std::string_view value : tir::enum_names(field.names)) {
      if (!value.empty()) names.append(str(value));
    }
    rows.append(
        nb::make_tuple(field.name, field.type, field.expects, field.nullable, nb::tuple(names)));
  }
  return nb::make_tuple(name, type_key, category, nb::tuple(rows));
}

/// All kinds in the order of their numbers: name, type key, category, fields.
nb::list kinds() {
  nb::list rows;
#define MLF_NODE(name, type_key, category, encoding, ...) \
  rows.append(row_of(#name, type_key, #category, {__VA_ARGS__}));
#define MLF_FIELD(name, type, expects, role, nullable, since, until) \
  {#name, #type, #expects, nullable, tir::Expects::expects},
#define MLF_FIELD_AS(name, spelling, type, expects, role, nullable, since, until) \
  {#name, #type, #expects, nullable, tir::Expects::expects},
#include "mlf/tir/nodes.def"
#undef MLF_NODE
#undef MLF_FIELD
#undef MLF_FIELD_AS
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
