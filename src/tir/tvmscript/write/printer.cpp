#include "tir/tvmscript/write/printer.h"

#include <fmt/format.h>

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

namespace {

std::string pointer_type(Spelling::Pointer form, DType pointee, std::string_view scope) {
  switch (form) {
    case Spelling::Pointer::handle:
      return fmt::format("T.handle({}, {})", quoted_dtype(pointee), quoted(scope));
    case Spelling::Pointer::scope_last:
      return fmt::format("T.Ptr[T.{}, {}]", to_string(pointee), quoted(scope));
    case Spelling::Pointer::scope_first:
      return fmt::format("T.Ptr[{}{}T.{}]", scope, scope.empty() ? "" : " ", to_string(pointee));
  }
  return {};
}

}  // namespace

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
    case Form::lambda_begins:
      ++open_lambdas_;
      return;
    case Form::lambda_ends:
      --open_lambdas_;
      return;
  }
}

void Printer::expand_type(Node node, Pieces& out) {
  if (node.is(Kind::PrimType)) {
    const DType dtype = node.dtype(std::uint8_t{f::PrimType::dtype});
    if (!spelling_.is_old() && !has_function(dtype)) {
      refuse(fmt::format("TVMScript has no type {}", to_string(dtype)));
    }
    out.text(fmt::format("T.{}", to_string(dtype)));
    return;
  }
  if (node.is(Kind::PointerType) && node[f::PointerType::element_type].is(Kind::PrimType)) {
    const DType pointee =
        node[f::PointerType::element_type].dtype(std::uint8_t{f::PrimType::dtype});
    out.text(pointer_type(spelling_.pointer, pointee, node.text(f::PointerType::storage_scope)));
    return;
  }
  refuse(fmt::format(
      "a variable whose type is a {} cannot be written in TVMScript",
      node.is(Kind::PointerType) ? "pointer to no data type" : std::string(node.info().name)));
}

void append_slice(Node range, Pieces& out) {
  const Node min = range[f::Range::min];
  const Node extent = range[f::Range::extent];
  out.expr(min);
  if (is_int(extent, 1)) return;
  out.text(":").append(end_of(min, extent));
}

}  // namespace mlf::tir::tvmscript
