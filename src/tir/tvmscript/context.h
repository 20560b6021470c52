// What all parts of the TVMScript reader share.
#pragma once

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "tir/reader.h"
#include "tir/text/expr_factory.h"
#include "tir/text/function_losses.h"
#include "tir/text/lost_constants.h"
#include "tir/tvm_features.h"
#include "tir/tvmscript/header.h"
#include "tir/tvmscript/metadata.h"
#include "tir/tvmscript/names.h"
#include "tir/tvmscript/rules.h"

namespace mlf::tir::tvmscript {

/// A call of a function of the module, whose return type may stand further down.
struct FunctionCall {
  NodeId call;
  NodeId callee;
};

/// What an allocation gives its name to: v0.9 prints a buffer there, every other version the
/// pointer. The pointer is what the name is bound to, the buffer is made where it is used.
struct Allocation {
  DType dtype;
  std::vector<NodeId> extents;
  NodeId buffer = NodeId::none;
};

struct Context {
  Context(const support::SourceText& text, const Rules& dialect, const ReadLimits& bounds,
          const ConstantFinder& constants)
      : source(text), limits(bounds), rules(dialect), finder(constants) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const support::SourceText& source;
  const ReadLimits& limits;
  const Rules& rules;
  const ConstantFinder& finder;
  Builder builder;
  LossLog losses;
  text::FunctionLosses function_losses{losses};
  text::LostConstants lost_constants{finder, builder, function_losses};
  text::ExprFactory make{builder, losses};
  Metadata metadata{make, losses};
  VersionInference versions{{rules.first_version, rules.last_version, {}}};
  Prefixes prefixes;
  NameTable names;
  std::string_view module_name = "Module";
  std::vector<FunctionCall> calls;
  std::unordered_map<std::uint32_t, Allocation> allocations;  // by pointer
  std::vector<NodeId> default_aligned;                        // buffers that state no alignment

  Node node(NodeId id) const { return builder.node(id); }
  /// The function being read: where losses are.
  std::string_view function() const { return function_losses.function(); }
  void lose(LossCode code, std::string_view detail) { function_losses.add(code, detail); }
};

}  // namespace mlf::tir::tvmscript
