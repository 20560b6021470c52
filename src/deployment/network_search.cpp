#include "deployment/network_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "deployment/entry_point.h"
#include "deployment/member_text.h"
#include "deployment/tir_name.h"
#include "graph/kernels/functions.h"
#include "graph/node_queries.h"
#include "mlf/model_library.h"
#include "plan/network/network_problem.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/numbers.h"
#include "tir/c/c.h"

namespace mlf::deployment {
namespace {

using NamedTensors = std::optional<std::vector<graph::NamedTensor>>;

/// Adds the tensors of one device; metadata lists each tensor once, on its device.
void add_tensors(const std::optional<std::vector<IoTensor>>& tensors, NamedTensors& facts) {
  if (!tensors) return;
  if (!facts) facts.emplace();
  for (const IoTensor& tensor : *tensors) {
    const auto dtype = tir::parse_dtype(tensor.dtype);
    facts->push_back(
        {tensor.name, tensor.size_bytes, {dtype.value_or(tir::DType()), std::nullopt}});
  }
}

/// TVM names the parameters of the graph executor so. Without their file they look like inputs.
bool may_be_parameter(const graph::Port& input) {
  return input.name.size() > 1 && input.name.starts_with('p') &&
         support::is_digits(std::string_view(input.name).substr(1));
}

constexpr std::string_view kMain = "def @main(";

/// Removes `expected` from the front of `text`.
bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

/// The name in `bias:0: Tensor[…`; names may contain colons.
std::string_view take_name(std::string_view& text) {
  // Searches only this parameter: otherwise each of many parameters without a type would search all
  // others.
  const std::string_view parameter = text.substr(0, text.find_first_of(",)"));
  const std::string_view name = parameter.substr(0, parameter.find(": "));
  text.remove_prefix(name.size());
  return name;
}

/// `Tensor[(1, 8), float32]`, or `float32`: a tensor of no dimension. Dimensions may be unknown
/// (`?`) or have a suffix for 64 bits (`8i64`), and a comment may follow the type.
std::optional<graph::TensorType> tensor_type(std::string_view text) {
  graph::TensorType type;
  type.shape.emplace();
  if (take(text, "Tensor[(")) {
    while (!take(text, ")")) {
      const auto extent = support::take_number<std::int64_t>(text);
      if (!extent) return std::nullopt;
      type.shape->push_back(*extent);
      take(text, "i64");
      take(text, ", ");
    }
    if (!take(text, ", ")) return std::nullopt;
  }
  const auto dtype = tir::parse_dtype(text.substr(0, text.find_first_of("],) ")));
  if (!dtype || dtype->is_void()) return std::nullopt;
  type.dtype = *dtype;
  return type;
}

/// Skips the rest of a parameter, including brackets and their contents.
void skip_parameter(std::string_view& text) {
  std::size_t depth = 0;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && (c == ',' || c == ')')) break;
    // Types and attributes nest; a comma or parenthesis in them does not end the parameter.
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (depth != 0 && (c == ')' || c == ']' || c == '}')) --depth;
  }
  text.remove_prefix(i);
}

using support::get_or_throw;

/// Names of the parameters that the graph executor loads from a file. An AOT main contains its own.
std::vector<std::string> parameter_names(const archive::Archive& archive, const Module& module) {
  std::vector<std::string> names = module.parameters;
  if (!module.files.graph || !module.files.parameters) return names;
  const std::string_view bytes = member_text(archive, *module.files.parameters);
  const auto params = get_or_throw(
      // A damaged file is an error: otherwise weights would count as inputs and change the network.
      read_params(std::as_bytes(std::span(bytes.data(), bytes.size())),
                  module.files.parameters->name)
          .map_error([&](Diagnostic diagnostic) {
            return in_file(std::move(diagnostic), archive.path());
          }));
  for (const Param& param : params) names.push_back(param.name);
  return names;
}

/// A stated size that no pool uses is an error, because the result would ignore it.
void require_use(const graph::PoolSize& stated, const Networks& networks) {
  bool is_known = false;
  for (const Network& network : networks.found) {
    for (const graph::Pool& pool : network.topology.pools) {
      if (pool.name != stated.name) continue;
      if (pool.bytes == stated.bytes) return;
      is_known = true;
    }
  }
  throw support::Error(ErrorKind::usage,
                       is_known
                           ? "the archive declares another size of the pool '" + stated.name + "'"
                           : "no network has a pool '" + stated.name + "'");
}

constexpr std::string_view kWhitespace = " \t\r\n";

bool describes_network(std::string_view name) {
  constexpr std::array<std::string_view, 5> kEndings{".json", ".txt", ".relay", ".params",
                                                     ".graph"};
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); });
}

/// Whether `(…)` and then the rest of an expression or the end of a statement follows. A body, a
/// declaration of an old parameter or an attribute such as `alias` follows in a definition.
bool is_call_or_prototype(std::string_view text, std::size_t at) {
  at = text.find_first_not_of(kWhitespace, at);
  if (at == text.npos || text[at] != '(') return false;
  constexpr std::size_t kMostText = 4'096;  // of one call
  text = text.substr(0, at + kMostText);
  std::size_t depth = 0;
  for (; at != text.npos; at = text.find_first_of("()", at + 1)) {
    if (text[at] == '(') {
      ++depth;
    } else if (--depth == 0) {
      at = text.find_first_not_of(kWhitespace, at + 1);
      return at != text.npos && std::string_view(";,)!=<>&|?:").find(text[at]) != text.npos;
    }
  }
  return false;
}

/// Returns those of `functions`, which begin with "tvmgen_", that a member of the archive may
/// define in a form that mlf does not read: it names them in another way than by a call or a
/// prototype. Members that describe the network define nothing.
support::NameSet<std::string> possible_definitions(const archive::Archive& archive,
                                                   const support::NameSet<std::string>& functions) {
  support::NameSet<std::string> found;
  if (functions.empty()) return found;
  for (const archive::Member& member : archive.members()) {
    if (member.type != archive::MemberType::file || describes_network(member.name)) continue;
    const std::string_view text = support::get_or_throw(archive.read(member));
    std::size_t end = 0;
    for (std::size_t at = text.find(kSymbolPrefix); at != text.npos;
         at = text.find(kSymbolPrefix, end)) {
      const std::string_view word = tir::c::word_at(text, at);
      end = at + word.size();
      // Behind the zero that ends a name in the string of a registry.
      const std::string_view before = tir::c::word_before(text, at);
      const bool is_word = before.empty() || (before == "000" && at > 3 && text[at - 4] == '\\');
      const auto function = functions.find(word);
      if (!is_word || function == functions.end() || is_call_or_prototype(text, end)) continue;
      found.insert(*function);
    }
  }
  return found;
}

NoNetwork reason_for(const Module& module, bool saw_tir) {
  if (module.style == Style::operator_only) return NoNetwork::operators;
  const bool is_graph = std::ranges::count(module.executors, Executor::graph) > 0;
  if (is_graph && !module.files.graph) return NoNetwork::no_graph;
  return saw_tir ? NoNetwork::no_main : NoNetwork::no_tir;
}

/// The field in an argument such as `inputs->x`; empty for another one.
std::string field_in(const std::vector<std::string_view>& argument) {
  const auto arrow = std::ranges::find(argument, "->");
  const bool is_field = std::ranges::count(argument, "->") == 1 && argument.end() - arrow > 1;
  return is_field ? std::string(arrow[1]) : std::string();
}

/// Puts the fields of a struct into the order in which the entry point passes them. Returns false
/// where that is not known, because an argument is no field. The same field again is no order.
bool order_as_passed(std::span<const std::vector<std::string_view>> passed,
                     std::vector<std::string>& fields) {
  std::vector<std::string> names;
  for (const auto& argument : passed) names.push_back(field_in(argument));
  const auto sorted = [](std::vector<std::string> list) {
    std::ranges::sort(list);
    return list;
  };
  const bool is_known = fields.size() <= 1 || std::ranges::count(names, "") == 0;
  if (sorted(names) == sorted(fields)) fields = std::move(names);
  return is_known;
}

/// Fields may be in another order than main's parameters where people edited the header.
void take_call_of_main(const CallOfMain& call, graph::ModuleFacts& facts) {
  const std::size_t inputs = facts.input_fields.size();
  const std::size_t ports = inputs + facts.output_fields.size();
  const std::span passed(call.arguments);
  facts.is_packed = call.is_packed;
  if (call.is_packed) {
    for (const auto& value : passed) {
      facts.passed.push_back(fmt::format("{}", fmt::join(value, " ")));
    }
  }
  if (ports == 0 || call.is_packed || passed.size() < ports) return;
  const bool knows_inputs = order_as_passed(passed.first(inputs), facts.input_fields);
  const bool knows_outputs =
      order_as_passed(passed.subspan(inputs, ports - inputs), facts.output_fields);
  if (!knows_inputs || !knows_outputs) {
    facts.input_fields.clear();
    facts.output_fields.clear();
  }
  for (const auto& argument : passed) {
    std::string field = field_in(argument);
    facts.passed.push_back(field.empty() ? fmt::format("{}", fmt::join(argument, " "))
                                         : std::string());
    // Not one inside of a field.
    if (argument.size() != 3) field.clear();
    facts.passed_fields.push_back(std::move(field));
  }
}

/// None if the file cannot be read: v0.9 and later have constants in TIR. Their data is in the
/// archive.
std::vector<Param> parameters_of(const archive::Archive& archive, const Module& module) {
  if (!module.files.parameters) return {};
  const std::string_view bytes = member_text(archive, *module.files.parameters);
  return support::value_if_valid(
             read_params(std::as_bytes(std::span(bytes)), module.files.parameters->name))
      .value_or(std::vector<Param>());
}

graph::ModuleFacts facts_of(const archive::Archive& archive, const Module& module) {
  graph::ModuleFacts facts;
  // The form in symbols, which identifies mains.
  facts.module = symbol_part(module.name);
  for (const MainMemory& main : module.memory.main) {
    add_tensors(main.inputs, facts.inputs);
    add_tensors(main.outputs, facts.outputs);
    facts.workspace_bytes = facts.workspace_bytes.value_or(0) + main.workspace_size_bytes;
    if (module.memory.main.size() == 1) facts.io_bytes = main.io_size_bytes;
  }
  for (const FileRef& header : module.files.headers) {
    tir::c::HeaderFields fields = tir::c::read_header(member_text(archive, header));
    if (fields.workspace_bytes) facts.header_workspace = fields.workspace_bytes;
    if (!facts.workspace_bytes) facts.workspace_bytes = fields.workspace_bytes;
    // runtime headers and those of other tools have no such structs.
    if (fields.inputs.empty() && fields.outputs.empty()) continue;
    facts.has_other_fields = !std::ranges::all_of(fields.structs, &tir::c::HeaderStruct::is_whole);
    facts.header_sizes.clear();
    for (tir::c::HeaderTensor& tensor : fields.sizes) {
      facts.header_sizes.push_back({std::move(tensor.name), tensor.bytes, {}});
    }
    facts.input_fields = std::move(fields.inputs);
    facts.output_fields = std::move(fields.outputs);
  }
  if (const auto call = call_of_main(archive, module)) {
    facts.is_main_reached = call->is_reached;
    take_call_of_main(*call, facts);
  }
  for (const Param& param : parameters_of(archive, module)) {
    const auto dtype = tir::parse_dtype(to_string(param.type));
    if (dtype) facts.parameters.push_back({param.name, param.data.size(), {*dtype, param.shape}});
  }
  // The Relay text is from before optimisation: kernels have other names there, but inputs have the
  // same.
  if (module.files.relay) {
    RelaySignature relay = read_relay_signature(member_text(archive, *module.files.relay));
    facts.declared = std::move(relay.parameters);
    facts.declares_all = relay.has_all_parameters;
    facts.declared_outputs = std::move(relay.results);
  }
  // metadata.json also has dtypes.
  if (!facts.inputs) {
    facts.declared.insert(facts.declared.end(), facts.header_sizes.begin(),
                          facts.header_sizes.end());
  }
  return facts;
}

}  // namespace

RelaySignature read_relay_signature(std::string_view text) {
  RelaySignature signature;
  // Relay text has the same form in all versions: it never changed to TVMScript.
  const std::size_t main = text.find(kMain);
  if (main == std::string_view::npos) return signature;
  text.remove_prefix(main + kMain.size());
  // Parameters begin with %; anything else ends the list.
  std::size_t parameters = 0;
  for (; take(text, "%"); ++parameters) {
    const std::string name(take_name(text));
    if (take(text, ": ")) {
      // Skips tuples and functions as parameters: main in TIR has none.
      const auto type = tensor_type(text);
      if (type) signature.parameters.push_back({name, std::nullopt, *type});
    }
    skip_parameter(text);
    if (!take(text, ", ")) {
      ++parameters;
      break;
    }
  }
  if (!take(text, ") -> ")) return signature;
  signature.has_all_parameters = signature.parameters.size() == parameters;
  const bool is_tuple = take(text, "(");
  do {
    const auto type = tensor_type(text);
    if (!type) return {std::move(signature.parameters), signature.has_all_parameters, {}};
    signature.results.push_back(*type);
    skip_parameter(text);
  } while (is_tuple && take(text, ", "));
  return signature;
}

std::vector<std::vector<const TirSource*>> by_stage(std::span<const TirSource> sources) {
  std::map<std::string_view, std::vector<const TirSource*>> stages;
  for (const TirSource& source : sources) stages[source.stage].push_back(&source);
  std::vector<std::vector<const TirSource*>> ordered;
  // The preferred stage comes first, then the others by name, for a deterministic order.
  if (auto preferred = stages.extract(kDefaultStage)) {
    ordered.push_back(std::move(preferred.mapped()));
  }
  for (auto& [stage, its_sources] : stages) ordered.push_back(std::move(its_sources));
  return ordered;
}

NetworkSearch::NetworkSearch(const Deployment& deployment)
    : deployment_(deployment),
      modules_(deployment.library().modules),
      stated_(deployment.library()) {
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    by_symbol_part_.emplace(symbol_part(modules_[i].name), i);
  }
}

const graph::ModuleFacts& NetworkSearch::facts_of(std::size_t i) {
  std::optional<graph::ModuleFacts>& facts = data_[i].facts;
  if (!facts) {
    facts = deployment::facts_of(deployment_.archive(), modules_[i]);
    facts->pool_sizes = deployment_.pool_sizes();
    if (agreement_ != nullptr) add_declarations_of_c(i, *facts);
  }
  return *facts;
}

/// What the C declares, for captured TIR: a text may have lost the sizes of pools.
void NetworkSearch::add_declarations_of_c(std::size_t module, graph::ModuleFacts& facts) const {
  std::vector<graph::Pool>& pools = facts.pools;
  for (const ComparedWithC& compared : agreement_->comparisons) {
    if (compared.module != module) continue;
    const auto document = get_or_throw(deployment_.document(*compared.c));
    facts.other_memory = document->other_memory;
    for (const tir::NamedFunction& one : tir::prim_functions_of(document->module)) {
      std::vector<graph::Pool> declared = graph::declared_pools(one.function);
      const bool is_main = tir::is_main_symbol(one.symbol);
      if (is_main && !declared.empty()) facts.pool_constants = graph::pool_constants(one.function);
      for (graph::Pool& pool : declared) {
        if (std::ranges::count(pools, pool.name, &graph::Pool::name) == 0) {
          pools.push_back(std::move(pool));
        }
      }
    }
  }
}

/// TVM puts the module's name into symbols unchanged.
const graph::ModuleFacts* NetworkSearch::facts_of_main(std::string_view symbol) {
  const auto named = by_symbol_part_.find(symbol_part(graph::module_of_main(symbol)));
  return named == by_symbol_part_.end() ? nullptr : &facts_of(named->second);
}

const std::vector<std::string>& NetworkSearch::parameters_of(std::size_t i) {
  std::optional<std::vector<std::string>>& names = data_[i].parameters;
  if (!names) names = parameter_names(deployment_.archive(), modules_[i]);
  return *names;
}

void NetworkSearch::add_next_stage(std::span<const TirSource* const> stage) {
  if (agreement_ != nullptr) return add_stage(stage);
  agreement_ = get_or_throw(deployment_.agreement());
  std::vector<const TirSource*> sources;
  for (const TirSource& c : agreement_->c) sources.push_back(&c);
  if (stage.front()->stage != kDefaultStage) {
    // C was not compared with other stages, so it decides all.
    if (!sources.empty()) add_stage(sources);
    sources.clear();
  }
  sources.insert(sources.end(), stage.begin(), stage.end());
  add_stage(sources);
}

void NetworkSearch::add_stage(std::span<const TirSource* const> stage) {
  // Modules of a build may have functions with equal names, so each is read only with its own TIR.
  std::map<StatedModule, std::vector<const TirSource*>> by_module;
  for (const TirSource* source : stage) {
    const auto stated = stated_.of(source->stem);
    by_module[stated ? StatedModule(stated->modules.front()) : std::nullopt].push_back(source);
  }
  for (const auto& [stated, sources] : by_module) add_sources(sources, stated);
}

void NetworkSearch::add_sources(std::span<const TirSource* const> sources, StatedModule stated) {
  std::vector<graph::TirInput> inputs;
  for (const TirSource* source : sources) {
    graph::TirInput& input =
        inputs.emplace_back(get_or_throw(deployment_.code(*source)), source->stem);
    if (agreement_ == nullptr) continue;
    const auto without = agreement_->not_from.find(source->stem);
    if (without != agreement_->not_from.end()) input.without = &without->second;
  }
  saw_tir_ = true;
  // For a module with both executors, the graph needs no reconstruction.
  const graph::GraphKernels kernels(inputs);
  if (stated) {
    read_graph(*stated, kernels);
  } else {
    for (std::size_t i = 0; i < modules_.size(); ++i) read_graph(i, kernels);
  }
  read_mains(inputs, stated);
}

void NetworkSearch::read_graph(std::size_t i, const graph::GraphKernels& kernels) {
  const Module& module = modules_[i];
  // An earlier stage already gave the network.
  if (!module.files.graph || found_.contains(i)) return;
  const FileRef& file = *module.files.graph;
  const tir::Input input{.file = deployment_.archive().path(),
                         .member = file.name,
                         .text = member_text(deployment_.archive(), file)};
  auto topology = get_or_throw(graph::read_graph_json(
      input, {.kernels = &kernels, .parameters = parameters_of(i), .facts = &facts_of(i)}));
  // Only the file name of the graph states its module.
  topology.module = module.name;
  const auto possible = std::ranges::find_if(topology.inputs, may_be_parameter);
  if (!module.files.parameters && possible != topology.inputs.end()) {
    topology.possible_parameter = possible->name;
  }
  for (const graph::TirInput& source : kernels.inputs()) {
    std::ranges::copy(source.document->other_memory, std::back_inserter(topology.other_memory));
  }
  const bool has_c_beside = topology.other_memory.empty() && agreement_ != nullptr;
  if (has_c_beside) topology.other_memory = facts_of(i).other_memory;
  found_.emplace(i, std::move(topology));
}

std::optional<std::size_t> NetworkSearch::module_of(const graph::Topology& topology) const {
  // By the module in main's own symbol, else by the longest name that the symbol begins with.
  const auto named = by_symbol_part_.find(symbol_part(topology.module));
  if (named != by_symbol_part_.end()) return named->second;
  return deployment_.module_of_function(topology.provenance.symbol);
}

void NetworkSearch::read_mains(std::span<const graph::TirInput> stage, StatedModule stated) {
  const graph::FactsOfMain facts = [this](std::string_view main) { return facts_of_main(main); };
  for (graph::Topology& topology : graph::reconstruct(stage, facts)) {
    const auto module = stated ? stated : module_of(topology);
    if (!module) continue;
    topology.module = modules_[*module].name;
    std::ranges::move(plan::overlapping_workspaces(topology, stage),
                      std::back_inserter(topology.checks));
    // Does nothing if an earlier stage or the module's graph already gave the network.
    found_.emplace(*module, std::move(topology));
  }
}

Networks NetworkSearch::finish() && {
  // Archives of the graph executor without TIR have only the graph.
  const graph::GraphKernels none({});
  for (std::size_t i = 0; i < modules_.size(); ++i) read_graph(i, none);
  Networks networks;
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    if (auto found = found_.extract(i)) {
      networks.found.push_back({i, std::move(found.mapped())});
    } else {
      networks.missing.push_back({i, reason_for(modules_[i], saw_tir_)});
    }
  }
  for (const graph::PoolSize& stated : deployment_.pool_sizes()) require_use(stated, networks);
  if (agreement_ != nullptr) add_checks_of_c(networks);
  check_definitions(networks);
  return networks;
}

/// What mlf finds no definition of may be defined in assembler, by a macro or in a header.
void NetworkSearch::check_definitions(Networks& networks) const {
  support::NameSet<std::string> undefined;
  for (const Network& network : networks.found) {
    for (const graph::Check& check : network.topology.checks) {
      if (check.code != graph::CheckCode::unknown_callee) continue;
      undefined.insert(network.topology.kernel_of(network.topology[*check.call]).symbol);
    }
  }
  const auto possible = possible_definitions(deployment_.archive(), undefined);
  for (Network& network : networks.found) {
    graph::Topology& topology = network.topology;
    // Its functions of external compilers have no TIR.
    const bool is_graph = topology.provenance.kind == graph::ProvenanceKind::graph_json;
    std::erase_if(topology.checks, [&](const graph::Check& check) {
      return is_graph && check.code == graph::CheckCode::unknown_callee &&
             possible.contains(topology.kernel_of(topology[*check.call]).symbol);
    });
    for (graph::Check& check : topology.checks) {
      if (check.code != graph::CheckCode::unknown_callee) continue;
      const std::string& symbol = topology.kernel_of(topology[*check.call]).symbol;
      if (!possible.contains(symbol)) continue;
      const std::string detail = "mlf reads no definition of " + graph::quoted(symbol);
      std::ranges::replace(topology.gaps, check.detail, detail);
      check.code = graph::CheckCode::external_callee;
      check.detail = detail;
    }
  }
}

void NetworkSearch::add_checks_of_c(Networks& networks) const {
  for (Network& network : networks.found) {
    std::vector<graph::Check>& checks = network.topology.checks;
    const auto unreadable = agreement_->unreadable.find(network.module);
    if (unreadable != agreement_->unreadable.end()) {
      checks.push_back({graph::CheckCode::unreadable_c,
                        "the generated C cannot be read: " + unreadable->second});
    }
    for (const DecidedByC& one : agreement_->decided) {
      if (one.module != network.module) continue;
      const std::string what =
          one.function.empty() ? "all functions" : "function " + graph::quoted(one.function);
      checks.push_back(
          {graph::CheckCode::decided_by_c, "generated C decides " + what + ": " + one.why});
    }
  }
}

std::vector<graph::TirInput> network_sources(const Deployment& deployment,
                                             const graph::Topology& network) {
  std::set<std::string> stems{network.provenance.source};
  for (const graph::Kernel& kernel : network.kernels) stems.insert(kernel.source);
  std::vector<graph::TirInput> inputs;
  for (const std::string& stem : stems) {
    const TirSource* source = stem.empty() ? nullptr : deployment.find_tir(stem);
    if (source != nullptr) inputs.emplace_back(get_or_throw(deployment.code(*source)), stem);
  }
  return inputs;
}

}  // namespace mlf::deployment

namespace mlf {

std::string_view to_string(NoNetwork reason) {
  constexpr std::array<std::string_view, 4> kSentences{
      "an operator archive has bare functions and no main",
      "the archive has no TIR, no generated C and no graph; capture TIR with tvmc-mlf",
      "the graph executor needs a graph, and the archive has none in executor-config/graph/",
      "the archive's TIR does not hold its AOT main function"};
  return kSentences[static_cast<std::size_t>(reason)];
}

}  // namespace mlf
