// The results of `mlf check` for people and for CI.
#pragma once

#include <string>
#include <vector>

#include "mlf/budget.h"

namespace mlf::program {

enum class CheckFormat {
  text,
  json,   ///< schemas/check.schema.json
  junit,  ///< a test case for each limit
  sarif,  ///< SARIF 2.1.0: a result for each limit that does not hold
};

std::string to_text(const std::vector<BudgetResult>& results, const std::string& archive,
                    CheckFormat format);

}  // namespace mlf::program
