#include "signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>

#include "mlf/archive.h"

namespace mlf::program {
namespace {

/// SA_RESETHAND has put the default action back: raised again, the signal ends the process, and
/// the parent process sees which one it was.
void clean_up_and_end(int signal) {
  archive::remove_temporary_files();
  ::raise(signal);
}

/// A mapped archive that is truncated ends before its last page: reading there is SIGBUS. No
/// unwinding from here, so this says it and ends the process as an error of reading does.
void end_for_lost_input(int /*signal*/) {
  archive::remove_temporary_files();
  constexpr std::string_view kMessage = "mlf: error: an archive became shorter while it was read\n";
  // Nothing can be done about an error stream that is gone as well.
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
  ::signal(SIGBUS, end_for_lost_input);
}

void occupy_standard_streams() {
  // The lowest number that is free is the next one to be given. Opened the wrong way round: reading
  // standard input fails, and so does writing standard output.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream) return;
  }
}

}  // namespace mlf::program
