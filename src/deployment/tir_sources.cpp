#include "deployment/tir_sources.h"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "deployment/member_text.h"
#include "deployment/tir_name.h"
#include "graph/formats/graph_json.h"
#include "support/c_files.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/file.h"
#include "support/lookup.h"
#include "support/source_text.h"
#include "tir/c/c.h"
#include "tir/node_queries.h"

namespace mlf {
namespace deployment {
namespace {

constexpr std::string_view kStage = "codegen";

/// A file of codegen/host/src and its kind.
struct SourceFile {
  const archive::Member* member;
  std::string_view text;
  tir::CFile role;

  bool has_functions() const { return role.role == tir::CRole::kernels && !role.functions.empty(); }
  std::string_view target_kind() const {
    const std::string_view kind = std::string_view(role.target).substr(0, role.target.find(' '));
    return kind.empty() ? "c" : kind;
  }
};

/// Uses the content, not TVM's numbers: the target determines whether lib0 or lib1 has the kernels.
std::vector<SourceFile> source_files(const archive::Archive& archive, const Module& module,
                                     const tir::MacroValues& macros) {
  std::vector<SourceFile> files;
  for (const FileRef& file : module.files.sources) {
    const std::string_view text = member_text(archive, file);
    files.push_back({archive.find(file.name), text, tir::describe_c(text, macros)});
  }
  // Functions of another generator are read with those of TVM, or alone.
  const auto is_kernels = [](const SourceFile& file) { return file.has_functions(); };
  const bool has_kernels = std::ranges::any_of(files, is_kernels);
  for (SourceFile& file : files) {
    if (!has_kernels && file.role.role == tir::CRole::external) {
      file.role.role = tir::CRole::kernels;
    }
  }
  return files;
}

/// The first definition applies, as for a linker that takes the first archive member.
support::NameMap<std::string, tir::CodePlace> places_of(const std::vector<SourceFile>& files) {
  support::NameMap<std::string, tir::CodePlace> places;
  for (const SourceFile& file : files) {
    // Definitions are in the order of the text: its lines are counted once.
    support::SourceText source{.file = {}, .member = {}, .text = file.text};
    for (const tir::CDefinition& definition : file.role.definitions) {
      const tir::SourceRange range = definition.range;
      source.count_lines_to(range.begin);
      const Location begin = source.locate(range.begin);
      // The last brace, which is before the end of the range.
      source.count_lines_to(std::max<std::size_t>(range.end, 1) - 1);
      tir::CodePlace place{.member = file.member->name,
                           .line = begin.line,
                           .column = begin.column,
                           .last_line = source.counted.line};
      places.try_emplace(definition.symbol, std::move(place));
    }
  }
  return places;
}

/// Sizes of pools, which the header of the C interface has as macros.
std::vector<tir::CPool> pools_of_headers(const archive::Archive& archive, const Module& module) {
  std::vector<tir::CPool> pools;
  for (const FileRef& header : module.files.headers) {
    std::ranges::move(tir::c::read_header(member_text(archive, header)).pools,
                      std::back_inserter(pools));
  }
  return pools;
}

/// TVM's own headers change nothing. Searches when asked, as an archive may have thousands of
/// modules.
tir::FindHeaders headers_of(const archive::Archive& archive) {
  // Files by their last names, once one is searched.
  using Files = std::multimap<std::string_view, const archive::Member*>;
  return [&archive, files = std::make_shared<Files>()](std::string_view path) {
    std::vector<std::string_view> texts;
    if (support::is_tvm_header(path)) return texts;
    if (files->empty()) {
      for (const archive::Member& member : archive.members()) {
        if (member.type != archive::MemberType::file) continue;
        files->emplace(support::leaf_of(member.name), &member);
      }
    }
    const auto [first, last] = files->equal_range(support::leaf_of(path));
    for (auto file = first; file != last; ++file) {
      texts.push_back(support::get_or_throw(archive.read(*file->second)));
    }
    return texts;
  };
}

tir::CTensor tensor(const graph::TensorType& type) {
  if (!type.shape) return {};
  return {type.dtype, *type.shape};
}

/// Returns the parameter types of the kernels that the graph executor's JSON calls. Empty if the
/// module has no graph, or if the graph cannot be read; the reader of the network reports the
/// error.
std::vector<tir::CSignature> graph_signatures(const archive::Archive& archive,
                                              const Module& module) {
  if (!module.files.graph) return {};
  const FileRef& file = *module.files.graph;
  // Without types, parameters of C are bare pointers, and their shapes are guesses from indices.
  const auto topology = graph::read_graph_json(
      {.file = archive.path(), .member = file.name, .text = member_text(archive, file)});
  if (!topology) return {};

  std::vector<tir::CSignature> signatures;
  std::set<std::string_view> known;
  for (const graph::Call& call : topology->calls) {
    const std::string& symbol = topology->kernels[index(call.kernel)].symbol;
    // A kernel has one signature for all its calls.
    if (!known.insert(symbol).second) continue;
    tir::CSignature signature{symbol, {}};
    for (const graph::Argument& argument : call.arguments) {
      signature.params.push_back(tensor(argument.type));
    }
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

/// Kinds of target in the order of their files.
std::vector<std::string_view> target_kinds(const std::vector<SourceFile>& files) {
  std::vector<std::string_view> kinds;
  for (const SourceFile& file : files) {
    if (file.has_functions()) support::add_once(kinds, file.target_kind());
  }
  return kinds;
}

/// The first comment of a C file names its target. If metadata has no target of this kind, takes
/// the first one.
const Target* target_of_kind(const Module& module, std::string_view kind) {
  const auto found = std::find_if(module.targets.begin(), module.targets.end(),
                                  [&](const ModuleTarget& one) { return one.target.kind == kind; });
  if (found != module.targets.end()) return &found->target;
  return module.targets.empty() ? nullptr : &module.targets.front().target;
}

/// The TIR of one target: its files with functions, and all files without functions. `c` contains
/// the other facts about the module.
TirSource source_of(const archive::Archive& archive, const std::vector<SourceFile>& files,
                    std::string_view kind, tir::CSources c) {
  TirSource source{
      .stem = {}, .stage = std::string(kStage), .name = {}, .path = archive.path(), .text = {}};
  for (const SourceFile& file : files) {
    if (file.has_functions() && file.target_kind() != kind) continue;
    // Its name is that of its first file with functions. Files without functions (pools, the entry
    // point) belong to all targets.
    if (file.has_functions() && source.member == nullptr) {
      source.name = file.member->name;
      source.text = file.text;
      source.member = file.member;
    }
    source.c_members.push_back(file.member);
    c.files.push_back({.file = archive.path(),
                       .member = file.member->name,
                       .text = file.text,
                       .stage = std::string(kStage),
                       .sha256 = digest_of(archive, *file.member)});
  }
  source.c = std::make_shared<const tir::CSources>(std::move(c));
  return source;
}

// Searches the text: opening an archive must not read TIR that may not be needed.
bool mentions(std::span<const TirSource> sources, std::string_view word) {
  return std::ranges::any_of(sources, [&](const TirSource& source) {
    return source.text.find(word) != std::string_view::npos;
  });
}

/// The chosen source by stem, which tells the rest of it.
using Chosen = std::map<std::string, TirSource, std::less<>>;

TirSource source_named(std::string name, std::string path, std::string_view text,
                       const archive::Member* member) {
  return {.stem = {},
          .stage = {},
          .name = std::move(name),
          .path = std::move(path),
          .text = text,
          .member = member};
}

/// Text and twin of one stem are one TIR. Prefers the twin, which has no losses.
void keep_better(Chosen& chosen, const TirName& name, TirSource source) {
  const auto at = chosen.find(name.stem);
  if (at == chosen.end()) {
    chosen.emplace(name.stem, std::move(source));
  } else if (name.form == TirForm::twin) {
    source.twin_of = at->second.member;
    at->second = std::move(source);
  } else {
    at->second.twin_of = source.member;
  }
}

/// The JSON of stage "tvm" would have the name of the twin of stage "lowered".
void refuse_twin_stage(const TirName& name, const TirSource& source) {
  if (stage_of_stem(name.stem) != "tvm") return;
  Location where;
  where.file = source.path;
  if (source.member != nullptr) where.member = source.name;
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
    TirSource source = source_named(member.name, archive.path(), {}, &member);
    refuse_twin_stage(*name, source);
    keep_better(chosen, *name, std::move(source));
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
  TirSource source = source_named(std::string(file.name()), file.path, file.text, nullptr);
  // A file beside the archive may have any other name: it gets a free stem.
  const auto name = parse_tir_name(file.name());
  if (!name) {
    const auto& targets = library.modules.front().targets;
    const Target* target = targets.empty() ? nullptr : &targets.front().target;
    chosen.emplace(stems.add_free(target), std::move(source));
    return;
  }
  const std::string member = std::string(source_directory(archive)) + source.name;
  if (archive.find(member) != nullptr) {
    refuse_file(file, "the archive has a member " + member + " already");
  }
  refuse_twin_stage(*name, source);
  stems.add(name->stem);
  keep_better(chosen, *name, std::move(source));
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

std::vector<TirSource> captured_tir(const archive::Archive& archive, const ModelLibrary& library,
                                    std::span<const TirFile> beside, Stems& stems) {
  Chosen chosen;
  find_in_archive(archive, chosen);
  for (const auto& [stem, source] : chosen) stems.add(stem);
  std::set<std::string_view> names;
  for (const TirFile& file : beside) {
    // The manifest identifies files by their names.
    if (!names.insert(file.name()).second) {
      refuse_file(file, "two files have this name");
    }
    add_file(file, archive, library, chosen, stems);
  }
  std::vector<TirSource> sources;
  for (auto& [stem, source] : chosen) {
    source.stem = stem;
    source.stage = stage_of_stem(stem);
    if (source.member != nullptr) source.text = support::get_or_throw(archive.read(*source.member));
    source.allocates_constants = allocates_constants(source.text);
    sources.push_back(std::move(source));
  }
  return sources;
}

/// Finds the modules of a library that captured TIR contains.
class CapturedModules {
 public:
  CapturedModules(const ModelLibrary& library, std::span<const TirSource> captured)
      : captured_(captured), is_only_one_(library.modules.size() == 1) {
    // One pass over the texts for all modules, because there may be thousands.
    if (is_only_one_) return;
    for (const TirSource& source : captured) {
      const std::string_view text = source.text;
      for (std::size_t at = text.find(kSymbolPrefix); at != std::string_view::npos;) {
        const std::string_view symbol = tir::c::word_at(text, at);
        symbols_.insert(symbol);
        at = text.find(kSymbolPrefix, at + symbol.size());
      }
    }
  }

  /// Returns whether the captured TIR contains this module of the library, see
  /// `Deployment::tir_sources`.
  bool show(const Module& module) const {
    if (module.style == Style::operator_only) return !captured_.empty();
    // With a graph executor there is no main, so any TIR is sufficient.
    const std::string prefix = symbol_prefix(module.name);
    if (std::ranges::find(module.executors, Executor::aot) == module.executors.end()) {
      return is_only_one_ ? !captured_.empty() : mention(prefix);
    }
    // For a single module, also recognises main under another module's name, which a sidecar file
    // may have.
    return std::ranges::any_of(tir::kMainNames, [&](std::string_view main) {
      return is_only_one_ ? mentions(captured_, main) : mention(prefix + std::string(main));
    });
  }

 private:
  bool mention(std::string_view prefix) const {
    const auto at = symbols_.lower_bound(prefix);
    return at != symbols_.end() && at->starts_with(prefix);
  }

  std::span<const TirSource> captured_;
  bool is_only_one_;
  std::set<std::string_view> symbols_;  ///< words after "tvmgen_" in the texts, if needed
};

}  // namespace

GeneratedC generated_c(const archive::Archive& archive, const Module& module,
                       const tir::MacroValues& macros, Stems& stems) {
  const std::vector<SourceFile> files = source_files(archive, module, macros);
  GeneratedC generated{{}, places_of(files)};
  std::vector<TirSource>& sources = generated.sources;
  const std::vector<tir::CSignature> signatures = graph_signatures(archive, module);
  const std::vector<tir::CPool> pools = pools_of_headers(archive, module);
  const tir::FindHeaders headers = headers_of(archive);
  for (const std::string_view kind : target_kinds(files)) {
    TirSource source = source_of(archive, files, kind,
                                 {.files = {},
                                  .signatures = signatures,
                                  .pools = pools,
                                  .headers = headers,
                                  .macros = macros});
    // A name in the form of captured TIR, but different from all of them.
    source.stem = stems.add_free(target_of_kind(module, kind));
    sources.push_back(std::move(source));
  }
  return generated;
}

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

}  // namespace deployment

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
    // One block of a tar.
    TirFile file{path, source.read_up_to(512)};
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
