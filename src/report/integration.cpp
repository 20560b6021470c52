#include "mlf/integration.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "analysis/cost/regions.h"
#include "deployment/entry_point.h"
#include "deployment/member_text.h"
#include "deployment/tir_name.h"
#include "graph/kernels/callees.h"
#include "graph/kernels/kernel_code.h"
#include "mlf/budget.h"
#include "report/integration_tables.h"
#include "report/kernel_text.h"
#include "report/relay_text.h"
#include "report/shared_numbers.h"
#include "support/c_files.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/lookup.h"
#include "tir/c/c.h"

namespace mlf {
namespace report {
namespace {

using analysis::Count;
using graph::CalleeOrigin;
using support::is_among;

/// Of TVM's pools and of its allocator.
constexpr std::uint64_t kAlignment = 16;
/// TVM's kAllocAlignment: what LLVM may assume of a tensor.
constexpr std::uint64_t kObjectAlignment = 64;

constexpr std::string_view kAllocate = "TVMBackendAllocWorkspace";
constexpr std::string_view kAllocatePointer = "__TVMBackendAllocWorkspace";
/// Gives the C runtime the table of the functions.
constexpr std::string_view kSystemLibrary = "TVMSystemLibEntryPoint";
constexpr std::string_view kHalf = "half";
/// The parameters of a packed function, for those of object files.
constexpr std::string_view kPackedParameters =
    "void* args, int* type_codes, int num_args, void* out_value, int* out_type_code, "
    "void* resource_handle";

constexpr std::string_view kHeadersOfC[] = {"assert.h", "ctype.h",    "errno.h",  "fenv.h",
                                            "float.h",  "inttypes.h", "limits.h", "math.h",
                                            "stdarg.h", "stdbool.h",  "stddef.h", "stdint.h",
                                            "stdio.h",  "stdlib.h",   "string.h", "tgmath.h"};

bool is_of_tvm(std::string_view path) {
  // Projects of TVM name its headers by a path to them.
  return support::is_tvm_header(path) || path.find("/tvm/runtime/") != path.npos ||
         path.find("/dlpack/") != path.npos;
}

CalleeOrigin origin_of_header(std::string_view path) {
  const auto begins = [&](std::initializer_list<std::string_view> beginnings) {
    return std::ranges::any_of(beginnings,
                               [&](std::string_view one) { return path.starts_with(one); });
  };
  if (begins({"tvm_ethosu", "ethosu_"})) return CalleeOrigin::ethos_u;
  if (begins({"arm_acle.h", "arm_neon.h", "arm_mve.h", "riscv_"})) return CalleeOrigin::compiler;
  if (begins({"arm_", "cmsis"})) return CalleeOrigin::cmsis;
  if (is_of_tvm(path)) return CalleeOrigin::tvm;
  return is_among(kHeadersOfC, path) ? CalleeOrigin::c_library : CalleeOrigin::unknown;
}

/// Compilers call a `static` variable of a function "last.0" or "run.last".
std::string name_in_c(std::string_view symbol) {
  const std::size_t dot = symbol.rfind('.');
  if (dot == symbol.npos) return std::string(symbol);
  const std::string_view end = symbol.substr(dot + 1);
  const bool is_number = end.find_first_not_of("0123456789") == end.npos;
  return std::string(is_number ? symbol.substr(0, dot) : end);
}

/// metadata.json has neither the names of an operator's arguments nor which of them are written.
void describe_arguments(const ModuleReport& report, IntegrationFunction& function) {
  const auto kernel = std::ranges::find(report.kernels, function.symbol, &KernelReport::symbol);
  if (kernel == report.kernels.end() || !kernel->cost) return;
  for (const analysis::BufferCost& buffer : kernel->cost->buffers) {
    if (!buffer.parameter || *buffer.parameter >= function.arguments.size()) continue;
    IntegrationTensor& tensor = function.arguments[*buffer.parameter];
    if (tensor.name.empty()) tensor.name = buffer.name;
    tensor.direction = analysis::to_string(buffer.role);
  }
}

/// Of one path, in files of several directories.
struct Include {
  std::string path;
  const archive::Member* member = nullptr;
  bool needs_directory = false;  ///< the compiler does not find it beside the file
  friend bool operator==(const Include&, const Include&) = default;
};

/// "a/b/" or "", which is the root.
void add_directory(ModuleIntegration& list, std::string_view directory) {
  if (!directory.empty()) directory.remove_suffix(1);
  support::add_once(list.include_directories, std::string(directory.empty() ? "." : directory));
}

/// What the C of a module says.
class ModuleCode {
 public:
  ModuleCode(const Deployment& deployment, const Module& module)
      : deployment_(deployment), module_(module) {
    for (const auto* const files : {&module_.files.sources, &module_.files.headers}) {
      for (const FileRef& file : *files) read_file(file);
    }
  }

  IntegrationFunction function_named(const std::string& symbol) const {
    if (const auto* const known = support::find_value(prototypes, symbol)) return *known;
    if (module_.files.objects.empty()) return {symbol};
    return {symbol, fmt::format("int32_t {}({})", symbol, kPackedParameters)};
  }

  void add_headers(std::string_view declared_in, ModuleIntegration& list) {
    // Headers of the archive add what they include.
    for (std::size_t i = 0; i < includes_.size(); ++i) {
      const Include one = includes_[i];
      if (one.member == nullptr) {
        list.headers.push_back(
            {one.path, std::string(graph::to_string(origin_of_header(one.path))), false});
        continue;
      }
      const std::string_view name = deployment::stored_name(*one.member);
      if (one.needs_directory) add_directory(list, name.substr(0, name.size() - one.path.size()));
      if (is_of_tvm(name) || is_of_module(*one.member)) continue;
      const std::string_view text = support::get_or_throw(deployment_.archive().read(*one.member));
      add_includes(tir::references_of(text, deployment_.macros()), one.member->name);
    }
    if (const auto* const header = deployment_.archive().find(declared_in);
        header && is_of_module(*header)) {
      const std::string_view name = deployment::stored_name(*header);
      add_directory(list, name.substr(0, name.size() - support::leaf_of(name).size()));
    }
    if (uses_half_ && !defines_half_) list.definitions.emplace_back(kHalf);
  }

  tir::CReferences names;
  std::map<std::string, tir::CArray, std::less<>> arrays;
  std::map<std::string, IntegrationFunction, std::less<>> prototypes;
  const FileRef* system_library = nullptr;

 private:
  void read_file(const FileRef& file) {
    const std::string_view text = deployment::member_text(deployment_.archive(), file);
    tir::CReferences references = tir::references_of(text, deployment_.macros());
    if (references.defined.contains(kSystemLibrary)) system_library = &file;
    names.defined.merge(references.defined);
    // What these declare is TVM's, and no file has to call it.
    if (is_of_tvm(file.name)) return;
    names.external.merge(references.external);
    names.exported.merge(references.exported);
    names.written.merge(references.written);
    names.called.merge(references.called);
    add_includes(references, file.name);
    const tir::CFile described = tir::describe_c(text, deployment_.macros());
    for (const tir::CArray& array : described.arrays) arrays.try_emplace(array.name, array);
    for (const tir::CDefinition& one : described.definitions) {
      const std::string_view definition = text.substr(one.range.begin);
      prototypes.try_emplace(
          one.symbol, IntegrationFunction{
                          one.symbol, deployment::prototype_in(definition, one.symbol), file.name});
    }
    uses_half_ = uses_half_ || support::find_word(text, kHalf) != text.npos;
    defines_half_ = defines_half_ || text.find("#define half ") != text.npos ||
                    text.find(" half;") != text.npos;
  }

  bool is_of_module(const archive::Member& member) const {
    const auto& headers = module_.files.headers;
    return std::ranges::find(headers, member.name, &FileRef::name) != headers.end();
  }

  /// What `#include` of a path may mean with the right directories.
  const archive::Member* included(std::string_view path) const {
    for (const archive::Member& member : deployment_.archive().members()) {
      const std::string_view name = deployment::stored_name(member);
      if (member.type != archive::MemberType::file || !name.ends_with(path)) continue;
      const std::string_view directory = name.substr(0, name.size() - path.size());
      const bool is_include = directory == "include/" || directory.ends_with("/include/");
      const bool is_directory = directory.empty() || directory.ends_with('/');
      if (is_include || (is_directory && is_of_module(member))) return &member;
    }
    return nullptr;
  }

  void add_includes(const tir::CReferences& references, const std::filesystem::path& file) {
    for (const std::string& path : references.includes) {
      Include one{path, included(path)};
      one.needs_directory = one.member != nullptr;
      const std::filesystem::path beside = (file.parent_path() / path).lexically_normal();
      const archive::Member* const other = deployment_.archive().find(beside.string());
      const bool is_file = other != nullptr && other->type == archive::MemberType::file;
      if (one.member == nullptr && is_file) one.member = other;
      if (is_among(includes_, one)) continue;
      // Each is searched in all members.
      constexpr std::size_t kMostIncludes = 1000;
      if (includes_.size() == kMostIncludes) {
        throw support::Error(ErrorKind::invalid_input,
                             fmt::format("the C includes more than {} headers", kMostIncludes),
                             {.member = file.string()});
      }
      includes_.push_back(std::move(one));
    }
  }

  const Deployment& deployment_;
  const Module& module_;
  std::vector<Include> includes_;
  bool uses_half_ = false;
  bool defines_half_ = false;
};

std::uint64_t alignment_of(const Module& module) {
  return module.files.objects.empty() ? kAlignment : kObjectAlignment;
}

std::vector<IntegrationTensor> tensors_of(const graph::Topology& network,
                                          const std::vector<graph::Port>& ports,
                                          const std::vector<std::string>& fields,
                                          std::uint64_t alignment) {
  std::vector<IntegrationTensor> tensors;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const graph::Port& port = ports[i];
    // Both have the order of main's parameters.
    const std::string field = fields.size() == ports.size() ? fields[i] : std::string();
    const auto bytes = analysis::to_count(graph::bytes_of(network, port));
    tensors.push_back({port.name, field, port.type, bytes, alignment, {}});
  }
  return tensors;
}

/// Those of metadata.json, which has no shapes.
void add_declared_ports(const Module& module, ModuleIntegration& list) {
  const auto add = [&](const std::optional<std::vector<IoTensor>>& declared,
                       std::vector<IntegrationTensor>& tensors) {
    for (const IoTensor& one : declared.value_or(std::vector<IoTensor>())) {
      const auto dtype = tir::parse_dtype(one.dtype).value_or(tir::DType::Void());
      tensors.push_back({one.name,
                         {},
                         {dtype, {}},
                         analysis::to_count(one.size_bytes),
                         alignment_of(module),
                         {}});
    }
  };
  for (const MainMemory& main : module.memory.main) {
    add(main.inputs, list.inputs);
    add(main.outputs, list.outputs);
  }
}

IntegrationMemory& listed_memory(ModuleIntegration& list, const std::string& name,
                                 MemoryUseKind kind, const Count& bytes, std::uint64_t alignment) {
  return list.memory.emplace_back(
      IntegrationMemory{.name = name, .kind = kind, .bytes = bytes, .alignment = alignment});
}

void add_storages(const graph::Topology& network, std::uint64_t alignment,
                  ModuleIntegration& list) {
  std::vector<Count> sizes;
  for (const graph::Storage& storage : network.storages) {
    sizes.push_back(analysis::to_count(storage.bytes));
  }
  for (const graph::Value& value : network.values) {
    Count& size = sizes[index(value.storage)];
    if (size.max == 0) size = analysis::to_count(value.bytes);
  }
  Count all;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const graph::Storage& storage = network.storages[i];
    if (storage.memory == graph::MemoryKind::program) continue;
    listed_memory(list, storage.name, MemoryUseKind::storage, sizes[i], alignment);
    all += sizes[i];
  }
  if (all != Count())
    list.state.push_back({"storages", all, "all runs of one executor share them"});
}

bool is_memory(const ModuleIntegration& list, std::string_view name) {
  return std::ranges::find(list.memory, name, &IntegrationMemory::name) != list.memory.end();
}

void add_flags(const Module& module, ModuleIntegration& list) {
  for (const ModuleTarget& one : module.targets) {
    for (const std::string_view name : {"mcpu", "march", "mabi", "mfloat-abi"}) {
      const TargetValue* const value = one.target.find(name);
      const auto* const text = value != nullptr ? std::get_if<std::string>(&value->value) : nullptr;
      // "generic-rv32" is a CPU of LLVM alone.
      const bool is_generic = name == "mcpu" && text != nullptr && text->starts_with("generic");
      if (text == nullptr || text->empty() || is_generic) continue;
      support::add_once(list.flags, fmt::format("-{}={}", name, *text));
    }
  }
}

void add_operators(const Module& module, const ModuleReport& report, const ModuleCode& code,
                   ModuleIntegration& list) {
  list.interface = ModuleInterface::operators;
  for (const OperatorFunction& one : module.memory.operators) {
    IntegrationFunction& function = list.functions.emplace_back(code.function_named(one.name));
    for (const OperatorBuffer& buffer : one.buffers) {
      const auto dtype = tir::parse_dtype(buffer.dtype).value_or(tir::DType::Void());
      function.arguments.push_back({buffer.input_binding.value_or(""),
                                    {},
                                    {dtype, buffer.shape},
                                    analysis::to_count(buffer.size_bytes),
                                    alignment_of(module),
                                    {}});
    }
    describe_arguments(report, function);
  }
  // Without metadata.json.
  if (!module.memory.operators.empty()) return;
  for (const KernelReport& kernel : report.kernels) {
    list.functions.push_back(code.function_named(kernel.symbol));
  }
}

/// TVM's development versions of 2021 give the application a struct with a pointer to a static
/// function.
std::optional<IntegrationFunction> model_of(const archive::Archive& archive, const Module& module) {
  const std::string name = fmt::format("tvmgen_{}_network", deployment::symbol_part(module.name));
  const std::string definition = fmt::format("const tvm_model_t {}", name);
  for (const FileRef& source : module.files.sources) {
    const std::string_view text = deployment::member_text(archive, source);
    if (text.find(definition + " =") == text.npos) continue;
    return IntegrationFunction{name, "extern " + definition, source.name};
  }
  return std::nullopt;
}

void add_quantization(std::string_view relay, ModuleIntegration& list) {
  const RelayQuantization known = quantization_in(relay);
  for (IntegrationTensor& tensor : list.inputs) {
    tensor.quantization = support::value_at(known.inputs, tensor.name);
  }
  if (known.outputs.size() != list.outputs.size()) return;
  for (std::size_t i = 0; i < known.outputs.size(); ++i) {
    list.outputs[i].quantization = known.outputs[i];
  }
}

class Integrator {
 public:
  Integrator(const Deployment& deployment, const Module& module, const ModuleReport& report)
      : archive_(deployment.archive()),
        module_(module),
        report_(report),
        code_(deployment, module) {
    if (report.code) compiled_.push_back(&*report.code);
    if (report.objects) compiled_.push_back(&report.objects->code);
  }

  ModuleIntegration run() {
    list_.name = module_.name;
    if (module_.style == Style::operator_only) {
      add_operators(module_, report_, code_, list_);
    } else if (report_.network) {
      const graph::Topology& network = *report_.network;
      network.provenance.kind == graph::ProvenanceKind::graph_json ? add_graph(network)
                                                                   : add_entry();
      add_ports(network);
      add_pools(network);
      if (list_.interface == ModuleInterface::graph)
        add_storages(network, alignment_of(module_), list_);
    } else {
      add_entry();
      add_declared_ports(module_, list_);
    }
    add_heap_and_stack();
    add_variables();
    add_external();
    add_defined();
    code_.add_headers(declared_in_, list_);
    add_flags(module_, list_);
    return std::move(list_);
  }

 private:
  void add_graph(const graph::Topology& network) {
    list_.interface = ModuleInterface::graph;
    if (code_.system_library != nullptr) {
      list_.functions.push_back({std::string(kSystemLibrary),
                                 fmt::format("const TVMModule* {}(void)", kSystemLibrary),
                                 code_.system_library->name});
    }
    for (const auto* const file : {&module_.files.graph, &module_.files.parameters}) {
      if (!*file) continue;
      list_.contents.emplace_back(deployment::stored_name(*archive_.find((*file)->name)));
    }
    for (const graph::Kernel& kernel : network.kernels) {
      list_.functions.push_back(code_.function_named(kernel.symbol));
    }
  }

  void add_entry() {
    entry_ = deployment::entry_point_of(archive_, module_,
                                        report_.network ? &*report_.network : nullptr);
    if (entry_) declared_in_ = entry_->member;
    if (entry_ && is_only_declared(*entry_)) entry_.reset();
    if (entry_) {
      list_.interface =
          entry_->interface == CInterface::c ? ModuleInterface::c : ModuleInterface::packed;
      list_.functions.push_back({entry_->function, entry_->prototype, entry_->member});
      list_.structs = entry_->structs;
    } else if (report_.objects && !report_.objects->main.empty()) {
      list_.interface = ModuleInterface::packed;
      list_.functions.push_back(code_.function_named(report_.objects->main));
    } else if (auto model = model_of(archive_, module_)) {
      list_.interface = ModuleInterface::packed;
      list_.functions.push_back(*std::move(model));
    } else if (report_.network) {
      add_main(report_.network->provenance);
    }
  }

  /// TVM's development versions of 2021 declared the function but defined only main.
  bool is_only_declared(const EntryPoint& entry) const {
    if (!report_.network || !module_.files.objects.empty()) return false;
    const std::string& main = report_.network->provenance.symbol;
    if (!code_.names.defined.contains(main) || code_.names.called.contains(main)) return false;
    return std::ranges::none_of(module_.files.sources, [&](const FileRef& source) {
      const std::string_view text = deployment::member_text(archive_, source);
      return support::find_word(text, entry.function) != text.npos;
    });
  }

  /// Without TVM's entry function, the application calls main, unless it is static.
  void add_main(const graph::Provenance& main) {
    if (!code_.names.defined.contains(main.symbol)) return;
    list_.functions.push_back(code_.function_named(main.symbol));
    const CInterface form = deployment::interface_of(list_.functions.back().prototype);
    const bool is_packed = main.call_form == graph::CallForm::packed || form == CInterface::packed;
    list_.interface = is_packed ? ModuleInterface::packed : ModuleInterface::c;
  }

  void add_ports(const graph::Topology& network) {
    const EntryPoint entry = entry_.value_or(EntryPoint{});
    list_.inputs = tensors_of(network, network.inputs, entry.inputs, alignment_of(module_));
    list_.outputs = tensors_of(network, network.outputs, entry.outputs, alignment_of(module_));
    for (const graph::Check& check : network.checks) {
      if (check.code == graph::CheckCode::header_size) list_.other_sizes.push_back(check.detail);
    }
    if (list_.interface == ModuleInterface::packed) {
      list_.type_codes = network.inputs.size() + network.outputs.size() + network.pools.size();
    }
    if (const auto& relay = module_.files.relay) {
      add_quantization(deployment::member_text(archive_, *relay), list_);
    }
  }

  void add_pools(const graph::Topology& network) {
    std::vector<deployment::GivenPool> given;
    if (entry_ && entry_->interface == CInterface::c) {
      const auto header = std::ranges::find(module_.files.headers, entry_->member, &FileRef::name);
      if (header != module_.files.headers.end()) {
        given = deployment::given_pools(deployment::member_text(archive_, *header), network,
                                        module_.name);
      }
    }
    for (const graph::Pool& pool : network.pools) {
      const bool is_workspace = pool.kind == graph::PoolKind::workspace;
      IntegrationMemory& memory =
          listed_memory(list_, pool.name,
                        is_workspace ? MemoryUseKind::workspace_pool : MemoryUseKind::constant_pool,
                        analysis::to_count(pool.bytes), alignment_of(module_));
      const tir::CArray* const array = support::find_value(code_.arrays, pool.name);
      // What the structs do not have is in the archive's wrapper, if it has one.
      const bool is_field = std::ranges::any_of(
          list_.structs, [&](const CStruct& one) { return is_among(one.fields, pool.name); });
      memory.is_in_archive =
          (entry_ ? !is_field : array != nullptr) && !code_.names.external.contains(pool.name);
      for (const tir::OtherMemory& other : network.other_memory) {
        // The struct of constants ends at a multiple of its alignment.
        const bool is_of_pool = other.kind == tir::OtherKind::padding && other.name == pool.name;
        if (memory.is_in_archive && is_of_pool) memory.bytes += analysis::to_count(other.bytes);
      }
      if (array != nullptr) {
        memory.section = array->section;
        memory.alignment = array->alignment.value_or(memory.alignment);
      }
      const auto of_header = std::ranges::find(given, pool.name, &deployment::GivenPool::name);
      if (of_header != given.end()) memory.data = of_header->data;
      if (memory.is_in_archive && is_workspace) {
        list_.state.push_back({pool.name, memory.bytes,
                               array != nullptr ? "the pool is static: one run at a time"
                                                : "the C around main makes the pool"});
      }
    }
  }

  bool is_compiled() const { return report_.code && report_.code->uncompiled.empty(); }

  /// Variables of the C: what the compiler keeps of them, or what the text of other files shows.
  void add_variables() {
    std::map<std::string, Count, std::less<>> variables;
    const bool has_code = report_.code && !module_.files.sources.empty();
    for (const auto& [symbol, one] :
         has_code ? report_.code->variables : CompiledCode().variables) {
      const bool is_of_objects =
          report_.objects && report_.objects->code.variables.contains(symbol);
      if (one.is_written && !is_of_objects) variables[name_in_c(symbol)] += one.bytes;
    }
    if (!is_compiled()) {
      for (const std::string& name : code_.names.written)
        variables.try_emplace(name, Count::unknown());
    }
    for (const auto& [name, bytes] : variables) {
      if (tir::is_tvm_table(name) || is_memory(list_, name)) continue;
      list_.state.push_back(
          {name, bytes, "a variable of the C: it may keep a value from run to run"});
    }
  }

  void add_heap_and_stack() {
    // The calls tell that there is a heap. What is compiled tells all of them. Objects of LLVM
    // without a system library call it by a pointer.
    const auto may_call = [](const CompiledCode& code) {
      return is_among(code.missing, kAllocate) || code.functions.contains(kAllocate) ||
             code.variables.contains(kAllocatePointer);
    };
    const auto is_in_c = [&](const graph::Kernel& one) {
      return code_.prototypes.contains(one.symbol);
    };
    const bool has_other_code =
        report_.network && !std::ranges::all_of(report_.network->kernels, is_in_c);
    const bool has_heap = is_compiled()
                              ? may_call(*report_.code)
                              : has_other_code || code_.names.called.contains(kAllocate) ||
                                    (report_.objects && may_call(report_.objects->code));
    const Count heap = has_heap ? report_.ram.heap : Count();
    if (heap != Count()) {
      listed_memory(list_, {}, MemoryUseKind::heap, heap, kAlignment);
      list_.state.push_back(
          {std::string(kAllocate), heap,
           "networks that run at the same time need a heap each, or a lock around each whole run"});
    }
    if (report_.objects && report_.objects->code.data + report_.objects->code.bss > 0) {
      list_.state.push_back({"data of objects",
                             report_.objects->code.data + report_.objects->code.bss,
                             "the object files have data that code may write"});
    }
    listed_memory(list_, {}, MemoryUseKind::stack, needed(report_, Resource::stack), kAlignment);
    list_.memory.back().missing =
        fmt::format("{}", fmt::join(what_is_missing(report_, {}, Resource::stack), "; "));
  }

  void add_external() {
    std::set<std::string, std::less<>> names;
    for (const CompiledCode* const code : compiled_) {
      names.insert(code->missing.begin(), code->missing.end());
    }
    list_.is_linked = is_compiled() || module_.files.sources.empty();
    if (!list_.is_linked) names.merge(code_.names.called);
    if (module_.files.objects.empty()) {
      for (const IntegrationFunction& one : list_.functions) {
        const bool is_there =
            code_.names.defined.contains(one.symbol) || code_.names.exported.contains(one.symbol);
        if (!is_there) names.insert(one.symbol);
      }
    }
    for (const std::string& name : code_.names.external) {
      const bool is_in_objects = report_.objects && report_.objects->code.variables.contains(name);
      const bool is_defined = code_.arrays.contains(name) || code_.names.exported.contains(name);
      if (!is_memory(list_, name) && !is_in_objects && !is_defined) names.insert(name);
    }
    for (const std::string& name : names) {
      if (!list_.is_linked && code_.names.defined.contains(name)) continue;
      list_.external.push_back({name, std::string(graph::to_string(graph::origin_of(name))),
                                code_.names.external.contains(name)});
    }
  }

  void add_defined() {
    for (const CompiledCode* const code : compiled_) {
      code_.names.defined.insert(code->exported.begin(), code->exported.end());
    }
    list_.defined.assign(code_.names.defined.begin(), code_.names.defined.end());
  }

  const archive::Archive& archive_;
  const Module& module_;
  const ModuleReport& report_;
  ModuleCode code_;
  std::vector<const CompiledCode*> compiled_;  ///< of the C and of objects of the archive
  ModuleIntegration list_;
  std::optional<EntryPoint> entry_;
  std::string declared_in_;  ///< TVM's entry function, even if nothing defines it
};

/// Of the C, which is what the compiler gets; of functions without it, those of the report.
std::vector<IntegrationLoop> loops_in(const Deployment& deployment, std::size_t position,
                                      const ModuleReport& report) {
  // Those that are understood, by member and place.
  std::map<std::pair<std::string_view, std::uint32_t>, analysis::LoopCost> known;
  std::set<std::string, std::less<>> functions;
  for (const TirSource& c : support::get_or_throw(deployment.generated_c(position))) {
    const auto code = support::get_or_throw(deployment.code(c));
    for (const auto& [name, function] : code->functions()) {
      functions.emplace(name);
      for (analysis::LoopCost& loop : analysis::kernel_cost(code->code_of(function)).loops) {
        const auto range = code->document().module.source_range(loop.node);
        const std::string_view member = c.member->name;
        if (range) known.emplace(std::pair(member, range->begin), std::move(loop));
      }
    }
  }
  std::vector<IntegrationLoop> list;
  const ModuleFiles& files = deployment.library().modules[position].files;
  for (const auto* const group : {&files.sources, &files.headers}) {
    for (const FileRef& file : *group) {
      if (is_of_tvm(file.name)) continue;
      const std::string_view text = deployment::member_text(deployment.archive(), file);
      const LineTable lines(text);
      for (const tir::CLoop& loop : tir::loops_of(text, deployment.macros())) {
        const Count unknown = Count::unknown();
        IntegrationLoop& one = list.emplace_back(
            IntegrationLoop{std::string(loop.function), file.name, lines.line_of(loop.begin)});
        one.cost = {
            .variable = loop.keyword, .extent = unknown, .iterations = unknown, .mac = unknown};
        const auto found = known.find({file.name, loop.begin});
        if (found != known.end()) one.cost = found->second;
        one.cost.depth = loop.depth;
      }
    }
  }
  for (const KernelReport& kernel : report.kernels) {
    if (!kernel.cost || functions.contains(kernel.symbol)) continue;
    for (const analysis::LoopCost& loop : kernel.cost->loops) {
      list.push_back({kernel.symbol, {}, {}, loop});
    }
  }
  return list;
}

}  // namespace

ModuleIntegration integration_of_module(const Deployment& deployment, std::size_t position,
                                        const ModuleReport& report) {
  return Integrator(deployment, deployment.library().modules[position], report).run();
}

}  // namespace report

std::string_view to_string(ModuleInterface interface) {
  return support::name_in({"c", "packed", "graph", "operators"}, interface);
}

std::string_view to_string(MemoryUseKind kind) {
  return support::name_in({"workspace-pool", "constant-pool", "heap", "storage", "stack"}, kind);
}

Result<Integration> integration_of(const Deployment& deployment, const ReportOptions& options) {
  return support::to_result([&] {
    Integration integration{.report = support::get_or_throw(report_of(deployment, options)),
                            .modules = {}};
    for (std::size_t i = 0; i < integration.report.modules.size(); ++i) {
      const ModuleReport& module = integration.report.modules[i];
      integration.modules.push_back(report::integration_of_module(deployment, i, module));
      integration.modules.back().loops = report::loops_in(deployment, i, module);
    }
    return integration;
  });
}

}  // namespace mlf
