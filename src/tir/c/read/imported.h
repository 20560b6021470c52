// C that schedules import with `pragma_import_c`: kept as it is.
#pragma once

#include <vector>

#include "mlf/tir/document.h"
#include "support/source_text.h"
#include "tir/c/read/file_items.h"

namespace mlf::tir::c {

/// What a file of kernels has beside that which TVM prints of TIR: functions, types, arrays, and
/// lines of the preprocessor.
std::vector<ImportedC> imported_c(const support::SourceText& source, const FileItems& file);

}  // namespace mlf::tir::c
