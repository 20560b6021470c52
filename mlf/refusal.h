// An error about the archive or file that a command was given.
#pragma once

#include <string>
#include <utility>

#include "mlf/diagnostics.h"

namespace mlf::program {

inline tl::unexpected<Diagnostics> refuse(ErrorKind kind, std::string message,
                                          const std::string& path) {
  Location where;
  where.file = path;
  return tl::make_unexpected(Diagnostics{Diagnostic{kind, std::move(message), where}});
}

}  // namespace mlf::program
