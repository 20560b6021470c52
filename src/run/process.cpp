#include "run/process.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "support/error.h"
#include "support/file.h"

namespace mlf::run {

using compile::ProgramResult;

std::string why_it_ended(const ProgramResult& result) {
  constexpr std::string_view kOwn = "mlf: ";
  const std::size_t at = result.errors.rfind(kOwn);
  if (at != result.errors.npos && result.fault.empty() && result.status == 3) {
    const std::size_t begin = at + kOwn.size();
    return "failed: " + result.errors.substr(begin, result.errors.find('\n', begin) - begin);
  }
  // The lines in which sanitizers of compilers say what is wrong.
  for (const std::string_view word : {"SUMMARY: ", "runtime error: "}) {
    const std::size_t found = result.errors.find(word);
    if (found == result.errors.npos || is_success(result)) continue;
    return "failed: " + result.errors.substr(found, result.errors.find('\n', found) - found);
  }
  return how_it_ended(result);
}

std::string read_results(const std::filesystem::path& path, std::uint64_t size) {
  const auto fail = [] {
    throw support::Error(ErrorKind::invalid_input, "the network did not write all its results");
  };
  // The program may have ended without it, or replaced it by anything, such as a link or a pipe.
  if (!std::filesystem::exists(std::filesystem::symlink_status(path))) fail();
  const support::File file = support::File::open(path.string(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const struct stat status = file.status();
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) != size) {
    fail();
  }
  std::string bytes(size, '\0');
  for (std::size_t at = 0; at < size;) {
    const std::size_t part = file.read_some(bytes.data() + at, size - at);
    if (part == 0) fail();
    at += part;
  }
  return bytes;
}

}  // namespace mlf::run
