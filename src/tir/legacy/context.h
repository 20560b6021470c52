// What all parts of the legacy reader share while one text is read.
#pragma once

#include <vector>

#include "tir/legacy/clues.h"
#include "tir/legacy/grammar.h"
#include "tir/legacy/metadata.h"
#include "tir/legacy/names.h"
#include "tir/legacy/types.h"
#include "tir/text/reader_context.h"

namespace mlf::tir::legacy {

struct Context : text::ReaderContext {
  Context(const support::SourceText& text_source, const ReadLimits& read_limits,
          const ConstantFinder& constants)
      : ReaderContext(text_source, read_limits, constants), strings(strings_of(text_source.text)) {}

  Strings strings;
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
