// The grammar of the repr text, and the names and the buffers of a function.
#include "tir/repr/context.h"

#include "mlf/tir/module.h"
#include "support/characters.h"
#include "tir/text/expression_values.h"
#include "tir/text/lexer.h"

namespace mlf::tir::repr {
namespace {

using text::Grammar;

constexpr std::size_t kNone = std::string_view::npos;

// TVM does not change names, and prints `*`, `/` and ':' without blanks around them.
constexpr std::string_view kNameContinue = ".-#$";
constexpr text::NameChars kNameChars(kNameContinue);

constexpr std::string_view kIterVarCall = "iter_var(";
constexpr std::size_t kLongestDType = 64;  // including its parentheses
constexpr std::size_t kLongestLanes = 64;  // including both brackets

// Words that the printer writes before a parenthesis, besides operators, functions, casts and
// broadcasts.
constexpr std::string_view kCalled =
    " PrimFunc alloc_buffer annotations assert bind buffer comm_reducer floordiv floormod for init "
    "iter_var launch_thread match_buffer max min parallel ramp range reads reduce select shuffle "
    "unrolled vectorized where while writes ";

/// Whether a word before a parenthesis is a function, and not part of a name such as `T_add(red)`.
bool is_function(std::string_view word) {
  return text::is_one_of(kCalled, word) || word.starts_with("tir.") || word.starts_with('@') ||
         broadcast_lanes(word) || parse_dtype(word);
}

/// Whether `(4*tir.vscale())(value)` begins at `open`. Limits the search to a short range:
/// otherwise each `x(` would cost a search to the end of the text.
bool has_scalable_lanes(std::string_view text, std::size_t open) {
  text = text.substr(0, open + kLongestLanes);
  const std::size_t close = after_bracket(text, open);
  return close != kNone && text.substr(close).starts_with('(');
}

/// A name that the lexer would split into several tokens, or read as a word of the dialect: a
/// SizeVar, a name with parentheses such as `T_add(red)`, an IterVar without a domain.
std::size_t leaf_end(std::string_view text, std::size_t begin) {
  if (begin == text.size() || support::is_digit(text[begin]) || text[begin] == '-') return begin;
  if (text[begin] == '{') return size_var_end(text, begin);
  const std::size_t end = word_end(text, begin);
  const std::string_view word = text.substr(begin, end - begin);
  if (word.empty()) return begin;
  if (word == "in" || word == "if") return end;
  if (word == "let") return end < text.size() && text[end] == ' ' ? begin : end;
  if (end >= text.size() || text[end] != '(') return begin;
  if (word == kScalableBroadcast && has_scalable_lanes(text, end)) return begin;
  // Calls nest, so the search for a closing bracket skips all calls but those of `iter_var`.
  const bool may_be_unbound = text.substr(begin).starts_with(kIterVarCall);
  if (is_function(word) && !may_be_unbound) return begin;
  const std::string_view ahead = text::ahead_of(end, text);
  const std::size_t close = after_bracket(ahead.substr(0, ahead.find('\n', end)), end);
  if (close == kNone) return begin;
  if (!may_be_unbound) return word_end(text, close);
  return unbound_iter_var(text.substr(begin, close - begin)) ? close : begin;
}

/// `(int64)` before a number.
std::size_t typed_number(std::string_view text, std::size_t begin) {
  const std::size_t length = text.substr(begin, kLongestDType).find(')');
  const std::size_t close = begin + length;
  if (length == kNone || close + 1 >= text.size()) return begin;
  const char next = text[close + 1];
  if (!support::is_digit(next) && next != '-') return begin;
  return parse_dtype(text.substr(begin + 1, close - begin - 1)) && close > begin + 1 ? close + 1
                                                                                     : begin;
}

/// Strings are escaped, and so end on their line.
std::size_t string_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[begin]) {
      return i + 1;
    }
  }
  return kNone;
}

/// Like that of legacy text, except for names: here `/` is an operator without blanks around it.
Grammar make_grammar() {
  Grammar grammar = text::infix_grammar();
  grammar.lexical.name_continue = kNameContinue;
  grammar.lexical.string_end = string_end;
  grammar.load_cast_end = typed_number;
  grammar.leaf_end = leaf_end;
  return grammar;
}

}  // namespace

const Grammar& grammar() {
  static const Grammar only = make_grammar();
  return only;
}

std::optional<std::int64_t> broadcast_lanes(std::string_view word) {
  if (word.size() < 2 || word[0] != 'x' || !support::is_digits(word.substr(1))) {
    return std::nullopt;
  }
  return text::parse_integer(word.substr(1));
}

std::size_t size_var_end(std::string_view text, std::size_t begin) {
  const std::size_t bar = text::ahead_of(begin, text).find_first_of("|\n}", begin);
  if (bar == kNone || text[bar] != '|' || bar == begin + 1) return begin;
  const std::string_view name = text.substr(begin + 1, bar - begin - 1);
  const std::string_view rest = text.substr(bar + 1);
  const bool closes = rest.starts_with(name) && rest.substr(name.size()).starts_with(">=0}");
  return closes ? bar + 1 + name.size() + 4 : begin;
}

std::optional<std::string_view> size_var_name(std::string_view token) {
  if (!token.starts_with('{') || size_var_end(token, 0) != token.size()) return std::nullopt;
  return token.substr(1, token.find('|') - 1);
}

std::optional<UnboundIterVar> unbound_iter_var(std::string_view token) {
  if (!token.starts_with(kIterVarCall) || !token.ends_with(')')) return std::nullopt;
  const std::string_view inside =
      token.substr(kIterVarCall.size(), token.size() - kIterVarCall.size() - 1);
  const std::size_t hole = inside.find(", ");
  if (hole == kNone) return std::nullopt;
  const std::string_view behind = inside.substr(hole + 2);
  if (behind.empty()) return UnboundIterVar{inside.substr(0, hole), {}};
  if (!behind.starts_with(", ")) return std::nullopt;
  return UnboundIterVar{inside.substr(0, hole), behind.substr(2)};
}

std::size_t after_quoted(std::string_view text, std::size_t begin) {
  if (text[begin] == '"') return string_end(text, begin);
  if (text.substr(begin, 2) != "/*") return begin;
  const std::size_t end = text.find("*/", begin + 2);
  return end == kNone ? kNone : end + 2;
}

/// Attributes hold strings and comments with brackets of any kind.
std::size_t after_bracket(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size();) {
    const std::size_t past = after_quoted(text, i);
    if (past == kNone) return kNone;
    if (past != i) {
      i = past;
      continue;
    }
    if (std::string_view("([{").find(text[i]) != kNone) ++depth;
    if (std::string_view(")]}").find(text[i]) != kNone && --depth == 0) return i + 1;
    ++i;
  }
  return kNone;
}

/// The names of functions of the module begin with `@`.
std::size_t word_end(std::string_view text, std::size_t begin) {
  if (begin < text.size() && text[begin] == '@') ++begin;
  return kNameChars.end(text, begin);
}

/// The last buffer of that name that can have this number of dimensions: names are hints and not
/// unique.
NodeId BufferTable::accessed(std::string_view name, std::size_t dimensions) {
  const std::vector<std::size_t>& known = by_name_[name];
  for (std::size_t i = known.size(); i-- > 0;) {
    BufferDraft& draft = drafts_[known[i]];
    if (!draft.dimensions) draft.dimensions = dimensions;
    if (*draft.dimensions == dimensions) return draft.node;
  }
  const NodeId node = add(name, DType::Float(32), {});
  drafts_.back().dimensions = dimensions;
  return node;
}

/// The first mention of an address refers to the most recently declared buffer.
NodeId BufferTable::at_address(std::string_view name, std::string_view address) {
  const auto known = by_address_.find(address);
  if (known != by_address_.end()) return known->second;
  const std::vector<std::size_t>& same = by_name_[name];
  const NodeId node = same.empty() ? add(name, DType::Float(32), {}) : drafts_[same.back()].node;
  by_address_.emplace(address, node);
  return node;
}

/// Its uses show the number of dimensions.
NodeId BufferTable::declare(std::string_view name) {
  return add(name, DType::Float(32), {});
}

NodeId BufferTable::allocate(std::string_view name, DType dtype, const std::vector<NodeId>& shape) {
  const NodeId node = add(name, dtype, shape);
  drafts_.back().dimensions = shape.size();
  drafts_.back().is_of_block = true;
  return node;
}

/// Without a printed dtype, assumes float32 until the whole function is read and dtypes are
/// inferred.
NodeId BufferTable::add(std::string_view name, DType dtype, const std::vector<NodeId>& shape) {
  const NodeId node =
      make_.buffer({.name = name, .data = data_of(name, dtype), .dtype = dtype, .shape = shape});
  by_name_[name].push_back(drafts_.size());
  drafts_.push_back({node, std::nullopt});
  return node;
}

/// The pointer of that name, which an allocation, a let or a parameter of the function defines; a
/// new pointer if there is none.
NodeId BufferTable::data_of(std::string_view name, DType dtype) {
  if (const NodeId known = names_.find(name); known != NodeId::none) return known;
  return make_.var(name, make_.pointer_type(make_.prim_type(dtype), "global"));
}

void BufferTable::clear() {
  drafts_.clear();
  support::discard(by_name_);
  support::discard(by_address_);
}

/// Assumes int32 until dtypes are inferred.
NodeId Context::var(std::string_view printed) {
  const auto size = size_var_name(printed);
  return make.var(size.value_or(printed), make.prim_type(DType::Int(32)),
                  size ? Kind::SizeVar : Kind::Var);
}

NodeId Context::pointer(std::string_view name, DType element, std::string_view scope) {
  return make.var(name, make.pointer_type(make.prim_type(element), scope));
}

}  // namespace mlf::tir::repr
