// The option --limit: bounds on untrusted input, by name.
#pragma once

#include <string>
#include <vector>

#include "mlf/archive.h"
#include "mlf/diagnostics.h"
#include "mlf/tir/document.h"

namespace CLI {
class App;
}

namespace mlf::program {

struct Limits {
  archive::Limits archive;
  tir::ReadLimits tir;
};

/// Adds `--limit NAME=VALUE` to `app`.
void add_limit_option(CLI::App& app, std::vector<std::string>& settings);

/// A line for every limit: its name, its default, what it bounds.
std::string limits_help();

/// The defaults with `settings` ("members=10") applied. Errors: `usage`.
Result<Limits> limits_from(const std::vector<std::string>& settings);

}  // namespace mlf::program
