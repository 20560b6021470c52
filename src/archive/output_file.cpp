#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "archive/output_file.h"
#include "archive/replace_file.h"
#include "support/error.h"
#include "support/file.h"

namespace mlf {
namespace {

/// Identifies a file, independent of paths and links: its device and its number there.
using FileId = std::pair<dev_t, ino_t>;

/// A regular file or a directory. Devices and pipes have no content that could be lost.
std::optional<FileId> id_of(const struct stat& status) {
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

std::optional<FileId> id_of(const std::string& path, int standard_stream) {
  struct stat status {};
  const int failed =
      path == "-" ? ::fstat(standard_stream, &status) : ::stat(path.c_str(), &status);
  return failed == 0 ? id_of(status) : std::nullopt;
}

/// Whether `file` is one of those in the unpacked archive `directory`. Does not follow links in it,
/// like the reader of archives. A directory that cannot be listed cannot be read either.
bool is_inside(const FileId& file, const std::string& directory) {
  using Members = std::filesystem::recursive_directory_iterator;
  std::error_code ended;
  Members member(directory, std::filesystem::directory_options::skip_permission_denied, ended);
  for (; !ended && member != Members(); member.increment(ended)) {
    struct stat status {};
    if (::lstat(member->path().c_str(), &status) == 0 && id_of(status) == file) return true;
  }
  return false;
}

[[noreturn]] void refuse(const std::string& output, const std::string& why) {
  throw support::Error(ErrorKind::usage, why + ", which is read: choose another path",
                       {.file = output});
}

}  // namespace

void write_file(const std::string& path, const std::function<void(const Sink&)>& write) {
  const auto fill = [&](const support::File& out) {
    support::FileSink sink(out);
    write([&](std::string_view bytes) { sink.write(bytes); });
    sink.flush();
  };
  archive::replace_file(path, 0666, fill, fill);
}

void write_file(const std::string& path, std::string_view text) {
  write_file(path, [&](const Sink& out) { out(text); });
}

void check_output(const std::string& output, std::span<const std::string> inputs) {
  const std::optional<FileId> written = id_of(output, STDOUT_FILENO);
  if (!written) return;
  for (const std::string& input : inputs) {
    const std::string name = input == "-" ? "standard input" : "'" + input + "'";
    if (id_of(input, STDIN_FILENO) == written) refuse(output, "the output is " + name);
    if (is_inside(*written, input)) refuse(output, "the output is a file in " + name);
  }
}

}  // namespace mlf
