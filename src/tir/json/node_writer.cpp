#include "tir/json/node_writer.h"

#include <fmt/core.h>

#include "support/error.h"
#include "tir/json/format.h"

namespace mlf::tir::tir_json {
namespace {

// Only these types of field can be undefined where a TVM version has not got the field.
bool is_undefined(Node node, std::uint8_t field) {
  switch (node.info().fields[field].type) {
    case FieldType::node:
      return !node.node(field);
    case FieldType::list:
      return !node.list(field).defined();
    case FieldType::integer:
      return node.integer(field) == kAbsentInteger;
    default:
      return false;
  }
}

bool is_left_out(Node node, std::uint8_t field) {
  if (scoped_field(node.kind()) == field) return true;
  return may_be_absent(node.kind(), node.info().fields[field]) && is_undefined(node, field);
}

}  // namespace

void NodeWriter::write(Node node, Expects slot) {
  const std::size_t bottom = frames_.size();
  put(node, slot);
  run(bottom);
}

void NodeWriter::write_field(Node node, std::uint8_t field) {
  const std::size_t bottom = frames_.size();
  begin_field(node, field);
  run(bottom);
}

void NodeWriter::write_fields(Node node) {
  const std::size_t bottom = frames_.size();
  open_node(node, Ending::none);
  run(bottom);
}

// Frames instead of recursion. Writing can start inside a write, so each stops at its own bottom.
void NodeWriter::run(std::size_t bottom) {
  while (frames_.size() > bottom) step();
}

void NodeWriter::step() {
  switch (frames_.back().part) {
    case Part::fields:
      return step_fields();
    case Part::list:
      return step_list();
    case Part::string_map:
      return step_string_map();
    case Part::node_map:
      return step_node_map();
    case Part::statements:
      return step_statements();
  }
}

// One field a step: a field that is a node pushes a frame and comes back here. The span, which
// every node may have and no row of nodes.def names, is the last.
void NodeWriter::step_fields() {
  Frame& frame = frames_.back();
  const Node node(outline_.module(), frame.node);
  const auto fields = node.info().fields;
  while (frame.field < fields.size() && is_left_out(node, frame.field)) ++frame.field;
  const std::uint8_t field = frame.field++;
  if (field < fields.size()) {
    emitter_.key(key_of(node.kind(), fields[field]));
    return begin_field(node, field);
  }
  const Node span = node.module().span(node.id());
  if (field == fields.size() && span) {
    emitter_.key("span");
    return put(span, Expects::object);
  }
  if (frame.ending == Ending::brace) emitter_.end_object();
  frames_.pop_back();
}

void NodeWriter::step_list() {
  Frame& frame = frames_.back();
  const Node node(outline_.module(), frame.node);
  const NodeList list = node.list(frame.field);
  if (frame.at < list.size()) return put(list[frame.at++], node.info().fields[frame.field].expects);
  emitter_.end_array();
  frames_.pop_back();
}

void NodeWriter::step_string_map() {
  Frame& frame = frames_.back();
  const Node node(outline_.module(), frame.node);
  const NodeMap map = node.map(frame.field);
  if (frame.at < map.size()) {
    emitter_.text_key(map.name(frame.at));
    return put(map.value(frame.at++), node.info().fields[frame.field].expects);
  }
  emitter_.end_object();
  frames_.pop_back();
}

// Entries are pairs: [[key, value], …].
void NodeWriter::step_node_map() {
  Frame& frame = frames_.back();
  const Node node(outline_.module(), frame.node);
  const NodeMap map = node.map(frame.field);
  const std::uint32_t at = frame.at++;
  if (at > 0 && at % 2 == 0) emitter_.end_array();
  if (at / 2 == map.size()) {
    emitter_.end_array();
    return frames_.pop_back();
  }
  if (at % 2 == 0) {
    emitter_.begin_array();
    return put(map.key(at / 2), Expects::any);
  }
  put(map.value(at / 2), node.info().fields[frame.field].expects);
}

// Writes a tree of statements as one flat list. Statements governed by the next one are pushed
// before it is opened, so that they follow it directly.
void NodeWriter::step_statements() {
  if (pending_.size() == frames_.back().at) {
    emitter_.end_array();
    if (frames_.back().ending == Ending::brace) emitter_.end_object();
    return frames_.pop_back();
  }
  const Node statement = pending_.back();
  pending_.pop_back();
  if (const auto field = scoped_field(statement.kind())) {
    if (statement.is(Kind::SeqStmt)) {
      push_all(statement.list(*field));
    } else {
      push_statements(statement.node(*field));
    }
  }
  open_node(statement, Ending::brace);
}

// Writes a scalar at once; of a list or map only the opening bracket, the rest is a frame's work.
void NodeWriter::begin_field(Node node, std::uint8_t field) {
  const FieldInfo& info = node.info().fields[field];
  switch (info.type) {
    case FieldType::node:
      return put(node.node(field), info.expects);
    case FieldType::list:
      return begin_list(node, field);
    case FieldType::string_map:
    case FieldType::node_map:
      return begin_map(node, field);
    case FieldType::string:
      return put_string(node, field);
    case FieldType::integer:
      return put_integer(node, field);
    case FieldType::real:
      return emitter_.real(node.real(field));
    case FieldType::boolean:
      return emitter_.boolean(node.integer(field) != 0);
    case FieldType::dtype:
      return emitter_.string(to_string(node.dtype(field)));
    case FieldType::enumeration:
      return put_enumeration(node, field);
    case FieldType::integers:
      return put_integers(node, field);
    case FieldType::bytes:
      break;  // of constants only, whose table is written apart
  }
}

void NodeWriter::begin_list(Node node, std::uint8_t field) {
  if (!node.list(field).defined()) return emitter_.null();
  emitter_.begin_array();
  frames_.push_back({Part::list, Ending::none, field, node.id()});
}

void NodeWriter::begin_map(Node node, std::uint8_t field) {
  if (!node.map(field).defined()) return emitter_.null();
  if (node.info().fields[field].type == FieldType::string_map) {
    emitter_.begin_object();
    frames_.push_back({Part::string_map, Ending::none, field, node.id()});
  } else {
    emitter_.begin_array();
    frames_.push_back({Part::node_map, Ending::none, field, node.id()});
  }
}

void NodeWriter::put_string(Node node, std::uint8_t field) {
  if (!node.has_text(field)) return emitter_.null();
  emitter_.string(node.text(field));
}

void NodeWriter::put_integer(Node node, std::uint8_t field) {
  const std::int64_t value = node.integer(field);
  if (node.info().fields[field].nullable && value == kAbsentInteger) return emitter_.null();
  // `extent: 4` of an int32 is a number, an int64's is "4".
  const IntegerForm form =
      node.is(Kind::IntImm) ? integer_form(node.dtype()) : integer_form(node.kind());
  form == IntegerForm::number ? emitter_.integer(value) : emitter_.integer_string(value);
}

void NodeWriter::put_enumeration(Node node, std::uint8_t field) {
  const FieldInfo& info = node.info().fields[field];
  const auto names = enum_names(info.expects);
  const auto value = static_cast<std::size_t>(node.integer(field));
  // A number that TVM's enumeration does not have: a hand-made module only.
  if (value >= names.size() || names[value].empty()) {
    throw support::Error(ErrorKind::invalid_input, fmt::format("{} is not a value of {} of a {}",
                                                               value, info.name, node.info().name));
  }
  emitter_.string(names[value]);
}

void NodeWriter::put_integers(Node node, std::uint8_t field) {
  const IntegerForm form = integer_form(node.kind());
  emitter_.begin_array();
  for (const std::int64_t value : node.integers(field)) {
    form == IntegerForm::number ? emitter_.integer(value) : emitter_.integer_string(value);
  }
  emitter_.end_array();
}

// The category decides where a node is written: in its place, in a table, or in the list of
// statements.
void NodeWriter::put(Node node, Expects slot) {
  if (!node) return emitter_.null();
  switch (node.category()) {
    case Category::expr:
      return put_expr(node, slot);
    case Category::stmt:
      return put_statements(node, slot);
    case Category::buffer:
      return put_id("buffer", identities_[node.id()].id,
                    slot == Expects::buffer ? Ending::none : Ending::brace);
    case Category::constant:
      return put_id(
          "constant", outline_.constant_id(node.id()),
          slot == Expects::any || slot == Expects::attr_value ? Ending::brace : Ending::none);
    case Category::part:
      return open_node(node, Ending::brace);
    default:
      return put_object(node, slot);
  }
}

void NodeWriter::put_expr(Node node, Expects slot) {
  // Where only a variable can be, its id alone is enough.
  if (is_var(node.kind()) && slot == Expects::var) {
    return emitter_.integer(identities_[node.id()].id);
  }
  const auto entry = plan_->expr_entry(node.id());
  if (!is_var(node.kind()) && !entry) return open_node(node, Ending::brace);
  emitter_.begin_object();
  emitter_.key("node");
  emitter_.string(entry ? "ExprRef" : "Var");
  emitter_.key("dtype");
  emitter_.string(to_string(node.dtype()));
  emitter_.key(entry ? "expr" : "var");
  emitter_.integer(entry ? *entry : identities_[node.id()].id);
  emitter_.end_object();
}

// Objects of a table by id; the few that have a short form by that; everything else is written
// where it is used.
void NodeWriter::put_object(Node node, Expects slot) {
  if (const auto id = outline_.object_id(node.id())) return put_id("object", *id, Ending::brace);
  switch (node.kind()) {
    case Kind::Op:
      if (slot == Expects::callee) return emitter_.string(node.text(f::Op::name));
      return put_name("op", node.text(f::Op::name));
    case Kind::GlobalVar:
      return put_name("global_var", node.text(f::GlobalVar::name_hint));
    case Kind::PrimFunc:
      return put_name("function", outline_.function_name(node.id()));
    case Kind::String:
      return emitter_.string(node.text(f::String::value));
    case Kind::Array:
      return begin_list(node, f::Array::elements);
    default:
      return open_node(node, Ending::brace);
  }
}

// In a field of statements a list, elsewhere an object around it.
void NodeWriter::put_statements(Node statement, Expects slot) {
  if (slot != Expects::stmt) {
    emitter_.begin_object();
    emitter_.key("statements");
  }
  emitter_.begin_array();
  const auto bottom = static_cast<std::uint32_t>(pending_.size());
  frames_.push_back({Part::statements, slot == Expects::stmt ? Ending::none : Ending::brace, 0,
                     statement.id(), bottom});
  push_statements(statement);
}

void NodeWriter::put_id(std::string_view key, std::uint32_t id, Ending form) {
  if (form == Ending::none) return emitter_.integer(id);
  emitter_.begin_object();
  emitter_.key(key);
  emitter_.integer(id);
  emitter_.end_object();
}

void NodeWriter::put_name(std::string_view key, std::string_view name) {
  emitter_.begin_object();
  emitter_.key(key);
  emitter_.string(name);
  emitter_.end_object();
}

// `scope` comes right after the kind, so that a reader who skips statements finds it first.
void NodeWriter::open_node(Node node, Ending ending) {
  if (ending == Ending::brace) emitter_.begin_object();
  emitter_.key("node");
  emitter_.string(node.info().name);
  if (scoped_field(node.kind())) {
    emitter_.key("scope");
    emitter_.integer(plan_->scope(node));
  }
  frames_.push_back({Part::fields, ending, 0, node.id()});
}

void NodeWriter::push_statements(Node statement) {
  if (is_implied(statement)) return push_all(statement.list(f::SeqStmt::seq));
  pending_.push_back(statement);
}

// In reverse, because the next one is taken from the end.
void NodeWriter::push_all(NodeList statements) {
  for (std::size_t i = statements.size(); i-- > 0;) pending_.push_back(statements[i]);
}

}  // namespace mlf::tir::tir_json
