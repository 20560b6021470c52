// Reads calls of the functions in forms.def.
#pragma once

#include <vector>

#include "tir/tvmscript/context.h"
#include "tir/tvmscript/forms.h"

namespace mlf::tir::tvmscript {

/// The node that a form of an expression makes. Narrows the version to those that have the form.
NodeId read_form(Context& c, const Form& form, const Arguments& args);
/// The fields of a node by the arguments of a regular form, in the order of the kind's row: what no
/// argument says is undefined, empty or 0.
std::vector<FieldValue> read_fields(Context& c, const Form& form, const Arguments& args);
/// Narrows the version to those that have the form.
void note_version(Context& c, const Form& form);

}  // namespace mlf::tir::tvmscript
