#include "tir/tvmscript/read_forms.h"

#include <fmt/core.h>

#include <optional>
#include <string_view>

#include "tir/tvmscript/accesses.h"
#include "tir/tvmscript/attributes.h"
#include "tir/tvmscript/conversions.h"
#include "tir/tvmscript/irregular_forms.h"

namespace mlf::tir::tvmscript {
namespace {

// --- Irregular forms ---------------------------------------------------------------------------

using FormReader = NodeId (*)(Context& c, const Arguments& args);

/// By the position of the form; null for regular ones and those of other places.
constexpr FormReader kReaders[] = {
#define MLF_READER_expression(reader) read_##reader
#include "tir/tvmscript/form_readers.def"
};

// --- Regular ones ------------------------------------------------------------------------------

/// The elements of a list, each by itself.
std::vector<NodeId> each(Context& c, const Value& list, NodeId (*convert)(Context&, const Value&)) {
  std::vector<NodeId> nodes;
  for (const Value& element : c.values.elements(list)) nodes.push_back(convert(c, element));
  return nodes;
}

/// An argument as the field of a node.
FieldValue field_of(Context& c, ArgumentType type, const Value& value) {
  Builder& b = c.builder;
  switch (type) {
    case ArgumentType::expr:
    case ArgumentType::predicate:
      return as_expr(c, value);
    case ArgumentType::exprs:
    case ArgumentType::vars:
      return b.list(as_exprs(c, value));
    case ArgumentType::var:
      return as_var(c, value);
    case ArgumentType::lanes:
      return as_lanes(c, value);
    case ArgumentType::callee:
      return as_callee(c, value);
    case ArgumentType::dtype:
      return as_dtype(c, value);
    case ArgumentType::type:
      return as_type(c, value);
    case ArgumentType::types:
      return b.list(each(c, value, as_type));
    case ArgumentType::string:
      return b.string(as_string(c, value));
    case ArgumentType::integer:
      return as_integer(c, value);
    case ArgumentType::real:
      return as_real(c, value);
    case ArgumentType::attribute:
      return as_attribute(c, value);
    case ArgumentType::attributes:
      return b.list(each(c, value, as_attribute));
  }
  return NodeId::none;
}

/// What a field is that no argument states.
FieldValue default_of(Context& c, FieldType type) {
  switch (type) {
    case FieldType::list:
      return c.builder.list({});
    case FieldType::string:
      return c.builder.string("");
    case FieldType::dtype:
      return DType::Int(32);  // of T.Any(); others follow from their operands
    case FieldType::integer:
      return std::int64_t{0};
    default:
      return NodeId::none;
  }
}

/// Fails where the number of arguments or a keyword does not fit the form.
void check(const Form& form, const Arguments& args) {
  std::size_t least = 0;
  std::size_t most = 0;
  std::vector<std::string_view> keywords;
  for (const FormArgument& argument : form.arguments()) {
    ++most;
    if (argument.need == Need::positional && !argument.may_be_absent()) ++least;
    if (!argument.keyword.empty()) keywords.push_back(argument.keyword);
  }
  args.expect(least, most);
  args.expect_keywords(keywords);
}

/// None where an argument that may be absent is.
std::optional<Value> argument_of(const FormArgument& argument, const Arguments& args,
                                 std::size_t position) {
  if (argument.keyword.empty()) {
    return position < args.size() ? std::optional(args[position]) : std::nullopt;
  }
  if (argument.may_be_absent()) return args.find(position, argument.keyword);
  return args.get(position, argument.keyword);
}

/// A Shuffle has an element of its vectors for each index.
NodeId make_shuffle(Context& c, const std::vector<FieldValue>& fields) {
  const NodeId made = c.builder.make(Kind::Shuffle, fields);
  const NodeList vectors = c.node(made).list(f::Shuffle::vectors);
  const auto lanes = static_cast<std::int16_t>(c.node(made).list(f::Shuffle::indices).size());
  const DType element = vectors.empty() ? DType::Void() : c.make.dtype_of(vectors[0].id());
  c.builder.set(made, f::Shuffle::dtype, element.with_lanes(lanes));
  return made;
}

/// A Reduce has the dtype of the one of its sources that it gives.
NodeId make_reduce(Context& c, const std::vector<FieldValue>& fields, const Arguments& args) {
  const NodeId made = c.builder.make(Kind::Reduce, fields);
  const NodeList source = c.node(made).list(f::Reduce::source);
  const std::int64_t position = c.node(made).integer(f::Reduce::value_index);
  if (position < 0 || static_cast<std::size_t>(position) >= source.size()) {
    args.fail(fmt::format("value_index {} is out of range", position));
  }
  const DType dtype = c.make.dtype_of(source[static_cast<std::size_t>(position)].id());
  c.builder.set(made, f::Reduce::dtype, dtype);
  return made;
}

/// The dtype of some kinds follows from their operands.
NodeId make_node(Context& c, Kind kind, const std::vector<FieldValue>& fields,
                 const Arguments& args) {
  if (kind == Kind::Shuffle) return make_shuffle(c, fields);
  if (kind == Kind::Reduce) return make_reduce(c, fields, args);
  return text::make_node(c.make, kind, fields);
}

}  // namespace

void note_version(Context& c, const Form& form) {
  c.versions.at_least(form.since);
  c.versions.at_most(form.until);
}

std::vector<FieldValue> read_fields(Context& c, const Form& form, const Arguments& args) {
  check(form, args);
  const auto rows = info(form.kind).fields;
  std::vector<FieldValue> fields(rows.size(), NodeId::none);
  std::vector<bool> is_stated(rows.size(), false);
  std::size_t position = 0;
  for (const FormArgument& argument : form.arguments()) {
    const auto value = argument_of(argument, args, position++);
    is_stated[argument.field] = value || argument.type == ArgumentType::predicate;
    if (value) {
      fields[argument.field] = field_of(c, argument.type, *value);
    } else if (argument.type == ArgumentType::predicate) {
      fields[argument.field] = c.make.boolean(1);
    }
  }
  // Fields without an argument come last: arguments make their nodes in the order of the text.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_stated[i]) fields[i] = default_of(c, rows[i].type);
  }
  return fields;
}

NodeId read_form(Context& c, const Form& form, const Arguments& args) {
  note_version(c, form);
  if (const FormReader reader = kReaders[position_of(form)]) return reader(c, args);
  check(form, args);
  // Operands of operators lend their types to literals beside them.
  if (is_binary(form.kind)) return make_binary(c, form.kind, args[0], args[1]);
  switch (form.kind) {
    // Of these there is one node for each name or dtype.
    case Kind::PrimType:
      return c.make.prim_type(as_dtype(c, args[0]));
    case Kind::GlobalVar:
      return c.metadata.global_var(as_string(c, args[0]));
    case Kind::Op:
      return c.make.op(as_string(c, args[0]));
    case Kind::StringImm:
      return c.make.string_imm(as_string(c, args[0]));
    default:
      return make_node(c, form.kind, read_fields(c, form, args), args);
  }
}

}  // namespace mlf::tir::tvmscript
