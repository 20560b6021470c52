// The functions of TVMScript of TVM v0.8 to v0.18 that have their own names.
#include "tir/tvmscript/forms.h"

#include <initializer_list>
#include <unordered_map>

#include "support/lookup.h"
#include "tir/tvm_features.h"

namespace mlf::tir::tvmscript {
namespace {

using enum ArgumentType;
using Construct = Form::Construct;

// The modules before names.
constexpr auto T = Form::Prefix::tir;
constexpr auto I = Form::Prefix::ir;
constexpr auto Tvm = Form::Prefix::tvm;

/// `since` and `until`: the first and the last minor version of TVM (0.x) that prints or parses it.
struct Row {
  Kind kind;
  Form::Prefix prefix;
  std::string_view name;
  std::uint8_t since;
  std::uint8_t until;
};

/// A form whose arguments are fields of its node.
constexpr Form regular(const Row& row, std::initializer_list<FormArgument> arguments,
                       Construct construct = Construct::expression) {
  Form form{.construct = construct,
            .kind = row.kind,
            .prefix = row.prefix,
            .name = row.name,
            .since = row.since,
            .until = row.until};
  for (const FormArgument& argument : arguments) form.all_arguments[form.count++] = argument;
  return form;
}

/// Constructors keep operands for which the operator would fold constants: TVM prints them since
/// v0.11, `T.Add(1, 2)`.
constexpr Form binary(Kind kind, std::string_view name, std::uint8_t since) {
  return regular({kind, T, name, since, now}, {{expr, f::Add::a}, {expr, f::Add::b}});
}

constexpr Form expression(decltype(Form::read) reader, const Row& row) {
  Form form = regular(row, {});
  form.read = reader;
  return form;
}

constexpr Form named(Construct construct, decltype(Form::name_reader) reader, const Row& row) {
  Form form = regular(row, {}, construct);
  form.name_reader = reader;
  return form;
}

constexpr Form line(decltype(Form::read_line) reader, const Row& row) {
  Form form = regular(row, {}, Construct::line);
  form.read_line = reader;
  return form;
}

/// TVM's parser has no such function, or another row has the same meaning: mlf does not write it.
constexpr Form only_read(Form form) {
  form.use = Form::Use::read;
  return form;
}

// The builtin operators have their own table, text/op_table.def. The writer uses the first row of a
// kind that a version has. Source of the rows: src/printer/tvmscript_printer.cc (v0.8 to v0.11),
// src/script/printer (since v0.12), and TVM's parser in python/tvm/script.
constexpr Form kForms[] = {
    // --- Operators -----------------------------------------------------------------------------
    // Constructors leave their operands as they are where the operator would fold constants: TVM
    // prints them since v0.11, `T.Add(1, 2)`.
    binary(Kind::Add, "Add", 11),
    binary(Kind::Sub, "Sub", 11),
    binary(Kind::Mul, "Mul", 11),
    binary(Kind::Div, "Div", 11),
    binary(Kind::Div, "truncdiv", 8),
    binary(Kind::Mod, "Mod", 11),
    binary(Kind::Mod, "truncmod", 8),
    binary(Kind::FloorDiv, "FloorDiv", 11),
    binary(Kind::FloorDiv, "floordiv", 8),
    binary(Kind::FloorMod, "FloorMod", 11),
    binary(Kind::FloorMod, "floormod", 8),
    binary(Kind::Min, "Min", 11),
    binary(Kind::Min, "min", 8),
    binary(Kind::Max, "Max", 11),
    binary(Kind::Max, "max", 8),
    binary(Kind::LT, "LT", 11),
    binary(Kind::LE, "LE", 11),
    binary(Kind::GT, "GT", 11),
    binary(Kind::GE, "GE", 11),
    binary(Kind::EQ, "EQ", 11),
    binary(Kind::NE, "NE", 11),
    binary(Kind::And, "And", 11),
    binary(Kind::Or, "Or", 11),
    only_read(regular({Kind::Min, I, "min", 8, now}, {{expr, f::Min::a}, {expr, f::Min::b}})),
    only_read(regular({Kind::Max, I, "max", 8, now}, {{expr, f::Max::a}, {expr, f::Max::b}})),
    regular({Kind::Not, T, "Not", 12, now}, {{expr, f::Not::a}}),

    // --- Expressions ---------------------------------------------------------------------------
    regular({Kind::IntImm, T, "IntImm", 12, now},
            {{dtype, f::IntImm::dtype}, {integer, f::IntImm::value}}),
    regular({Kind::FloatImm, T, "FloatImm", 12, now},
            {{dtype, f::FloatImm::dtype}, {real, f::FloatImm::value}}),
    regular({Kind::StringImm, T, "StringImm", 12, now}, {{string, f::StringImm::value}}),
    regular({Kind::Cast, T, "Cast", 11, now}, {{dtype, f::Cast::dtype}, {expr, f::Cast::value}}),
    regular({Kind::Cast, T, "cast", 8, 10}, {{expr, f::Cast::value}, {dtype, f::Cast::dtype}}),
    regular({Kind::Select, T, "Select", 8, now}, {{expr, f::Select::condition},
                                                  {expr, f::Select::true_value},
                                                  {expr, f::Select::false_value}}),
    regular({Kind::Ramp, T, "Ramp", 12, now},
            {{expr, f::Ramp::base}, {expr, f::Ramp::stride}, {lanes, f::Ramp::lanes}}),
    regular({Kind::Ramp, T, "ramp", 8, 11},
            {{expr, f::Ramp::base}, {expr, f::Ramp::stride}, {lanes, f::Ramp::lanes}}),
    regular({Kind::Broadcast, T, "Broadcast", 12, now},
            {{expr, f::Broadcast::value}, {lanes, f::Broadcast::lanes}}),
    regular({Kind::Broadcast, T, "broadcast", 8, 11},
            {{expr, f::Broadcast::value}, {lanes, f::Broadcast::lanes}}),
    regular({Kind::Shuffle, T, "Shuffle", 12, now},
            {{exprs, f::Shuffle::vectors}, {exprs, f::Shuffle::indices}}),
    regular({Kind::Shuffle, T, "shuffle", 8, 11},
            {{exprs, f::Shuffle::vectors}, {exprs, f::Shuffle::indices}}),
    expression(read_let, {Kind::Let, T, "Let", 12, now}),
    regular({Kind::Let, T, "let", 8, 11},
            {{var, f::Let::var}, {expr, f::Let::value}, {expr, f::Let::body}}),
    regular({Kind::Load, T, "load", 8, 11}, {{dtype, f::Load::dtype},
                                             {var, f::Load::buffer_var},
                                             {expr, f::Load::index},
                                             {predicate, f::Load::predicate}}),
    regular({Kind::Any, T, "Any", 8, now}, {}),
    regular({Kind::Call, T, "Call", 12, now},
            {{dtype, f::Call::dtype}, {callee, f::Call::op}, {exprs, f::Call::args}}),
    // TVM prints T.reduce in all versions; since v0.12 its parser knows only the constructor.
    regular({Kind::Reduce, T, "Reduce", 12, now}, {{attribute, f::Reduce::combiner},
                                                   {exprs, f::Reduce::source},
                                                   {attributes, f::Reduce::axis},
                                                   {expr, f::Reduce::condition},
                                                   {integer, f::Reduce::value_index},
                                                   {exprs, f::Reduce::init, true}}),
    expression(read_reduce, {Kind::Reduce, T, "reduce", 8, now}),
    expression(read_comm_reducer, {Kind::CommReducer, T, "comm_reducer", 8, now}),
    expression(read_iter_var, {Kind::IterVar, T, "iter_var", 8, now}),
    expression(read_range, {Kind::Range, T, "Range", 12, now}),
    only_read(expression(read_range, {Kind::Range, I, "Range", 16, now})),
    only_read(expression(read_index_map, {Kind::IndexMap, T, "index_map", 12, now})),
    expression(read_target, {Kind::Target, T, "target", 8, now}),

    // Functions of TVM's parser for users; a printer shows their result.
    only_read(expression(read_abs, {Kind::Select, T, "abs", 8, now})),
    only_read(expression(read_ceildiv, {Kind::FloorDiv, T, "ceildiv", 8, now})),
    only_read(expression(read_infinity, {Kind::FloatImm, T, "infinity", 8, now})),
    only_read(expression(read_limit, {Kind::IntImm, T, "min_value", 8, now})),
    only_read(expression(read_limit, {Kind::IntImm, T, "max_value", 8, now})),
    only_read(expression(read_call_intrin, {Kind::Call, T, "call_intrin", 8, now})),
    only_read(
        expression(read_intrinsic_id, {Kind::StringImm, T, "llvm_lookup_intrinsic_id", 8, now})),

    // --- Types ---------------------------------------------------------------------------------
    // Dtypes are functions of their own, `T.int32`; the constructors take what those have no name
    // for.
    regular({Kind::PrimType, Tvm, "ir.PrimType", 12, now}, {{dtype, f::PrimType::dtype}}),
    regular({Kind::PointerType, Tvm, "ir.PointerType", 12, now},
            {{type, f::PointerType::element_type}, {string, f::PointerType::storage_scope, true}}),
    regular({Kind::TupleType, Tvm, "ir.TupleType", 12, now}, {{types, f::TupleType::fields}}),
    only_read(expression(read_handle, {Kind::PointerType, T, "handle", 8, now})),
    only_read(expression(read_handle, {Kind::PointerType, T, "Ptr", 8, 11})),
    only_read(expression(read_tuple_type, {Kind::TupleType, T, "Tuple", 8, now})),
    only_read(regular({Kind::TensorType, I, "TensorType", 12, now},
                      {{exprs, f::TensorType::shape}, {dtype, f::TensorType::dtype}})),
    only_read(regular({Kind::FuncType, I, "FuncType", 12, now}, {{types, f::FuncType::type_params},
                                                                 {types, f::FuncType::arg_types},
                                                                 {type, f::FuncType::ret_type}})),
    only_read(expression(read_type_var, {Kind::TypeVar, I, "TypeVar", 12, now})),
    only_read(regular({Kind::IncompleteType, I, "IncompleteType", 12, now}, {})),

    // --- Objects in attributes -----------------------------------------------------------------
    regular({Kind::GlobalVar, Tvm, "ir.GlobalVar", 12, now}, {{string, f::GlobalVar::name_hint}}),
    only_read(
        regular({Kind::GlobalVar, I, "GlobalVar", 12, now}, {{string, f::GlobalVar::name_hint}})),
    regular({Kind::Op, Tvm, "ir.Op.get", 12, now}, {{string, f::Op::name}}),
    only_read(regular({Kind::Op, I, "Op", 12, now}, {{string, f::Op::name}})),
    only_read(expression(read_allocated_pool_info,
                         {Kind::AllocatedPoolInfo, I, "AllocatedPoolInfo", 13, now})),
    only_read(expression(read_constant_pool_info,
                         {Kind::ConstantPoolInfo, I, "ConstantPoolInfo", 13, now})),
    only_read(expression(read_constant_info, {Kind::ConstantInfo, I, "ConstantInfo", 13, now})),
    only_read(expression(read_vdevice, {Kind::Opaque, I, "vdevice", 16, now})),
    only_read(expression(read_dummy_global_info, {Kind::Opaque, I, "dummy_global_info", 16, now})),

    // --- Scopes: `with T.…(…):`, or the rest of a suite after the same call --------------------
    named(Construct::scope, open_let_scope, {Kind::LetStmt, T, "LetStmt", 12, now}),
    regular({Kind::LetStmt, T, "let", 8, 11}, {{var, f::LetStmt::var}, {expr, f::LetStmt::value}},
            Construct::scope),
    named(Construct::scope, open_attr, {Kind::AttrStmt, T, "attr", 8, now}),
    named(Construct::scope, open_launch_thread, {Kind::AttrStmt, T, "launch_thread", 8, now}),
    regular({Kind::AssertStmt, T, "Assert", 8, now},
            {{expr, f::AssertStmt::condition}, {expr, f::AssertStmt::message}}, Construct::scope),
    named(Construct::scope, open_allocate, {Kind::Allocate, T, "allocate", 8, now}),
    named(Construct::scope, open_allocate_const,
          {Kind::AllocateConst, T, "allocate_const", 9, now}),
    named(Construct::scope, open_decl_buffer, {Kind::DeclBuffer, T, "decl_buffer", 10, now}),
    named(Construct::scope, open_realize, {Kind::BufferRealize, T, "realize", 8, now}),
    only_read(named(Construct::scope, open_producer_realize,
                    {Kind::ProducerRealize, T, "ProducerRealize", 12, now})),

    // --- Lines of functions and blocks ---------------------------------------------------------
    regular({Kind::Evaluate, T, "evaluate", 8, now}, {{expr, f::Evaluate::value}}, Construct::line),
    regular({Kind::Store, T, "store", 8, 11},
            {{var, f::Store::buffer_var},
             {expr, f::Store::index},
             {expr, f::Store::value},
             {predicate, f::Store::predicate}},
            Construct::line),
    // TVM v0.8 to v0.11 print a Prefetch, and cannot parse it.
    line(line_prefetch, {Kind::Prefetch, T, "prefetch", 12, now}),
    only_read(line(line_buffer_store, {Kind::BufferStore, T, "buffer_store", 12, now})),
    line(line_func_attr, {Kind::DictAttrs, T, "func_attr", 8, now}),
    line(line_match_buffer, {Kind::PrimFunc, T, "match_buffer", 8, now}),
    line(line_preflattened_buffer, {Kind::PrimFunc, T, "preflattened_buffer", 9, 10}),
    line(line_where, {Kind::BlockRealize, T, "where", 8, now}),
    line(line_reads, {Kind::Block, T, "reads", 8, now}),
    line(line_writes, {Kind::Block, T, "writes", 8, now}),
    line(line_block_attr, {Kind::Block, T, "block_attr", 8, now}),

    // --- Definitions ---------------------------------------------------------------------------
    named(Construct::definition, define_buffer, {Kind::Buffer, T, "Buffer", 12, now}),
    named(Construct::definition, define_buffer, {Kind::Buffer, T, "buffer_decl", 8, 11}),
    named(Construct::definition, define_match_buffer, {Kind::Buffer, T, "match_buffer", 8, now}),
    named(Construct::definition, define_alloc_buffer, {Kind::Buffer, T, "alloc_buffer", 8, now}),
    named(Construct::definition, define_env_thread, {Kind::Var, T, "env_thread", 8, now}),
    named(Construct::definition, define_old_var, {Kind::Var, T, "var", 8, 11}),
    named(Construct::definition, define_old_var, {Kind::Var, T, "buffer_var", 8, 11}),
    // Of development versions between v0.11 and v0.12.
    named(Construct::definition, define_old_var, {Kind::Var, T, "Ptr", 8, 11}),
    named(Construct::definition, define_node_var, {Kind::Var, T, "Var", 12, now}),
    named(Construct::definition, define_node_var, {Kind::SizeVar, T, "SizeVar", 12, now}),
    named(Construct::definition, define_axis, {Kind::IterVar, T, "axis.spatial", 8, now}),
    named(Construct::definition, define_axis, {Kind::IterVar, T, "axis.reduce", 8, now}),
    named(Construct::definition, define_axis, {Kind::IterVar, T, "axis.scan", 8, now}),
    named(Construct::definition, define_axis, {Kind::IterVar, T, "axis.opaque", 8, now}),
    only_read(named(Construct::definition, define_axis, {Kind::IterVar, T, "axis.S", 8, now})),
    only_read(named(Construct::definition, define_axis, {Kind::IterVar, T, "axis.R", 8, now})),
    only_read(named(Construct::definition, define_meta_var, {Kind::Var, T, "meta_var", 8, now})),
};

using FormsByName = std::unordered_map<std::string_view, const Form*>;

/// Names are unique for their construct and prefix.
const FormsByName& forms_of(Form::Construct construct, Form::Prefix prefix) {
  constexpr std::size_t kConstructs = 4;
  constexpr std::size_t kPrefixes = 3;
  static const auto tables = [] {
    std::array<std::array<FormsByName, kPrefixes>, kConstructs> result;
    for (const Form& form : kForms) {
      result[static_cast<std::size_t>(form.construct)][static_cast<std::size_t>(form.prefix)]
          .emplace(form.name, &form);
    }
    return result;
  }();
  return tables[static_cast<std::size_t>(construct)][static_cast<std::size_t>(prefix)];
}

}  // namespace

std::span<const Form> all_forms() {
  return kForms;
}

const Form* find_form(Form::Construct construct, Form::Prefix prefix, std::string_view name) {
  const FormsByName& forms = forms_of(construct, prefix);
  return support::value_at(forms, name).value_or(nullptr);
}

const Form* form_of(Kind kind, std::uint8_t minor) {
  // The writer asks once for each node, so rows are looked up by kind.
  static const auto written = [] {
    std::vector<std::vector<const Form*>> by_kind(all_kinds().size());
    for (const Form& form : kForms) {
      if (form.use == Form::Use::read) continue;
      by_kind[static_cast<std::size_t>(form.kind)].push_back(&form);
    }
    return by_kind;
  }();
  for (const Form* const form : written[static_cast<std::size_t>(kind)]) {
    if (form->since <= minor && minor <= form->until) return form;
  }
  return nullptr;
}

}  // namespace mlf::tir::tvmscript
