#include "tir/tvmscript/write/printer.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/error.h"
#include "tir/tvmscript/write/literals.h"
#include "tir/written_size.h"

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

/// By identity: another function of the same name is not a member.
bool ModuleNames::contains(NodeId global_var) const {
  return std::ranges::find(functions, global_var) != functions.end();
}

Printer::Printer(const Module& module, std::uint8_t minor_version, const ModuleNames& functions,
                 MetadataObjects& metadata, const ScriptOptions& options)
    : module_(module),
      minor_version_(minor_version),
      spelling_(spelling_of(minor_version)),
      functions_(functions),
      metadata_(metadata),
      options_(options),
      most_nodes_(written_limit(module, options.max_written_nodes)) {}

/// Fragments are expanded from the left, each into its parts, until there is only text. Shared
/// nodes are written as often as they are used, which is what the limit is for.
void Printer::print(const TextFragments& fragments, std::string& out) {
  // A refusal may have left some open.
  open_lambdas_ = 0;
  stack_.assign(fragments.all().rbegin(), fragments.all().rend());
  TextFragments parts;
  while (!stack_.empty()) {
    const TextFragment fragment = std::move(stack_.back());
    stack_.pop_back();
    if (fragment.as == PrintAs::text) {
      out += fragment.text;
      continue;
    }
    // Values of attributes, which `check_written_size` does not count, can share as well.
    if (fragment.node && ++written_ > most_nodes_) refuse_written_size(most_nodes_);
    parts.clear();
    expand(fragment, parts);
    stack_.insert(stack_.end(), parts.all().rbegin(), parts.all().rend());
  }
}

void Printer::expand(const TextFragment& fragment, TextFragments& out) {
  switch (fragment.as) {
    case PrintAs::text:
      out.text(fragment.text);
      return;
    case PrintAs::expr:
      return expand_expr(fragment.node, fragment.level, out);
    case PrintAs::value:
      return expand_value(fragment.node, out);
    case PrintAs::type:
      return expand_type(fragment.node, out);
    case PrintAs::type_object:
      return expand_type_object(fragment.node, out);
    case PrintAs::lambda_begins:
      ++open_lambdas_;
      return;
    case PrintAs::lambda_ends:
      --open_lambdas_;
      return;
  }
}

/// `T.int32`, `T.Tuple[T.int8, T.int32]`; a constructor where there is no such form.
void Printer::expand_type(Node node, TextFragments& out) {
  if (!has_type_function(node, spelling_)) return expand_type_object(node, out);
  if (node.is(Kind::PointerType)) return pointer_type(node, out);
  if (node.is(Kind::PrimType)) {
    out.text(fmt::format("T.{}", to_string(node.dtype(std::uint8_t{f::PrimType::dtype}))));
    return;
  }
  const NodeList fields = node.list(f::TupleType::fields);
  fields.empty() ? out.text("None") : out.text("T.Tuple[").list(fields, PrintAs::type).text("]");
}

/// The three spellings of v0.8, v0.9 to v0.11, and since v0.12.
void Printer::pointer_type(Node node, TextFragments& out) {
  const Node element = node[f::PointerType::element_type];
  const std::string_view scope = node.text(f::PointerType::storage_scope);
  switch (spelling_.pointer) {
    case Spelling::Pointer::handle:
      out.text("T.handle(").text(quoted_dtype(element.dtype(std::uint8_t{f::PrimType::dtype})));
      out.text(", ").text(quoted(scope)).text(")");
      return;
    case Spelling::Pointer::scope_last:
      out.text("T.Ptr[").node(PrintAs::type, element).text(", ").text(quoted(scope)).text("]");
      return;
    case Spelling::Pointer::scope_first:
      out.text("T.Ptr[").text(scope).text(scope.empty() ? "" : " ");
      out.node(PrintAs::type, element).text("]");
      return;
  }
}

/// `tvm.ir.PrimType("bfloat16")`, `tvm.ir.TupleType([…])`
void Printer::expand_type_object(Node node, TextFragments& out) {
  switch (node.kind()) {
    case Kind::PrimType:
    case Kind::PointerType:
    case Kind::TupleType:
      return regular_form(node, out);
    default:
      refuse(fmt::format("a type that is a {} cannot be written in TVMScript", node.info().name));
  }
}

/// One element is written as an index.
void append_slice(Node range, TextFragments& out) {
  const Node min = range[f::Range::min];
  const Node extent = range[f::Range::extent];
  out.expr(min);
  if (is_int(extent, 1)) return;
  out.text(":").append(end_of(min, extent));
}

// --- Lines -------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kStep = 4;
// Python's tokenizer takes no more ("too many levels of indentation"), so TVM could not read it;
// and the blanks of n levels are n * n characters.
constexpr Indent kMostLevels = 99;

void append_indentation(Indent indent, std::string& text) {
  if (indent > kMostLevels) {
    refuse(
        fmt::format("statements nested more than {} deep cannot be written in TVMScript: Python "
                    "reads no deeper indentation",
                    kMostLevels));
  }
  text.append(indent * kStep, ' ');
}

}  // namespace

void Script::line(Indent indent, const TextFragments& fragments) {
  append_indentation(indent, text_);
  printer_.print(fragments, text_);
  text_ += '\n';
}

void Script::line(Indent indent, std::string_view text) {
  append_indentation(indent, text_);
  text_ += text;
  text_ += '\n';
}

}  // namespace mlf::tir::tvmscript
