#include "result_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "archive/output_file.h"
#include "output.h"
#include "support/error.h"

namespace mlf::program {
namespace {

/// Whether the path leads to the file, pipe or device that is standard output.
bool is_standard_output(const std::string& path) {
  struct stat named {};
  struct stat standard {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &standard) == 0 &&
         named.st_dev == standard.st_dev && named.st_ino == standard.st_ino;
}

}  // namespace

CLI::Option* add_result_option(CLI::App& app, const std::string& flags, std::string& path,
                               const OptionPlace& place, const std::string& help) {
  const auto rename = [](std::string& given) {
    if (is_standard_output(given)) given = kStandardOutput;
    return std::string();
  };
  return add_option(app, flags, path, place, help)->transform(CLI::Validator(rename, ""));
}

void check_terminal(const std::string& path) {
  if (path != kStandardOutput || !standard_output_is_terminal()) return;
  throw support::Error(ErrorKind::usage,
                       "the result is no text: send standard output to a file or a pipe");
}

bool takes_standard_output(std::initializer_list<std::string_view> paths, Printed printed) {
  const auto results = std::ranges::count(paths, kStandardOutput);
  if (results > 1 || (results == 1 && printed == Printed::json)) {
    throw support::Error(ErrorKind::usage,
                         "two results go to standard output: write one of them to a file");
  }
  return results == 1;
}

void write_result(const std::string& path, const std::function<void(const Sink&)>& write) {
  if (path != kStandardOutput) return write_file(path, write);
  std::string text;
  write([&](std::string_view bytes) { text += bytes; });
  print(text);
}

}  // namespace mlf::program
