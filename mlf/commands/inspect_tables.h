// What is in an archive, as tables for a terminal.
#pragma once

#include <string>

#include "mlf/inspection.h"
#include "table.h"

namespace mlf::program {

std::string to_tables(const Deployment& deployment, const Inspection& inspection,
                      const Screen& screen);

}  // namespace mlf::program
