#include "standard_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace mlf::program {

void OutputStream::write(std::string_view bytes) {
  if (error_ != 0) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) error_ = errno;
}

Result<void> OutputStream::finish() {
  if (error_ == 0 && std::fflush(stdout) != 0) error_ = errno;
  if (error_ == 0) return {};
  const std::string message = std::string("cannot write standard output: ") + std::strerror(error_);
  return tl::make_unexpected(Diagnostics{Diagnostic{ErrorKind::io, message, {}}});
}

Result<void> print(std::string_view text) {
  OutputStream out;
  out.write(text);
  return out.finish();
}

bool standard_output_is_terminal() {
  return isatty(STDOUT_FILENO) == 1;
}

}  // namespace mlf::program
