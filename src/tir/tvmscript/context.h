// What all parts of the TVMScript reader share.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "tir/reader.h"
#include "tir/text/expr_factory.h"
#include "tir/text/function_losses.h"
#include "tir/text/version_clues.h"
#include "tir/tvmscript/header.h"
#include "tir/tvmscript/metadata.h"
#include "tir/tvmscript/names.h"

namespace mlf::tir::tvmscript {

constexpr std::uint8_t kFirstVersion = 12;
constexpr std::uint8_t kLastVersion = 18;

/// A call of a function of the module, whose return type may stand further down.
struct FunctionCall {
  NodeId call;
  NodeId callee;
};

struct Context {
  Context(const support::SourceText& text, const ReadLimits& bounds)
      : source(text), limits(bounds) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const support::SourceText& source;
  const ReadLimits& limits;
  Builder builder;
  LossLog losses;
  text::FunctionLosses function_losses{losses};
  text::ExprFactory make{builder, losses};
  Metadata metadata{make, losses};
  text::VersionClues clues{{kFirstVersion, kLastVersion, {}}};
  Prefixes prefixes;
  NameTable names;
  std::string_view module_name = "Module";
  std::vector<FunctionCall> calls;

  Node node(NodeId id) const { return builder.node(id); }
  /// The function being read: where losses are.
  std::string_view function() const { return function_losses.function(); }
  void lose(LossCode code, std::string_view detail) { function_losses.add(code, detail); }
};

}  // namespace mlf::tir::tvmscript
