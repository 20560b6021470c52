// The objects that a function must define, and their declarations.
#include <fmt/core.h>

#include "mlf/tir/visit.h"
#include "tir/node_queries.h"
#include "tir/text/expr_factory.h"
#include "tir/tvmscript/function.h"
#include "tir/tvmscript/write/printer.h"
#include "tir/tvmscript/write/statements.h"

namespace mlf::tir::tvmscript {
namespace {

/// Equal constants are the same object here, shared or not.
bool is_same_expr(Node a, Node b) {
  if (a.id() == b.id()) return true;
  return a.is(Kind::IntImm) && b.is(Kind::IntImm) && a.dtype() == b.dtype() &&
         a.integer(f::IntImm::value) == b.integer(f::IntImm::value);
}

/// Whether annotations before v0.12 can express the type of a variable.
bool has_old_annotation(Node var) {
  const Node type = var[f::Var::type_annotation];
  const auto pointee = pointee_of(type);
  if (type && !pointee && !type.is(Kind::PrimType)) return false;
  const DType dtype = pointee.value_or(var.dtype());
  const bool is_usual = dtype.is_int() || dtype == DType::UInt(8) || dtype.is_handle() ||
                        dtype.code == TypeCode::Float;
  return is_usual && has_function(dtype) && dtype.is_scalar();
}

/// Whether a node is printed as text: other nodes are in the metadata with their own variables.
bool is_printed(Node node) {
  return node.is(Kind::DictAttrs) ||
         (node.category() != Category::object && !node.is(Kind::ObjectMap));
}

class Finder {
 public:
  Finder(Node function, std::uint8_t tvm_minor_version, const std::unordered_set<NodeId>& declared)
      : function_(function), minor_version_(tvm_minor_version), declared_vars_(declared) {}

  Definitions find() {
    const NodeMap buffers = function_.map(f::PrimFunc::buffer_map);
    for (const Node param : function_.list(f::PrimFunc::params)) {
      defined_.insert(param.id());
      // In the order of printing: the first one also prints the pointer.
      if (const Node buffer = value_under(buffers, param)) declare(buffer, CanOwn::yes);
    }
    visit(function_[f::PrimFunc::body]);
    if (const Node attrs = function_[f::PrimFunc::attrs]) visit(attrs);
    for (std::size_t i = 0; i < buffers.size(); ++i) visit_parts(buffers.value(i));
    const NodeMap before = function_.map(f::PrimFunc::preflattened_buffer_map);
    for (std::size_t i = 0; i < before.size(); ++i) visit_parts(before.value(i));
    add_free_buffers();
    add_free_vars();
    for (const Node var : scoped_) found_.declarable.insert(var.id());
    return std::move(found_);
  }

 private:
  enum class CanOwn : std::uint8_t { no, yes };

  /// Records the definitions and uses in the tree below `root`.
  void visit(Node root) {
    NodeSet seen(root.module());
    const auto enter = [&](Node node) {
      if (!is_printed(node)) return Descend::past_children;
      note_definitions(node);
      for_each_child(node, [&](Node child, const FieldInfo&) {
        if (is_var(child) || child.is(Kind::Buffer)) note_use(child);
      });
      return Descend::into_children;
    };
    walk(root, seen, enter, [](Node) {});
    if (is_var(root)) note_use(root);
  }

  void note_use(Node node) {
    if (!found_.used.insert(node.id()).second) return;
    (is_var(node) ? vars_ : buffers_).push_back(node);
  }

  void visit_parts(Node buffer) {
    for_each_child(buffer, [&](Node part, const FieldInfo& field) {
      if (field.name != "data") visit(part);
    });
    note_use(buffer[f::Buffer::data]);
  }

  /// Statements, blocks and reducers that bring variables or buffers into scope.
  void note_definitions(Node node) {
    switch (node.kind()) {
      case Kind::For:
        defined_.insert(node[f::For::loop_var].id());
        return;
      case Kind::LetStmt:
        return note_let(node);
      case Kind::SeqStmt:
        return note_places(node);
      case Kind::Allocate:
        defined_.insert(node[f::Allocate::buffer_var].id());
        return;
      case Kind::AllocateConst:
        defined_.insert(node[f::AllocateConst::buffer_var].id());
        return;
      case Kind::DeclBuffer:
        return declare(node[f::DeclBuffer::buffer], CanOwn::no);
      case Kind::AttrStmt:
        return note_thread(node);
      case Kind::Block:
        return note_block(node);
      case Kind::CommReducer:
        for (const Node param : node.list(f::CommReducer::lhs)) defined_.insert(param.id());
        for (const Node param : node.list(f::CommReducer::rhs)) defined_.insert(param.id());
        return;
      default:
        return;
    }
  }

  /// A statement with others after it cannot extend to the end of its suite.
  void note_places(Node sequence) {
    const NodeList statements = sequence.list(f::SeqStmt::seq);
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const bool is_last = i + 1 == statements.size();
      if (!is_last || inside_.contains(sequence.id())) inside_.insert(statements[i].id());
    }
  }

  void note_let(Node let) {
    const Node var = let[f::LetStmt::var];
    scoped_.push_back(var);
    if (!takes_variable(let)) defined_.insert(var.id());
  }

  /// Whether the variable of a LetStmt must be declared before it.
  bool takes_variable(Node let) const {
    const Node var = let[f::LetStmt::var];
    if (declared_vars_.contains(var.id())) return true;
    // Up to v0.11 a scope takes a variable that was made above it.
    if (!is_old_script(minor_version_)) {
      return var.is(Kind::SizeVar) || !has_annotation(var, minor_version_);
    }
    return inside_.contains(let.id()) || !is_annotated_let(let);
  }

  void note_thread(Node node) {
    const Node thread = node[f::AttrStmt::node];
    if (!thread.is(Kind::IterVar)) return;
    ++found_.thread_uses[thread[f::IterVar::var].id()];
    launches_.push_back(node);
    scoped_.push_back(thread[f::IterVar::var]);
  }

  void note_block(Node node) {
    for (const Node axis : node.list(f::Block::iter_vars)) {
      defined_.insert(axis[f::IterVar::var].id());
    }
    for (const Node buffer : node.list(f::Block::alloc_buffers)) declare(buffer, CanOwn::yes);
    for (const Node match : node.list(f::Block::match_buffers)) {
      declare(match[f::MatchBufferRegion::buffer], CanOwn::yes);
    }
  }

  void declare(Node buffer, CanOwn can_own) {
    if (!declared_.insert(buffer.id()).second) return;
    if (can_own == CanOwn::yes) own(buffer);
  }

  void own(Node buffer) {
    if (!has_usual_pointer(buffer)) return;
    found_.data_owner.try_emplace(buffer[f::Buffer::data].id(), buffer.id());
  }

  /// In the order of their first use, so equal functions are printed alike.
  void add_free_buffers() {
    for (const Node buffer : buffers_) {
      if (declared_.contains(buffer.id())) continue;
      found_.free_buffers.push_back(buffer);
      const Node data = buffer[f::Buffer::data];
      if (!defined_.contains(data.id())) own(buffer);
    }
    // An object that a statement defines needs no owner.
    std::erase_if(found_.data_owner,
                  [&](const auto& entry) { return defined_.contains(entry.first); });
  }

  /// If threads use declared variables, several equal threads may share one.
  void note_tags() {
    std::unordered_set<NodeId> others;
    for (const Node launch : launches_) {
      const Node thread = launch[f::AttrStmt::node];
      const NodeId var = thread[f::IterVar::var].id();
      const std::string_view tag = thread.text(f::IterVar::thread_tag);
      const auto known = found_.thread_tags.try_emplace(var, tag).first;
      if (!is_launch(launch) || known->second != tag) others.insert(var);
    }
    for (const NodeId var : others) found_.thread_tags.erase(var);
  }

  /// Variables that are used, but neither defined nor part of a buffer.
  void add_free_vars() {
    if (is_old_script(minor_version_)) {
      note_tags();
      launches_.clear();
    }
    for (const Node launch : launches_) {
      const Node var = launch[f::AttrStmt::node][f::IterVar::var];
      const bool is_declared = declared_vars_.contains(var.id());
      if (is_launch(launch) && found_.thread_uses[var.id()] == 1 && !is_declared) {
        defined_.insert(var.id());
      }
    }
    for (const Node var : vars_) {
      const bool comes_along = found_.data_owner.contains(var.id());
      if (!defined_.contains(var.id()) && !comes_along) found_.free_vars.push_back(var);
    }
  }

  Node function_;
  std::uint8_t minor_version_;
  const std::unordered_set<NodeId>& declared_vars_;
  Definitions found_{};
  std::unordered_set<NodeId> defined_{};   // variables that statements define
  std::unordered_set<NodeId> declared_{};  // buffers that statements declare
  std::unordered_set<NodeId> inside_{};    // statements with others after them
  std::vector<Node> vars_{};               // in the order of their first use
  std::vector<Node> buffers_{};            // likewise
  std::vector<Node> launches_{};
  std::vector<Node> scoped_{};  // variables of lets and launched threads
};

/// Each once. A set of the module's size would make each buffer as expensive as the module.
std::vector<NodeId> variables_of(Node buffer, const Definitions& definitions) {
  const NodeId data = buffer[f::Buffer::data].id();
  const bool defines_data = definitions.owns_data(buffer);
  std::vector<NodeId> vars;
  std::unordered_set<NodeId> seen;
  walk_once(
      buffer,
      [&](Node node) {
        if (!seen.insert(node.id()).second) return false;
        if (is_var(node) && !(defines_data && node.id() == data)) vars.push_back(node.id());
        return true;
      },
      [](Node node, auto&& push) {
        for_each_child(node, [&](Node child, const FieldInfo&) { push(child); });
      },
      [](Node) {});
  return vars;
}

/// The storage scope is part of the pointer's type.
std::string_view scope_of(Node buffer) {
  return buffer[f::Buffer::data][f::Var::type_annotation].text(f::PointerType::storage_scope);
}

}  // namespace

bool Definitions::owns_data(Node buffer) const {
  const auto found = data_owner.find(buffer[f::Buffer::data].id());
  return found != data_owner.end() && found->second == buffer.id();
}

Definitions definitions_of(Node function, std::uint8_t tvm_minor_version,
                           const std::unordered_set<NodeId>& declared) {
  return Finder(function, tvm_minor_version, declared).find();
}

bool is_annotated_let(Node let) {
  const Node value = let[f::LetStmt::value];
  const bool is_call_or_constant = !is_var(value) && !value.is(Kind::Let);
  return is_call_or_constant && let[f::LetStmt::var].is(Kind::Var) &&
         has_old_annotation(let[f::LetStmt::var]);
}

bool is_launch(Node attr_stmt) {
  const Node thread = attr_stmt[f::AttrStmt::node];
  if (!thread.is(Kind::IterVar)) return false;
  const Node dom = thread[f::IterVar::dom];
  const Node var = thread[f::IterVar::var];
  const bool is_virtual = thread.text(f::IterVar::thread_tag) == "vthread";
  return dom && is_int_imm(dom[f::Range::min], 0) && var.is(Kind::Var) &&
         var.dtype() == DType::Int(32) && dom[f::Range::min].dtype() == DType::Int(32) &&
         is_same_expr(dom[f::Range::extent], attr_stmt[f::AttrStmt::value]) &&
         thread.integer(f::IterVar::iter_type) ==
             static_cast<std::int64_t>(IterVarType::ThreadIndex) &&
         attr_stmt.text(f::AttrStmt::attr_key) == (is_virtual ? "virtual_thread" : "thread_extent");
}

bool has_usual_pointer(Node buffer) {
  return pointee_of(buffer[f::Buffer::data][f::Var::type_annotation]) ==
         stored_dtype(buffer.dtype(f::Buffer::dtype));
}

// --- Buffers that can be declared --------------------------------------------------------------

ReadyBuffers::ReadyBuffers(const Definitions& definitions, ScopedNames& names)
    : definitions_(definitions), names_(names) {
  for (const Node buffer : definitions.free_buffers) {
    const std::size_t position = buffers_.size();
    buffers_.push_back({.vars = variables_of(buffer, definitions)});
    positions_.emplace(buffer.id(), position);
    candidates_.insert(candidates_.end(), position);
  }
}

Node ReadyBuffers::first() {
  next_ = 0;
  return next();
}

Node ReadyBuffers::next() {
  note_changes();
  for (auto found = candidates_.lower_bound(next_); found != candidates_.end();
       found = candidates_.lower_bound(next_)) {
    const std::size_t position = *found;
    candidates_.erase(found);
    next_ = position + 1;
    const Node buffer = definitions_.free_buffers[position];
    if (names_.find(buffer.id()).empty() && !waits(position)) return buffer;
  }
  return {};
}

void ReadyBuffers::note_changes() {
  for (const NodeId id : names_.take_changed()) {
    // Where a scope ends, a buffer loses its name.
    if (const auto buffer = positions_.find(id); buffer != positions_.end()) {
      candidates_.insert(buffer->second);
    }
    if (const auto waiting = waiting_.find(id); waiting != waiting_.end()) {
      candidates_.insert(waiting->second.begin(), waiting->second.end());
      waiting_.erase(waiting);
    }
  }
}

bool ReadyBuffers::waits(std::size_t position) {
  Buffer& buffer = buffers_[position];
  // Begins at the variable that it waited for: those before it mostly have names.
  for (std::size_t i = 0; i < buffer.vars.size(); ++i) {
    const NodeId var = buffer.vars[buffer.missing];
    if (names_.find(var).empty()) {
      waiting_[var].push_back(position);
      return true;
    }
    buffer.missing = (buffer.missing + 1) % buffer.vars.size();
  }
  return false;
}

// --- Declarations ------------------------------------------------------------------------------

Declarations::Declarations(Printer& printer, Script& script, const Definitions& definitions)
    : printer_(printer),
      script_(script),
      definitions_(definitions),
      ready_(definitions, printer.names()) {}

void Declarations::declare_free_vars(Indent indent) {
  for (const Node var : definitions_.free_vars) {
    const std::string name(printer_.names().bind(var.id(), var.text(f::Var::name)));
    script_.line(indent, TextFragments().text(name + " = ").append(declaration(var)));
  }
}

/// `T.int32()`, `T.handle("int8", "global")`, `T.int64(is_size_var=True)`
TextFragments Declarations::declaration(Node var) {
  if (printer_.is_old()) return old_declaration(var);
  const Node type = var[f::Var::type_annotation];
  if (!has_annotation(var, printer_.minor_version())) return constructor(var);
  if (type && type.is(Kind::PointerType)) return TextFragments().node(PrintAs::type, type);
  return TextFragments().text(fmt::format("T.{}({})", to_string(var.dtype()),
                                          var.is(Kind::SizeVar) ? "is_size_var=True" : ""));
}

TextFragments Declarations::annotation(Node var) {
  if (!has_annotation(var, printer_.minor_version())) return constructor(var);
  TextFragments fragments;
  if (const Node type = var[f::Var::type_annotation]) {
    fragments.node(PrintAs::type, type);
  } else {
    fragments.text(printer_.type_name(var.dtype()));
  }
  const bool states_size = var.is(Kind::SizeVar) && !printer_.is_old();
  return fragments.text(states_size ? "(is_size_var=True)" : "");
}

/// `T.Var("x", "bfloat16")`, `T.Var("p", tvm.ir.PointerType(…))`: the parser accepts the node
/// wherever it accepts a type.
TextFragments Declarations::constructor(Node var) {
  const Node type = var[f::Var::type_annotation];
  TextFragments fragments;
  fragments.text(fmt::format("T.{}({}, ", var.is(Kind::SizeVar) ? "SizeVar" : "Var",
                             quoted(printer_.names().find(var.id()))));
  if (!type || type.is(Kind::PrimType)) {
    fragments.text(quoted_dtype(var.dtype()));
  } else {
    fragments.node(PrintAs::type_object, type);
  }
  return fragments.text(")");
}

/// `T.var("int32")`, `T.buffer_var("int8", "global")`, `T.env_thread("threadIdx.x")`
TextFragments Declarations::old_declaration(Node var) {
  if (const auto thread = definitions_.thread_tags.find(var.id());
      thread != definitions_.thread_tags.end()) {
    return TextFragments().text(fmt::format("T.env_thread({})", quoted(thread->second)));
  }
  const Node type = var[f::Var::type_annotation];
  if (!type || !type.is(Kind::PointerType)) {
    return TextFragments().text(fmt::format("T.var({})", quoted_dtype(var.dtype())));
  }
  const auto pointee = pointee_of(type);
  if (!pointee) {
    refuse("a variable whose type is a pointer to no data type cannot be written in TVMScript");
  }
  return TextFragments().text(fmt::format("T.buffer_var({}, {})", quoted_dtype(*pointee),
                                          quoted(type.text(f::PointerType::storage_scope))));
}

/// v0.9 and v0.10 also print the buffers from before lowering flattened them.
void Declarations::state_before_flattening(Node buffer, Node before, Indent indent) {
  script_.line(indent, TextFragments()
                           .text("T.preflattened_buffer(")
                           .value(buffer)
                           .text(", ")
                           .append(arguments(before))
                           .text(")"));
}

void Declarations::declare_ready_buffers(Indent indent) {
  for (Node buffer = ready_.first(); buffer; buffer = ready_.next()) {
    TextFragments call;
    printer_.begin_form(Kind::Buffer, call).append(arguments(buffer)).text(")");
    const std::string text = printer_.text_of(call);
    script_.line(indent, fmt::format("{} = {}", bind(buffer), text));
  }
}

/// Zero with the dtype of the shape: the parser's default.
bool Declarations::has_default_offset(Node buffer) const {
  const Node offset = buffer[f::Buffer::elem_offset];
  if (!offset) return true;
  const NodeList shape = buffer.list(f::Buffer::shape);
  const DType usual =
      shape.empty() ? text::default_index_dtype(printer_.minor_version()) : shape[0].dtype();
  return is_int_imm(offset, 0) && offset.dtype() == usual;
}

bool Declarations::is_plain(Node buffer) const {
  return definitions_.owns_data(buffer) && scope_of(buffer) == "global" &&
         buffer.list(f::Buffer::strides).empty() &&
         buffer.list(f::Buffer::axis_separators).empty() && has_default_offset(buffer) &&
         buffer.integer(f::Buffer::offset_factor) == 1 &&
         buffer.integer(f::Buffer::data_alignment) ==
             text::default_alignment(printer_.minor_version()) &&
         buffer.integer(f::Buffer::buffer_type) == static_cast<std::int64_t>(BufferType::default_);
}

/// Keywords in TVM's order; omits parts with default values.
TextFragments Declarations::arguments(Node buffer) {
  TextFragments out;
  const NodeList shape = buffer.list(f::Buffer::shape);
  // A tuple of one element keeps its comma.
  out.text("(").list(shape).text(shape.size() == 1 ? ",)" : ")");
  out.text(", ").text(quoted_dtype(buffer.dtype(f::Buffer::dtype)));
  const bool owns_data = definitions_.owns_data(buffer);
  if (!owns_data) out.text(", data=").expr(buffer[f::Buffer::data]);
  if (const NodeList strides = buffer.list(f::Buffer::strides); !strides.empty()) {
    out.text(", strides=[").list(strides).text("]");
  }
  const std::int64_t factor = buffer.integer(f::Buffer::offset_factor);
  if (!has_default_offset(buffer) || factor != 1) {
    if (const Node offset = buffer[f::Buffer::elem_offset]) {
      out.text(", elem_offset=").expr(offset);
    }
  }
  if (owns_data && scope_of(buffer) != "global") {
    out.text(", scope=").text(quoted(scope_of(buffer)));
  }
  const std::int64_t alignment = buffer.integer(f::Buffer::data_alignment);
  if (alignment != text::default_alignment(printer_.minor_version())) {
    out.text(fmt::format(", align={}", alignment));
  }
  if (factor != 1) out.text(fmt::format(", offset_factor={}", factor));
  if (buffer.integer(f::Buffer::buffer_type) ==
      static_cast<std::int64_t>(BufferType::auto_broadcast)) {
    // Up to v0.11 the parser does not know the printer's word.
    out.text(printer_.is_old() ? ", buffer_type=\"auto_broadcast\"" : ", buffer_type=\"auto\"");
  }
  if (const NodeList separators = buffer.list(f::Buffer::axis_separators); !separators.empty()) {
    out.text(", axis_separators=[").list(separators).text("]");
  }
  return out;
}

/// The pointer is named through the buffer, `A.data`.
std::string_view Declarations::bind(Node buffer) {
  const std::string_view hint = buffer.text(f::Buffer::name);
  // Before v0.12 all buffers of a function have different names.
  const auto lifetime =
      printer_.is_old() ? ScopedNames::Lifetime::function : ScopedNames::Lifetime::scope;
  const std::string name(
      printer_.names().bind(buffer.id(), hint.empty() ? "buffer" : hint, lifetime));
  if (definitions_.owns_data(buffer)) {
    printer_.names().alias(buffer[f::Buffer::data].id(), name + ".data");
  }
  return printer_.names().find(buffer.id());
}

}  // namespace mlf::tir::tvmscript
