// The results of `mlf check` for people and for CI.
#pragma once

#include <string>

#include "mlf/budget.h"
#include "table.h"

namespace mlf::program {

enum class CheckFormat {
  text,
  json,   ///< schemas/check.schema.json
  junit,  ///< a test case for each limit and each unwanted finding
  sarif,  ///< SARIF 2.1.0: a result for each limit that does not hold and each finding
};

/// `colours` are those of the tables.
std::string to_text(const CheckResults& results, const std::string& archive, CheckFormat format,
                    Colours colours);

}  // namespace mlf::program
