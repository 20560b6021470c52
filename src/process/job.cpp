#include "process/job.h"

#include <algorithm>
#include <set>
#include <utility>

#include "archive/contents.h"
#include "archive/replace_file.h"
#include "deployment/tir_name.h"
#include "model_library/files.h"
#include "model_library/layout.h"
#include "support/error.h"
#include "support/sha256.h"

namespace mlf::process {
namespace {

using archive::Archive;
using archive::Member;
using support::get_or_throw;

[[noreturn]] void refuse_file(const std::string& path, std::string message) {
  throw support::Error(ErrorKind::usage, std::move(message), {.file = path});
}

/// The member for a file with TIR.
std::string member_of(const std::string& path, std::string_view directory) {
  const std::string name = archive::leaf_of(path);
  if (!deployment::parse_tir_name(name)) {
    refuse_file(path,
                "TIR is added under the name of its file, which has to be like tir-1.txt or "
                "tir-1.tvm.json");
  }
  return std::string(directory) + name;
}

/// The file that states the modules, else a file of generated code or captured TIR: a deployment
/// requires one of them. Null if there is none.
const Member* anchor_of(const Archive& archive) {
  if (const Member* description = model_library::description_of(archive)) return description;
  const std::string_view directory = deployment::source_directory(archive);
  const auto found = std::ranges::find_if(archive.members(), [&](const Member& member) {
    return member.type == archive::MemberType::file &&
           (member.name.starts_with("codegen/") ||
            deployment::parse_tir_member(directory, member.name));
  });
  return found == archive.members().end() ? nullptr : &*found;
}

/// Adds the TIR to the archive in memory, and returns the names of existing members with other
/// content, which do not change.
std::vector<std::string> add_tir(Archive& archive, const ProcessOptions& options) {
  std::vector<archive::OverlaidFile> added;
  std::vector<std::string> kept;
  const std::string_view directory = deployment::source_directory(archive);
  std::set<std::string> names;
  for (const std::string& path : options.added_tir_files) {
    const std::string name = member_of(path, directory);
    if (!names.insert(name).second) {
      refuse_file(path, "two files have this name");
    }
    auto file = archive::open_overlaid(name, path, options.archive_limits);
    const Member* const present = archive.find(name);
    if (present == nullptr) {
      added.push_back(std::move(file));
    } else if (get_or_throw(archive.read(*present)) != file.content.bytes()) {
      kept.push_back(name);
    }
  }
  // Without one, this is not a Model Library Format; opening the deployment reports that.
  if (const Member* anchor = anchor_of(archive)) {
    archive::overlay(archive, std::move(added), std::string(anchor->name));
  }
  return kept;
}

/// Locks an archive that will change, so two runs on one archive wait for each other. A run that
/// only reads does not wait.
Archive open_archive(const std::string& path, const ProcessOptions& options) {
  const bool update = in_place(path, options) && options.effect == Effect::write;
  Archive archive = get_or_throw(update ? Archive::open_for_update(path, options.archive_limits)
                                        : Archive::open(path, options.archive_limits));
  model_library::take_layout(archive);
  return archive;
}

Deployment open_deployment(Archive archive, const ProcessOptions& options) {
  return get_or_throw(Deployment::open(
      std::move(archive), {.tir_files = get_or_throw(load_tir_files(
                               options.tir_files, options.tir_limits.max_source_bytes)),
                           .tir_limits = options.tir_limits,
                           .macros = options.macros}));
}

/// Null if it is missing.
const Member* written_member(const Archive& archive, const FileDigest& written) {
  const Member* member = archive.find(written.name);
  return member != nullptr && member->type == archive::MemberType::file ? member : nullptr;
}

/// Computes digests that will be needed, while the caller reads: of the members that determine the
/// outputs, and of the last run's outputs. The archive keeps them.
std::future<void> count_ahead(const Job& job) {
  std::vector<const Member*> members = job.members_read;
  if (job.previous) {
    for (const FileDigest& written : job.previous->written) {
      if (const Member* member = written_member(job.archive(), written)) members.push_back(member);
    }
  }
  std::uint64_t bytes = 0;
  for (const Member* member : members) bytes += member->size;
  // Starts at the end: a comparison with the manifest starts at the front, and the two meet.
  std::ranges::reverse(members);
  return std::async(support::launch_policy(bytes),
                    [&archive = job.archive(), members = std::move(members)] {
                      // An unreadable member is an error when its digest is requested.
                      for (const Member* member : members) (void)archive.sha256(*member);
                    });
}

std::optional<Manifest> previous_manifest(const Archive& archive, const OutputNames& names) {
  const Member* member = archive.find(names.manifest());
  // A directory or link with this name is not from mlf.
  if (member == nullptr || member->type != archive::MemberType::file) return std::nullopt;
  return read_manifest(get_or_throw(archive.read(*member)), names);
}

}  // namespace

bool in_place(const std::string& path, const ProcessOptions& options) {
  return options.output.empty() && path != kStandardStream;
}

OutputState state_of(const Archive& archive, const FileDigest& written) {
  const Member* member = written_member(archive, written);
  if (member == nullptr) return OutputState::missing;
  // Compares only content: times and owners change if the archive is repacked.
  return get_or_throw(archive.sha256(*member)) == written.sha256 ? OutputState::intact
                                                                 : OutputState::changed;
}

const archive::Member& Job::anchor() const {
  return *anchor_of(archive());
}

Inputs Job::inputs(tir::ConstantPlace constants) const {
  Inputs inputs{constants, {}, files_read};
  for (const Member* member : members_read) {
    inputs.members.push_back({member->name, get_or_throw(archive().sha256(*member))});
  }
  return inputs;
}

Job prepare(const std::string& path, const ProcessOptions& options) {
  Archive archive = open_archive(path, options);
  std::vector<std::string> kept = add_tir(archive, options);
  Job job = prepare(open_deployment(std::move(archive), options), options);
  job.kept = std::move(kept);
  return job;
}

Job prepare(Deployment deployment, const ProcessOptions& options) {
  const OutputNames names(deployment::source_directory(deployment.archive()));
  Job job{.options = options, .deployment = std::move(deployment), .names = names};
  job.members_read = get_or_throw(job.deployment.members_read());
  job.files_read = job.deployment.files_read();
  job.previous = previous_manifest(job.archive(), job.names);
  job.counting = count_ahead(job);
  return job;
}

}  // namespace mlf::process
