#include "signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>

#include "mlf/archive.h"

namespace mlf::program {
namespace {

/// SA_RESETHAND has restored the default action: raising the signal again ends the process, and the
/// parent process sees which signal it was.
void clean_up_and_end(int signal) {
  archive::remove_temporary_files();
  ::raise(signal);
}

/// Reading behind the new end of a truncated archive raises SIGBUS. A handler cannot unwind, so it
/// prints an error and ends the process with the exit code of a read error.
void end_for_truncated_archive(int /*signal*/) {
  archive::remove_temporary_files();
  constexpr std::string_view kMessage = "mlf: error: an archive became shorter while it was read\n";
  // A closed error stream cannot be reported.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(exit_code(ErrorKind::io));
}

void handle(int signal) {
  struct sigaction before {};
  if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = clean_up_and_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void handle_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM}) handle(signal);
  ::signal(SIGXFSZ, SIG_IGN);
  ::signal(SIGBUS, end_for_truncated_archive);
}

void occupy_standard_streams() {
  // The next descriptor is the lowest free number. Opens it in the wrong direction, so reading
  // standard input fails, and so does writing standard output.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream) return;
  }
}

}  // namespace mlf::program
