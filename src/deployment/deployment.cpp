#include "mlf/deployment.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "archive/contents.h"
#include "deployment/agreement.h"
#include "deployment/constants.h"
#include "deployment/inferred_library.h"
#include "deployment/member_text.h"
#include "deployment/network_search.h"
#include "deployment/tir_name.h"
#include "deployment/tir_sources.h"
#include "graph/kernels/kernel_code.h"
#include "model_library/build.h"
#include "model_library/files.h"
#include "model_library/layout.h"
#include "support/error.h"
#include "support/file.h"
#include "support/lookup.h"
#include "support/sha256.h"
#include "tir/c/c.h"

namespace mlf {
namespace {

using archive::Member;
using support::get_or_throw;

/// Directories and links belong to no module.
std::vector<FileRef> regular_files(const archive::Archive& archive) {
  std::vector<FileRef> files;
  for (const Member& member : archive.members()) {
    if (member.type == archive::MemberType::file) files.push_back({member.name, member.size});
  }
  return files;
}

/// A graph for TVM's graph executor, as `export_library` and `tvmc compile` write it beside a
/// library.
const Member* graph_without_archive(const archive::Archive& archive) {
  for (const Member& member : archive.members()) {
    if (member.type != archive::MemberType::file || !member.name.ends_with(".json")) continue;
    const std::string_view text = get_or_throw(archive.read(member));
    const bool is_graph =
        text.find("\"arg_nodes\"") != text.npos && text.find("\"node_row_ptr\"") != text.npos;
    if (is_graph) return &member;
  }
  return nullptr;
}

ModelLibrary read_any_metadata(const archive::Archive& archive) {
  const std::vector<FileRef> files = regular_files(archive);
  const Member* metadata = archive.find(model_library::kMetadata);
  if (metadata == nullptr) {
    if (const Member* build = archive.find(model_library::kBuild)) {
      return model_library::read_build(
          {archive.path(), build->name, get_or_throw(archive.read(*build))}, files);
    }
    // Some archives have only generated code and no metadata.json.
    if (auto library = deployment::inferred_library(archive, files)) return *std::move(library);
    if (const Member* graph = graph_without_archive(archive)) {
      throw support::Error(
          ErrorKind::invalid_input,
          "no metadata.json: this is a graph for TVM's graph executor, without the Model Library "
          "Format; tvmc compile --output-format=mlf writes an archive of the same network",
          {.file = archive.path(), .member = graph->name});
    }
    throw support::Error(ErrorKind::invalid_input,
                         "no metadata.json: this is not a Model Library Format archive" +
                             model_library::hint_at_format(archive.members()),
                         {.file = archive.path()});
  }
  const std::string_view text = get_or_throw(archive.read(*metadata));
  return get_or_throw(read_model_library(text, files).map_error([&](Diagnostic diagnostic) {
    return in_file(std::move(diagnostic), archive.path());
  }));
}

ModelLibrary read_metadata(const archive::Archive& archive) {
  ModelLibrary library = read_any_metadata(archive);
  const std::uint64_t most = archive.contents().limits.max_modules;
  if (library.modules.size() <= most) return library;
  throw support::Error(
      ErrorKind::invalid_input,
      "the archive has more than " + std::to_string(most) + " modules (--limit modules=N)",
      {.file = archive.path()});
}

/// Whether the capture is lossless, and therefore a source of constants that texts lack.
bool has_whole_constants(const TirSource& source) {
  return !source.c && source.member != nullptr &&
         tir::detect(source.text) == tir::Dialect::save_json;
}

/// In the order of their first use: several TIR sources share generated C and parameters.
using DistinctMembers = support::DistinctList<const Member*>;

}  // namespace

struct Deployment::State {
  /// A document that may not be read yet.
  struct Slot {
    std::mutex reading;
    std::shared_ptr<const tir::Document> kept;
    std::shared_ptr<const graph::DocumentCode> code;  ///< of `kept`; null: not needed yet
    std::weak_ptr<const tir::Document> released;      ///< a caller may still hold it
  };
  /// The sources of constants that texts lack: captured modules, and the files of each module of
  /// the library.
  struct ConstantSources {
    struct OfModule {
      std::span<const TirSource> generated_c;
      const FileRef* params;  ///< null: none
    };
    std::vector<const TirSource*> captured;
    std::vector<OfModule> modules;
  };
  using SlotName = std::pair<std::string, std::string>;  // path and name of the source

  State(archive::Archive opened, DeploymentOptions options)
      : archive(std::move(opened)),
        files(std::move(options.tir_files)),
        limits(options.tir_limits),
        pool_sizes(std::move(options.pool_sizes)),
        macros(std::move(options.macros)),
        library(read_metadata(archive)),
        symbols(library),
        stated(library),
        sources(deployment::find_tir(archive, library, files, macros)) {}

  Slot& slot_of(const TirSource& source);
  std::shared_ptr<const tir::Document> document(const TirSource& source);
  tir::Document read(const TirSource& source);
  tir::Document read_text(const TirSource& source);
  const deployment::GeneratedC& generated_c(std::size_t module);
  void add_c_places(tir::Document& document);
  ConstantSources constant_sources();
  std::shared_ptr<const tir::Document> with_constants(const TirSource& c);
  const deployment::ConstantLibrary& constants();
  std::vector<const Member*> constant_members();

  archive::Archive archive;
  std::vector<TirFile> files;
  tir::ReadLimits limits;
  std::vector<graph::PoolSize> pool_sizes;
  tir::MacroValues macros;
  ModelLibrary library;
  deployment::ModuleSymbols symbols;
  deployment::StatedOwners stated;
  deployment::TirSources sources;

  // Locks are taken in this order: `agreeing`, the slot of a text, `collecting`, the slot of a
  // source of constants (which is never such a text), `naming` or `generating`.
  std::mutex agreeing;  // of `agreement`
  std::optional<deployment::Agreement> agreement;
  std::atomic<const deployment::Agreement*> known_agreement = nullptr;  // once it is complete
  std::mutex naming;  // protects `slots` and `kept`, not the contents of slots
  std::map<SlotName, Slot> slots;
  std::vector<Slot*> kept;  // those with a document, of possibly thousands
  std::mutex generating;    // of `sources.generated`
  std::mutex collecting;    // of `known_constants`
  std::optional<deployment::ConstantLibrary> known_constants;
  std::vector<Diagnostic> unread_constants;  // the same lock
};

Deployment::State::Slot& Deployment::State::slot_of(const TirSource& source) {
  const std::scoped_lock lock(naming);
  // References into a map stay valid; only the lookup needs the lock.
  return slots[{source.path, source.name}];
}

/// If captured TIR contains a module, its generated C is needed only for constants and for
/// comparison with that TIR, so it is searched on demand.
const deployment::GeneratedC& Deployment::State::generated_c(std::size_t module) {
  const std::scoped_lock lock(generating);
  auto& generated = sources.generated.at(module);
  if (!generated) {
    // Independent of the order of such calls: modules may get equal stems.
    deployment::Stems stems(&sources.stems);
    generated = deployment::generated_c(archive, library.modules[module], macros, stems);
  }
  return *generated;
}

Deployment::State::ConstantSources Deployment::State::constant_sources() {
  ConstantSources found;
  for (const TirSource& source : sources.all) {
    if (has_whole_constants(source)) found.captured.push_back(&source);
  }
  for (std::size_t i = 0; i < library.modules.size(); ++i) {
    const auto& params = library.modules[i].files.parameters;
    found.modules.push_back({generated_c(i).sources, params ? &*params : nullptr});
  }
  return found;
}

/// In the order of `constant_sources`, module by module, which is the order in the manifest.
std::vector<const Member*> Deployment::State::constant_members() {
  const ConstantSources found = constant_sources();
  DistinctMembers members;
  for (const TirSource* source : found.captured) members.add(source->member);
  for (const auto& [generated, params] : found.modules) {
    for (const TirSource& source : generated) {
      for (const Member* file : source.c_members) members.add(file);
    }
    if (params != nullptr) members.add(archive.find(params->name));
  }
  return members.all();
}

tir::Document Deployment::State::read_text(const TirSource& source) {
  return get_or_throw(
      tir::read({.file = source.path,
                 .member = source.member != nullptr ? source.name : std::string(),
                 .text = source.text,
                 .stage = source.stage,
                 .constants = [this](const auto& query) { return constants().find(query); },
                 .sha256 = source.member != nullptr ? deployment::digest_of(archive, *source.member)
                                                    : std::function<std::string()>()},
                limits));
}

/// For TIR that was read from C. Captured TIR stays unchanged.
void Deployment::State::add_c_places(tir::Document& document) {
  for (const tir::NamedFunction& one : tir::prim_functions_of(document.module)) {
    const auto module = symbols.module_of(one.symbol);
    if (!module) continue;
    const auto& places = generated_c(*module).places;
    const auto found = places.find(one.symbol);
    if (found != places.end()) document.c_places.emplace(one.name, found->second);
  }
}

tir::Document Deployment::State::read(const TirSource& source) {
  tir::Document document = source.c ? tir::read_c(*source.c, limits) : read_text(source);
  // Texts do not state their target (legacy text prints meta[Target][0]); metadata does.
  const TirOwners owners =
      deployment::owners_of(document.module, source.stem, library, symbols, stated);
  if (owners.target != nullptr) document.target = owners.target->text;
  if (source.c) add_c_places(document);
  return document;
}

std::shared_ptr<const tir::Document> Deployment::State::document(const TirSource& source) {
  Slot& slot = slot_of(source);
  const std::scoped_lock lock(slot.reading);
  // If a caller still has the released document, it is not read again.
  if (slot.kept != nullptr) return slot.kept;
  slot.kept = slot.released.lock();
  if (slot.kept == nullptr) slot.kept = std::make_shared<const tir::Document>(read(source));
  const std::scoped_lock naming_lock(naming);
  kept.push_back(&slot);
  return slot.kept;
}

/// Generated C with all its constants. Networks need the C, so it is read completely. A function
/// that is not understood has no constants there.
std::shared_ptr<const tir::Document> Deployment::State::with_constants(const TirSource& c) {
  auto whole = document(c);
  bool is_understood = true;
  for (const tir::Loss& loss : whole->losses) {
    if (loss.code != tir::LossCode::unknown_construct) continue;
    is_understood = false;
    // An array, or a pool with its constants.
    if (loss.scope != tir::LossScope::module) continue;
    unread_constants.push_back({.kind = ErrorKind::invalid_input,
                                .message = loss.name,
                                .where = {.file = archive.path()}});
  }
  if (is_understood) return whole;
  return std::make_shared<const tir::Document>(tir::read_c_constants(*c.c, limits));
}

/// Leaves out a source of constants that cannot be read, because the caller did not request it.
/// Parameters of all modules come last: TIR states the owner of a constant, but a parameter has
/// only a name.
const deployment::ConstantLibrary& Deployment::State::constants() {
  const std::scoped_lock lock(collecting);
  if (known_constants) return *known_constants;
  deployment::ConstantLibrary all;
  const auto add = [&](auto&& read, std::span<const tir::Input> of_c = {}) {
    auto document = support::to_result(read);
    if (document) return all.add_module(*std::move(document), of_c);
    support::throw_unless_invalid(document.error());
    unread_constants.push_back(document.error());
  };
  const ConstantSources found = constant_sources();
  for (const TirSource* source : found.captured) add([&] { return document(*source); });
  for (const auto& [generated, params] : found.modules) {
    for (const TirSource& source : generated) {
      add([&] { return with_constants(source); }, source.c->files);
    }
  }
  for (const auto& [generated, params] : found.modules) {
    if (params == nullptr) continue;
    all.add_params({.file = archive.path(),
                    .member = params->name,
                    .text = deployment::member_text(archive, *params)});
  }
  return known_constants.emplace(std::move(all));
}

Deployment::Deployment(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Deployment::Deployment(Deployment&&) noexcept = default;
Deployment& Deployment::operator=(Deployment&&) noexcept = default;
Deployment::~Deployment() = default;

Result<Deployment> Deployment::open(const std::string& path, DeploymentOptions options) {
  return archive::Archive::open(path, options.archive_limits)
      .and_then(
          [&](archive::Archive archive) { return open(std::move(archive), std::move(options)); });
}

Result<Deployment> Deployment::open(archive::Archive archive, DeploymentOptions options) {
  return support::to_result([&] {
    model_library::take_layout(archive);
    return Deployment(std::make_unique<State>(std::move(archive), std::move(options)));
  });
}

const archive::Archive& Deployment::archive() const noexcept {
  return state_->archive;
}
const ModelLibrary& Deployment::library() const noexcept {
  return state_->library;
}
const std::vector<TirSource>& Deployment::tir_sources() const noexcept {
  return state_->sources.all;
}

const std::vector<graph::PoolSize>& Deployment::pool_sizes() const noexcept {
  return state_->pool_sizes;
}
const tir::MacroValues& Deployment::macros() const noexcept {
  return state_->macros;
}

const TirSource* Deployment::find_tir(std::string_view name) const noexcept {
  const auto found = state_->sources.positions.find(name);
  if (found != state_->sources.positions.end()) return &tir_sources()[found->second];
  const deployment::Agreement* known = state_->known_agreement.load();
  if (known == nullptr) return nullptr;
  const auto c = std::ranges::find(known->c, name, &TirSource::stem);
  return c == known->c.end() ? nullptr : &*c;
}

Result<const deployment::Agreement*> Deployment::agreement() const {
  return support::to_result([&] {
    const std::scoped_lock lock(state_->agreeing);
    if (!state_->agreement) {
      state_->agreement = deployment::agreement_of(*this, state_->sources.stems);
      state_->known_agreement = &*state_->agreement;
    }
    return &std::as_const(*state_->agreement);
  });
}

Result<std::shared_ptr<const tir::Document>> Deployment::document(const TirSource& source) const {
  return support::to_result([&] { return state_->document(source); });
}

Result<std::shared_ptr<const graph::DocumentCode>> Deployment::code(const TirSource& source) const {
  return support::to_result([&] {
    const auto document = state_->document(source);
    State::Slot& slot = state_->slot_of(source);
    const std::scoped_lock lock(slot.reading);
    if (slot.code == nullptr || &slot.code->document() != document.get()) {
      slot.code = std::make_shared<const graph::DocumentCode>(document);
    }
    return slot.code;
  });
}

Result<tir::Document> Deployment::read_tir(const TirSource& source) const {
  return support::to_result([&] { return state_->read(source); });
}

void Deployment::release_documents() {
  for (State::Slot* slot : std::exchange(state_->kept, {})) {
    slot->code.reset();
    slot->released = std::exchange(slot->kept, nullptr);
  }
}

std::vector<Diagnostic> Deployment::unread_constants() const {
  const std::scoped_lock lock(state_->collecting);
  return state_->unread_constants;
}

Result<TirOwners> Deployment::owners_of(const TirSource& source) const {
  return support::to_result([&] {
    return deployment::owners_of(state_->document(source)->module, source.stem, library(),
                                 state_->symbols, state_->stated);
  });
}

std::optional<std::size_t> Deployment::module_of_function(std::string_view symbol) const {
  return state_->symbols.module_of(symbol);
}

Result<std::span<const TirSource>> Deployment::generated_c(std::size_t module) const {
  return support::to_result(
      [&] { return std::span<const TirSource>(state_->generated_c(module).sources); });
}

Result<Networks> Deployment::networks() const {
  return support::to_result([&] {
    deployment::NetworkSearch search(*this);
    for (const auto& stage : deployment::by_stage(tir_sources())) search.add_next_stage(stage);
    return std::move(search).finish();
  });
}

const graph::Topology* Networks::of(std::size_t module) const noexcept {
  const auto at = std::ranges::lower_bound(found, module, {}, &Network::module);
  return at == found.end() || at->module != module ? nullptr : &at->topology;
}

const MissingNetwork* Networks::missing_of(std::size_t module) const noexcept {
  const auto at = std::ranges::lower_bound(missing, module, {}, &MissingNetwork::module);
  return at == missing.end() || at->module != module ? nullptr : &*at;
}

std::vector<const Member*> Deployment::network_members() const {
  std::vector<const Member*> members;
  const auto add = [&](const FileRef& file) { members.push_back(archive().find(file.name)); };
  for (const Module& module : library().modules) {
    for (const FileRef& header : module.files.headers) add(header);
    if (module.files.relay) add(*module.files.relay);
    if (!module.files.graph) continue;
    add(*module.files.graph);
    if (module.files.parameters) add(*module.files.parameters);
  }
  // Members of a directory have no offsets, so they are in the order of their names.
  const auto in_order = [](const Member* a, const Member* b) {
    return std::tie(a->header_offset, a->name) < std::tie(b->header_offset, b->name);
  };
  std::sort(members.begin(), members.end(), in_order);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

Result<std::vector<const Member*>> Deployment::members_read() const {
  return support::to_result([&] {
    DistinctMembers members;
    // If no file states the modules, the files that name them are read as TIR or networks.
    if (const Member* description = model_library::description_of(archive())) {
      members.add(description);
    }
    bool has_constants = false;
    bool has_capture = false;
    for (const TirSource& source : tir_sources()) {
      has_capture = has_capture || !source.c;
      if (source.member == nullptr) continue;
      members.add(source.member);
      for (const Member* file : source.c_members) members.add(file);
      // Only texts that lack data depend on the sources of data, which are the same for all.
      if (!source.allocates_constants || std::exchange(has_constants, true)) continue;
      for (const Member* member : state_->constant_members()) members.add(member);
    }
    // Captured TIR counts where it equals the C.
    for (std::size_t i = 0; has_capture && i < library().modules.size(); ++i) {
      for (const TirSource& source : state_->generated_c(i).sources) {
        for (const Member* file : source.c_members) members.add(file);
      }
    }
    // Headers, Relay text and graphs name and type what TIR leaves open: a change of theirs changes
    // networks.
    for (const Member* member : network_members()) members.add(member);
    return members.all();
  });
}

std::vector<FileDigest> Deployment::files_read() const {
  std::vector<FileDigest> files;
  for (const TirSource& source : tir_sources()) {
    if (source.member == nullptr) files.push_back({source.name, support::sha256_hex(source.text)});
  }
  return files;
}

Result<ArchiveOrigin> Deployment::origin() const {
  return support::to_result([&] {
    const std::filesystem::path path(archive().path());
    ArchiveOrigin origin{.archive = {path.filename().string(), ""},
                         .version = library().version,
                         .files = files_read()};
    std::error_code failure;
    if (std::filesystem::is_regular_file(path, failure)) {
      const auto content = support::FileContent::map(support::File::open(path, O_RDONLY));
      origin.archive.sha256 = support::sha256_hex(content.bytes());
    }
    for (const Member* member : get_or_throw(members_read())) {
      origin.members.push_back({member->name, get_or_throw(archive().sha256(*member))});
    }
    return origin;
  });
}

}  // namespace mlf
