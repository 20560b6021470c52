#include "deployment/generated_c.h"

#include <algorithm>
#include <set>
#include <utility>

#include "deployment/member_text.h"
#include "deployment/owners.h"
#include "graph/formats/graph_json.h"
#include "support/c_files.h"
#include "support/source_text.h"
#include "tir/c/c.h"
#include "tir/c/read/interface_header.h"
#include "tir/c/read/words.h"
#include "tir/node_queries.h"

namespace mlf::deployment {
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
  return [&archive](std::string_view path) {
    std::vector<std::string_view> texts;
    if (support::is_tvm_header(path)) return texts;
    for (const archive::Member& member : archive.members()) {
      if (member.type == archive::MemberType::file &&
          support::leaf_of(member.name) == support::leaf_of(path)) {
        texts.push_back(support::get_or_throw(archive.read(member)));
      }
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
    if (!file.has_functions()) continue;
    if (std::ranges::find(kinds, file.target_kind()) == kinds.end()) {
      kinds.push_back(file.target_kind());
    }
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

constexpr std::string_view kSymbolPrefix = "tvmgen_";

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

CapturedModules::CapturedModules(const ModelLibrary& library, std::span<const TirSource> captured)
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

bool CapturedModules::mention(std::string_view prefix) const {
  const auto at = symbols_.lower_bound(prefix);
  return at != symbols_.end() && at->starts_with(prefix);
}

bool CapturedModules::show(const Module& module) const {
  if (module.style == Style::operator_only) return !captured_.empty();
  // With a graph executor there is no main, so any TIR is sufficient.
  const std::string prefix = symbol_prefix(module.name);
  if (std::ranges::find(module.executors, Executor::aot) == module.executors.end()) {
    return is_only_one_ ? !captured_.empty() : mention(prefix);
  }
  // For a single module, also recognises main under another module's name, which a sidecar file may
  // have.
  return std::ranges::any_of(tir::kMainNames, [&](std::string_view main) {
    return is_only_one_ ? mentions(captured_, main) : mention(prefix + std::string(main));
  });
}

}  // namespace mlf::deployment
