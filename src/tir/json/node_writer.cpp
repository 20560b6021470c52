#include "tir/json/node_writer.h"

#include <fmt/core.h>

#include <bit>

#include "support/error.h"
#include "tir/node_queries.h"

namespace mlf::tir::tir_json {
namespace {

const FieldTemplate& field_at(const KindTemplate& kind, std::uint8_t position) {
  return *std::ranges::find(kind.fields, position, &FieldTemplate::position);
}

}  // namespace

// Only these types of field can be undefined where a TVM version does not have the field.
bool NodeWriter::is_undefined(NodeId node, const FieldTemplate& field) const {
  const std::uint32_t* const words = arena_.words(node, field.offset);
  switch (field.type) {
    case FieldType::node:
    case FieldType::list:
      return *words == 0;
    case FieldType::integer:
      return read_int64(words) == kAbsentInteger;
    default:
      return false;
  }
}

void NodeWriter::write(Node node, Expects slot) {
  const std::size_t bottom = frames_.size();
  put(node.id(), slot);
  run(bottom);
}

void NodeWriter::write_field(Node node, std::uint8_t field) {
  const std::size_t bottom = frames_.size();
  put_field(node.id(), field_at(template_of(node.id()), field));
  run(bottom);
}

void NodeWriter::write_fields(Node node) {
  const std::size_t bottom = frames_.size();
  open_node(node.id(), Ending::none);
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
    case Part::string_map:
    case Part::node_map:
      return step_elements();
    case Part::statements:
      return step_statements();
  }
}

// Fields up to the next one that pushes a frame; then this one comes back.
void NodeWriter::step_fields() {
  const std::size_t depth = frames_.size();
  const NodeId node = frames_.back().node;
  const KindTemplate& kind = template_of(node);
  for (std::uint8_t at = frames_.back().field; at < kind.fields.size();) {
    const FieldTemplate& field = kind.fields[at++];
    if (is_left_out(node, field)) continue;
    frames_.back().field = at;
    emitter_.key(field.key);
    put_field(node, field);
    if (frames_.size() != depth) return;
  }
  const OpenPart& frame = frames_.back();
  const Ending ending = frame.ending;
  const NodeId span = arena_.span(node);
  // The span, which every node may have and no row of nodes.def names, is the last.
  if (span != NodeId::none && frame.at == 0) {
    frames_.back().field = static_cast<std::uint8_t>(kind.fields.size());
    frames_.back().at = 1;
    emitter_.key("span");
    return put(span, Expects::object);
  }
  if (ending == Ending::brace) emitter_.end_object();
  frames_.pop_back();
}

// Writes elements until one pushes a frame. A map with names as keys is an object, one with nodes
// a list of pairs: [[key, value], …].
void NodeWriter::step_elements() {
  const std::size_t depth = frames_.size();
  const OpenPart frame = frames_.back();
  const std::span<const std::uint32_t> words = arena_.list(frame.list);
  for (std::uint32_t at = frame.at; at < words.size();) {
    const bool is_key = frame.part != Part::list && at % 2 == 0;
    if (frame.part == Part::node_map && is_key) {
      if (at > 0) emitter_.end_array();
      emitter_.begin_array();
    }
    const std::uint32_t word = words[at++];
    if (frame.part == Part::string_map && is_key) {
      emitter_.text_key(arena_.text(word));
      continue;
    }
    frames_.back().at = at;
    put(static_cast<NodeId>(word), is_key ? Expects::any : frame.slot);
    if (frames_.size() != depth) return;
  }
  if (frame.part == Part::node_map && !words.empty()) emitter_.end_array();
  frame.part == Part::string_map ? emitter_.end_object() : emitter_.end_array();
  frames_.pop_back();
}

// Writes a tree of statements as one flat list. Statements governed by the next one are pushed
// before it is opened, so that they follow it directly.
void NodeWriter::step_statements() {
  if (pending_.size() == frames_.back().at) {
    emitter_.end_array();
    if (frames_.back().ending == Ending::brace) emitter_.end_object();
    return frames_.pop_back();
  }
  const NodeId statement = pending_.back();
  pending_.pop_back();
  const Kind kind = arena_.kind(statement);
  if (const auto field = scoped_field(kind)) {
    const std::uint32_t word = *arena_.words(statement, info(kind).fields[*field].offset);
    if (kind == Kind::SeqStmt) {
      push_all(word);
    } else {
      push_statements(static_cast<NodeId>(word));
    }
  }
  open_node(statement, Ending::brace);
}

// Writes a scalar at once; of a list or map only the opening bracket, the rest is a frame's work.
void NodeWriter::put_field(NodeId node, const FieldTemplate& field) {
  switch (field.type) {
    case FieldType::node:
      return put(static_cast<NodeId>(*arena_.words(node, field.offset)), field.expects);
    case FieldType::list:
    case FieldType::string_map:
    case FieldType::node_map:
      return begin_elements(node, field);
    default:
      return put_scalar(node, field);
  }
}

void NodeWriter::put_scalar(NodeId node, const FieldTemplate& field) {
  const std::uint32_t* const words = arena_.words(node, field.offset);
  switch (field.type) {
    case FieldType::string:
      return *words == 0 ? emitter_.null() : emitter_.string(arena_.text(*words));
    case FieldType::integer:
      return put_integer(node, field);
    case FieldType::real:
      return emitter_.real(std::bit_cast<double>(read_int64(words)));
    case FieldType::boolean:
      return emitter_.boolean(*words != 0);
    case FieldType::dtype:
      return emitter_.string(dtypes_[DType::unpack(*words)]);
    case FieldType::enumeration:
      return put_enumeration(node, field);
    case FieldType::integers:
      return put_integers(node, field);
    default:
      break;  // bytes: of constants only, whose table is written apart
  }
}

void NodeWriter::begin_elements(NodeId node, const FieldTemplate& field) {
  const std::uint32_t word = *arena_.words(node, field.offset);
  if (word == 0) return emitter_.null();
  const Part part = field.type == FieldType::list         ? Part::list
                    : field.type == FieldType::string_map ? Part::string_map
                                                          : Part::node_map;
  part == Part::string_map ? emitter_.begin_object() : emitter_.begin_array();
  frames_.push_back(
      {.part = part, .ending = Ending::none, .slot = field.expects, .node = node, .list = word});
}

void NodeWriter::put_integer(NodeId node, const FieldTemplate& field) {
  const std::int64_t value = read_int64(arena_.words(node, field.offset));
  if (field.nullable && value == kAbsentInteger) return emitter_.null();
  // `extent: 4` of an int32 is a number, an int64's is "4".
  const IntegerForm form = arena_.kind(node) == Kind::IntImm
                               ? integer_form(DType::unpack(*arena_.words(node)))
                               : template_of(node).integer_form;
  form == IntegerForm::number ? emitter_.integer(value) : emitter_.integer_string(value);
}

void NodeWriter::put_enumeration(NodeId node, const FieldTemplate& field) {
  const auto names = enum_names(field.expects);
  const std::size_t value = *arena_.words(node, field.offset);
  // A number that TVM's enumeration does not have: a hand-made module only.
  if (value >= names.size() || names[value].empty()) {
    throw support::Error(ErrorKind::invalid_input,
                         fmt::format("{} is not a value of {} of a {}", value, field.name,
                                     info(arena_.kind(node)).name));
  }
  emitter_.string(names[value]);
}

void NodeWriter::put_integers(NodeId node, const FieldTemplate& field) {
  const IntegerForm form = template_of(node).integer_form;
  emitter_.begin_array();
  for (const std::int64_t value : outline_.module().node(node).integers(field.position)) {
    form == IntegerForm::number ? emitter_.integer(value) : emitter_.integer_string(value);
  }
  emitter_.end_array();
}

// The category decides where a node is written: in its place, in a table, or in the list of
// statements.
void NodeWriter::put(NodeId node, Expects slot) {
  if (node == NodeId::none) return emitter_.null();
  switch (arena_.category(node)) {
    case Category::expr:
      return put_expr(node, slot);
    case Category::stmt:
      return put_statements(node, slot);
    case Category::buffer:
      return put_id("buffer", identities_[node].id,
                    slot == Expects::buffer ? Ending::none : Ending::brace);
    case Category::constant:
      return put_id(
          "constant", outline_.constant_id(node),
          slot == Expects::any || slot == Expects::attr_value ? Ending::brace : Ending::none);
    case Category::part:
      return open_node(node, Ending::brace);
    default:
      return put_object(node, slot);
  }
}

void NodeWriter::put_expr(NodeId node, Expects slot) {
  if (is_var(arena_.kind(node))) {
    const std::uint32_t id = identities_[node].id;
    // Where only a variable can be, its id alone is enough.
    if (slot == Expects::var) return emitter_.integer(id);
    return put_reference(node, words_.of_var, words_.var, id);
  }
  const auto entry = plan_->expr_entry(node);
  if (entry) return put_reference(node, words_.of_expr, words_.expr, *entry);
  open_node(node, Ending::brace);
}

void NodeWriter::put_reference(NodeId node, const json::Piece& opening, const json::Piece& key,
                               std::uint32_t id) {
  emitter_.begin_object(opening);
  emitter_.key(words_.dtype);
  emitter_.string(dtypes_[DType::unpack(*arena_.words(node))]);  // field 0 of every expression
  emitter_.member(key, id);
  emitter_.end_object();
}

// Objects of a table by id; the few that have a short form by that; everything else is written
// where it is used.
void NodeWriter::put_object(NodeId id, Expects slot) {
  if (const auto entry = outline_.object_id(id)) return put_id("object", *entry, Ending::brace);
  const Node node = outline_.module().node(id);
  switch (node.kind()) {
    case Kind::Op:
      if (slot == Expects::callee) return emitter_.string(node.text(f::Op::name));
      return put_name("op", node.text(f::Op::name));
    case Kind::GlobalVar:
      return put_name("global_var", node.text(f::GlobalVar::name_hint));
    case Kind::PrimFunc:
      return put_name("function", outline_.function_name(id));
    case Kind::String:
      return emitter_.string(node.text(f::String::value));
    case Kind::Array:
      return begin_elements(id, field_at(template_of(id), f::Array::elements));
    default:
      return open_node(id, Ending::brace);
  }
}

// In a field of statements a list, elsewhere an object around it.
void NodeWriter::put_statements(NodeId statement, Expects slot) {
  if (slot != Expects::stmt) {
    emitter_.begin_object();
    emitter_.key("statements");
  }
  emitter_.begin_array();
  frames_.push_back({.part = Part::statements,
                     .ending = slot == Expects::stmt ? Ending::none : Ending::brace,
                     .node = statement,
                     .at = static_cast<std::uint32_t>(pending_.size())});
  push_statements(statement);
}

void NodeWriter::put_id(std::string_view key, std::uint32_t id, Ending form) {
  if (form == Ending::none) return emitter_.integer(id);
  emitter_.begin_object();
  emitter_.member(key, id);
  emitter_.end_object();
}

void NodeWriter::put_name(std::string_view key, std::string_view name) {
  emitter_.begin_object();
  emitter_.member(key, name);
  emitter_.end_object();
}

// `scope` comes right after the kind, so that a reader who skips statements finds it first.
void NodeWriter::open_node(NodeId node, Ending ending) {
  const KindTemplate& kind = template_of(node);
  if (ending == Ending::brace) {
    emitter_.begin_object(kind.opening);
  } else if (arena_.category(node) != Category::buffer) {  // a table of one kind does not say it
    emitter_.member("node", info(arena_.kind(node)).name);
  }
  if (kind.has_id) {
    const auto next = static_cast<std::uint32_t>(part_ids_.size());
    emitter_.member("id", part_ids_.try_emplace(index(node), next).first->second);
  }
  if (kind.has_scope) {
    emitter_.member(words_.scope, plan_->scope(node));
  }
  if (!kind.is_leaf || arena_.span(node) != NodeId::none) {
    frames_.push_back({.part = Part::fields, .ending = ending, .node = node});
    return;
  }
  for (const FieldTemplate& field : kind.fields) {
    if (is_left_out(node, field)) continue;
    emitter_.key(field.key);
    put_scalar(node, field);
  }
  if (ending == Ending::brace) emitter_.end_object();
}

void NodeWriter::push_statements(NodeId statement) {
  if (is_implied(arena_, statement)) return push_all(*arena_.words(statement));
  pending_.push_back(statement);
}

// In reverse, because the next one is taken from the end.
void NodeWriter::push_all(std::uint32_t list) {
  const std::span<const std::uint32_t> statements = arena_.list(list);
  for (auto one = statements.rbegin(); one != statements.rend(); ++one) {
    pending_.push_back(static_cast<NodeId>(*one));
  }
}

}  // namespace mlf::tir::tir_json
