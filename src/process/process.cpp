// Processing one archive: find out what decides the outputs, stop where they are there already,
// make them aside, then change the archive in one step.
#include "mlf/process.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "archive/rewrite.h"
#include "mlf/deployment.h"
#include "process/manifest.h"
#include "process/output_names.h"
#include "process/render.h"
#include "process/spool.h"
#include "support/error.h"
#include "support/sha256.h"

namespace mlf::process {
namespace {

using archive::Archive;
using archive::Changes;
using archive::Member;
using support::Error;
using support::value_of;

constexpr std::string_view kMetadata = "metadata.json";
constexpr std::string_view kStandardStream = "-";

/// An archive and everything in it that decides what is written.
struct Job {
  const ProcessOptions& options;
  Archive archive;
  std::vector<TirFile> files;
  ModelLibrary library;
  std::vector<TirSource> sources;
  Inputs inputs;
  std::optional<Manifest> previous;

  const Member& metadata() const { return *archive.find(kMetadata); }
};

bool in_place(const std::string& path, const ProcessOptions& options) {
  return options.output.empty() && path != kStandardStream;
}

Archive open_archive(const std::string& path, const ProcessOptions& options) {
  const bool update = in_place(path, options) && options.effect == Effect::write;
  return value_of(update ? Archive::open_for_update(path, options.archive_limits)
                         : Archive::open(path, options.archive_limits));
}

std::vector<TirFile> load_files(const ProcessOptions& options) {
  std::vector<TirFile> files;
  for (const std::string& path : options.tir_files) {
    files.push_back(value_of(load_tir_file(path)));
  }
  return files;
}

std::string digest_of(const Archive& archive, const Member& member) {
  return support::sha256_hex(value_of(archive.read(member)));
}

Inputs inputs_of(const Job& job) {
  Inputs inputs{job.options.constants, {}, {}};
  inputs.members.push_back({std::string(kMetadata), digest_of(job.archive, job.metadata())});
  for (const TirSource& source : job.sources) {
    auto& list = source.member != nullptr ? inputs.members : inputs.files;
    list.push_back({source.name, support::sha256_hex(source.text)});
  }
  return inputs;
}

std::optional<Manifest> previous_manifest(const Archive& archive) {
  const Member* member = archive.find(kManifestName);
  if (member == nullptr || member->type != archive::MemberType::file) return std::nullopt;
  return read_manifest(value_of(archive.read(*member)));
}

/// Everything is read once; `files` have to be in place before the sources that look into them.
Job prepare(const std::string& path, const ProcessOptions& options) {
  Job job{options, open_archive(path, options), load_files(options), {}, {}, {}, {}};
  job.library = value_of(read_model_library(job.archive));
  job.sources = value_of(find_tir(job.archive, job.library, job.files));
  job.inputs = inputs_of(job);
  job.previous = previous_manifest(job.archive);
  return job;
}

void check_requirements(const Job& job) {
  const auto& wanted = job.options.require;
  const bool tir = std::find(wanted.begin(), wanted.end(), Requirement::tir) != wanted.end();
  if (!tir || !job.sources.empty()) return;
  Location where;
  where.file = job.archive.path();
  throw Error(ErrorKind::check_failed,
              "no TIR: the archive has no member src/tir-*.txt or src/tir-*.tvm.json", where);
}

bool is_intact(const Archive& archive, const Digest& written) {
  const Member* member = archive.find(written.name);
  return member != nullptr && member->type == archive::MemberType::file &&
         digest_of(archive, *member) == written.sha256;
}

bool is_up_to_date(const Job& job) {
  if (!job.previous) return job.sources.empty();
  return !job.sources.empty() && job.previous->inputs == job.inputs &&
         std::all_of(job.previous->written.begin(), job.previous->written.end(),
                     [&](const Digest& written) { return is_intact(job.archive, written); });
}

/// The manifest comes last: whoever finds it finds what it lists.
struct Outputs {
  Spool spool;
  std::vector<Output> list;
};

void make_outputs(const Job& job, Outputs& outputs) {
  if (job.sources.empty()) return;
  Manifest manifest{job.inputs, {}, {}};
  for (const TirSource& source : job.sources) {
    Rendering rendering = render(source, job.library, job.metadata(), job.options, outputs.spool);
    manifest.tir.push_back(std::move(rendering.entry));
    for (Output& output : rendering.outputs) {
      manifest.written.push_back({output.name, output.content.sha256});
      outputs.list.push_back(std::move(output));
    }
  }
  const Piece text =
      outputs.spool.add([&](support::ByteSink& out) { write_manifest(manifest, out); });
  outputs.list.push_back({std::string(kManifestName), &job.metadata(), text});
}

/// Members of an earlier run that are still there, the manifest included.
std::set<std::string> own_members(const Job& job) {
  std::set<std::string> own;
  if (!job.previous) return own;
  own.emplace(kManifestName);
  for (const Digest& written : job.previous->written) {
    if (job.archive.find(written.name) != nullptr) own.insert(written.name);
  }
  return own;
}

void refuse_foreign_member(const Job& job, const std::string& name) {
  if (job.options.foreign == ForeignMembers::replace) return;
  Location where;
  where.file = job.archive.path();
  where.member = name;
  throw Error(ErrorKind::invalid_input,
              "a member of this name is there already and mlf's manifest does not list it; "
              "--force replaces it",
              where);
}

Changes changes_for(const Job& job, const Outputs& outputs) {
  const std::set<std::string> own = own_members(job);
  Changes changes{{own.begin(), own.end()}, {}};
  for (const Output& output : outputs.list) {
    if (job.archive.find(output.name) != nullptr && !own.contains(output.name)) {
      refuse_foreign_member(job, output.name);
      changes.remove.push_back(output.name);
    }
    changes.add.push_back({output.name, output.like, [&](support::ByteSink& out) {
                             outputs.spool.copy(output.content, out);
                           }});
  }
  return changes;
}

ProcessReport report_on(const Job& job, const Changes& changes, const Outputs& outputs) {
  ProcessReport report;
  report.tir_sources = job.sources.size();
  std::set<std::string_view> names;
  for (const Output& output : outputs.list) {
    report.written.push_back({output.name, output.content.size});
    names.insert(output.name);
  }
  for (const std::string& name : changes.remove) {
    if (!names.contains(name)) report.removed.push_back(name);
  }
  return report;
}

void apply(const Job& job, const Changes& changes, const std::string& path) {
  const std::string& output = job.options.output;
  if (in_place(path, job.options)) {
    if (!changes.empty()) archive::update_in_place(job.archive, changes);
  } else if (output.empty() || output == kStandardStream) {
    archive::write_to(job.archive, changes,
                      support::File::duplicate(STDOUT_FILENO, std::string("standard output")));
  } else {
    archive::write_to_path(job.archive, changes, output);
  }
}

ProcessReport run(const std::string& path, const ProcessOptions& options) {
  const Job job = prepare(path, options);
  check_requirements(job);
  Outputs outputs;
  Changes changes;
  if (!is_up_to_date(job)) {
    make_outputs(job, outputs);
    changes = changes_for(job, outputs);
  }
  if (options.effect == Effect::write) apply(job, changes, path);
  return report_on(job, changes, outputs);
}

}  // namespace
}  // namespace mlf::process

namespace mlf {

Result<ProcessReport> process_archive(const std::string& path, const ProcessOptions& options) {
  return support::at_door([&] { return process::run(path, options); })
      .map_error([&](Diagnostics diagnostics) { return in_file(std::move(diagnostics), path); });
}

}  // namespace mlf
