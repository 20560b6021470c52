// Finding the TIR of an archive, the better one where the same TIR is there twice.
#include <algorithm>
#include <map>
#include <set>

#include "deployment/c_sources.h"
#include "deployment/constants.h"
#include "deployment/tir_name.h"
#include "mlf/deployment.h"
#include "support/error.h"

namespace mlf {
namespace {

using deployment::TirForm;
using deployment::TirName;

/// Where one TIR can be read from.
struct Candidate {
  std::string name;
  std::string path;
  std::string_view text;
  const archive::Member* member = nullptr;
  TirForm form = TirForm::text;
};

/// Stem to what was chosen for it.
using Chosen = std::map<std::string, Candidate, std::less<>>;

void offer(Chosen& chosen, std::string_view stem, Candidate candidate) {
  const auto at = chosen.find(stem);
  if (at == chosen.end()) {
    chosen.emplace(stem, std::move(candidate));
  } else if (candidate.form == TirForm::twin) {
    at->second = std::move(candidate);
  }
}

void refuse_twin_stage(const TirName& name, const Candidate& candidate) {
  if (deployment::stage_of_stem(name.stem) != "tvm") return;
  Location where;
  where.file = candidate.path;
  if (candidate.member != nullptr) where.member = candidate.name;
  throw support::Error(ErrorKind::invalid_input,
                       "no stage may be called 'tvm': src/" + std::string(name.stem) +
                           ".json is the name of a lossless twin",
                       where);
}

void find_in_archive(const archive::Archive& archive, Chosen& chosen) {
  for (const archive::Member& member : archive.members()) {
    const std::string_view whole = member.name;
    if (!whole.starts_with(deployment::kSourceFolder)) continue;
    const auto name = deployment::parse_tir_name(whole.substr(deployment::kSourceFolder.size()));
    if (!name) continue;
    Candidate candidate{member.name, archive.path(), {}, &member, name->form};
    refuse_twin_stage(*name, candidate);
    offer(chosen, name->stem, std::move(candidate));
  }
}

[[noreturn]] void refuse_file(const TirFile& file, std::string message) {
  Location where;
  where.file = file.path;
  throw support::Error(ErrorKind::usage, std::move(message), where);
}

void add_file(const TirFile& file, const archive::Archive& archive, const ModelLibrary& library,
              Chosen& chosen) {
  Candidate candidate{std::string(file.name()), file.path, file.text, nullptr, TirForm::text};
  const auto name = deployment::parse_tir_name(file.name());
  if (!name) {
    const auto taken = [&](const std::string& stem) { return chosen.contains(stem); };
    const auto& targets = library.modules.front().targets;
    const Target* target = targets.empty() ? nullptr : &targets.front().target;
    chosen.emplace(deployment::free_stem(target, taken), std::move(candidate));
    return;
  }
  if (archive.find(std::string(deployment::kSourceFolder) + candidate.name) != nullptr) {
    refuse_file(file, "the archive has a member src/" + candidate.name + " already");
  }
  refuse_twin_stage(*name, candidate);
  candidate.form = name->form;
  offer(chosen, name->stem, std::move(candidate));
}

TirSource source_from(const std::string& stem, Candidate candidate,
                      const archive::Archive& archive) {
  if (candidate.member != nullptr) {
    candidate.text = support::get_or_throw(archive.read(*candidate.member));
  }
  return {.stem = stem,
          .stage = std::string(deployment::stage_of_stem(stem)),
          .name = std::move(candidate.name),
          .path = std::move(candidate.path),
          .text = candidate.text,
          .member = candidate.member,
          .c = {},
          .c_members = {},
          .constants = {}};
}

}  // namespace

Result<std::vector<TirSource>> find_tir(const archive::Archive& archive,
                                        const ModelLibrary& library,
                                        std::span<const TirFile> beside) {
  return support::to_result([&] {
    Chosen chosen;
    find_in_archive(archive, chosen);
    std::set<std::string_view> names;
    for (const TirFile& file : beside) {
      if (!names.insert(file.name()).second) {
        refuse_file(file, "another file of this name is given already");
      }
      add_file(file, archive, library, chosen);
    }
    std::vector<TirSource> sources;
    for (auto& [stem, candidate] : chosen) {
      sources.push_back(source_from(stem, std::move(candidate), archive));
    }
    deployment::add_constant_sources(archive, library, sources);
    deployment::add_generated_c(archive, library, sources);
    std::sort(sources.begin(), sources.end(),
              [](const TirSource& a, const TirSource& b) { return a.stem < b.stem; });
    return sources;
  });
}

}  // namespace mlf
