// tir-N.json as a whole: the tables of the module, then its functions.

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json/writer.h"
#include "mlf/target.h"
#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/error.h"
#include "support/name_map.h"
#include "tir/arena_view.h"
#include "tir/json/constants.h"
#include "tir/json/format.h"
#include "tir/json/outline.h"
#include "tir/node_queries.h"
#include "tir/written_size.h"

namespace mlf::tir::tir_json {
namespace {

const FieldTemplate& field_at(const KindTemplate& kind, std::uint8_t position) {
  return *std::ranges::find(kind.fields, position, &FieldTemplate::position);
}

enum class Part : std::uint8_t { fields, list, string_map, node_map, statements };
enum class Ending : std::uint8_t { brace, none };  // what follows the last part

struct OpenPart {
  Part part;
  Ending ending;
  Expects slot = Expects::any;  // of elements
  std::uint8_t field = 0;       // of `fields`: the next one in the template
  NodeId node;
  std::uint32_t at = 0;    // of lists and maps: next element; of statements: bottom of pending_
  std::uint32_t list = 0;  // of lists and maps: its word
};

/// What values are written with.
struct Output {
  json::Writer& emitter;
  const Outline& outline;
  ArenaView arena;
  std::span<const KindTemplate> templates;
  DTypeTexts dtypes;
  Words words;
};

const KindTemplate& template_of(const Output& out, NodeId node) {
  return out.templates[static_cast<std::size_t>(out.arena.kind(node))];
}

// Only these types of field can be undefined where a TVM version does not have the field.
bool is_undefined(const ArenaView& arena, NodeId node, const FieldTemplate& field) {
  const std::uint32_t* const words = arena.words(node, field.offset);
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

bool is_left_out(const ArenaView& arena, NodeId node, const FieldTemplate& field) {
  return field.is_named_by_table || (field.may_be_absent && is_undefined(arena, node, field));
}

void put_integer(Output& out, NodeId node, const FieldTemplate& field) {
  const std::int64_t value = read_int64(out.arena.words(node, field.offset));
  if (field.nullable && value == kAbsentInteger) return out.emitter.null();
  // `extent: 4` of an int32 is a number, an int64's is "4".
  const IntegerForm form = out.arena.kind(node) == Kind::IntImm
                               ? integer_form(DType::unpack(*out.arena.words(node)))
                               : template_of(out, node).integer_form;
  form == IntegerForm::number ? out.emitter.integer(value) : out.emitter.integer_string(value);
}

void put_enumeration(Output& out, NodeId node, const FieldTemplate& field) {
  const auto names = enum_names(field.expects);
  const std::size_t value = *out.arena.words(node, field.offset);
  // A number that TVM's enumeration does not have: a hand-made module only.
  if (value >= names.size() || names[value].empty()) {
    throw support::Error(ErrorKind::invalid_input,
                         fmt::format("{} is not a value of {} of a {}", value, field.name,
                                     info(out.arena.kind(node)).name));
  }
  out.emitter.string(names[value]);
}

void put_integers(Output& out, NodeId node, const FieldTemplate& field) {
  const IntegerForm form = template_of(out, node).integer_form;
  out.emitter.begin_array();
  for (const std::int64_t value : out.outline.module().node(node).integers(field.position)) {
    form == IntegerForm::number ? out.emitter.integer(value) : out.emitter.integer_string(value);
  }
  out.emitter.end_array();
}

void put_scalar(Output& out, NodeId node, const FieldTemplate& field) {
  const std::uint32_t* const words = out.arena.words(node, field.offset);
  switch (field.type) {
    case FieldType::string:
      return *words == 0 ? out.emitter.null() : out.emitter.string(out.arena.text(*words));
    case FieldType::integer:
      return put_integer(out, node, field);
    case FieldType::real:
      return out.emitter.real(std::bit_cast<double>(read_int64(words)));
    case FieldType::boolean:
      return out.emitter.boolean(*words != 0);
    case FieldType::dtype:
      return out.emitter.string(out.dtypes[DType::unpack(*words)]);
    case FieldType::enumeration:
      return put_enumeration(out, node, field);
    case FieldType::integers:
      return put_integers(out, node, field);
    default:
      break;  // bytes: of constants only, whose table is written apart
  }
}

void put_reference(Output& out, NodeId node, const json::Piece& opening, const json::Piece& key,
                   std::uint32_t id) {
  out.emitter.begin_object(opening);
  out.emitter.key(out.words.dtype);
  out.emitter.string(
      out.dtypes[DType::unpack(*out.arena.words(node))]);  // field 0 of every expression
  out.emitter.member(key, id);
  out.emitter.end_object();
}

template <class Value>
void put_member(json::Writer& emitter, std::string_view key, const Value& value) {
  emitter.begin_object();
  emitter.member(key, value);
  emitter.end_object();
}

// In reverse, because the next one is taken from the end.
void push_all(const ArenaView& arena, std::uint32_t list, std::vector<NodeId>& pending) {
  const std::span<const std::uint32_t> statements = arena.list(list);
  for (auto one = statements.rbegin(); one != statements.rend(); ++one) {
    pending.push_back(static_cast<NodeId>(*one));
  }
}

void push_statements(const ArenaView& arena, NodeId statement, std::vector<NodeId>& pending) {
  if (is_implied(arena, statement)) return push_all(arena, *arena.words(statement), pending);
  pending.push_back(statement);
}

// The statements in the scope of a statement.
void push_governed(const ArenaView& arena, NodeId statement, std::vector<NodeId>& pending) {
  const Kind kind = arena.kind(statement);
  const auto field = scoped_field(kind);
  if (!field) return;
  const std::uint32_t word = *arena.words(statement, info(kind).fields[*field].offset);
  kind == Kind::SeqStmt ? push_all(arena, word, pending)
                        : push_statements(arena, static_cast<NodeId>(word), pending);
}

class NodeWriter {
 public:
  NodeWriter(json::Writer& emitter, const Outline& outline, const Identities& identities)
      : out_{emitter, outline, ArenaView(outline.module()), all_templates(), {}, {}},
        identities_(identities) {}

  /// The scope that expressions and statements belong to from now on.
  void set_plan(const ScopePlan& plan) { plan_ = &plan; }

  /// Writes a node for a field that expects `slot`: in place, or as a reference.
  void write(Node node, Expects slot) {
    const std::size_t bottom = frames_.size();
    put(node.id(), slot);
    run(bottom);
  }

  /// One field of a node: the value only.
  void write_field(Node node, std::uint8_t field) {
    const std::size_t bottom = frames_.size();
    put_field(node.id(), field_at(template_of(out_, node.id()), field));
    run(bottom);
  }

  /// `"node"` and all fields of an entry of a table, without the braces around them.
  void write_fields(Node node) {
    const std::size_t bottom = frames_.size();
    open_node(node.id(), Ending::none);
    run(bottom);
  }

 private:
  // Frames instead of recursion. Writing can start inside a write, so each stops at its own bottom.
  void run(std::size_t bottom) {
    while (frames_.size() > bottom) step();
  }

  void step() {
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

  // Writes fields until one of them pushes a frame. The remaining fields are written after that
  // frame has been removed.
  void step_fields() {
    const std::size_t depth = frames_.size();
    const NodeId node = frames_.back().node;
    const KindTemplate& kind = template_of(out_, node);
    for (std::uint8_t at = frames_.back().field; at < kind.fields.size();) {
      const FieldTemplate& field = kind.fields[at++];
      if (is_left_out(out_.arena, node, field)) continue;
      frames_.back().field = at;
      out_.emitter.key(field.key);
      put_field(node, field);
      if (frames_.size() != depth) return;
    }
    const OpenPart& frame = frames_.back();
    const Ending ending = frame.ending;
    const NodeId span = out_.arena.span(node);
    // The span, which every node may have and no row of nodes.def names, is the last.
    if (span != NodeId::none && frame.at == 0) {
      frames_.back().field = static_cast<std::uint8_t>(kind.fields.size());
      frames_.back().at = 1;
      out_.emitter.key("span");
      return put(span, Expects::object);
    }
    if (ending == Ending::brace) out_.emitter.end_object();
    frames_.pop_back();
  }

  // Writes elements until one pushes a frame. A map with names as keys is an object, one with nodes
  // a list of pairs: [[key, value], …].
  void step_elements() {
    const std::size_t depth = frames_.size();
    const OpenPart frame = frames_.back();
    const std::span<const std::uint32_t> words = out_.arena.list(frame.list);
    for (std::uint32_t at = frame.at; at < words.size();) {
      const bool is_key = frame.part != Part::list && at % 2 == 0;
      if (frame.part == Part::node_map && is_key) {
        if (at > 0) out_.emitter.end_array();
        out_.emitter.begin_array();
      }
      const std::uint32_t word = words[at++];
      if (frame.part == Part::string_map && is_key) {
        out_.emitter.text_key(out_.arena.text(word));
        continue;
      }
      frames_.back().at = at;
      put(static_cast<NodeId>(word), is_key ? Expects::any : frame.slot);
      if (frames_.size() != depth) return;
    }
    if (frame.part == Part::node_map && !words.empty()) out_.emitter.end_array();
    frame.part == Part::string_map ? out_.emitter.end_object() : out_.emitter.end_array();
    frames_.pop_back();
  }

  // Writes a tree of statements as one flat list. Statements governed by the next one are pushed
  // before it is opened, so that they follow it directly.
  void step_statements() {
    if (pending_.size() == frames_.back().at) {
      out_.emitter.end_array();
      if (frames_.back().ending == Ending::brace) out_.emitter.end_object();
      return frames_.pop_back();
    }
    const NodeId statement = pending_.back();
    pending_.pop_back();
    push_governed(out_.arena, statement, pending_);
    open_node(statement, Ending::brace);
  }

  // Writes a scalar at once; of a list or map only the opening bracket, the rest is a frame's work.
  void put_field(NodeId node, const FieldTemplate& field) {
    switch (field.type) {
      case FieldType::node:
        return put(static_cast<NodeId>(*out_.arena.words(node, field.offset)), field.expects);
      case FieldType::list:
      case FieldType::string_map:
      case FieldType::node_map:
        return begin_elements(node, field);
      default:
        return put_scalar(out_, node, field);
    }
  }

  void begin_elements(NodeId node, const FieldTemplate& field) {
    const std::uint32_t word = *out_.arena.words(node, field.offset);
    if (word == 0) return out_.emitter.null();
    const Part part = field.type == FieldType::list         ? Part::list
                      : field.type == FieldType::string_map ? Part::string_map
                                                            : Part::node_map;
    part == Part::string_map ? out_.emitter.begin_object() : out_.emitter.begin_array();
    frames_.push_back(
        {.part = part, .ending = Ending::none, .slot = field.expects, .node = node, .list = word});
  }

  // The category decides where a node is written: in its place, in a table, or in the list of
  // statements.
  void put(NodeId node, Expects slot) {
    if (node == NodeId::none) return out_.emitter.null();
    switch (out_.arena.category(node)) {
      case Category::expr:
        return put_expr(node, slot);
      case Category::stmt:
        return put_statements(node, slot);
      case Category::buffer:
        if (slot == Expects::buffer) return out_.emitter.integer(identities_[node].id);
        return put_member(out_.emitter, "buffer", identities_[node].id);
      case Category::constant:
        if (slot == Expects::constant || slot == Expects::tensor) {
          return out_.emitter.integer(out_.outline.constant_id(node));
        }
        return put_member(out_.emitter, "constant", out_.outline.constant_id(node));
      case Category::part:
        return open_node(node, Ending::brace);
      default:
        return put_object(node, slot);
    }
  }

  void put_expr(NodeId node, Expects slot) {
    if (is_var(out_.arena.kind(node))) {
      const std::uint32_t id = identities_[node].id;
      // Where only a variable can be, its id alone is enough.
      if (slot == Expects::var) return out_.emitter.integer(id);
      return put_reference(out_, node, out_.words.of_var, out_.words.var, id);
    }
    const auto entry = plan_->expr_entry(node);
    if (entry) return put_reference(out_, node, out_.words.of_expr, out_.words.expr, *entry);
    open_node(node, Ending::brace);
  }

  // Objects of a table by id; the few that have a short form by that; everything else is written
  // where it is used.
  void put_object(NodeId id, Expects slot) {
    if (const auto entry = out_.outline.object_id(id))
      return put_member(out_.emitter, "object", *entry);
    const Node node = out_.outline.module().node(id);
    switch (node.kind()) {
      case Kind::Op:
        if (slot == Expects::callee) return out_.emitter.string(node.text(f::Op::name));
        return put_member(out_.emitter, "op", node.text(f::Op::name));
      case Kind::GlobalVar:
        return put_member(out_.emitter, "global_var", node.text(f::GlobalVar::name_hint));
      case Kind::PrimFunc:
        return put_member(out_.emitter, "function", out_.outline.function_name(id));
      case Kind::String:
        return out_.emitter.string(node.text(f::String::value));
      case Kind::Array:
        return begin_elements(id, field_at(template_of(out_, id), f::Array::elements));
      default:
        return open_node(id, Ending::brace);
    }
  }

  // In a field of statements a list, elsewhere an object around it.
  void put_statements(NodeId statement, Expects slot) {
    if (slot != Expects::stmt) {
      out_.emitter.begin_object();
      out_.emitter.key("statements");
    }
    out_.emitter.begin_array();
    frames_.push_back({.part = Part::statements,
                       .ending = slot == Expects::stmt ? Ending::none : Ending::brace,
                       .node = statement,
                       .at = static_cast<std::uint32_t>(pending_.size())});
    push_statements(out_.arena, statement, pending_);
  }

  // `scope` comes right after the kind, so that a reader who skips statements finds it first.
  void open_node(NodeId node, Ending ending) {
    const KindTemplate& kind = template_of(out_, node);
    if (ending == Ending::brace) {
      out_.emitter.begin_object(kind.opening);
    } else if (out_.arena.category(node) !=
               Category::buffer) {  // a table of one kind does not say it
      out_.emitter.member("node", info(out_.arena.kind(node)).name);
    }
    if (kind.has_id) {
      const auto next = static_cast<std::uint32_t>(part_ids_.size());
      out_.emitter.member("id", part_ids_.try_emplace(index(node), next).first->second);
    }
    if (kind.has_scope) {
      out_.emitter.member(out_.words.scope, plan_->scope(node));
    }
    if (!kind.is_leaf || out_.arena.span(node) != NodeId::none) {
      frames_.push_back({.part = Part::fields, .ending = ending, .node = node});
      return;
    }
    for (const FieldTemplate& field : kind.fields) {
      if (is_left_out(out_.arena, node, field)) continue;
      out_.emitter.key(field.key);
      put_scalar(out_, node, field);
    }
    if (ending == Ending::brace) out_.emitter.end_object();
  }

  Output out_;
  const Identities& identities_;
  std::unordered_map<std::uint32_t, std::uint32_t> part_ids_;  // of KindTemplate::has_id, by node
  const ScopePlan* plan_ = nullptr;
  std::vector<OpenPart> frames_;
  std::vector<NodeId> pending_;  // statements still to be written, the next one last
};

std::string minor_version(std::uint8_t minor) {
  return "0." + std::to_string(minor);
}

// A range: a text seldom states its version. Its forms only exclude some versions.
void write_version(json::Writer& emitter, const VersionRange& version) {
  emitter.member("first", minor_version(version.first));
  emitter.member("last", minor_version(version.last));
  if (!version.exact.empty()) emitter.member("exact", version.exact);
}

void write_source(json::Writer& emitter, const Source& source) {
  emitter.member("member", source.member);
  emitter.member("dialect", to_string(source.dialect));
  emitter.member("stage", source.stage);
  emitter.object("tvm_version", source.tvm_version, write_version);
  emitter.member("sha256", source.sha256);
}

void write_value(json::Writer& emitter, const TargetValue& value);

// The parser of targets limits the nesting of lists, which also limits this recursion.
struct ValueWriter {
  json::Writer& emitter;
  void operator()(bool value) const { emitter.boolean(value); }
  void operator()(std::int64_t value) const { emitter.integer(value); }
  void operator()(const std::string& value) const { emitter.string(value); }
  void operator()(const std::vector<TargetValue>& values) const {
    emitter.begin_array();
    for (const TargetValue& value : values) write_value(emitter, value);
    emitter.end_array();
  }
  // A value that TVM prints as JSON stays a string.
  void operator()(const JsonText& json) const { emitter.string(json.text); }
};

void write_value(json::Writer& emitter, const TargetValue& value) {
  std::visit(ValueWriter{emitter}, value.value);
}

void write_attrs(json::Writer& emitter, const std::vector<TargetAttr>& attrs) {
  support::NameSet<std::string_view> names;
  for (const TargetAttr& attr : attrs) {
    // JSON readers differ on duplicate member names.
    if (!names.insert(attr.name).second) continue;  // keeps the first of a name
    emitter.text_key(attr.name);
    write_value(emitter, attr.value);
  }
}

// Writes all fields except the host, which comes last; leaves the object open.
void write_target_fields(json::Writer& emitter, const Target& target) {
  emitter.begin_object();
  emitter.member("text", target.text);
  emitter.member("kind", target.kind);
  emitter.member("tag", target.tag);
  emitter.member("keys", target.keys);
  emitter.object("attrs", target.attrs, write_attrs);
  emitter.member("device_type", target.device_type);
  emitter.key("host");
}

// A text that cannot be parsed as a target stays a text. Uses a loop, because hosts may nest to any
// depth.
void write_target(json::Writer& emitter, const std::string& text) {
  const auto parsed = support::value_if_valid(parse_target(text));
  if (!parsed) {
    emitter.begin_object();
    emitter.member("text", text);
    emitter.end_object();
    return;
  }
  std::size_t open = 0;
  for (const Target* target = &*parsed; target != nullptr; target = target->host.get()) {
    write_target_fields(emitter, *target);
    ++open;
  }
  emitter.null();
  for (; open > 0; --open) emitter.end_object();
}

/// Writes the facts that let a reader act on a loss without knowing its code.
void write_loss_head(json::Writer& emitter, const Loss& loss) {
  const LossInfo& row = info(loss.code);
  emitter.member("code", row.code);
  emitter.member("severity", to_string(row.severity));
  emitter.member("scope", to_string(loss.scope));
  emitter.array("fields", [&] {
    // Not std::views::split, which clang 14 does not compile with libstdc++ 12.
    for (std::string_view rest = row.fields; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      emitter.string(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  });
  emitter.member("subject", to_string(row.subject));
}

// Losses of every text of the dialect have no places. Neither have other losses of the module
// without a name.
void write_places(json::Writer& emitter, std::span<const Loss> losses) {
  emitter.array("places", [&] {
    for (const Loss& loss : losses) {
      if (loss.where.empty() && loss.name.empty()) continue;
      const bool has_function = loss.scope == LossScope::function;
      emitter.begin_object();
      emitter.member("function", has_function ? std::optional(loss.where) : std::nullopt);
      emitter.text_or_null("name", loss.name);
      emitter.member("count", loss.count);
      emitter.end_object();
    }
  });
}

bool are_one_entry(const Loss& a, const Loss& b) {
  return a.code == b.code && a.scope == b.scope;
}

/// Members from `format` to `target`.
void write_head(json::Writer& emitter, const Document& document) {
  emitter.member("format", kFormat);
  emitter.member("version", kVersion);
  // The only value that differs between releases of mlf.
  emitter.member("generator", "mlf " MLF_VERSION);
  emitter.object("source", document.source, write_source);
  emitter.key("target");
  document.target ? write_target(emitter, *document.target) : emitter.null();
}

void write_c_place(json::Writer& emitter, const Document& document, std::string_view function) {
  const auto found = document.c_places.find(function);
  if (found == document.c_places.end()) return;
  const CodePlace& place = found->second;
  emitter.object("c", [&] {
    emitter.member("member", place.member);
    emitter.member("line", place.line);
    emitter.member("column", place.column);
    emitter.member("last_line", place.last_line);
  });
}

void write_losses(json::Writer& emitter, const Document& document) {
  std::vector<std::span<const Loss>> entries;
  for (std::span<const Loss> rest = document.losses; !rest.empty();) {
    const auto other = std::ranges::find_if_not(
        rest, [&](const Loss& loss) { return are_one_entry(loss, rest.front()); });
    entries.push_back(rest.first(static_cast<std::size_t>(other - rest.begin())));
    rest = rest.subspan(entries.back().size());
  }
  emitter.objects("losses", entries, [](json::Writer& out, std::span<const Loss> places) {
    write_loss_head(out, places.front());
    write_places(out, places);
  });
}

void write_imported_c(json::Writer& emitter, const Document& document) {
  if (document.imported_c.empty()) return;
  emitter.objects("imported_c", document.imported_c, [](json::Writer& out, const ImportedC& piece) {
    out.text_or_null("name", piece.name);
    out.text_or_null("signature", piece.signature);
    out.member("text", piece.text);
  });
}

/// Writes one document; used once.
class DocumentWriter {
 public:
  DocumentWriter(const Document& document, const JsonOptions& options, support::ByteSink& sink)
      : document_(document),
        options_(options),
        emitter_(sink, options.layout),
        outline_(document.module),
        identities_(document.module),
        module_plan_(outline_, identities_),
        function_plan_(outline_, identities_),
        nodes_(emitter_, outline_, identities_) {}

  // Streams the document. Tables precede the references to them, so the writer plans a scope before
  // its first byte and keeps only the plan.
  std::vector<ConstantFile> write() {
    plan_module();
    emitter_.begin_object();
    write_head(emitter_, document_);
    nodes_.set_plan(module_plan_);
    write_module_fields();
    write_losses(emitter_, document_);
    write_imported_c(emitter_, document_);
    std::vector<ConstantFile> files = write_constants(emitter_, outline_, document_, options_);
    write_tables(module_plan_);
    write_exprs(module_plan_);
    write_objects();
    write_functions();
    emitter_.end_object();
    emitter_.end_line();
    emitter_.flush();
    return files;
  }

 private:
  Node node(NodeId id) const { return {outline_.module(), id}; }

  void write_field(std::string_view key, Node node, std::uint8_t field) {
    emitter_.key(key);
    nodes_.write_field(node, field);
  }

  void plan(ScopePlan& plan, std::span<const NodeId> roots) {
    plan.plan(roots);
    // A DAG of n nodes can become 2^n nodes in the document. Shared expressions go into tables, but
    // statements cannot, so the writer counts before it writes.
    written_ += plan.written();
    const std::uint64_t limit = written_limit(outline_.module(), options_.max_written_nodes);
    if (plan.written() == UINT32_MAX || written_ > limit) refuse_written_size(limit);
  }

  // Roots are written outside functions: fields of the module and objects. A PrimFunc among them
  // has its own scope.
  void plan_module() {
    std::vector<NodeId> roots;
    const Node root = outline_.module().root();
    const auto add_inline = [&](Node part) {
      if (!outline_.is_reference(part.id())) roots.push_back(part.id());
    };
    for_each_child(root, [&](Node part, const FieldInfo& field) {
      if (field.type == FieldType::node) add_inline(part);
    });
    for (const NodeId id : outline_.objects()) {
      if (!node(id).is(Kind::PrimFunc)) roots.push_back(id);
    }
    plan(module_plan_, roots);
  }

  void write_module_fields() {
    const Node root = outline_.module().root();
    emitter_.key("attrs");
    write_attrs(root[f::IRModule::attrs]);
    const auto fields = root.info().fields;
    for (std::uint8_t i = 0; i < fields.size(); ++i) {
      if (fields[i].type != FieldType::node || i == f::IRModule::attrs || !root[i]) continue;
      write_field(key_of(Kind::IRModule, fields[i]), root, i);
    }
    write_span(root);
  }

  void write_objects() {
    emitter_.key("objects");
    emitter_.begin_array();
    for (std::size_t id = 0; id < outline_.objects().size(); ++id) {
      const NodeId root = outline_.objects()[id];
      const Node object = node(root);
      emitter_.begin_object();
      emitter_.member("id", id);
      if (object.is(Kind::PrimFunc)) {
        emitter_.member("node", object.info().name);
        plan(function_plan_, std::span(&root, 1));
        nodes_.set_plan(function_plan_);
        write_prim_func(object);
        nodes_.set_plan(module_plan_);
      } else {
        nodes_.write_fields(object);
      }
      emitter_.end_object();
    }
    emitter_.end_array();
  }

  void write_functions() {
    emitter_.objects("functions", functions_of(outline_.module()),
                     [&](json::Writer&, const NamedFunction& function) {
                       write_function(function.key, function.function);
                     });
  }

  // The GlobalVar is in the function's scope, because its checked type may use the function's
  // variables.
  void write_function(Node global_var, Node function) {
    const NodeId roots[] = {global_var.id(), function.id()};
    // Functions of other kinds, such as Relay's, are objects.
    const bool own = function.is(Kind::PrimFunc);
    plan(function_plan_, std::span(roots, own ? 2 : 1));
    nodes_.set_plan(function_plan_);
    const std::string_view name = global_var.text(f::GlobalVar::name_hint);
    emitter_.member("name", name);
    if (own) {
      emitter_.member("global_symbol", global_symbol_of(function));
      // Follows from the attributes; with it, readers find main without TVM's rules.
      emitter_.member("role", to_string(role_of(name, function)));
    }
    write_c_place(emitter_, document_, name);
    write_global_var(global_var);
    if (own) return write_prim_func(function);
    emitter_.key("function");
    nodes_.write(function, Expects::any);
  }

  // The function already has the name; only the other fields of the GlobalVar need an object.
  void write_global_var(Node global_var) {
    const auto fields = global_var.info().fields;
    const Node span = outline_.module().span(global_var.id());
    bool plain = !span;
    for (std::uint8_t i = f::GlobalVar::virtual_device; i < fields.size(); ++i) {
      plain = plain && !global_var[i];
    }
    if (plain) return;
    emitter_.object("global_var", [&] {
      for (std::uint8_t i = f::GlobalVar::virtual_device; i < fields.size(); ++i) {
        if (!global_var[i]) continue;
        write_field(key_of(Kind::GlobalVar, fields[i]), global_var, i);
      }
      write_span(global_var);
    });
  }

  // `vars` and `buffers` precede parameters, and `exprs` precede the body, so a one-pass reader
  // meets every definition before its uses.
  void write_prim_func(Node function) {
    emitter_.key("attrs");
    write_attrs(function[f::PrimFunc::attrs]);
    write_field("ret_type", function, f::PrimFunc::ret_type);
    if (function[f::PrimFunc::checked_type]) {
      write_field("_checked_type_", function, f::PrimFunc::checked_type);
    }
    write_tables(function_plan_);
    write_field("params", function, f::PrimFunc::params);
    write_buffer_map("buffer_map", function.map(f::PrimFunc::buffer_map));
    const NodeMap preflattened = function.map(f::PrimFunc::preflattened_buffer_map);
    if (preflattened.defined()) write_buffer_map("preflattened_buffer_map", preflattened);
    write_exprs(function_plan_);
    write_field("body", function, f::PrimFunc::body);
    write_span(function);
  }

  // Writes a DictAttrs that only this place uses as its map.
  void write_attrs(Node attrs) {
    if (attrs && !outline_.is_reference(attrs.id())) {
      return nodes_.write_field(attrs, f::DictAttrs::dict);
    }
    nodes_.write(attrs, Expects::attributes);
  }

  void write_buffer_map(std::string_view key, NodeMap map) {
    emitter_.key(key);
    emitter_.begin_array();
    for (std::size_t i = 0; i < map.size(); ++i) {
      emitter_.begin_object();
      emitter_.key("param");
      nodes_.write(map.key(i), Expects::var);
      emitter_.key("buffer");
      nodes_.write(map.value(i), Expects::buffer);
      emitter_.end_object();
    }
    emitter_.end_array();
  }

  void write_tables(const ScopePlan& plan) {
    for (const auto& [key, entries] :
         {std::pair("vars", &plan.vars()), std::pair("buffers", &plan.buffers())}) {
      emitter_.objects(key, *entries, [&](json::Writer&, NodeId id) { write_entry(node(id)); });
    }
  }

  void write_exprs(const ScopePlan& plan) {
    emitter_.objects("exprs", plan.exprs(),
                     [&](json::Writer&, NodeId id) { nodes_.write_fields(node(id)); });
  }

  // TVM allows any number of variables with one name. The document has it as the hint only if it
  // differs from the unique name.
  void write_entry(Node named) {
    const Identities::Identity& entry = identities_[named.id()];
    emitter_.member("id", entry.id);
    emitter_.member("name", entry.name);
    const std::string_view hint = name_of(named);
    if (entry.name != hint) emitter_.member("name_hint", hint);
    nodes_.write_fields(named);
  }

  void write_span(Node node) {
    const Node span = node.module().span(node.id());
    if (!span) return;
    emitter_.key("span");
    nodes_.write(span, Expects::object);
  }

  const Document& document_;
  const JsonOptions& options_;
  json::Writer emitter_;
  Outline outline_;
  Identities identities_;
  ScopePlan module_plan_;
  ScopePlan function_plan_;
  NodeWriter nodes_;
  std::uint64_t written_ = 0;
};

}  // namespace
}  // namespace mlf::tir::tir_json

namespace mlf::tir {

Result<std::vector<ConstantFile>> write_tir_json(const Document& document,
                                                 const JsonOptions& options, const Sink& sink) {
  return support::to_result([&] {
    support::FunctionSink bytes(sink);
    return tir_json::DocumentWriter(document, options, bytes).write();
  });
}

}  // namespace mlf::tir
