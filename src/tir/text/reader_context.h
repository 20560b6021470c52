// What the parts of a reader share while one text is read, whatever its dialect.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "support/error.h"
#include "tir/reader.h"
#include "tir/text/expr_factory.h"
#include "tir/text/lexer.h"
#include "tir/text/losses.h"
#include "tir/tvm_features.h"

namespace mlf::tir::text {

struct ReaderContext {
  ReaderContext(const support::SourceText& text_source, const ReadLimits& read_limits,
                const ConstantFinder& constants, VersionRange possible = {})
      : source(text_source),
        limits(read_limits),
        finder(constants),
        versions(std::move(possible)) {}
  ReaderContext(const ReaderContext&) = delete;
  ReaderContext& operator=(const ReaderContext&) = delete;

  /// Logs a loss of the function that is being read.
  void lose(LossCode code, std::string_view name = {}) { function_losses.add(code, name); }
  /// Name of the function that is being read.
  std::string_view function() const { return function_losses.function(); }
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return source.text.substr(begin, end - begin);
  }
  /// Fails at the lexer's token where more nodes were made than one module may have.
  void check_size(const Lexer& lexer) const {
    if (builder.size() <= limits.max_nodes) return;
    lexer.fail(fmt::format("more than {} nodes in one module", limits.max_nodes));
  }
  /// Fails at the lexer's token where so many `what` are open that no more of them may be.
  void check_nesting(const Lexer& lexer, std::size_t depth, std::string_view what) const {
    if (depth < limits.max_nesting) return;
    lexer.fail(fmt::format("{} nested deeper than {} levels", what, limits.max_nesting));
  }

  /// The module of all functions, and what was found out on the way: constants that the text left
  /// out are filled in, the losses of every text of the dialect are added.
  Reading finish(FunctionTable& functions, MissingObjects& missing, Dialect dialect) {
    const NodeId root = functions.finish();
    function_losses.enter({});
    lost_constants.find_missing(root, missing);
    function_losses.flush();
    losses.add_all(dialect);
    VersionRange version = versions.range();
    Module module = std::move(builder).finish(root);
    return {std::move(module), std::move(version), losses.finish(), lost_constants.take()};
  }

  const support::SourceText& source;
  const ReadLimits& limits;
  const ConstantFinder& finder;
  Builder builder;
  VersionInference versions;
  LossLog losses;
  FunctionLosses function_losses{losses};
  LostConstants lost_constants{finder, builder, function_losses};
  ExprFactory make{builder, losses};

 protected:
  ~ReaderContext() = default;
};

}  // namespace mlf::tir::text
