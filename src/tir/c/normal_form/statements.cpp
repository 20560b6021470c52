// Statements of the normal form.
#include "tir/c/normal_form/normal_form.h"
#include "tir/node_queries.h"

namespace mlf::tir::c {

/// What is not here has a statement of its own in C.
NodeId NormalForm::rebuilt_statement(Node node) {
  switch (node.kind()) {
    case Kind::AttrStmt:
    case Kind::AssertStmt:
    case Kind::DeclBuffer:
      return without_code(node);
    case Kind::AllocateConst:
      return of(node[f::AllocateConst::body]);
    case Kind::Evaluate:
      return evaluate(node);
    case Kind::SeqStmt:
      return sequence(node);
    case Kind::BufferStore:
      return store(node);
    case Kind::For:
      return loop(node);
    case Kind::Allocate:
      return allocate(node);
    default:
      return copy(node);
  }
}

/// The body of a statement that is not code: the generator prints the body alone.
NodeId NormalForm::without_code(Node node) {
  switch (node.kind()) {
    case Kind::AttrStmt:
      note(NormalizationRule::AttrStmt_node);
      return of(node[f::AttrStmt::body]);
    case Kind::AssertStmt:
      note(NormalizationRule::AssertStmt_condition);
      return of(node[f::AssertStmt::body]);
    default:
      note(NormalizationRule::DeclBuffer_buffer);
      return of(node[f::DeclBuffer::body]);
  }
}

/// A number alone is not printed. A call of an external function is, without the type of its
/// result, which nothing takes.
NodeId NormalForm::evaluate(Node node) {
  if (node[f::Evaluate::value].is(Kind::IntImm)) {
    note(NormalizationRule::Evaluate_value);
    return NodeId::none;
  }
  const Node value = builder_.node(of(node[f::Evaluate::value]));
  if (!is_call_of(value, "tir.call_extern") || value.dtype() == DType::Int(32)) return copy(node);
  note(NormalizationRule::Call_dtype);
  std::vector<NodeId> args;
  for (const Node arg : value.list(f::Call::args)) args.push_back(arg.id());
  const NodeId call = make_.call(value[f::Call::op].id(), args, DType::Int(32));
  return builder_.make(Kind::Evaluate, {call});
}

/// Nested sequences are one; a sequence of one is its statement, one of none is nothing.
NodeId NormalForm::sequence(Node node) {
  std::vector<NodeId> statements;
  const NodeList parts = node.list(f::SeqStmt::seq);
  for (const Node part : parts) splice(of(part), statements);
  note_if(statements.size() != parts.size() || parts.size() < 2, NormalizationRule::flat_sequence);
  return joined(statements);
}

/// Adds a statement, of a sequence each one.
void NormalForm::splice(NodeId statement, std::vector<NodeId>& into) {
  if (statement == NodeId::none) return;
  const Node made = builder_.node(statement);
  if (!made.is(Kind::SeqStmt)) return into.push_back(statement);
  for (const Node element : made.list(f::SeqStmt::seq)) into.push_back(element.id());
}

/// A sequence in which variables that are set govern all that follows.
NodeId NormalForm::joined(std::vector<NodeId>& statements) {
  for (std::size_t i = statements.size(); i > 1; --i) {
    if (!builder_.node(statements[i - 2]).is(Kind::LetStmt)) continue;
    note(NormalizationRule::rest_of_block);
    const auto rest = statements.begin() + static_cast<std::ptrdiff_t>(i - 1);
    const NodeId all = governing(statements[i - 2], {rest, statements.end()});
    statements.resize(i - 2);
    statements.push_back(all);
  }
  return joined_once(statements);
}

/// `let` with `rest` at the end of what it governs, behind other variables set at its end.
NodeId NormalForm::governing(NodeId let, std::vector<NodeId> rest) {
  struct Outer {
    NodeId let;
    std::vector<NodeId> before;  // its body, up to the statement that governs the rest
  };
  std::vector<Outer> chain;
  while (let != NodeId::none) {
    std::vector<NodeId> body;
    splice(builder_.node(let)[f::LetStmt::body].id(), body);
    const bool goes_on = builder_.node(body.back()).is(Kind::LetStmt);
    const NodeId inner = goes_on ? body.back() : NodeId::none;
    if (goes_on) body.pop_back();
    chain.push_back({let, std::move(body)});
    let = inner;
  }
  for (std::size_t i = chain.size(); i > 0; --i) {
    Outer& outer = chain[i - 1];
    outer.before.insert(outer.before.end(), rest.begin(), rest.end());
    const Node node = builder_.node(outer.let);
    const NodeId var = node[f::LetStmt::var].id();
    const NodeId value = node[f::LetStmt::value].id();
    rest = {builder_.make(Kind::LetStmt, {var, value, joined_once(outer.before)})};
  }
  return rest.front();
}

NodeId NormalForm::joined_once(std::span<const NodeId> statements) {
  if (statements.empty()) return NodeId::none;
  if (statements.size() == 1) return statements.front();
  return builder_.make(Kind::SeqStmt, {builder_.list(statements)});
}

/// bool is stored as a byte: `((int8_t)(cond))`.
NodeId NormalForm::store(Node node) {
  std::vector<FieldValue> fields = fields_of(node);
  if (node[f::BufferStore::value].dtype().is_bool()) {
    fields[f::BufferStore::value] = make_.cast(DType::Int(8), of(node[f::BufferStore::value]));
  }
  return builder_.make(Kind::BufferStore, fields);
}

/// Serial, parallel and unrolled loops print the same `for`. A vectorised one would have been
/// expanded, and one over threads aborts the generator: they stay what they are.
NodeId NormalForm::loop(Node node) {
  std::vector<FieldValue> fields = fields_of(node);
  // vectorized and thread_binding stay.
  const auto kind = static_cast<ForKind>(node.integer(f::For::kind));
  if (kind == ForKind::parallel || kind == ForKind::unrolled) {
    note(NormalizationRule::For_kind);
    fields[f::For::kind] = ForKind::serial;
  }
  return builder_.make(Kind::For, fields);
}

/// The size is one number.
NodeId NormalForm::allocate(Node node) {
  std::vector<FieldValue> fields = fields_of(node);
  fields[f::Allocate::extents] =
      flat(node.list(f::Allocate::extents), NormalizationRule::Allocate_extents);
  return builder_.make(Kind::Allocate, fields);
}

}  // namespace mlf::tir::c
