// The page of mlf report --html.
#pragma once

#include <string>

#include "mlf/page.h"

namespace mlf::program {

/// Draws the networks, where this build can, and writes the page to `file`; "-" is standard output.
/// Errors: `io`, and those of `page_data`.
Result<void> write_report_page(const Deployment& deployment, const Report& report,
                               const std::string& archive, const std::string& file);

}  // namespace mlf::program
