#include "tir/tvmscript/write/printer.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "support/characters.h"
#include "support/error.h"
#include "tir/written_size.h"

namespace mlf::tir::tvmscript {

namespace {

/// Python keywords, and names that a script uses besides its own.
constexpr std::string_view kReserved[] = {
    "False",  "None",    "True",   "and",      "as",       "assert", "async",  "await",
    "break",  "class",   "cls",    "continue", "def",      "del",    "elif",   "else",
    "except", "finally", "for",    "from",     "global",   "if",     "import", "in",
    "is",     "lambda",  "meta",   "metadata", "nonlocal", "not",    "or",     "pass",
    "raise",  "range",   "return", "try",      "tvm",      "while",  "with",   "yield",
    "I",      "Module",  "R",      "T",        "ir",       "relax",  "tir"};

bool starts_like_a_name(std::string_view text) {
  return !text.empty() && !support::is_digit(text.front());
}

/// The hint, with `_` for characters that Python does not accept.
std::string legal(std::string_view hint) {
  std::string name(hint);
  std::ranges::replace_if(
      name, [](char c) { return !support::is_word_character(c); }, '_');
  return starts_like_a_name(name) ? name : "v" + name;
}

std::string reference_text(std::string_view type_key, std::size_t position) {
  return fmt::format("metadata[\"{}\"][{}]", type_key, position);
}

constexpr std::size_t kStep = 4;
// Python's tokenizer accepts no more ("too many levels of indentation"), so TVM could not read it;
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

// --- Names -------------------------------------------------------------------------------------

bool is_identifier(std::string_view name) {
  return starts_like_a_name(name) && std::ranges::all_of(name, support::is_word_character) &&
         std::ranges::find(kReserved, name) == std::end(kReserved);
}

std::string ScopedNames::fresh(std::string_view hint) {
  const std::string base = legal(hint);
  std::string name = base;
  const bool is_reserved = std::ranges::find(kReserved, base) != std::end(kReserved);
  if (is_reserved || taken_.contains(name)) {
    std::size_t& number = next_number_[base];
    do {
      name = fmt::format("{}_{}", base, ++number);
    } while (taken_.contains(name));
  }
  taken_.insert(name);
  undo_.push_back({NodeId::none, name, {}, Lifetime::scope});
  return name;
}

std::string_view ScopedNames::bind(NodeId id, std::string_view hint, Lifetime lifetime) {
  std::string& text = texts_[index(id)];
  const std::string before = std::exchange(text, fresh(hint));
  undo_.back().id = id;
  undo_.back().before = before;
  undo_.back().lifetime = lifetime;
  changed_.push_back(id);
  return text;
}

/// Restores in reverse order, so an outer meaning of a node returns.
void ScopedNames::release(std::size_t mark) {
  for (; undo_.size() > mark; undo_.pop_back()) {
    const Undo& last = undo_.back();
    if (!last.name.empty() && last.lifetime == Lifetime::scope) {
      taken_.erase(last.name);
      // Restarts the numbers, so equal scopes are printed alike.
      support::discard(next_number_);
    }
    if (last.id == NodeId::none) continue;
    texts_[index(last.id)] = last.before;
    changed_.push_back(last.id);
  }
}

// --- Objects in the metadata -------------------------------------------------------------------

std::string MetadataObjects::reference(Node object) {
  const std::string key(object.is(Kind::Opaque) ? object.text(f::Opaque::type_key)
                                                : object.info().type_key);
  std::vector<NodeId>& listed = objects_[key];
  // Once, in the order in which the text mentions them.
  const auto [position, is_new] = positions_.emplace(object.id(), listed.size());
  if (is_new) listed.push_back(object.id());
  return reference_text(key, position->second);
}

std::string MetadataObjects::reference_to_omitted(Node array) {
  note_missing();
  const auto position = left_out_.emplace(array.id(), left_out_.size()).first;
  return reference_text(array.info().type_key, position->second);
}

// --- The printer -------------------------------------------------------------------------------

TextFragments& TextFragments::entries(const NodeMap& map) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    text(i == 0 ? "" : ", ").text(quoted(map.name(i))).text(": ").value(map.value(i));
  }
  return *this;
}

void refuse(std::string message) {
  throw support::Error(ErrorKind::invalid_input, std::move(message));
}

void refuse(const OutOfScope& use) {
  const bool is_buffer = use.var.is(Kind::Buffer);
  refuse(fmt::format(
      "the {} '{}' is used outside of what defines it", is_buffer ? "buffer" : "variable",
      use.var.text(is_buffer ? std::uint8_t{f::Buffer::name} : std::uint8_t{f::Var::name})));
}

Printer::Printer(const Document& document, MetadataObjects& metadata, const ScriptOptions& options)
    : module_(document.module),
      minor_version_(document.source.tvm_version.last),
      is_old_(is_old_script(minor_version_)),
      metadata_(metadata),
      options_(options),
      most_nodes_(written_limit(module_, options.max_written_nodes)) {
  for (const NamedFunction& one : functions_of(module_)) functions_.insert(one.key.id());
}

/// Expands fragments from the left, each into its parts, until only text remains. Writes shared
/// nodes as often as they are used, so there is a limit.
void Printer::print(const TextFragments& fragments, std::string& out) {
  // An exception may have left some open.
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
    // Values of attributes, which `check_written_size` does not count, may also be shared.
    if (fragment.node && ++written_ > most_nodes_) refuse_written_size(most_nodes_);
    parts.clear();
    expand(fragment, parts);
    stack_.insert(stack_.end(), parts.all().rbegin(), parts.all().rend());
  }
}

TextFragments& Printer::expand(const TextFragment& fragment, TextFragments& out) {
  switch (fragment.as) {
    case PrintAs::text:
      return out.text(fragment.text);
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
      break;
    case PrintAs::lambda_ends:
      --open_lambdas_;
      break;
  }
  return out;
}

/// Up to v0.11 the parser's word for bool differs from the printer's.
std::string Printer::type_name(DType dtype) const {
  if (is_old_ && dtype == DType::Bool()) return "T.boolean";
  return fmt::format("T.{}", to_string(dtype));
}

/// `T.int32`, `T.Tuple[T.int8, T.int32]`; a constructor if there is no such form.
TextFragments& Printer::expand_type(Node node, TextFragments& out) {
  if (!has_type_function(node, minor_version_)) return expand_type_object(node, out);
  if (node.is(Kind::PointerType)) return pointer_type(node, out);
  if (node.is(Kind::PrimType)) {
    return out.text(type_name(node.dtype(std::uint8_t{f::PrimType::dtype})));
  }
  const NodeList fields = node.list(f::TupleType::fields);
  if (fields.empty()) return out.text("None");
  return out.text("T.Tuple[").list(fields, PrintAs::type).text("]");
}

/// The three spellings of v0.8, v0.9 to v0.11, and since v0.12.
TextFragments& Printer::pointer_type(Node node, TextFragments& out) {
  const Node element = node[f::PointerType::element_type];
  const std::string_view scope = node.text(f::PointerType::storage_scope);
  if (!is_old_) {
    out.text("T.handle(").text(quoted_dtype(element.dtype(std::uint8_t{f::PrimType::dtype})));
    return out.text(", ").text(quoted(scope)).text(")");
  }
  if (prints(TvmFeature::pointer_scope_first)) {
    out.text("T.Ptr[").text(scope).text(scope.empty() ? "" : " ");
    return out.node(PrintAs::type, element).text("]");
  }
  out.text("T.Ptr[").node(PrintAs::type, element);
  return out.text(", ").text(quoted(scope)).text("]");
}

/// `tvm.ir.PrimType("bfloat16")`, `tvm.ir.TupleType([…])`
TextFragments& Printer::expand_type_object(Node node, TextFragments& out) {
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
TextFragments& append_slices(NodeList ranges, TextFragments& out) {
  std::string_view separator = "[";
  for (const Node range : ranges) {
    const Node min = range[f::Range::min];
    const Node extent = range[f::Range::extent];
    out.text(separator).expr(min);
    if (!is_int_imm(extent, 1)) out.text(":").append(end_of(min, extent));
    separator = ", ";
  }
  return out.text(ranges.empty() ? "[()]" : "]");
}

// --- Lines -------------------------------------------------------------------------------------

std::map<NodeId, std::uint32_t> Script::first_lines() const {
  std::map<NodeId, std::uint32_t> lines;
  std::uint32_t line = 1;
  std::size_t counted = 0;
  for (const auto& [node, offset] : begins_) {
    line += static_cast<std::uint32_t>(
        std::ranges::count(std::string_view(text_).substr(counted, offset - counted), '\n'));
    counted = offset;
    lines.emplace(node, line);
  }
  return lines;
}

void Script::line(Indent indent, const TextFragments& fragments) {
  append_indentation(indent - outermost_, text_);
  printer_.print(fragments, text_);
  text_ += '\n';
}

}  // namespace mlf::tir::tvmscript
