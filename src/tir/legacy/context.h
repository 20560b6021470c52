// What all parts of the legacy reader share while one text is read.
#pragma once

#include <string>
#include <string_view>

#include "support/error.h"
#include "tir/legacy/clues.h"
#include "tir/legacy/grammar.h"
#include "tir/legacy/metadata.h"
#include "tir/legacy/names.h"
#include "tir/legacy/types.h"
#include "tir/reader.h"
#include "tir/text/expr_factory.h"
#include "tir/text/function_losses.h"
#include "tir/text/lost_constants.h"

namespace mlf::tir::legacy {

struct Context {
  Context(const support::SourceText& text_source, const ReadLimits& read_limits,
          const ConstantFinder& constants)
      : source(text_source),
        limits(read_limits),
        finder(constants),
        strings(strings_of(text_source.text)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Logs a loss of the function that is being read.
  void lose(LossCode code, std::string_view detail) { function_losses.add(code, detail); }
  /// Name of the function that is being read.
  std::string_view function() const { return function_losses.function(); }
  std::string_view slice(std::uint32_t begin, std::uint32_t end) const {
    return source.text.substr(begin, end - begin);
  }

  support::SourceText source;
  const ReadLimits& limits;
  const ConstantFinder& finder;
  Strings strings;
  Builder builder;
  LossLog losses;
  text::FunctionLosses function_losses{losses};
  text::LostConstants lost_constants{finder, builder, function_losses};
  text::ExprFactory make{builder, losses};
  TypeReader types{make};
  NameTable names{source.text, strings};
  Metadata metadata{make, losses};
  VersionClues clues;
  /// Buffers that state no alignment: what the default is shows only once the version is known.
  std::vector<NodeId> default_aligned;
  /// Functions that print no preflattened_buffer_map.
  std::vector<NodeId> without_preflattened;
  /// Whether the function that is being read could be one whose buffers were flattened.
  bool is_flat = true;
};

}  // namespace mlf::tir::legacy
