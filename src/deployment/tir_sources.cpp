#include "deployment/tir_sources.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "deployment/generated_c.h"
#include "deployment/tir_name.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/file.h"

namespace mlf {

std::string_view TirFile::name() const noexcept {
  const std::string_view whole = path;
  return whole.substr(whole.rfind('/') + 1);
}

namespace {

/// Reads to the end. A stream may be endless, so keeps at most `max_bytes`, which is at least the
/// size of `file.text`.
void read_rest(const support::File& source, std::uint64_t max_bytes, TirFile& file) {
  std::array<char, 65536> buffer;
  while (const std::size_t count = source.read_some(buffer.data(), buffer.size())) {
    if (file.text.size() + count > max_bytes) {
      throw support::Error(ErrorKind::invalid_input,
                           "has more than " + std::to_string(max_bytes) + " bytes",
                           {.file = file.path});
    }
    file.text.append(buffer.data(), count);
  }
}

support::File open_source(const std::string& path) {
  return path == "-" ? support::File::duplicate(STDIN_FILENO, path)
                     : support::File::open(path, O_RDONLY);
}

}  // namespace

Result<TirFile> load_tir_file(const std::string& path, std::uint64_t max_bytes) {
  return support::to_result([&] {
    TirFile file{path, {}};
    read_rest(open_source(path), max_bytes, file);
    return file;
  });
}

Result<TirFile> load_tir_or_archive(const std::string& path, std::uint64_t max_tir_bytes,
                                    std::uint64_t max_archive_bytes) {
  return support::to_result([&] {
    const support::File source = open_source(path);
    TirFile file{path, {}};
    // One block of a tar; a pipe may give fewer bytes at once.
    std::array<char, 512> head;
    while (file.text.size() < head.size()) {
      const std::size_t count = source.read_some(head.data(), head.size() - file.text.size());
      if (count == 0) break;
      file.text.append(head.data(), count);
    }
    const bool is_archive = archive::begins_as_archive(file.text);
    read_rest(source, is_archive ? max_archive_bytes : max_tir_bytes, file);
    return file;
  });
}

Result<std::vector<TirFile>> load_tir_files(std::span<const std::string> paths,
                                            std::uint64_t max_bytes) {
  return support::to_result([&] {
    std::vector<TirFile> files;
    for (const std::string& path : paths) {
      files.push_back(support::get_or_throw(load_tir_file(path, max_bytes)));
    }
    return files;
  });
}

}  // namespace mlf

namespace mlf::deployment {
namespace {

/// A possible source of one TIR.
struct Candidate {
  std::string name;
  std::string path;
  std::string_view text;
  const archive::Member* member = nullptr;
  TirForm form = TirForm::text;
  const archive::Member* twin_of = nullptr;
};

/// The chosen source by stem.
using Chosen = std::map<std::string, Candidate, std::less<>>;

/// Text and twin of one stem are one TIR. Prefers the twin, which has no losses.
void keep_better(Chosen& chosen, std::string_view stem, Candidate candidate) {
  const auto at = chosen.find(stem);
  if (at == chosen.end()) {
    chosen.emplace(stem, std::move(candidate));
  } else if (candidate.form == TirForm::twin) {
    candidate.twin_of = at->second.member;
    at->second = std::move(candidate);
  } else {
    at->second.twin_of = candidate.member;
  }
}

/// The JSON of stage "tvm" would have the name of the twin of stage "lowered".
void refuse_twin_stage(const TirName& name, const Candidate& candidate) {
  if (stage_of_stem(name.stem) != "tvm") return;
  Location where;
  where.file = candidate.path;
  if (candidate.member != nullptr) where.member = candidate.name;
  throw support::Error(ErrorKind::invalid_input,
                       "no stage may be called 'tvm': src/" + std::string(name.stem) +
                           ".json is the name of a lossless twin",
                       where);
}

void find_in_archive(const archive::Archive& archive, Chosen& chosen) {
  const std::string_view directory = source_directory(archive);
  for (const archive::Member& member : archive.members()) {
    const auto name = parse_tir_member(directory, member.name);
    if (!name) continue;
    Candidate candidate{member.name, archive.path(), {}, &member, name->form};
    refuse_twin_stage(*name, candidate);
    keep_better(chosen, name->stem, std::move(candidate));
  }
}

[[noreturn]] void refuse_file(const TirFile& file, std::string message) {
  throw support::Error(ErrorKind::usage, std::move(message), {.file = file.path});
}

void add_file(const TirFile& file, const archive::Archive& archive, const ModelLibrary& library,
              Chosen& chosen, Stems& stems) {
  // The name goes into the manifest, and into names of members if it has their form.
  if (!support::is_plain(file.name())) {
    refuse_file(file, "the name of a file with TIR is UTF-8 without control characters");
  }
  Candidate candidate{std::string(file.name()), file.path, file.text, nullptr, TirForm::text};
  // A file beside the archive may have any other name: it gets a free stem.
  const auto name = parse_tir_name(file.name());
  if (!name) {
    const auto& targets = library.modules.front().targets;
    const Target* target = targets.empty() ? nullptr : &targets.front().target;
    chosen.emplace(stems.add_free(target), std::move(candidate));
    return;
  }
  const std::string member = std::string(source_directory(archive)) + candidate.name;
  if (archive.find(member) != nullptr) {
    refuse_file(file, "the archive has a member " + member + " already");
  }
  refuse_twin_stage(*name, candidate);
  candidate.form = name->form;
  stems.add(name->stem);
  keep_better(chosen, name->stem, std::move(candidate));
}

/// Whether a text has constants and may therefore lack their data. Avoids the cost for other texts.
/// The markers are those of TVMScript, of legacy text, and of both for constants in attributes.
bool allocates_constants(std::string_view text) {
  // save_json has all data.
  if (text.starts_with('{')) return false;
  constexpr std::string_view kSigns[] = {"allocate_const(", "constant(", "runtime.NDArray"};
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
}

TirSource source_from(const std::string& stem, Candidate candidate,
                      const archive::Archive& archive) {
  if (candidate.member != nullptr) {
    candidate.text = support::get_or_throw(archive.read(*candidate.member));
  }
  return {.stem = stem,
          .stage = std::string(stage_of_stem(stem)),
          .name = std::move(candidate.name),
          .path = std::move(candidate.path),
          .text = candidate.text,
          .member = candidate.member,
          .twin_of = candidate.twin_of,
          .c = {},
          .c_members = {},
          .allocates_constants = allocates_constants(candidate.text)};
}

std::vector<TirSource> captured_tir(const archive::Archive& archive, const ModelLibrary& library,
                                    std::span<const TirFile> beside, Stems& stems) {
  Chosen chosen;
  find_in_archive(archive, chosen);
  for (const auto& [stem, candidate] : chosen) stems.add(stem);
  std::set<std::string_view> names;
  for (const TirFile& file : beside) {
    // The manifest identifies files by their names.
    if (!names.insert(file.name()).second) {
      refuse_file(file, "two files have this name");
    }
    add_file(file, archive, library, chosen, stems);
  }
  std::vector<TirSource> sources;
  for (auto& [stem, candidate] : chosen) {
    sources.push_back(source_from(stem, std::move(candidate), archive));
  }
  return sources;
}

}  // namespace

TirSources find_tir(const archive::Archive& archive, const ModelLibrary& library,
                    std::span<const TirFile> beside, const tir::MacroValues& macros) {
  // Captured TIR first; C only for modules without captured TIR.
  TirSources sources;
  const std::vector<TirSource> captured = captured_tir(archive, library, beside, sources.stems);
  sources.all = captured;
  const CapturedModules shown(library, captured);
  for (const Module& module : library.modules) {
    auto& generated = sources.generated.emplace_back();
    if (shown.show(module)) continue;
    generated = generated_c(archive, module, macros, sources.stems);
    sources.all.insert(sources.all.end(), generated->sources.begin(), generated->sources.end());
  }
  // Sorted by name, so that outputs do not depend on the order of members.
  std::ranges::sort(sources.all, {}, &TirSource::stem);
  for (std::size_t i = 0; i < sources.all.size(); ++i) {
    // The first source with a name applies.
    sources.positions.try_emplace(sources.all[i].stem, i);
    sources.positions.try_emplace(sources.all[i].name, i);
  }
  return sources;
}

}  // namespace mlf::deployment
