#include "tir/tvmscript/write/printer.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/error.h"
#include "tir/tvmscript/write/dtypes.h"

namespace mlf::tir::tvmscript {

void refuse(std::string message) {
  throw support::Error(ErrorKind::invalid_input, std::move(message));
}

void refuse(const OutOfScope& use) {
  const bool is_buffer = use.var.is(Kind::Buffer);
  refuse(fmt::format(
      "the {} '{}' is used outside of what defines it", is_buffer ? "buffer" : "variable",
      use.var.text(is_buffer ? std::uint8_t{f::Buffer::name} : std::uint8_t{f::Var::name})));
}

bool is_int(Node node, std::int64_t value) {
  return node.is(Kind::IntImm) && node.integer(f::IntImm::value) == value;
}

bool ModuleNames::contains(NodeId global_var) const {
  return std::ranges::find(functions, global_var) != functions.end();
}

Printer::Printer(const Module& module, std::uint8_t minor_version, const ModuleNames& functions,
                 MetadataObjects& metadata, std::uint64_t max_nodes)
    : module_(module),
      minor_version_(minor_version),
      spelling_(spelling_of(minor_version)),
      functions_(functions),
      metadata_(metadata),
      max_nodes_(max_nodes) {}

void Printer::print(const Pieces& pieces, std::string& out) {
  open_lambdas_ = 0;
  stack_.assign(pieces.all().rbegin(), pieces.all().rend());
  Pieces parts;
  while (!stack_.empty()) {
    const Piece piece = std::move(stack_.back());
    stack_.pop_back();
    if (piece.form == Form::text) {
      out += piece.text;
      continue;
    }
    if (piece.node && ++written_ > max_nodes_) {
      refuse(fmt::format("shared nodes expand to more than {} written ones", max_nodes_));
    }
    parts.clear();
    expand(piece, parts);
    stack_.insert(stack_.end(), parts.all().rbegin(), parts.all().rend());
  }
}

void Printer::expand(const Piece& piece, Pieces& out) {
  switch (piece.form) {
    case Form::text:
      out.text(piece.text);
      return;
    case Form::expr:
      return expand_expr(piece.node, piece.level, out);
    case Form::value:
      return expand_value(piece.node, out);
    case Form::type:
      return expand_type(piece.node, out);
    case Form::type_object:
      return expand_type_object(piece.node, out);
    case Form::lambda_begins:
      ++open_lambdas_;
      return;
    case Form::lambda_ends:
      --open_lambdas_;
      return;
  }
}

/// `T.int32`, `T.Tuple[T.int8, T.int32]`; a constructor where there is no such form.
void Printer::expand_type(Node node, Pieces& out) {
  if (!has_type_function(node, spelling_)) return expand_type_object(node, out);
  if (node.is(Kind::PointerType)) return pointer_type(node, out);
  if (node.is(Kind::PrimType)) {
    out.text(fmt::format("T.{}", to_string(node.dtype(std::uint8_t{f::PrimType::dtype}))));
    return;
  }
  const NodeList fields = node.list(f::TupleType::fields);
  fields.empty() ? out.text("None") : out.text("T.Tuple[").list(fields, Form::type).text("]");
}

void Printer::pointer_type(Node node, Pieces& out) {
  const Node element = node[f::PointerType::element_type];
  const std::string_view scope = node.text(f::PointerType::storage_scope);
  switch (spelling_.pointer) {
    case Spelling::Pointer::handle:
      out.text("T.handle(").text(quoted_dtype(element.dtype(std::uint8_t{f::PrimType::dtype})));
      out.text(", ").text(quoted(scope)).text(")");
      return;
    case Spelling::Pointer::scope_last:
      out.text("T.Ptr[").node(Form::type, element).text(", ").text(quoted(scope)).text("]");
      return;
    case Spelling::Pointer::scope_first:
      out.text("T.Ptr[").text(scope).text(scope.empty() ? "" : " ");
      out.node(Form::type, element).text("]");
      return;
  }
}

/// `tvm.ir.PrimType("bfloat16")`, `tvm.ir.TupleType([…])`
void Printer::expand_type_object(Node node, Pieces& out) {
  switch (node.kind()) {
    case Kind::PrimType:
      out.text("tvm.ir.PrimType(");
      out.text(quoted_dtype(node.dtype(std::uint8_t{f::PrimType::dtype}))).text(")");
      return;
    case Kind::PointerType:
      out.text("tvm.ir.PointerType(").node(Form::type_object, node[f::PointerType::element_type]);
      out.text(", ").text(quoted(node.text(f::PointerType::storage_scope))).text(")");
      return;
    case Kind::TupleType:
      out.text("tvm.ir.TupleType([");
      out.list(node.list(f::TupleType::fields), Form::type_object).text("])");
      return;
    default:
      refuse(fmt::format("a type that is a {} cannot be written in TVMScript", node.info().name));
  }
}

void append_slice(Node range, Pieces& out) {
  const Node min = range[f::Range::min];
  const Node extent = range[f::Range::extent];
  out.expr(min);
  if (is_int(extent, 1)) return;
  out.text(":").append(end_of(min, extent));
}

}  // namespace mlf::tir::tvmscript
