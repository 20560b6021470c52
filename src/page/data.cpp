// What a page shows beside the report: rectangles of the memory map, and code by kernel.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "graph/network/memory_use.h"
#include "mlf/plan.h"
#include "mlf/tir/write.h"
#include "page/matching_lines.h"
#include "page/page.h"
#include "page/script_functions.h"
#include "report/constants.h"
#include "support/error.h"

namespace mlf {
namespace page {
namespace {

using graph::Topology;
using support::get_or_throw;

std::uint32_t steps_of(const Topology& network) {
  return static_cast<std::uint32_t>(network.calls.size() + network.copies.size() +
                                    network.hooks.size());
}

/// Adds a tensor where a rectangle fits; lists its name where its place is not known.
void add_tensor(MemoryMap& map, std::string name, std::optional<std::uint64_t> offset,
                std::optional<std::uint64_t> bytes, graph::Position first, graph::Position last,
                bool is_scratch) {
  if (bytes == 0) return;
  if (map.kind != graph::MemoryKind::pool) offset = 0;
  if (!offset || !bytes) {
    map.left_out.push_back(std::move(name));
    return;
  }
  map.tensors.push_back({std::move(name), *offset, *bytes, first, last, is_scratch});
}

/// A region of memory, as a topology tells them apart.
struct Region {
  graph::MemoryKind kind;
  std::optional<graph::PoolId> pool;

  bool holds(const graph::Storage& storage) const {
    return storage.memory == kind && storage.pool == pool;
  }
  bool holds(const graph::KernelBuffer& buffer) const {
    return buffer.memory == kind && buffer.pool == pool;
  }
};

void add_values(MemoryMap& map, const Topology& network, const Region& region) {
  const graph::Lifetimes lifetimes(network);
  const std::int64_t end = static_cast<std::int64_t>(steps_of(network)) - 1;
  for (std::size_t i = 0; i < network.values.size(); ++i) {
    const graph::Value& value = network.values[i];
    const graph::Storage& storage = network[value.storage];
    if (!region.holds(storage)) continue;
    const graph::Lifetime life = lifetimes.of(static_cast<graph::ValueId>(i));
    const std::int64_t first = std::max<std::int64_t>(life.from, 0);
    const std::int64_t last = std::min(life.to, end);
    if (last < first) continue;
    // Generated C may not say the type of a tensor, but it allocates its memory.
    const auto bytes = value.bytes || storage.pool ? value.bytes : storage.bytes;
    add_tensor(map, value.name, storage.offset, bytes, static_cast<graph::Position>(first),
               static_cast<graph::Position>(last), false);
  }
}

void add_workspaces(MemoryMap& map, const Topology& network, const Region& region) {
  for (const graph::Call& call : network.calls) {
    for (const graph::KernelBuffer& buffer : network.kernel_of(call).workspaces) {
      if (!region.holds(buffer)) continue;
      add_tensor(map, buffer.name, buffer.offset, buffer.bytes, call.position, call.position, true);
    }
  }
}

std::vector<MemoryMap> maps_of(const Topology& network) {
  std::vector<MemoryMap> maps;
  for (const graph::MemoryUse& use : network.memory) {
    if (use.pool && network[*use.pool].kind == graph::PoolKind::constant) continue;
    MemoryMap map{
        .name = use.pool ? network[*use.pool].name : std::string(graph::to_string(use.kind)),
        .kind = use.kind,
        .live = use.live,
        .uncertain = use.uncertain};
    map.bytes = std::max(use.bytes.value_or(0), use.used);
    const Region region{use.kind, use.pool};
    add_values(map, network, region);
    add_workspaces(map, network, region);
    maps.push_back(std::move(map));
  }
  return maps;
}

/// A tick in steps of main, of which each has one tick or more.
double in_steps(const ModulePlan& plan, std::int64_t tick) {
  const auto next = std::ranges::upper_bound(plan.first_tick, tick);
  if (next == plan.first_tick.begin()) return 0;
  const auto step = static_cast<double>(next - plan.first_tick.begin() - 1);
  if (next == plan.first_tick.end()) return step;
  const std::int64_t first = *(next - 1);
  return step + static_cast<double>(tick - first) / static_cast<double>(*next - first);
}

/// The pool under the best plan; nothing where that gains nothing.
std::optional<PlannedMap> planned_map(const ModulePlan& module, const plan::PoolPlan& pool) {
  if (pool.is_refused() || pool.gain() == 0) return {};
  PlannedMap map{.bytes = pool.best.size};
  for (std::size_t i = 0; i < pool.now.buffers.size(); ++i) {
    const plan::PlannedBuffer& buffer = pool.now.buffers[i];
    if (buffer.bytes == 0) continue;
    for (const plan::Interval& live : buffer.live) {
      map.tensors.push_back({.name = buffer.variable,
                             .offset = pool.best.offsets[i],
                             .bytes = buffer.bytes,
                             .begin = in_steps(module, live.lower),
                             .end = in_steps(module, live.upper),
                             .is_scratch = buffer.kernel.has_value()});
    }
  }
  return map;
}

void add_plans(std::vector<MemoryMap>& maps, const ModulePlan& module) {
  for (const ModulePoolPlan& pool : module.pools) {
    const std::string& name = (*module.network)[pool.plan.now.pool].name;
    const auto map = std::ranges::find_if(maps, [&](const MemoryMap& one) {
      return one.kind == graph::MemoryKind::pool && one.name == name;
    });
    if (map != maps.end()) map->planned = planned_map(module, pool.plan);
  }
}

/// A text, and the TIR that it says.
class ReadText {
 public:
  /// Without a document where the text could not be read.
  ReadText(std::shared_ptr<const tir::Document> document, std::string_view text);

  /// Statements of a function; none where it is not in the text.
  std::vector<StatementPlace> statements_of(std::string_view function) const;

 private:
  std::shared_ptr<const tir::Document> document_;
  std::map<std::string_view, tir::Node> functions_;  // of the document
  report::LineTable lines_;
};

ReadText::ReadText(std::shared_ptr<const tir::Document> document, std::string_view text)
    : document_(std::move(document)), lines_(text) {
  if (!document_) return;
  for (const tir::NamedFunction& one : tir::prim_functions_of(document_->module)) {
    functions_.emplace(one.name, one.function);
  }
}

std::vector<StatementPlace> ReadText::statements_of(std::string_view function) const {
  const auto found = functions_.find(function);
  if (found == functions_.end()) return {};
  return page::statements_of(found->second, lines_);
}

/// Null where it says no TIR.
std::shared_ptr<const tir::Document> read_script(std::string_view script) {
  auto read = support::value_if_valid(tir::read({.file = {}, .member = {}, .text = script}));
  return read ? std::make_shared<const tir::Document>(*std::move(read)) : nullptr;
}

/// Reads code and constants; each TIR is written as a script once, each file of C read once.
class CodeCollector {
 public:
  explicit CodeCollector(const Deployment& deployment) : deployment_(deployment) {}

  /// `module` is its position in the archive.
  KernelCode code_of(const KernelReport& kernel, std::size_t module, const Topology* network);

 private:
  struct Source {
    std::shared_ptr<const tir::Document> document;
    ScriptFunctions functions;
    ReadText text;  ///< the script, or the archive's own text where there is no script
    report::PooledConstants constants;
  };

  std::string whole_script(const KernelReport& kernel) const;
  Source read(const KernelReport& kernel) const;
  const Source& source_of(const KernelReport& kernel);
  std::string lines(const std::optional<CodeLines>& place) const;
  std::vector<StatementPlace> statements_of_c(const KernelReport& kernel, std::size_t module);
  std::map<std::uint32_t, std::uint32_t> matches_of(const KernelReport& kernel, std::size_t module,
                                                    const KernelCode& code);

  const Deployment& deployment_;
  std::map<const tir::Document*, Source> sources_;
  std::map<std::string, ReadText, std::less<>> c_;  // by member
};

/// A text without its metadata section has attributes of which nothing but references are left: the
/// script does without them.
std::string CodeCollector::whole_script(const KernelReport& kernel) const {
  std::string script = script_of(*kernel.document);
  const TirSource* source = deployment_.find_tir(kernel.source);
  if (!script.empty() || source == nullptr) return script;
  tir::Document own = get_or_throw(deployment_.read_tir(*source));
  tir::omit_missing(own);
  return script_of(own);
}

CodeCollector::Source CodeCollector::read(const KernelReport& kernel) const {
  report::PooledConstants constants(*kernel.document);
  const std::string script = whole_script(kernel);
  if (!script.empty()) {
    // Of what was just written, where its lines are. Scripts without the data of constants that
    // TVM keeps outside of them cannot be read.
    return {kernel.document, ScriptFunctions(script), ReadText(read_script(script), script),
            std::move(constants)};
  }
  const TirSource* source = deployment_.find_tir(kernel.source);
  const std::string_view own = source == nullptr || source->c ? std::string_view() : source->text;
  return {kernel.document, ScriptFunctions({}), ReadText(kernel.document, own),
          std::move(constants)};
}

const CodeCollector::Source& CodeCollector::source_of(const KernelReport& kernel) {
  const auto known = sources_.find(kernel.document.get());
  if (known != sources_.end()) return known->second;
  return sources_.emplace(kernel.document.get(), read(kernel)).first->second;
}

/// The reader of C knows places in the file that a source is named after.
std::vector<StatementPlace> CodeCollector::statements_of_c(const KernelReport& kernel,
                                                           std::size_t module) {
  auto known = c_.find(kernel.c->file);
  if (known != c_.end()) return known->second.statements_of(kernel.symbol);
  const auto sources = get_or_throw(deployment_.generated_c(module));
  const auto source = std::ranges::find(sources, kernel.c->file, &TirSource::name);
  if (source == sources.end()) return {};
  auto document = support::value_if_valid(deployment_.document(*source));
  known = c_.try_emplace(kernel.c->file, document.value_or(nullptr), source->text).first;
  return known->second.statements_of(kernel.symbol);
}

/// Lines of the texts that the page shows, not of those that they were taken from.
std::map<std::uint32_t, std::uint32_t> CodeCollector::matches_of(const KernelReport& kernel,
                                                                 std::size_t module,
                                                                 const KernelCode& code) {
  if (code.c.empty() || code.tir.empty()) return {};
  const Source& source = source_of(kernel);
  const std::string_view name = name_of(*kernel.document, kernel.function);
  const std::uint32_t first =
      code.is_tvmscript ? source.functions.find(name)->first_line : kernel.tir->first;
  std::map<std::uint32_t, std::uint32_t> shown;
  for (const auto& [c, tir] :
       matching_lines(source.text.statements_of(name), statements_of_c(kernel, module))) {
    shown.emplace(c - kernel.c->first + 1, tir - first + 1);
  }
  return shown;
}

/// Lines of a member; nothing where they are in a file beside the archive.
std::string CodeCollector::lines(const std::optional<CodeLines>& place) const {
  const archive::Member* member = place ? deployment_.archive().find(place->file) : nullptr;
  if (member == nullptr) return {};
  return std::string(
      lines_of(get_or_throw(deployment_.archive().read(*member)), place->first, place->last));
}

KernelCode CodeCollector::code_of(const KernelReport& kernel, std::size_t module,
                                  const Topology* network) {
  KernelCode code;
  code.c = lines(kernel.c);
  if (!kernel.document) return code;
  const Source& source = source_of(kernel);
  const auto* const function = source.functions.find(name_of(*kernel.document, kernel.function));
  code.is_tvmscript = function != nullptr;
  code.tir = code.is_tvmscript ? function->text : lines(kernel.tir);
  code.line_of_tir = matches_of(kernel, module, code);
  code.constants = report::constants_of(kernel, network, source.constants);
  return code;
}

PageModule module_data(const ModuleReport& module, std::size_t position, CodeCollector& collector) {
  PageModule data;
  const Topology* network = module.network ? &*module.network : nullptr;
  for (const KernelReport& kernel : module.kernels) {
    data.kernels.push_back(collector.code_of(kernel, position, network));
  }
  if (network == nullptr) return data;
  data.steps = steps_of(*network);
  data.calls.resize(data.steps);
  for (std::size_t i = 0; i < network->calls.size(); ++i) {
    data.calls[network->calls[i].position] = static_cast<graph::CallId>(i);
  }
  data.maps = maps_of(*network);
  return data;
}

}  // namespace
}  // namespace page

Result<PageData> page_data(const Deployment& deployment, const Report& report) {
  return support::to_result([&] {
    PageData data;
    page::CodeCollector collector(deployment);
    for (std::size_t i = 0; i < report.modules.size(); ++i) {
      data.modules.push_back(page::module_data(report.modules[i], i, collector));
    }
    return data;
  });
}

Result<void> add_plans(const Deployment& deployment, PageData& data) {
  return plan_archive(deployment).map([&](const ArchivePlan& plan) {
    for (std::size_t i = 0; i < data.modules.size(); ++i) {
      page::add_plans(data.modules[i].maps, plan.modules[i]);
    }
  });
}

}  // namespace mlf
