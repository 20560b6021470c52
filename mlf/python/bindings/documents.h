// TIR documents in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "mlf/diagnostics.h"
#include "mlf/tir/document.h"

namespace mlf::python {

/// Python's objects refer to values that do not change: nanobind ignores `const`.
using DocumentPtr = std::shared_ptr<tir::Document>;
inline DocumentPtr handle_of(std::shared_ptr<const tir::Document> document) {
  return std::const_pointer_cast<tir::Document>(std::move(document));
}

/// A document with another root, of the same source.
///
/// `nodes` are those that Python made, parts before the whole: pairs of a kind and the values of
/// its fields. A node is referred to by a number: its id in `base`, or -1 - its position in
/// `nodes`. With `tvm_version`, the document has that version.
///
/// Errors: TypeError for a value that its field cannot have, ValueError for a node or a kind that
/// does not exist.
DocumentPtr rebuilt(const tir::Document& base, const nanobind::list& nodes, std::int64_t root,
                    const std::optional<std::string>& tvm_version);

/// The whole output of a writer as a string.
template <class Write>
Result<std::string> text_of(Write&& write) {
  std::string text;
  const auto done = write([&](std::string_view part) { text += part; });
  if (!done) return tl::unexpected(done.error());
  return text;
}

}  // namespace mlf::python
