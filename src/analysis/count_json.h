// The JSON form of a number that may not be exact, the same in all documents.
#pragma once

#include "json/writer.h"
#include "mlf/analysis/cost.h"

namespace mlf::analysis {

/// Writes an exact number as an integer, an unknown one as null, and any other as {"min", "max"},
/// where an unknown `max` is null.
void write_json(json::Writer& out, const Count& count);

}  // namespace mlf::analysis
