// The parts of the reader of legacy text: its grammar, names, types and strings, the state that all
// parts share for one text, expressions, conversions of values to the expected nodes, and the
// statements around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/tir/module.h"
#include "support/name_map.h"
#include "tir/text/expr_factory.h"
#include "tir/text/reader_context.h"
#include "tir/text/statement_stack.h"

namespace mlf::tir::legacy {

using text::Sign;
using text::Syntax;
using text::SyntaxId;
using text::SyntaxKind;
using text::TokenKind;
using text::Value;
using text::ValueKind;

/// `a sign b`. `/` and `%` truncate, unlike those of TVMScript.
struct BinarySign {
  Sign sign;
  Kind kind;
};
constexpr BinarySign kBinarySigns[] = {
    {Sign::plus, Kind::Add},     {Sign::minus, Kind::Sub},        {Sign::star, Kind::Mul},
    {Sign::slash, Kind::Div},    {Sign::percent, Kind::Mod},      {Sign::equal, Kind::EQ},
    {Sign::not_equal, Kind::NE}, {Sign::less, Kind::LT},          {Sign::less_equal, Kind::LE},
    {Sign::greater, Kind::GT},   {Sign::greater_equal, Kind::GE}, {Sign::and_, Kind::And},
    {Sign::or_, Kind::Or}};

/// v0.8 prints the bytes of a string as they are; from v0.9 on it escapes them.
enum class Strings : std::uint8_t { escaped, raw };

/// How a text prints its strings.
Strings strings_of(std::string_view text);

const text::Grammar& grammar_of(Strings strings);

/// The bytes of a string token.
std::string decode_string(Strings strings, std::string_view token);

/// An element type with any number of pointers to it.
struct ScannedType {
  std::size_t end;                       ///< offset just past it
  std::vector<std::string_view> scopes;  ///< of the pointers, outermost first
  DType element;
};

/// The type that starts at `begin`; nullopt if there is none. The reader of the header handles
/// tuples.
std::optional<ScannedType> scan_type(std::string_view text, std::size_t begin);

/// Offset just past the type after a colon (`x: Pointer(float32)`), or past the word `Buffer` or
/// `DataProducer` before a definition; `begin` if there is neither.
std::size_t annotation_end(std::string_view text, std::size_t begin);

/// Offset just past the string that starts at `begin`, or npos.
std::size_t string_end(Strings strings, std::string_view text, std::size_t begin);

/// Places of definitions that have a use before them: the printer of v0.8 and v0.9 evaluated its
/// operands in any order.
class Definitions {
 public:
  Definitions(std::string_view text, Strings strings) : text_(text), strings_(strings) {}

  /// Offset of the name where the text annotates or defines it; npos if there is no such place.
  std::size_t place_of(std::string_view name);

 private:
  void find_all();

  std::string_view text_;
  Strings strings_;
  support::NameMap<std::string_view, std::size_t> places_;
  bool is_searched_ = false;
};

/// Where the TIR ends and the JSON of a `#[metadata]` section begins; both are the text's size if
/// there is none. A note that a section was left out is not part of the TIR either.
struct Sections {
  std::size_t code_end;
  std::size_t metadata_begin;
};
Sections sections_of(std::string_view text);

/// A construct that has begun and not ended yet.
struct Frame {
  enum class Open : std::uint8_t {
    body,      ///< braces around a body: of one statement inside of them there is no SeqStmt
    sequence,  ///< braces that are a SeqStmt
    fragment,  ///< no braces: the text's end closes it
    // Statements that cover the next one:
    statement,
    realize,  ///< with a parenthesis that is closed behind it
    then_case,
    block,
    init,
  };
  Open open = Open::body;
  std::uint32_t begin = 0;  ///< offset of the statement
  // Of the stack:
  std::size_t first = 0;
  std::size_t first_scope = 0;
  NodeId condition = NodeId::none;
  NodeId then_case = NodeId::none;
};
using Open = Frame::Open;

struct Context final : text::ReaderContext {
  Context(const support::SourceText& text_source, Strings form_of_strings,
          const ReadLimits& read_limits, const ConstantFinder& constants)
      : ReaderContext(text_source, grammar_of(form_of_strings), read_limits, constants),
        strings(form_of_strings) {}

  /// Notes a lowered function that does not list its buffers before flattening. Versions with a
  /// preflattened_buffer_map would list them.
  void note_no_preflattened_map() {
    versions.observe_absence(TvmFeature::preflattened_buffer_map);
    may_be_flattened = false;
  }
  bool may_have_preflattened_maps() const {
    return may_be_flattened && versions.may_have(TvmFeature::preflattened_buffer_map);
  }

  Strings strings;
  Definitions definitions{source.text, strings};  ///< a name denotes one node in the whole file
  std::vector<NodePair> functions;
  support::NameMap<std::string_view, NodeId> types;    ///< by their text
  support::NameMap<std::string_view, NodeId> targets;  ///< by their text
  std::vector<NodeId> scratch;  ///< the operands of the call or subscript at hand
  /// Whether the reader is at a definition further down in the text. It then reads no other
  /// definition ahead.
  bool is_reading_ahead = false;

  // Of the function that is being read:
  text::StatementStack<Frame> statements{builder};
  std::vector<text::BlockDraft> blocks;
  NodeId body = NodeId::none;  ///< once its statements are read
  bool is_flat = true;         ///< whether it could be one whose buffers were flattened

  /// The undefined name in the first function that was skipped.
  std::optional<text::UndefinedName> undefined;

  // Facts that only the whole text determines:
  /// Whether the text may be from v0.9 or v0.10, which flatten buffers.
  bool may_be_flattened = true;
  /// Functions that print no preflattened_buffer_map.
  std::vector<NodeId> without_preflattened;
};

// --- Expressions: one loop that turns syntax into values: expressions.cpp -----------------------

/// The value of a parsed expression; valid until the end of the statement.
Value lower(Context& c, SyntaxId root);
/// The parts of a subscript: what it subscribes, then the indices.
std::vector<Value> lower_subscript_parts(Context& c, SyntaxId root);

// --- Syntax and values in messages: conversions.cpp --------------------------------------------

/// The name of a called function or subscripted value; empty for anything else.
std::string_view head_of(const Context& c, SyntaxId id);
/// The arguments of a call with `count` of them; any other number is an error that shows `form`.
std::vector<SyntaxId> arguments_of(const Context& c, SyntaxId call, std::size_t count,
                                   std::string_view form);
/// Whether it is `left sign right`.
inline bool is_binary(const Context& c, SyntaxId id, Sign sign) {
  return c.values.is(id, SyntaxKind::binary) && c.values.syntax(id).sign == sign;
}
/// The text for a message, shortened if it is long.
std::string shown(const Context& c, SyntaxId id);
/// Fails at a value that is not `what`.
[[noreturn]] void fail_expected(const Context& c, const Value& value, std::string_view what);

// --- Values as what a place asks for, which fail at anything else: conversions.cpp -------------

NodeId as_expr(Context& c, const Value& value);
NodeId as_expr(Context& c, SyntaxId root);
std::vector<NodeId> as_exprs(Context& c, const Value& list);
/// The node for an attribute: strings become String, lists Array, and `(nullptr)` becomes `none`.
NodeId as_attribute(Context& c, const Value& value);
/// A `Buffer`, `Var` or producer by its name or inline definition.
NodeId as_named(Context& c, const Value& value);
NodeId as_named(Context& c, const Value& value, Kind kind);
inline NodeId as_buffer(Context& c, const Value& value) {
  return as_named(c, value, Kind::Buffer);
}
inline NodeId as_var(Context& c, const Value& value) {
  return as_named(c, value, Kind::Var);
}
NodeId as_range(Context& c, const Value& value);
std::vector<NodeId> as_ranges(Context& c, const Value& list);
DType as_dtype(Context& c, const Value& value);
std::string as_string(Context& c, const Value& value);
std::int64_t as_integer(Context& c, const Value& value);
/// Notes that the text has a Load or Store. Returns the predicate of an access without one: true.
NodeId note_variable_access(Context& c, NodeId index);
/// A BufferRegion from a subscript, which may look like a load: `A[i, j]`.
NodeId read_region(Context& c, SyntaxId root);
/// `{"key": value, …}`, values as attributes hold them.
std::vector<NamedNode> read_entries(Context& c, SyntaxId dictionary);

// --- Names and literals: conversions.cpp -------------------------------------------------------

/// The node of a name, or of a text that the grammar reads as a name: `meta[…][…]`, `Target(…)`,
/// `inff32`.
NodeId look_up(Context& c, const Value& name);
/// Defines a Var with this name and type.
NodeId define_var(Context& c, std::string_view name, NodeId type);
/// The node of a type that `scan_type` has found; one node for each spelling.
NodeId read_type(Context& c, std::string_view type);
NodeId read_number(Context& c, SyntaxId id, bool is_negative);
/// `True`, `False`, `?`, `inff32`, `nanf32`; none for any other name.
NodeId named_constant(Context& c, std::string_view name, std::string_view sign = {});

// --- Buffers and producers where they are defined: buffers.cpp ---------------------------------

/// `A: Buffer(…)`: the name, then the arguments.
NodeId define_buffer(Context& c, std::span<const Value> values);
/// `T: DataProducer(…)`.
NodeId define_producer(Context& c, std::span<const Value> values);
/// Defines the buffer of an expression that begins with a definition: `A: Buffer(…)…`, or `A =
/// alloc_buffer(…)`, `decl_buffer` or `match_buffer`. Returns the buffer; `none` for any other
/// expression.
NodeId declare(Context& c, SyntaxId root);

// --- Statements: statements.cpp ----------------------------------------------------------------

/// The statement in braces at the lexer's token. Several statements are a SeqStmt; so is an empty
/// body.
NodeId read_body(Context& c);
/// Statements up to the end of the text, without braces around them.
NodeId read_fragment(Context& c);

}  // namespace mlf::tir::legacy
