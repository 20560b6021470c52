// Calls in expressions: of forms, of builtin operators, of functions of the module.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "mlf/tir/dtype.h"
#include "tir/text/op_table.h"
#include "tir/tvmscript/forms.h"
#include "tir/tvmscript/values.h"

namespace mlf::tir::tvmscript {

struct Context;

/// What a name behind the prefix T is in a call. All are empty for an unknown one.
struct Callee {
  const Form* form = nullptr;
  const text::OpInfo* op = nullptr;
  std::optional<DType> dtype{};
};

/// The node that a call makes.
NodeId read_call(Context& c, const Value& callee, const Arguments& args);

// --- Calls that are statements or parts of them: looked at before they are lowered -------------

/// Lowers the arguments of the call that `root` is.
Arguments arguments_of(Context& c, text::SyntaxId root);
/// The same, not lowered yet.
std::vector<text::SyntaxId> argument_syntax(Context& c, text::SyntaxId root);
/// The function that `root` calls, without the prefix T or I; empty where it is not such a call.
std::string_view tir_callee(Context& c, text::SyntaxId root);
std::string_view ir_callee(Context& c, text::SyntaxId root);
/// The same for `T.Buffer[…]`, which before v0.12 is what `T.Buffer(…)` is since.
std::string_view tir_generic(Context& c, text::SyntaxId root);
/// Fails at `offset`: `sign` shows that the text is in the language that TVMScript is since v0.24,
/// in which the same words mean other things (`x: T.int32 = e` is storage, not a let).
[[noreturn]] void refuse_later(const Context& c, std::size_t offset, std::string_view sign);

/// Adds the operands in an expression that are names of nothing.
void add_unknown_names(Context& c, text::SyntaxId root, std::set<std::string_view>& names);

}  // namespace mlf::tir::tvmscript
