// Processes one archive: finds the inputs, stops if the outputs are up to date, makes all outputs
// in a spool, then changes the archive in one step.
#include "mlf/process.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "archive/contents.h"
#include "archive/output_file.h"
#include "archive/rewrite.h"
#include "deployment/agreement.h"
#include "json/text.h"
#include "json/write_document.h"
#include "process/job.h"
#include "process/manifest.h"
#include "process/outputs.h"
#include "process/regenerate.h"
#include "support/error.h"
#include "support/nearest.h"

namespace mlf::process {
namespace {

using archive::Changes;
using support::Error;

bool wants(const Job& job, Requirement requirement) {
  return std::ranges::find(job.options.require, requirement) != job.options.require.end();
}

[[noreturn]] void fail_check(const Job& job, std::string message) {
  throw Error(ErrorKind::check_failed, std::move(message), {.file = job.archive().path()});
}

void require_graph(const Job& job, const NetworkReport& network) {
  const std::string module = "module '" + network.module + "' has no graph: ";
  if (network.reason) fail_check(job, module + std::string(to_string(*network.reason)));
  if (network.failed_checks == 0) return;
  fail_check(job, module + network.first_failure +
                      (network.failed_checks == 1
                           ? ""
                           : " (and " + std::to_string(network.failed_checks - 1) + " more)"));
}

/// Throws if TIR is required and there is none.
void require_tir(const Job& job) {
  if (!wants(job, Requirement::tir) || !job.deployment.tir_sources().empty()) return;
  fail_check(
      job,
      "no TIR: the archive has no member src/tir-*.txt or src/tir-*.tvm.json, and no generated C");
}

/// Throws if graphs are required and a module has none.
void require_graphs(const Job& job, std::span<const NetworkReport> networks) {
  if (!wants(job, Requirement::graph)) return;
  for (const NetworkReport& network : networks) require_graph(job, network);
}

/// Whether the manifest of an earlier run shows that `require_graphs` is met: a run without the
/// requirement may have left a module without its graph.
bool listed_graphs_suffice(const Job& job) {
  if (!wants(job, Requirement::graph)) return true;
  const auto& written = job.previous->written;
  return std::ranges::all_of(job.modules(), [&](const Module& module) {
    return std::ranges::any_of(written, [&](const FileDigest& digest) {
      return digest.name == job.names.graph(module.name, job.archive().path());
    });
  });
}

/// The inputs are those of the last run and its outputs are unchanged: a run would write the same
/// bytes.
bool is_up_to_date(const Job& job) {
  return job.previous && job.previous->inputs == job.inputs(job.options.constants) &&
         std::ranges::all_of(job.previous->written, [&](const FileDigest& written) {
           return state_of(job.archive(), written) == OutputState::intact;
         });
}

/// Members of an earlier run that still exist, including the manifest.
std::set<std::string> own_members(const Job& job) {
  std::set<std::string> own;
  if (!job.previous) return own;
  own.insert(job.names.manifest());
  for (const FileDigest& written : job.previous->written) {
    if (job.archive().find(written.name) != nullptr) own.insert(written.name);
  }
  return own;
}

/// A member with the name of an output that mlf did not write: replaced only with --force.
void refuse_foreign_member(const Job& job, const std::string& name) {
  if (job.options.foreign == ForeignMembers::replace) return;
  throw Error(ErrorKind::invalid_input,
              "a member of this name exists, and mlf's manifest does not list it; "
              "--force replaces it",
              {.file = job.archive().path(), .member = name});
}

/// TIR that was added in memory and is not stored yet.
Changes additions(const Job& job) {
  Changes changes;
  for (const auto& [name, content] : job.archive().contents().overlaid) {
    changes.add.push_back({name, job.archive().find(name),
                           [&file = content](support::ByteSink& out) { out.write(file.bytes()); },
                           content.bytes().size()});
  }
  return changes;
}

Changes changes_for(const Job& job, const Outputs& outputs) {
  const std::set<std::string> own = own_members(job);
  Changes changes = additions(job);
  // Removes all old outputs, also those that are not made again.
  changes.remove.assign(own.begin(), own.end());
  changes.list = job.names.manifest();
  for (const Output& output : outputs.list) {
    if (job.archive().find(output.name) != nullptr && !own.contains(output.name)) {
      refuse_foreign_member(job, output.name);
      // Removes first: a new member may not have the name of an existing one.
      changes.remove.push_back(output.name);
    }
    changes.add.push_back({output.name, output.like,
                           [&](support::ByteSink& out) { outputs.spool.copy(output.content, out); },
                           output.content.size});
  }
  return changes;
}

ProcessReport report_on(const Job& job, const Changes& changes, const Outputs& outputs) {
  ProcessReport report;
  report.tir_sources = job.deployment.tir_sources().size();
  report.tir = outputs.tir;
  report.networks = outputs.networks;
  report.kept = job.kept;
  report.unread_constants = job.deployment.unread_constants();
  std::set<std::string_view> names;
  for (const archive::NewMember& member : changes.add) {
    report.written.push_back({member.name, member.size});
    names.insert(member.name);
  }
  // Removed and not written again.
  for (const std::string& name : changes.remove) {
    if (!names.contains(name)) report.removed.push_back(name);
  }
  return report;
}

archive::Lost apply(const Job& job, const Changes& changes, const std::string& path) {
  const std::string& output = job.options.output;
  if (in_place(path, job.options)) return archive::update_in_place(job.archive(), changes);
  // With an output elsewhere, an archive without changes is copied there.
  return archive::write_to_path(job.archive(), changes,
                                output.empty() ? std::string(kStandardStream) : output);
}

/// TIR that is given to this run and is not in the archive must come from the archive's build.
void refuse_contradictions(const Job& job) {
  const auto& added = job.archive().contents().overlaid;
  for (const TirSource& source : job.deployment.tir_sources()) {
    const bool is_given = source.member == nullptr || added.contains(source.name);
    if (!is_given || source.c) continue;
    const auto contradiction = deployment::contradiction_with_c(job.deployment, source);
    if (!contradiction) continue;
    Location where{.file = source.path};
    if (source.member != nullptr) where.member = source.name;
    throw Error(ErrorKind::invalid_input, *contradiction, where);
  }
}

/// Without metadata.json, mlf cannot know that these are all files of the module, and of one build.
/// The user states that with --module.
void require_module(const Job& job) {
  if (job.deployment.library().states_modules()) return;
  std::vector<std::string> names;
  for (const Module& module : job.modules()) names.push_back("'" + module.name + "'");
  const bool is_named = job.modules().size() == 1 && !job.modules().front().name.empty() &&
                        job.modules().front().name == job.options.module;
  if (is_named) return;
  const bool is_none = job.modules().front().name.empty();
  const std::string files =
      is_none ? "the files name no module" : "the files are those of module " + some_of(names);
  throw Error(ErrorKind::invalid_input,
              "no metadata.json, so nothing is written: " + files +
                  (is_none || job.modules().size() > 1
                       ? ""
                       : "; --module " + job.modules().front().name + " says that this is right"),
              {.file = job.archive().path()});
}

/// `--tir` added these to the outputs, and their present place is unknown.
void reject_sidecar_files(const Job& job) {
  if (job.previous->inputs.files.empty()) return;
  fail_check(job, "it was processed with a file beside it, '" +
                      job.previous->inputs.files.front().name + "', which is not at hand");
}

/// Rejects an output that would overwrite files that are only read. A tar may be its own output, as
/// without -o; a tar as output would replace a member of a directory.
void check_output_of(const std::string& path, const ProcessOptions& options) {
  if (options.output.empty()) return;
  std::vector<std::string> inputs = options.tir_files;
  inputs.insert(inputs.end(), options.added_tir_files.begin(), options.added_tir_files.end());
  std::error_code failed;
  const auto type = std::filesystem::status(path, failed).type();
  if (type == std::filesystem::file_type::none)
    support::fail_io("cannot open", path, failed.value());
  if (type == std::filesystem::file_type::directory) inputs.push_back(path);
  check_output(options.output, inputs);
}

ProcessReport run(const std::string& path, const ProcessOptions& options) {
  check_output_of(path, options);
  Job job = prepare(path, options);
  archive::require_new_members(job.archive());
  require_module(job);
  // Checked before any work; `require_graphs` needs the networks, and is checked before the archive
  // changes.
  require_tir(job);
  Outputs outputs{Spool(options.archive_limits), {}, {}, {}};
  Changes changes = additions(job);
  // Makes all outputs before it changes the archive: an error leaves the archive unchanged.
  if (!is_up_to_date(job) || !listed_graphs_suffice(job)) {
    refuse_contradictions(job);
    make_outputs(job, outputs);
    require_graphs(job, outputs.networks);
    changes = changes_for(job, outputs);
    // Returns here for --dry-run, which writes nothing.
    archive::check_changes(job.archive(), changes);
  }
  ProcessReport report = report_on(job, changes, outputs);
  if (options.needs_origin) report.origin = support::get_or_throw(job.deployment.origin());
  if (options.effect == Effect::write) report.lost = apply(job, changes, path);
  return report;
}

// Names of members and files may have any bytes.

void write_new_member(json::Writer& out, const WrittenMember& member) {
  out.member("name", json::valid_utf8(member.name));
  out.member("bytes", member.size);
}

void write_tir_member(json::Writer& out, const WrittenTir& tir) {
  out.member("member", json::valid_utf8(tir.member));
  out.member("source", json::valid_utf8(tir.source));
  out.member("functions", tir.functions);
  out.member("losses", tir.losses);
}

void write_network_result(json::Writer& out, const NetworkReport& network) {
  out.member("module", network.module);
  out.member("calls", network.calls);
  out.member("failed_checks", network.failed_checks);
  out.text_or_null("first_failure", json::valid_utf8(network.first_failure));
  out.text_or_null("no_network", network.reason ? to_string(*network.reason) : std::string_view());
}

void write_processed(json::Writer& out, const ProcessedArchive& archive) {
  const ProcessReport& report = archive.report;
  out.member("archive", json::valid_utf8(archive.path));
  out.objects("written", report.written, write_new_member);
  out.member("removed", report.removed);
  out.member("kept", report.kept);
  out.objects("tir", report.tir, write_tir_member);
  out.objects("networks", report.networks, write_network_result);
}

}  // namespace

archive::Lost write_regenerated(const archive::Archive& archive, const Changes& changes,
                                const std::string& output,
                                const DeploymentOptions& deployment_options) {
  ProcessOptions options;
  Job job = prepare(support::get_or_throw(Deployment::open(
                        archive::changed(archive, changes, deployment_options.archive_limits),
                        deployment_options)),
                    options);
  Outputs outputs{Spool(options.archive_limits), {}, {}, {}};
  Changes made;
  if (job.previous) {
    reject_sidecar_files(job);
    options.constants = job.previous->inputs.constants;
    if (!is_up_to_date(job)) {
      make_outputs(job, outputs);
      made = changes_for(job, outputs);
    }
  }
  // They identify members by name, so they apply to the archive before the changes as well.
  made.edit = changes.edit;
  made.add.insert(made.add.begin(), changes.add.begin(), changes.add.end());
  made.remove.insert(made.remove.end(), changes.remove.begin(), changes.remove.end());
  return archive::write_to_path(archive, made, output);
}

}  // namespace mlf::process

namespace mlf {

Result<ProcessReport> process_archive(const std::string& path, const ProcessOptions& options) {
  return support::to_result_in(path, [&] { return process::run(path, options); });
}

std::string to_json(std::span<const ProcessedArchive> archives, const DocumentForm& form) {
  DocumentForm with_origins = form;
  for (const ProcessedArchive& one : archives) {
    with_origins.origin.archives.push_back(one.report.origin);
  }
  return json::document_text(with_origins, "mlf-process", kProcessVersion, [&](json::Writer& out) {
    out.objects("archives", archives, process::write_processed);
  });
}

}  // namespace mlf
