#include "profile/installed.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "compile/run_program.h"
#include "compile/work_directory.h"
#include "support/error.h"

namespace mlf::profile {

void require_program(const std::string& name, std::string_view packages) {
  if (name.find('/') != name.npos) return;  // the system says what is wrong with a path
  const char* const variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "/bin:/usr/bin" : variable;
  while (!path.empty()) {
    const std::size_t end = path.find(':');
    if (access(fmt::format("{}/{}", path.substr(0, end), name).c_str(), X_OK) == 0) return;
    path = end == path.npos ? "" : path.substr(end + 1);
  }
  throw support::Error(ErrorKind::usage,
                       fmt::format("'{}' is not installed; on Debian, install {}", name, packages));
}

std::string version_of(const std::string& compiler) {
  constexpr std::uint64_t kMemory = std::uint64_t{8} << 30;
  const compile::WorkDirectory directory;
  const std::string text =
      compile::run_program(
          {.arguments = {compiler, "-v"},
           .directory = directory.path(),
           .limits = {.time = std::chrono::seconds(10), .memory = kMemory, .file = 0}},
          directory)
          .errors;
  const std::size_t at = text.find(" version ");
  if (at == text.npos) return {};
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

}  // namespace mlf::profile
