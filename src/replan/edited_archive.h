// An archive with changes made to it, in memory.
#pragma once

#include "archive/rewrite.h"
#include "mlf/archive.h"

namespace mlf::replan {

/// Outputs of `mlf process` are made of it. Throws `Error`.
archive::Archive edited_archive(const archive::Archive& archive, const archive::Changes& changes,
                                const archive::Limits& limits);

}  // namespace mlf::replan
