// The JSON form of a number that may not be exact, the same in all documents.
#pragma once

#include "json/writer.h"
#include "mlf/analysis/cost.h"

namespace mlf::analysis {

/// An integer where it is exact, null where nothing is known, else {"min", "max"}: `max` is null
/// where it is not known.
void write_json(json::Writer& out, const Count& count);

}  // namespace mlf::analysis
