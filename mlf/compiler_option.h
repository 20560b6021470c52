// `--cc` and `--cflags`: the user's compiler for the archive's own C.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>

#include "mlf/report.h"

namespace mlf::program {

struct CompilerArguments {
  std::string command;
  std::string flags;  ///< with blanks between them
};

void add_compiler_options(CLI::App& app, CompilerArguments& options);

/// No compiler where --cc was not given.
ReportOptions report_options(const CompilerArguments& options);

}  // namespace mlf::program
