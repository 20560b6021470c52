#include "progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace mlf::program {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBeforeFirst{1000};
constexpr std::chrono::milliseconds kBetween{250};
constexpr std::string_view kClear = "\r\033[K";  // to the beginning of the line, and all of it

/// The process has one terminal, and therefore one line.
struct Line {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::string command;
  steady_clock::time_point begin;
  std::size_t done = 0;
  std::size_t all = 0;
  bool is_over = true;
  bool is_shown = false;
  std::jthread ticker;
};

Line& line() {
  static Line one;
  return one;
}

/// A closed error stream cannot be reported.
void write_error(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

std::size_t width_of_terminal() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// Requires the mutex.
void clear(Line& one) {
  if (one.is_shown) write_error(kClear);
  one.is_shown = false;
}

void draw(Line& one) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - one.begin).count();
  const std::string archives =
      one.all > 1 ? fmt::format("{} of {} archives, ", one.done, one.all) : "";
  const std::string text = fmt::format("mlf {}: {}{} s", one.command, archives, seconds);
  write_error(fmt::format("{}{}", kClear, text.substr(0, width_of_terminal() - 1)));
  one.is_shown = true;
}

void tick(const std::stop_token& stop) {
  Line& one = line();
  std::unique_lock lock(one.mutex);
  auto wait = kBeforeFirst;
  while (!stop.stop_requested()) {
    one.stopped.wait_for(lock, stop, wait, [] { return false; });
    if (stop.stop_requested() || one.is_over) return;
    draw(one);
    wait = kBetween;
  }
}

bool terminal_has_lines() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

}  // namespace

Progress::Progress(const std::string& command) {
  if (!terminal_has_lines()) return;
  Line& one = line();
  one.command = command;
  one.begin = steady_clock::now();
  one.is_over = false;
  one.ticker = std::jthread(tick);
}

Progress::~Progress() {
  end_progress();
  Line& one = line();
  if (!one.ticker.joinable()) return;
  one.ticker.request_stop();
  one.ticker.join();
}

void advance_progress(std::size_t all) {
  Line& one = line();
  const std::lock_guard lock(one.mutex);
  ++one.done;
  one.all = all;
}

void end_progress() {
  Line& one = line();
  const std::lock_guard lock(one.mutex);
  clear(one);
  one.is_over = true;
}

std::unique_lock<std::mutex> pause_progress() {
  std::unique_lock lock(line().mutex);
  clear(line());
  return lock;
}

}  // namespace mlf::program
