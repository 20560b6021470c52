// Signals that end the program while it writes.
#pragma once

namespace mlf::program {

/// Lets SIGHUP, SIGINT, SIGPIPE and SIGTERM remove temporary files before they end the process,
/// unless the caller had the process ignore them (nohup). A file over its limit (SIGXFSZ) becomes
/// an error of the write instead.
void handle_signals();

}  // namespace mlf::program
