#include "output.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>
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

/// The convention of no-color.org: set and not empty.
bool no_colour_is_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color != nullptr && *no_color != '\0';
}

spdlog::color_mode colour_mode() {
  return no_colour_is_wanted() ? spdlog::color_mode::never : spdlog::color_mode::automatic;
}

[[noreturn]] void fail_output(int error) {
  throw support::Error(ErrorKind::io,
                       std::string("cannot write standard output: ") + std::strerror(error));
}

}  // namespace

Console::Console(Verbosity verbosity) : verbosity_(verbosity) {
  // mlf's own logger, not spdlog's global one.
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(colour_mode());
  log_ = std::make_shared<spdlog::logger>("mlf", std::move(sink));
  // "mlf: error: …", with the level in colour: the format that compilers use and editors recognise.
  log_->set_pattern("mlf: %^%l%$: %v");
}

// Defined here, where the logger's type is complete, so our header does not include spdlog.
Console::~Console() = default;

int Console::fail(const Diagnostic& diagnostic) const {
  // As a string_view: a format string may not come from the input.
  const auto pause = pause_progress();
  log_->error(std::string_view(to_string(diagnostic)));
  return exit_code(diagnostic.kind);
}

int Console::fail(ErrorKind kind, std::string_view message) const {
  return fail(Diagnostic{kind, std::string(message), {}});
}

void Console::warn(std::string_view message) const {
  if (verbosity_ == Verbosity::quiet) return;
  const auto pause = pause_progress();
  log_->warn(printable(message));
}

void Console::note(std::string_view message) const {
  if (verbosity_ == Verbosity::quiet) return;
  const auto pause = pause_progress();
  log_->info(printable(message));
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
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  if (!is_dumb && !no_colour_is_wanted()) screen.colours = Colours::on;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) screen.width = size.ws_col;
  return screen;
}

}  // namespace mlf::program
