// The reader of tir-N.json with the NumPy files beside it.
#pragma once

#include "mlf/tir/document.h"
#include "support/source_text.h"
#include "tir/json/constants_reader.h"

namespace mlf::tir::tir_json {

/// `files` may be empty: constants that stand in files have no data then.
Document read_tir_json(const support::SourceText& source, const ReadLimits& limits,
                       const FileSource& files);

}  // namespace mlf::tir::tir_json
