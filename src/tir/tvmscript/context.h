// What all parts of the TVMScript reader share while one text is read.
#pragma once

#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/name_map.h"
#include "tir/text/expression_parser.h"
#include "tir/text/lexer.h"
#include "tir/text/reader_context.h"
#include "tir/tvmscript/calls.h"
#include "tir/tvmscript/dialects.h"
#include "tir/tvmscript/metadata.h"
#include "tir/tvmscript/names.h"
#include "tir/tvmscript/pool_objects.h"
#include "tir/tvmscript/values.h"

namespace mlf::tir::tvmscript {

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
  NameTable names;
  std::string_view module_name = "Module";
  support::NameMap<std::string_view, Callee> callees;  // by the name behind T
  std::vector<FunctionCall> function_calls;
  std::unordered_map<std::uint32_t, Allocation> allocations;  // by pointer
  std::vector<NodeId> default_aligned;                        // buffers that state no alignment

  Node node(NodeId id) const { return builder.node(id); }
  bool is(NodeId id, Kind kind) const { return node(id).is(kind); }
};

}  // namespace mlf::tir::tvmscript
