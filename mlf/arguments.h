// What the arguments of commands name: the TIR or the network of an archive.
#pragma once

#include <string>
#include <vector>

#include "mlf/deployment.h"
#include "mlf/diagnostics.h"
#include "mlf/graph/topology.h"
#include "mlf/report.h"
#include "mlf/tir/document.h"
#include "options.h"
#include "output.h"

namespace mlf::program {

/// Says what is known of an archive without metadata.json.
void warn_if_incomplete(const Deployment& deployment, const Console& console);

/// Reads the TIR that `argument` names. "-" is standard input, "-:MEMBER" a member of an archive
/// there; streams of any other name (FIFOs, `<(...)` of a shell) are read like it. Of an archive
/// without a member, it is the only TIR there is; several are a `usage` error that names them.
/// MEMBER is a member's name or the stem of a TIR ("tir-1").
Result<tir::Document> read_tir_argument(const std::string& argument, const Limits& limits);

/// "no module 'x', only a, b; did you mean 'a'?".
std::string unknown_module(const std::string& name, const std::vector<std::string>& known);

/// The network of one module, and the archive that it is of.
struct NetworkArgument {
  Deployment deployment;
  std::size_t module = 0;  ///< index into ModelLibrary::modules
  graph::Topology topology;
};

/// Reads the network of one module of the archive at `path` ("-": standard input). An empty
/// `module` means the only one there is.
///
/// Errors: those of the archive and of its TIR; `check_failed` where the module has no network;
/// `usage` where several modules have one and none is named, or the named one does not exist.
Result<NetworkArgument> read_network_argument(const std::string& path, const std::string& module,
                                              const std::vector<std::string>& tir_files,
                                              const Limits& limits, const Console& console);

/// The report of the archive at `path` ("-": standard input). Errors: those of the archive and of
/// its TIR.
Result<Report> read_report_argument(const std::string& path, const Limits& limits,
                                    const Console& console, const ReportOptions& options = {});

}  // namespace mlf::program
