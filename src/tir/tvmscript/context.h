// What all parts of the TVMScript reader share while one text is read: names, the metadata section,
// constant pools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/module.h"
#include "support/name_map.h"
#include "tir/reader.h"
#include "tir/save_json/metadata.h"
#include "tir/text/expr_factory.h"
#include "tir/text/expression_parser.h"
#include "tir/text/lexer.h"
#include "tir/text/losses.h"
#include "tir/text/op_table.h"
#include "tir/text/reader_context.h"
#include "tir/tvmscript/dialects.h"
#include "tir/tvmscript/forms.h"
#include "tir/tvmscript/values.h"

namespace mlf::tir::tvmscript {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;
using text::TokenKind;

/// The word before the dot of a builtin; users may choose their own.
struct Prefixes {
  std::string_view ir = "I";
  std::string_view tir = "T";
  std::string_view relax = "R";
};

// --- Names -------------------------------------------------------------------------------------

/// Takes a comment such as `# from tvm.script import tir as T`; others are passed over. False if
/// it imports `tirx`, the language of v0.24 and later.
bool read_import(std::string_view comment, Prefixes& prefixes);

/// What follows the prefix and the dot in `path`; empty if it starts otherwise.
std::string_view after_prefix(std::string_view path, std::string_view prefix);

/// Whether a comment is the `# with T.block("root"):` of an implied root block.
bool is_root_block(std::string_view comment);

class Metadata {
 public:
  Metadata(text::ExprFactory& make, LossLog& losses)
      : make_(make), losses_(losses), missing_(make.builder(), losses) {}

  /// Takes the objects of a section; `token` is the string literal at `offset` that holds it.
  /// Gives the version that the section names.
  VersionRange read(const support::SourceText& source, std::size_t offset, std::string_view token,
                    const ReadLimits& limits);

  /// The variable of a function: one node, whether the section mentions it or not.
  NodeId global_var(std::string_view name);

  /// An object of the section, or a MissingObject, the same for each mention. A missing one is a
  /// loss at `where`.
  NodeId find(std::string_view type_key, std::int64_t index, std::string_view where);
  text::MissingObjects& missing() { return missing_; }

 private:
  text::ExprFactory& make_;
  LossLog& losses_;
  MetadataSection section_{};
  std::map<std::string, NodeId, std::less<>> global_vars_;  // of the section
  text::MissingObjects missing_;
};

class PoolObjects {
 public:
  explicit PoolObjects(Builder& builder) : builder_(builder) {}

  /// The ConstantInfo with these fields, the same for each mention.
  NodeId constant(std::string_view name, NodeId offset, NodeId data);

  /// The ConstantPoolInfo that holds these constants, the same for each mention. Its constants are
  /// all that is printed of it.
  NodeId pool(std::vector<NodeId> constants);

  /// Names each pool as the parameter of a function that is this pool, below the IRModule `root`.
  /// A pool that no parameter names is a loss.
  void name_pools(NodeId root, LossLog& losses);

 private:
  Builder& builder_;
  std::map<std::tuple<std::string, std::int64_t, NodeId>, NodeId> constants_;
  std::map<std::vector<NodeId>, NodeId> pools_;
};

/// What a name behind the prefix T is in a call. All are empty for an unknown one.
struct Callee {
  const Form* form = nullptr;
  const text::OpInfo* op = nullptr;
  std::optional<DType> dtype{};
};

/// A call of a function of the module, whose return type may be further down in the text.
struct FunctionCall {
  NodeId call;
  NodeId callee;
};

/// What an allocation gives its name to: v0.9 prints a buffer there, every other version the
/// pointer. The pointer is what the name is bound to, the buffer is made where it is used.
struct Allocation {
  Kind statement;  ///< Allocate or AllocateConst
  DType dtype;
  std::vector<NodeId> extents;
  NodeId buffer = NodeId::none;
};

/// The variable of a thread that the text declares further down.
struct ThreadAhead {
  NodeId var;
  std::uint32_t offset;  ///< where it is named
};

struct Context final : text::ReaderContext {
  Context(const support::SourceText& text_source, const Rules& dialect,
          const ReadLimits& read_limits, const ConstantFinder& constants)
      : ReaderContext(text_source, read_limits, constants,
                      {dialect.first_version, dialect.last_version, {}}),
        rules(dialect),
        lexer(text_source, dialect.grammar->lexical) {}

  const Rules& rules;
  text::Lexer lexer;
  Values values{source};
  text::ExpressionParser parser{lexer, *rules.grammar, values.tree(), limits.max_nesting};
  Metadata metadata{make, losses};
  PoolObjects pool_objects{builder};
  Prefixes prefixes;
  /// By name: what `T.iter_var` has named and no T.env_thread has declared yet.
  std::map<std::string_view, ThreadAhead> threads_ahead;
  text::NameScopes names;
  std::string_view module_name = "Module";
  support::NameMap<std::string_view, Callee> callees;  // by the name behind T
  std::vector<FunctionCall> function_calls;
  std::unordered_map<NodeId, Allocation> allocations;  // by pointer
  std::unordered_set<NodeId> python_numbers;           // no expressions of TVM before they are used
  std::vector<NodeId> default_aligned;                 // buffers that state no alignment

  Node node(NodeId id) const { return builder.node(id); }
  bool is(NodeId id, Kind kind) const { return node(id).is(kind); }

  /// `dtype` is the string that names the type of the elements behind a Var or a Buffer.
  void note_dtype_word(NodeId id, const Value& dtype);
  /// The text `begin` to `end` is the type of a variable, such as `T.handle("int16")`.
  void note_pointee(NodeId var, std::uint32_t begin, std::uint32_t end);
};

}  // namespace mlf::tir::tvmscript
