// What a command means that takes TIR: ARCHIVE, ARCHIVE:MEMBER or FILE.
#pragma once

#include <string>

#include "limit_option.h"
#include "mlf/diagnostics.h"
#include "mlf/tir/document.h"

namespace mlf::program {

/// Reads the TIR that `argument` names. "-" is bare TIR on standard input, "-:MEMBER" a member of
/// an archive there. Of an archive without a member, it is the only TIR there is; several are a
/// `usage` error that names them. MEMBER is a member's name or the stem of a TIR ("tir-1").
Result<tir::Document> read_tir_argument(const std::string& argument, const Limits& limits);

}  // namespace mlf::program
