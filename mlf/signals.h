// What the program inherits and has to mind: signals, and standard streams.
#pragma once

namespace mlf::program {

/// Lets SIGHUP, SIGINT, SIGPIPE and SIGTERM remove temporary files before they end the process,
/// unless the caller had the process ignore them (nohup). A file over its limit (SIGXFSZ) becomes
/// an error of the write instead, and an archive that is truncated under our mapping of it (SIGBUS)
/// one of reading it.
void handle_signals();

/// Takes the numbers of standard streams that the caller closed, so that no file gets them: writing
/// to one of them stays an error.
void occupy_standard_streams();

}  // namespace mlf::program
