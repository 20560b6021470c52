// The grammar of the legacy text, its names, types and strings, and the state that all parts of the
// reader share for one text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

}  // namespace mlf::tir::legacy
