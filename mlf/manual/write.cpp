#include <filesystem>

#include "archive/output_file.h"
#include "manual/manual.h"
#include "support/error.h"

namespace mlf::program {
namespace {

namespace fs = std::filesystem;

void write_text(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    throw support::Error(ErrorKind::io, "cannot be written: " + error.message(), {.file = path});
  }
  write_file(path, text);
}

}  // namespace

void write_manual(const ProgramText& text, const std::string& directory) {
  // The directories in which each shell looks for completions of packages.
  const fs::path root = directory;
  std::vector<std::pair<fs::path, std::string>> files{
      {root / "man/man1/mlf.1", manual_page(text)},
      {root / "bash-completion/completions/mlf", bash_completion(text)},
      {root / "zsh/vendor-completions/_mlf", zsh_completion(text)},
      {root / "fish/vendor_completions.d/mlf.fish", fish_completion(text)},
  };
  for (const CommandText& command : text.commands) {
    files.emplace_back(root / "man/man1" / ("mlf-" + command.name + ".1"), manual_page(command));
  }
  for (const auto& [path, content] : files) write_text(path, content);
}

}  // namespace mlf::program
