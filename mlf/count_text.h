// Numbers that may not be exact, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mlf/analysis/count.h"

namespace mlf::program {

/// Exact "72"; "10..72"; ">=72"; "<=72"; "?" where nothing is known.
std::string spelled(const analysis::Count& count);

/// An integer, {"min", "max"}, or null: as in schemas/report.schema.json.
nlohmann::ordered_json count_json(const analysis::Count& count);

}  // namespace mlf::program
