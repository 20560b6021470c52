#include "compiler_option.h"

#include <sstream>

namespace mlf::program {

void add_compiler_options(CLI::App& app, CompilerArguments& options) {
  auto* command = app.add_option("--cc", options.command,
                                 "Compile the archive's C with this command, for sizes of code and "
                                 "stack frames; temporary files are removed")
                      ->type_name("COMMAND")
                      ->group("Compiler");
  app.add_option("--cflags", options.flags,
                 "Options for it in one word: --cflags=\"-Os -mcpu=cortex-m4\"")
      ->type_name("FLAGS")
      ->group("Compiler")
      ->needs(command);
}

ReportOptions report_options(const CompilerArguments& options) {
  if (options.command.empty()) return {};
  Compiler compiler{.command = options.command, .flags = {}};
  std::istringstream flags(options.flags);
  for (std::string flag; flags >> flag;) compiler.flags.push_back(flag);
  return {.compiler = std::move(compiler)};
}

}  // namespace mlf::program
