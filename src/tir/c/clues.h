// What a file of generated C tells of the TVM that wrote it.
#pragma once

#include "support/source_text.h"
#include "tir/c/items.h"
#include "tir/text/version_clues.h"

namespace mlf::tir::c {

/// Narrows `clues` by what stands in the file: includes, names of temporaries and parameters, order
/// of the prologue.
void look_for_clues(const support::SourceText& source, const FileItems& file,
                    text::VersionClues& clues);

/// Whether TVM wrote this file although it holds no function printed from TIR.
bool is_support(const support::SourceText& source);

}  // namespace mlf::tir::c
