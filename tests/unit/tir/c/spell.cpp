#include <fmt/core.h>

#include "reading.h"

namespace mlf::tir::c {
namespace {

std::string list(NodeList nodes, std::string_view between) {
  std::string text;
  for (const Node node : nodes) text += (text.empty() ? "" : std::string(between)) + spell(node);
  return text;
}

std::string typed(std::string text, DType dtype, DType plain) {
  return dtype == plain ? text : text + ":" + to_string(dtype);
}

std::string call(Node node) {
  const std::string_view op = node[f::Call::op].text(f::Op::name);
  const bool has_own_type =
      op == "tir.call_extern" || op == "tir.reinterpret" || op == "tir.tvm_struct_get";
  const std::string text =
      fmt::format("{}({})", op.substr(4), list(node.list(f::Call::args), ", "));
  return has_own_type ? text + ":" + to_string(node.dtype()) : text;
}

std::string in_braces(Node body) {
  return "{ " + spell(body) + " }";
}

std::string statement(Node node) {
  switch (node.kind()) {
    case Kind::BufferStore:
      return fmt::format("{}[{}] = {}", node[f::BufferStore::buffer].text(f::Buffer::name),
                         list(node.list(f::BufferStore::indices), ", "),
                         spell(node[f::BufferStore::value]));
    case Kind::Evaluate:
      return spell(node[f::Evaluate::value]);
    case Kind::SeqStmt:
      return list(node.list(f::SeqStmt::seq), "; ");
    case Kind::LetStmt:
      return fmt::format("let {} = {} {}", spell(node[f::LetStmt::var]),
                         spell(node[f::LetStmt::value]), in_braces(node[f::LetStmt::body]));
    case Kind::Allocate:
      return fmt::format("allocate {} {}[{}] {}", spell(node[f::Allocate::buffer_var]),
                         to_string(node.dtype(f::Allocate::dtype)),
                         list(node.list(f::Allocate::extents), ", "),
                         in_braces(node[f::Allocate::body]));
    case Kind::AllocateConst:
      return fmt::format("constant {} {}[{}] {}", spell(node[f::AllocateConst::buffer_var]),
                         to_string(node.dtype(f::AllocateConst::dtype)),
                         list(node.list(f::AllocateConst::extents), ", "),
                         in_braces(node[f::AllocateConst::body]));
    case Kind::For:
      return fmt::format("for ({} < {}) {}", spell(node[f::For::loop_var]),
                         spell(node[f::For::extent]), in_braces(node[f::For::body]));
    case Kind::While:
      return fmt::format("while ({}) {}", spell(node[f::While::condition]),
                         in_braces(node[f::While::body]));
    case Kind::IfThenElse: {
      const Node other = node[f::IfThenElse::else_case];
      return fmt::format("if ({}) {}{}", spell(node[f::IfThenElse::condition]),
                         in_braces(node[f::IfThenElse::then_case]),
                         other ? " else " + in_braces(other) : "");
    }
    default:
      return std::string(node.info().name);
  }
}

}  // namespace

std::string spell(Node node) {
  if (node.category() == Category::stmt) return statement(node);
  if (is_binary(node.kind())) {
    return fmt::format("({} {} {})", spell(node[f::Add::a]), node.info().name,
                       spell(node[f::Add::b]));
  }
  switch (node.kind()) {
    case Kind::Var:
      return std::string(node.text(f::Var::name));
    case Kind::IntImm:
      return typed(std::to_string(node.integer(f::IntImm::value)), node.dtype(), DType::Int(32));
    case Kind::FloatImm:
      return typed(fmt::format("{:#.9g}", node.real(f::FloatImm::value)), node.dtype(),
                   DType::Float(32));
    case Kind::StringImm:
      return '"' + std::string(node.text(f::StringImm::value)) + '"';
    case Kind::Cast:
      return fmt::format("Cast({}, {})", to_string(node.dtype()), spell(node[f::Cast::value]));
    case Kind::Not:
      return fmt::format("Not({})", spell(node[f::Not::a]));
    case Kind::Select:
      return fmt::format("Select({}, {}, {})", spell(node[f::Select::condition]),
                         spell(node[f::Select::true_value]), spell(node[f::Select::false_value]));
    case Kind::BufferLoad:
      return fmt::format("{}[{}]", node[f::BufferLoad::buffer].text(f::Buffer::name),
                         list(node.list(f::BufferLoad::indices), ", "));
    case Kind::Call:
      return call(node);
    default:
      return std::string(node.info().name);
  }
}

}  // namespace mlf::tir::c
