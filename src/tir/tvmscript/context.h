// The shared state of the TVMScript reader for one text: names, the metadata section, constant
// pools.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/module.h"
#include "support/name_map.h"
#include "tir/reader.h"
#include "tir/text/expr_factory.h"
#include "tir/text/expression_parser.h"
#include "tir/text/op_table.h"
#include "tir/text/reader_context.h"
#include "tir/tvmscript/dialects.h"
#include "tir/tvmscript/forms.h"

namespace mlf::tir::tvmscript {

using text::Sign;
using text::SyntaxId;
using text::SyntaxKind;
using text::TokenKind;
using text::Value;
using text::ValueKind;

/// The word before the dot of a builtin; users may choose another.
struct Prefixes {
  std::string_view ir = "I";
  std::string_view tir = "T";
  std::string_view relax = "R";
};

// --- Names -------------------------------------------------------------------------------------

/// Reads a comment such as `# from tvm.script import tir as T`, and ignores others. Returns false
/// if it imports `tirx`, the language of v0.24 and later.
bool read_import(std::string_view comment, Prefixes& prefixes);

/// The part of `path` after the prefix and the dot; empty if it begins in another way.
std::string_view after_prefix(std::string_view path, std::string_view prefix);

/// Whether a comment is the `# with T.block("root"):` of an implied root block.
bool is_root_block(std::string_view comment);

class PoolObjects {
 public:
  explicit PoolObjects(Builder& builder) : builder_(builder) {}

  /// The ConstantInfo with these fields; the same one for each mention.
  NodeId constant(std::string_view name, NodeId offset, NodeId data);

  /// The ConstantPoolInfo with these constants; the same one for each mention. The text contains
  /// nothing else of it.
  NodeId pool(std::vector<NodeId> constants);

  /// Gives each pool the name of the function parameter that is this pool, below the IRModule
  /// `root`. A pool without a parameter is a loss.
  void name_pools(NodeId root, LossLog& losses);

 private:
  Builder& builder_;
  std::map<std::tuple<std::string, std::int64_t, NodeId>, NodeId> constants_;
  std::map<std::vector<NodeId>, NodeId> pools_;
};

/// The meanings of a name after the prefix T in a call. All are empty for an unknown name.
struct Callee {
  const Form* form = nullptr;
  const text::OpInfo* op = nullptr;
  std::optional<DType> dtype{};
};

/// A call of a function of the module, whose return type may come later in the text.
struct FunctionCall {
  NodeId call;
  NodeId callee;
};

/// The object that an allocation names: in v0.9 a buffer, in every other version the pointer. The
/// name is bound to the pointer; the buffer is made at its use.
struct Allocation {
  Kind statement;  ///< Allocate or AllocateConst
  DType dtype;
  std::vector<NodeId> extents;
  NodeId buffer = NodeId::none;
};

/// The variable of a thread that the text declares later.
struct ThreadAhead {
  NodeId var;
  std::uint32_t offset;  ///< place of the name
};

struct FunctionState;

struct Context final : text::ReaderContext {
  Context(const support::SourceText& text_source, const Rules& dialect,
          const ReadLimits& read_limits, const ConstantFinder& constants)
      : ReaderContext(text_source, *dialect.grammar, read_limits, constants,
                      {dialect.first_version, dialect.last_version, {}}),
        rules(dialect) {}

  const Rules& rules;
  FunctionState* fn = nullptr;  ///< of the function that is being read
  PoolObjects pool_objects{builder};
  Prefixes prefixes;
  /// By name: variables that `T.iter_var` has named before their T.env_thread.
  std::map<std::string_view, ThreadAhead> threads_ahead;
  std::string_view module_name = "Module";
  support::NameMap<std::string_view, Callee> callees;  // by the name after T
  std::vector<FunctionCall> function_calls;
  std::unordered_map<NodeId, Allocation> allocations;  // by pointer
  std::unordered_set<NodeId> python_numbers;           // expressions that TVM does not have before
                                                       // their use

  /// `dtype` is the string with the element type of a Var or a Buffer.
  void note_dtype_word(NodeId id, const Value& dtype);
};

}  // namespace mlf::tir::tvmscript
