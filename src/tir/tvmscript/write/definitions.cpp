#include "tir/tvmscript/write/definitions.h"

#include "mlf/tir/visit.h"
#include "tir/tvmscript/buffers.h"
#include "tir/tvmscript/write/literals.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {
namespace {

bool is_var(Node node) {
  return node.is(Kind::Var) || node.is(Kind::SizeVar);
}

/// Equal constants are the same, shared or not.
bool is_same_expr(Node a, Node b) {
  if (a.id() == b.id()) return true;
  return a.is(Kind::IntImm) && b.is(Kind::IntImm) && a.dtype() == b.dtype() &&
         a.integer(f::IntImm::value) == b.integer(f::IntImm::value);
}

/// Whether the types that annotations may have before v0.12 include that of a variable.
bool has_old_annotation(Node var) {
  const Node type = var[f::Var::type_annotation];
  const bool is_pointer = type && type.is(Kind::PointerType);
  if (type && !is_pointer && !type.is(Kind::PrimType)) return false;
  const Node pointee = is_pointer ? type[f::PointerType::element_type] : Node();
  if (is_pointer && !pointee.is(Kind::PrimType)) return false;
  const DType dtype = is_pointer ? pointee.dtype(std::uint8_t{f::PrimType::dtype}) : var.dtype();
  const bool is_usual = dtype.is_int() || dtype == DType::UInt(8) || dtype.is_handle() ||
                        dtype.code == TypeCode::Float;
  return is_usual && has_function(dtype) && dtype.is_scalar();
}

/// Whether a node is text: what is not, is in the metadata with variables of its own.
bool is_printed(Node node) {
  return node.is(Kind::DictAttrs) ||
         (node.category() != Category::object && !node.is(Kind::ObjectMap));
}

class Finder {
 public:
  Finder(Node function, const Spelling& spelling, const std::unordered_set<std::uint32_t>& declared)
      : function_(function), spelling_(spelling), declared_vars_(declared) {}

  Definitions find() {
    const NodeMap buffers = function_.map(f::PrimFunc::buffer_map);
    for (const Node param : function_.list(f::PrimFunc::params)) {
      defined_.insert(param.id());
      // In the order in which they are written: who comes first brings the pointer along.
      if (const Node buffer = buffer_of(param, buffers)) declare(buffer, CanOwn::yes);
    }
    visit(function_[f::PrimFunc::body]);
    if (const Node attrs = function_[f::PrimFunc::attrs]) visit(attrs);
    for (std::size_t i = 0; i < buffers.size(); ++i) visit_parts(buffers.value(i));
    const NodeMap before = function_.map(f::PrimFunc::preflattened_buffer_map);
    for (std::size_t i = 0; i < before.size(); ++i) visit_parts(before.value(i));
    add_free_buffers();
    add_free_vars();
    for (const Node var : scoped_) found_.declarable.insert(index(var.id()));
    return std::move(found_);
  }

 private:
  enum class CanOwn : std::uint8_t { no, yes };

  class Ids {
   public:
    bool insert(NodeId id) { return ids_.insert(index(id)).second; }
    bool contains(NodeId id) const { return ids_.contains(index(id)); }

   private:
    std::unordered_set<std::uint32_t> ids_;
  };

  /// Notes what the tree below `root` defines and uses.
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
    if (!found_.used.insert(index(node.id())).second) return;
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

  /// A statement with others behind it cannot reach to the end of its suite.
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

  /// Whether the variable of a LetStmt has to be there already.
  bool takes_variable(Node let) const {
    const Node var = let[f::LetStmt::var];
    if (declared_vars_.contains(index(var.id()))) return true;
    if (spelling_.scopes == Spelling::Scopes::define) {
      return var.is(Kind::SizeVar) || !has_annotation(var, spelling_);
    }
    return inside_.contains(let.id()) || !is_annotated_let(let);
  }

  void note_thread(Node node) {
    const Node thread = node[f::AttrStmt::node];
    if (!thread.is(Kind::IterVar)) return;
    ++found_.thread_uses[index(thread[f::IterVar::var].id())];
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
    if (!declared_.insert(buffer.id())) return;
    if (can_own == CanOwn::yes) own(buffer);
  }

  void own(Node buffer) {
    if (!has_usual_pointer(buffer)) return;
    found_.data_owner.try_emplace(index(buffer[f::Buffer::data].id()), buffer.id());
  }

  /// In the order of their first use, so that equal functions print alike.
  void add_free_buffers() {
    for (const Node buffer : buffers_) {
      if (declared_.contains(buffer.id())) continue;
      found_.free_buffers.push_back(buffer);
      const Node data = buffer[f::Buffer::data];
      if (!defined_.contains(data.id())) own(buffer);
    }
    // What a statement defines needs no owner.
    std::erase_if(found_.data_owner, [&](const auto& entry) {
      return defined_.contains(static_cast<NodeId>(entry.first));
    });
  }

  /// Where threads take their variables, one variable may be that of several alike.
  void note_tags() {
    std::unordered_set<std::uint32_t> others;
    for (const Node launch : launches_) {
      const Node thread = launch[f::AttrStmt::node];
      const std::uint32_t var = index(thread[f::IterVar::var].id());
      const std::string_view tag = thread.text(f::IterVar::thread_tag);
      const auto known = found_.thread_tags.try_emplace(var, tag).first;
      if (!is_launch(launch) || known->second != tag) others.insert(var);
    }
    for (const std::uint32_t var : others) found_.thread_tags.erase(var);
  }

  /// What is used and neither defined nor brought along by a buffer.
  void add_free_vars() {
    if (spelling_.scopes == Spelling::Scopes::take) {
      note_tags();
      launches_.clear();
    }
    for (const Node launch : launches_) {
      const Node var = launch[f::AttrStmt::node][f::IterVar::var];
      const bool is_declared = declared_vars_.contains(index(var.id()));
      if (is_launch(launch) && found_.thread_uses[index(var.id())] == 1 && !is_declared) {
        defined_.insert(var.id());
      }
    }
    for (const Node var : vars_) {
      const bool comes_along = found_.data_owner.contains(index(var.id()));
      if (!defined_.contains(var.id()) && !comes_along) found_.free_vars.push_back(var);
    }
  }

  Node function_;
  const Spelling& spelling_;
  const std::unordered_set<std::uint32_t>& declared_vars_;
  Definitions found_{};
  Ids defined_{};                // variables that statements define
  Ids declared_{};               // buffers that statements declare
  Ids inside_{};                 // statements with others behind them
  std::vector<Node> vars_{};     // in the order of their first use
  std::vector<Node> buffers_{};  // likewise
  std::vector<Node> launches_{};
  std::vector<Node> scoped_{};  // what lets and launched threads define
};

}  // namespace

bool Definitions::owns_data(Node buffer) const {
  const auto found = data_owner.find(index(buffer[f::Buffer::data].id()));
  return found != data_owner.end() && found->second == buffer.id();
}

Node buffer_of(Node param, const NodeMap& buffer_map) {
  for (std::size_t i = 0; i < buffer_map.size(); ++i) {
    if (buffer_map.key(i).id() == param.id()) return buffer_map.value(i);
  }
  return {};
}

Definitions definitions_of(Node function, const Spelling& spelling,
                           const std::unordered_set<std::uint32_t>& declared) {
  return Finder(function, spelling, declared).find();
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
  return dom && is_int(dom[f::Range::min], 0) && var.is(Kind::Var) &&
         var.dtype() == DType::Int(32) && dom[f::Range::min].dtype() == DType::Int(32) &&
         is_same_expr(dom[f::Range::extent], attr_stmt[f::AttrStmt::value]) &&
         thread.integer(f::IterVar::iter_type) ==
             static_cast<std::int64_t>(IterVarType::ThreadIndex) &&
         attr_stmt.text(f::AttrStmt::attr_key) == (is_virtual ? "virtual_thread" : "thread_extent");
}

bool has_usual_pointer(Node buffer) {
  const Node type = buffer[f::Buffer::data][f::Var::type_annotation];
  if (!type || !type.is(Kind::PointerType)) return false;
  const Node pointee = type[f::PointerType::element_type];
  return pointee.is(Kind::PrimType) && pointee.dtype(std::uint8_t{f::PrimType::dtype}) ==
                                           stored_dtype(buffer.dtype(f::Buffer::dtype));
}

}  // namespace mlf::tir::tvmscript
