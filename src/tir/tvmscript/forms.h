// The functions of TVMScript, by name for the reader and by node kind for the writer.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/module.h"
#include "tir/text/values.h"

namespace mlf::tir::tvmscript {

struct Context;
using text::Arguments;

// The readers of irregular forms: the node of an expression; the object of a name that is defined,
// or of a scope; a line.
using ExpressionReader = NodeId(Context& c, const Arguments& args);
using NameReader = NodeId(Context& c, std::string_view name, const Arguments& args);
using LineReader = void(Context& c, const Arguments& args);

/// The required form of an argument.
enum class ArgumentType : std::uint8_t {
  expr,
  exprs,      ///< a list of expressions
  var,        ///< a variable that is already defined
  lanes,      ///< a number of lanes, since v0.16 possibly a multiple of vscale
  predicate,  ///< an expression; omitted if it is true
  callee,     ///< the name of an operator, or a function
  dtype,
  type,
  types,  ///< a list of types
  string,
  integer,
  real,
  attribute,   ///< a value of an attribute: strings and lists are not expressions
  attributes,  ///< a list of such values
};

struct FormArgument {
  ArgumentType type = ArgumentType::expr;
  std::uint8_t field = 0;  ///< position in the row of the kind
  /// Whether it may be omitted, or given by the name of the field.
  bool is_optional = false;

  bool may_be_absent() const { return is_optional || type == ArgumentType::predicate; }
};

struct Form {
  /// The meaning of a call of the function: an expression (also a type or another object), `name =
  /// T.…(…)` that defines a variable, a buffer or an axis for the rest of its scope, a scope around
  /// other statements, or a separate line.
  enum class Construct : std::uint8_t { expression, definition, scope, line };
  enum class Use : std::uint8_t { written, read };
  /// The module of the name.
  enum class Prefix : std::uint8_t { tir, ir, tvm };

  Construct construct;
  Use use = Use::written;
  Kind kind;  ///< the node that it makes
  Prefix prefix;
  std::string_view name;
  std::uint8_t since;
  std::uint8_t until;
  std::uint8_t count = 0;  ///< of arguments; an irregular form has none here
  std::array<FormArgument, 6> all_arguments{};
  // The reader of an irregular form; null for a regular one.
  ExpressionReader* read = nullptr;
  NameReader* name_reader = nullptr;
  LineReader* read_line = nullptr;

  std::span<const FormArgument> arguments() const { return std::span(all_arguments).first(count); }
};

/// All forms, in the order of the table.
std::span<const Form> all_forms();
/// The function with this name after a prefix; null if there is none.
const Form* find_form(Form::Construct construct, Form::Prefix prefix, std::string_view name);
/// The form of a kind's nodes in TVM v0.`minor`; null if it has none.
const Form* form_of(Kind kind, std::uint8_t minor);

// --- Reading calls of forms: form_readers.cpp --------------------------------------------------

/// The node of an expression form. Narrows the version to those that have the form.
NodeId read_form(Context& c, const Form& form, const Arguments& args);
/// The fields of a node from the arguments of a regular form, in the order of the kind's row:
/// fields without an argument are undefined, empty or 0.
std::vector<FieldValue> read_fields(Context& c, const Form& form, const Arguments& args);
/// Narrows the version to those that have the form.
void note_version(Context& c, const Form& form);

// --- Readers of irregular forms ----------------------------------------------------------------

ExpressionReader read_let, read_reduce, read_comm_reducer, read_iter_var, read_range,
    read_index_map, read_target, read_handle, read_tuple_type, read_type_var,
    read_allocated_pool_info, read_constant_pool_info, read_constant_info, read_vdevice,
    read_dummy_global_info, read_abs, read_ceildiv, read_infinity, read_limit, read_call_intrin,
    read_intrinsic_id;

NameReader open_let_scope, open_attr, open_launch_thread, open_allocate, open_allocate_const,
    open_decl_buffer, open_realize, open_producer_realize, define_buffer, define_match_buffer,
    define_alloc_buffer, define_env_thread, define_old_var, define_node_var, define_meta_var,
    define_axis;

LineReader line_prefetch, line_func_attr, line_match_buffer, line_preflattened_buffer,
    line_buffer_store, line_where, line_reads, line_writes, line_block_attr;

}  // namespace mlf::tir::tvmscript
