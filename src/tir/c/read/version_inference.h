// What a file of generated C tells of the TVM that wrote it.
#pragma once

#include "support/source_text.h"
#include "tir/c/read/file_items.h"
#include "tir/tvm_features.h"

namespace mlf::tir::c {

/// Narrows `versions` by what is in the file: includes, names of temporaries and parameters,
/// order of the prologue.
void infer_version(const support::SourceText& source, const FileItems& file,
                   VersionInference& versions);

/// Whether TVM wrote this file although it holds no function printed from TIR.
bool is_support(const support::SourceText& source);

}  // namespace mlf::tir::c
