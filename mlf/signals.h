// Handles inherited state: signals and standard streams.
#pragma once

namespace mlf::program {

/// Makes SIGHUP, SIGINT, SIGPIPE and SIGTERM remove temporary files before they end the process,
/// unless the caller ignores them (nohup). Turns a file over its size limit (SIGXFSZ) into a write
/// error, and an archive that is truncated while it is mapped (SIGBUS) into a read error.
void handle_signals();

/// Reserves the descriptors of standard streams that the caller closed, so that no file gets them,
/// and writing to one stays an error.
void occupy_standard_streams();

}  // namespace mlf::program
