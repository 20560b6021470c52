// What all parts of the legacy reader share while one text is read.
#pragma once

#include <vector>

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

  /// A Load or Store: gone in v0.12, and made by no pass of v0.9 and later.
  void note_variable_access() {
    versions.observe(TvmFeature::loads_and_stores);
    may_be_flattened = false;
  }
  /// A lowered function that says nothing of its buffers before flattening, which the versions that
  /// have a preflattened_buffer_map would.
  void note_no_preflattened_map() {
    versions.observe_absence(TvmFeature::preflattened_buffer_map);
    may_be_flattened = false;
  }
  bool may_have_preflattened_maps() const {
    return may_be_flattened && versions.may_have(TvmFeature::preflattened_buffer_map);
  }

  Strings strings;
  TypeReader types{make};
  NameTable names{source.text, strings};
  Metadata metadata{make, losses};
  /// Whether nothing speaks against v0.9 or v0.10, which flatten buffers.
  bool may_be_flattened = true;
  /// Buffers that state no alignment: what the default is shows only once the version is known.
  std::vector<NodeId> default_aligned;
  /// Functions that print no preflattened_buffer_map.
  std::vector<NodeId> without_preflattened;
  /// Whether the function that is being read could be one whose buffers were flattened.
  bool is_flat = true;
};

}  // namespace mlf::tir::legacy
