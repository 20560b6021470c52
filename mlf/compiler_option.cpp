#include "compiler_option.h"

#include <sstream>

namespace mlf::program {

void add_compiler_options(CLI::App& app, CompilerArguments& options) {
  auto* command = app.add_option("--cc", options.command,
                                 "Compile the archive's C with this compiler, for sizes of code, "
                                 "sections and frames; nothing is left behind")
                      ->type_name("COMMAND");
  app.add_option("--cflags", options.flags,
                 "Options for it, as one word: --cflags=\"-Os -mcpu=cortex-m4 -mthumb\"")
      ->type_name("FLAGS")
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
