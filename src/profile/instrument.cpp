// Calls of functions around the calls of main, for measurements on boards.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "archive/rewrite.h"
#include "edit/call_slots.h"
#include "edit/edit.h"
#include "mlf/profile.h"
#include "process/regenerate.h"
#include "profile/instrument_texts.h"
#include "support/error.h"
#include "support/file.h"

namespace mlf {
namespace profile {
namespace {

using edit::Edit;
using edit::refuse;
using support::get_or_throw;

std::string begin_of(std::size_t call) {
  return fmt::format("mlf_call_begin({}); ", call);
}

std::string end_of(std::size_t call) {
  return fmt::format(" mlf_call_end({});", call);
}

std::string include_line(std::string_view module) {
  return fmt::format("#include \"{}\"\n", instrument_header(module));
}

bool mentions_instruments(std::string_view text) {
  return text.find("mlf_call_begin") != text.npos || text.find("mlf_call_end") != text.npos;
}

/// Names of modules come from the archive and become names of files.
void check_name(const std::string& module) {
  const auto is_safe = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
  };
  if (module.empty() || !std::ranges::all_of(module, is_safe)) {
    refuse("the name of module '" + module + "' is not valid in the name of a file");
  }
}

std::string instrumented(const edit::MainCalls& main, const std::string& module) {
  if (mentions_instruments(main.text)) refuse("main is instrumented already", main.member->name);
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < main.slots.size(); ++i) {
    const tir::SourceRange range = main.slots[i].place.range;
    edits.push_back({{range.begin, range.begin}, begin_of(i)});
    edits.push_back({{range.end, range.end}, end_of(i)});
  }
  return include_line(module) + edit::apply(main.text, std::move(edits));
}

/// Removes the calls of functions, in the order in which they were added.
std::string without_instruments(std::string_view text, std::size_t header,
                                const std::string& member) {
  std::string result;
  std::size_t kept = header;
  const auto take_out = [&](const std::string& added) {
    const std::size_t at = text.find(added, kept);
    if (at == text.npos) return false;
    result += text.substr(kept, at - kept);
    kept = at + added.size();
    return true;
  };
  for (std::size_t call = 0; take_out(begin_of(call)); ++call) {
    if (!take_out(end_of(call))) break;
  }
  result += text.substr(kept);
  if (mentions_instruments(result)) refuse("the calls in main are not as mlf writes them", member);
  return result;
}

archive::Lost write_changed(const Deployment& deployment, const archive::Changes& changes,
                            const std::string& output) {
  const archive::Archive& archive = deployment.archive();
  const support::File file = support::File::anonymous();
  archive::write_to(archive, changes, file);
  const auto mapped = support::FileContent::map(file);
  Deployment changed = get_or_throw(
      Deployment::open(get_or_throw(archive::Archive::from_bytes(mapped.bytes(), archive.path()))));
  archive::Lost lost;
  process::regenerate(std::move(changed), [&](archive::Changes made) {
    made.edit = changes.edit;
    made.add.insert(made.add.begin(), changes.add.begin(), changes.add.end());
    made.remove.insert(made.remove.end(), changes.remove.begin(), changes.remove.end());
    if (output != "-") {
      lost = archive::write_to_path(archive, made, output);
    } else {
      archive::write_to(archive, made,
                        support::File::duplicate(STDOUT_FILENO, std::string("standard output")));
    }
  });
  return lost;
}

archive::Lost instrument(const Deployment& deployment, const Network& network,
                         const std::string& output) {
  const std::string& module = deployment.library().modules[network.module].name;
  check_name(module);
  if (network.topology.provenance.kind == graph::ProvenanceKind::graph_json) {
    refuse("a graph executor has no main: its runtime calls the kernels");
  }
  const edit::EditedMembers members(deployment.archive());
  const edit::MainCalls main =
      edit::calls_of_main(deployment, members, network.module, network.topology, {});
  archive::Changes changes;
  changes.edit.push_back({main.member->name, instrumented(main, module)});
  for (const AddedMember& one : instrument_members(module, main.slots.size())) {
    const bool exists = deployment.archive().find(one.name) != nullptr;
    if (exists) refuse("the archive has this file already", one.name);
    changes.add.push_back(
        {.name = one.name,
         .like = main.member,
         .write = [text = one.text](support::ByteSink& sink) { sink.write(text); },
         .size = one.text.size()});
  }
  return write_changed(deployment, changes, output);
}

/// The changes of one module, if its main is instrumented.
void add_removal(const Deployment& deployment, const Module& module, archive::Changes& changes) {
  const archive::Archive& archive = deployment.archive();
  const std::string include = include_line(module.name);
  for (const FileRef& file : module.files.sources) {
    const std::string_view text = get_or_throw(archive.read(*archive.find(file.name)));
    if (!text.starts_with(include) || !mentions_instruments(text)) continue;
    changes.edit.push_back({file.name, without_instruments(text, include.size(), file.name)});
    for (const AddedMember& one : instrument_members(module.name, 0)) {
      if (archive.find(one.name) != nullptr) changes.remove.push_back(one.name);
    }
  }
}

archive::Lost remove_instruments(const Deployment& deployment, const std::string& output) {
  archive::Changes changes;
  for (const Module& module : deployment.library().modules) {
    add_removal(deployment, module, changes);
  }
  if (changes.edit.empty()) refuse("no main in it is instrumented");
  return write_changed(deployment, changes, output);
}

template <class Write>
Result<std::vector<std::string>> written(const Deployment& deployment, Write write) {
  return support::to_result(write).map_error([&](Diagnostic diagnostic) {
    return in_file(std::move(diagnostic), deployment.archive().path());
  });
}

}  // namespace
}  // namespace profile

Result<std::vector<std::string>> write_instrumented(const Deployment& deployment,
                                                    const Network& network,
                                                    const std::string& output) {
  return profile::written(deployment,
                          [&] { return profile::instrument(deployment, network, output); });
}

Result<std::vector<std::string>> write_without_instruments(const Deployment& deployment,
                                                           const std::string& output) {
  return profile::written(deployment,
                          [&] { return profile::remove_instruments(deployment, output); });
}

}  // namespace mlf
