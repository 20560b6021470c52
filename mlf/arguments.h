// Resolves arguments of commands: an archive, its TIR or its network. All functions throw `Error`.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "commands/command.h"
#include "mlf/deployment.h"
#include "mlf/report.h"
#include "mlf/tir/document.h"

namespace mlf::program {

/// Opens the archive at `path` ("-": standard input), with TIR of `tir_files` beside it. Warns
/// about an archive without metadata.json.
Deployment open_archive(const std::string& path, const Context& context,
                        const std::vector<std::string>& tir_files = {});

/// Of a document that the command prints about these archives.
DocumentForm form_of(const Context& context, std::initializer_list<const Deployment*> archives);

/// Reads the TIR that `argument` names. "-" is standard input, "-:MEMBER" a member of an archive
/// there; streams of any other name (FIFOs, `<(...)` of a shell) are read like it. Of an archive
/// without a member, it is the only TIR there is; several are a `usage` error that names them.
/// MEMBER is a member's name or the stem of a TIR ("tir-1").
tir::Document read_tir_argument(const std::string& argument, const DeploymentOptions& limits);

/// An error of writing what was read from `source`: it is the place, unless the system refused the
/// output.
Diagnostic of_source(Diagnostic error, const std::string& source);

/// "no module 'x', only a, b; did you mean 'a'?".
std::string unknown_module(const std::string& name, const std::vector<std::string>& known);

/// Returns the index of the named module, or of the only one. Throws `usage` otherwise.
std::size_t chosen_module(const ModelLibrary& library, const std::string& name,
                          const std::string& path);

/// The network of one module, and its archive.
struct NetworkArgument : Network {
  Deployment deployment;
};

/// Reads the network of one module of an archive. An empty `module` means the only one.  Errors:
/// those of the archive and of its TIR; `check_failed` if the module has no network; `usage` if
/// several modules have one and none is named, or if the named one does not exist.
NetworkArgument read_network_argument(const std::string& path, const std::string& module,
                                      const std::vector<std::string>& tir_files,
                                      const Context& context);

/// An archive and its report.
struct ReportArgument {
  Deployment deployment;
  Report report;
};

/// Opens an archive as `open_archive` does, and reports with the compiler, if one is given, and the
/// numbers of files of `mlf profile --json`. Errors: those of the archive, the compiler and the
/// files; `usage` where a profile is of another network or another build.
ReportArgument read_report(const std::string& path, const CompilerArguments& compiler,
                           const std::vector<std::string>& profiles, const Context& context,
                           const std::vector<std::string>& tir_files = {});

}  // namespace mlf::program
