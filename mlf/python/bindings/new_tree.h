// New trees: nodes made in Python, around nodes of a document.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>

#include "documents.h"

namespace mlf::python {

/// A document with another root, of the same source.
///
/// `nodes` are those that Python made, parts before the whole: pairs of a kind and the values of
/// its fields. A node is referred to by a number: its id in `base`, or -1 - its position in
/// `nodes`. With `tvm_version`, the document has that version.
///
/// Errors: TypeError for a value that its field cannot have, ValueError for one that there is not.
DocumentPtr rebuilt(const tir::Document& base, const nanobind::list& nodes, std::int64_t root,
                    const std::optional<std::string>& tvm_version);

}  // namespace mlf::python
