// The grammar of the repr text, its operators, names and words, and the state that all parts of the
// reader share for one text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/name_map.h"
#include "tir/text/expr_factory.h"
#include "tir/text/expression_parser.h"
#include "tir/text/expression_values.h"
#include "tir/text/losses.h"
#include "tir/text/reader_context.h"
#include "tir/text/statement_stack.h"

namespace mlf::tir::repr {

const text::Grammar& grammar();

/// The word of `x(4*tir.vscale())(value)`, a broadcast whose number of lanes depends on the
/// machine.
constexpr std::string_view kScalableBroadcast = "x";

/// The lanes in the name of a broadcast, `x4(value)`.
std::optional<std::int64_t> broadcast_lanes(std::string_view word);

/// Offset just past a SizeVar, `{n|n>=0}`; `begin` if there is none.
std::size_t size_var_end(std::string_view text, std::size_t begin);
/// The name in `{n|n>=0}`; nullopt for any other text.
std::optional<std::string_view> size_var_name(std::string_view token);

/// An IterVar without a domain, `iter_var(name, , tag)`: the only call with an empty argument.
struct UnboundIterVar {
  std::string_view name;
  std::string_view tag;
};
std::optional<UnboundIterVar> unbound_iter_var(std::string_view token);

/// Offset just past the bracket that closes the one at `open`; npos if nothing closes it. Skips
/// strings and comments.
std::size_t after_bracket(std::string_view text, std::size_t open);

/// Offset just past the string or comment at `begin`; `begin` if there is none; npos if nothing
/// closes it.
std::size_t after_quoted(std::string_view text, std::size_t begin);

/// Offset just past the letters, digits and signs that a name may contain.
std::size_t word_end(std::string_view text, std::size_t begin);

using text::ParsedValue;
using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;
using text::TokenKind;

/// Facts about a buffer that only the whole function determines.
struct BufferDraft {
  NodeId node;
  std::optional<std::size_t> dimensions;  ///< nothing: a declaration that nothing uses
  bool is_of_block = false;               ///< a block allocates it: dtype and shape are printed
};

/// The buffers of a function. The text contains only a buffer's name and its indices, so all
/// mentions with one name and one number of dimensions become one buffer.
class BufferTable {
 public:
  BufferTable(text::ExprFactory& make, const text::NameScopes& names)
      : make_(make), names_(names) {}

  /// Returns the buffer that is accessed with this number of indices.
  NodeId accessed(std::string_view name, std::size_t dimensions);
  /// Returns the buffer at this address: `buffer(name, 0x…)`.
  NodeId at_address(std::string_view name, std::string_view address);
  /// Adds a buffer that the text declares.
  NodeId declare(std::string_view name);
  /// Adds a buffer of this dtype and shape that a block allocates.
  NodeId allocate(std::string_view name, DType dtype, const std::vector<NodeId>& shape);

  const std::vector<BufferDraft>& drafts() const { return drafts_; }
  void clear();

 private:
  NodeId add(std::string_view name, DType dtype, const std::vector<NodeId>& shape);
  NodeId data_of(std::string_view name, DType dtype);

  text::ExprFactory& make_;
  const text::NameScopes& names_;
  std::vector<BufferDraft> drafts_;
  support::NameMap<std::string_view, std::vector<std::size_t>> by_name_;  // positions in drafts_
  support::NameMap<std::string_view, NodeId> by_address_;
};

/// Facts about variables from their definitions, by node.
struct Definitions {
  /// The value of a let.
  std::unordered_map<std::uint32_t, NodeId> values;
  /// First value and number of values of a loop variable or a domain.
  std::unordered_map<std::uint32_t, std::pair<NodeId, NodeId>> domains;
  /// The extents of an allocation.
  std::unordered_map<std::uint32_t, std::vector<NodeId>> extents;
  /// Numbers that the text implies; each has the dtype of the other operand.
  std::vector<NodeId> implied;
};

/// A construct that has begun and not ended yet.
struct Frame {
  enum class Open : std::uint8_t {
    function,
    braces,
    then_case,
    block,
    init,
    rest,     ///< covers the rest of the block
    else_if,  ///< ends with the statement behind it
  };
  Open open = Open::function;
  std::uint32_t begin = 0;  ///< offset of the statement
  std::size_t first = 0;    ///< of the stack
  std::size_t names = 0;    ///< mark of the names that it defines
  text::StatementDraft draft{};
};
using Open = Frame::Open;

/// A list, map or object of an attribute that is not closed yet.
struct OpenAttribute {
  char close;
  std::uint32_t begin;
  Kind kind = Kind::Array;  ///< of an object
  std::vector<NodeId> values{};
  std::vector<std::string> names{};  ///< of fields; of a map, as long as all its keys are strings
  std::vector<NodeId> keys{};        ///< of a map with other keys
};

/// Facts about objects in attributes.
struct AttributeObjects {
  std::map<std::string, std::int64_t, std::less<>> missing;  ///< how many of a type
  std::map<std::string_view, std::int64_t> addressed;        ///< which one `Type(0x…)` is
  support::NameMap<std::string_view, NodeId> pools;          ///< by their text
};

struct Context final : text::ReaderContext {
  using ReaderContext::ReaderContext;

  /// A variable of which the text contains only the name: `n`, or a SizeVar `{n|n>=0}`.
  NodeId var(std::string_view printed);
  /// A pointer to the elements of an allocation.
  NodeId pointer(std::string_view name, DType element, std::string_view scope);

  text::Lexer lexer{source, grammar().lexical};
  text::ExpressionValues exprs{lexer, grammar(), limits.max_nesting};
  text::MissingObjects missing{builder, losses};
  text::FunctionTable module{make};
  std::vector<OpenAttribute> open_attributes;
  AttributeObjects objects;

  // Of the function that is being read:
  /// The variables that names denote. Names are raw hints, so the innermost definition of a name
  /// applies.
  text::NameScopes names;
  BufferTable buffers{make, names};
  Definitions definitions;
  text::StatementStack<Frame> statements{builder};
  std::vector<text::BlockDraft> blocks;
  NodeId body = NodeId::none;     ///< once its statements are read
  std::vector<std::size_t> lets;  ///< of the expression at hand: marks in the table of names
};

}  // namespace mlf::tir::repr
