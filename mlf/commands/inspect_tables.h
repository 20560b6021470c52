// What is in an archive, as tables for a terminal.
#pragma once

#include <string>

#include "mlf/inspection.h"

namespace mlf::program {

std::string to_tables(const Deployment& deployment, const Inspection& inspection);

}  // namespace mlf::program
