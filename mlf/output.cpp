#include "output.h"

#include <fmt/color.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "progress.h"
#include "support/error.h"

namespace mlf::program {
namespace {

/// For a terminal, by the convention of no-color.org: set and not empty.
bool takes_colours() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !is_dumb && (no_color == nullptr || *no_color == '\0');
}

/// "mlf: error: …", the format that compilers use and editors recognise.
void write_message(std::string_view level, fmt::text_style style, std::string_view message) {
  const auto pause = pause_progress();
  const bool is_coloured = isatty(STDERR_FILENO) == 1 && takes_colours();
  const std::string line = fmt::format(
      "mlf: {}: {}\n", fmt::styled(level, is_coloured ? style : fmt::text_style()), message);
  // One call, because several threads may print.
  std::fwrite(line.data(), 1, line.size(), stderr);
}

[[noreturn]] void fail_output(int error) {
  throw support::Error(ErrorKind::io,
                       std::string("cannot write standard output: ") + std::strerror(error));
}

}  // namespace

int Console::fail(const Diagnostic& diagnostic) const {
  write_message("error", fmt::emphasis::bold | fmt::fg(fmt::terminal_color::red),
                to_string(diagnostic));
  return exit_code(diagnostic.kind);
}

int Console::fail(ErrorKind kind, std::string_view message) const {
  return fail(Diagnostic{kind, std::string(message), {}});
}

void Console::warn(std::string_view message) const {
  if (verbosity_ == Verbosity::quiet) return;
  write_message("warning", fmt::emphasis::bold | fmt::fg(fmt::terminal_color::yellow),
                printable(message));
}

void Console::note(std::string_view message) const {
  if (verbosity_ == Verbosity::quiet) return;
  write_message("info", fmt::fg(fmt::terminal_color::green), printable(message));
}

void Console::detail(std::string_view message) const {
  if (is_verbose()) note(message);
}

void print(std::string_view text) {
  end_progress();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    fail_output(errno);
  }
}

void close_standard_output() {
  if (std::fclose(stdout) != 0) fail_output(errno);
}

bool standard_output_is_terminal() {
  return isatty(STDOUT_FILENO) == 1;
}

void print_source(std::string_view text) {
  if (!standard_output_is_terminal()) return print(text);
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\n\t", at), text.size());
    shown += printable(text.substr(at, end - at));
    if (end < text.size()) shown += text[end];
    at = end + 1;
  }
  print(shown);
}

Screen screen_of_standard_output() {
  if (!standard_output_is_terminal()) return {};
  Screen screen{.digits = Digits::grouped};
  if (takes_colours()) screen.colours = Colours::on;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) screen.width = size.ws_col;
  return screen;
}

}  // namespace mlf::program
