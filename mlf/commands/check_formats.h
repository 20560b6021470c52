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

/// Tables are laid out for `screen`.
std::string to_text(const CheckResults& results, const std::string& archive, CheckFormat format,
                    const Screen& screen);

}  // namespace mlf::program
