#include "optimize/steps.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "deployment/member_text.h"
#include "edit/edited_archive.h"
#include "json/document.h"
#include "optimize/constant_uses.h"
#include "optimize/narrow_type.h"
#include "optimize/tir_changes.h"
#include "support/characters.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/c/c.h"
#include "tir/node_queries.h"

namespace mlf::optimize {
namespace {

using archive::Member;
using support::get_or_throw;

/// A parameter of the file with what becomes of it.
struct Parameter {
  const Param* param = nullptr;
  tir::DType dtype{};
  std::optional<graph::ValueId> value{};
  std::size_t group = 0;  ///< parameters that must have one type
  std::string kept{};
  std::optional<tir::DType> after{};

  std::uint64_t bytes() const { return param->data.size(); }
  std::uint64_t new_bytes() const {
    return after ? bytes() / dtype.element_bytes() * after->element_bytes() : bytes();
  }
};

/// Generated C, and the uses of parameters in it.
struct Reading {
  edit::PlacedTir tir;
  ModuleConstants constants;
};

using FunctionRanges = support::NameMap<std::string, tir::SourceRange>;

/// None if a macro changes words or types.
FunctionRanges functions_in(std::string_view file) {
  FunctionRanges functions;
  if (tir::c::joins_words(file) || !tir::c::type_macro(file).empty()) return functions;
  for (tir::CDefinition& one : tir::describe_c(file).definitions) {
    functions.try_emplace(std::move(one.symbol), one.range);
  }
  return functions;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// `x` of the load `((T*)x)[i]`.
std::string loaded_name(std::string_view text, tir::SourceRange load) {
  text = text.substr(0, load.end);
  const std::size_t begin = text.find("*)", load.begin);
  if (begin == text.npos) return {};
  return std::string(tir::c::word_at(text, begin + 2));
}

using ParameterNames = support::NameMap<std::string_view, std::size_t>;
using StorageSizes = std::map<std::int64_t, edit::NumberChange>;

/// The parameters that are values of a network, and the arguments of kernels that receive them.
class ParameterUses {
 public:
  explicit ParameterUses(std::vector<Parameter>& parameters) : parameters_(parameters) {}

  void find(const graph::Topology& network, const ParameterNames& names) {
    std::map<graph::StorageId, std::size_t> tensors;
    for (const graph::Value& value : network.values) ++tensors[value.storage];
    for (std::size_t i = 0; i < network.values.size(); ++i) {
      const graph::Value& value = network.values[i];
      if (value.kind != graph::ValueKind::constant) continue;
      const auto found = names.find(value.name);
      if (found == names.end()) continue;
      Parameter& one = parameters_[found->second];
      if (tensors.at(value.storage) > 1) keep(one.kept, "other tensors share its storage");
      one.value = static_cast<graph::ValueId>(i);
      by_value_.emplace(i, found->second);
    }
    for (Parameter& one : parameters_) {
      if (!one.value) {
        keep(one.kept, "the graph does not use it");
        continue;
      }
      for (const graph::Endpoint& end : network[*one.value].consumers) {
        if (end.kind != graph::EndpointKind::call) keep(one.kept, "the graph copies it");
      }
    }
    for (const graph::Port& output : network.outputs) {
      if (!output.value) continue;
      if (Parameter* const one = parameter_of(*output.value)) keep(one->kept, "is an output");
    }
    for (const graph::Call& call : network.calls) take_call(network.kernel_of(call).symbol, call);
    join_groups();
  }

  Parameter* parameter_of(graph::ValueId value) {
    const auto found = by_value_.find(graph::index(value));
    return found == by_value_.end() ? nullptr : &parameters_[found->second];
  }

  void keep_given(const ConstantKey& argument, const std::string& why) {
    for (const std::size_t index : arguments_.at(argument)) keep(parameters_[index].kept, why);
  }

  /// That receive parameters.
  const std::map<ConstantKey, std::vector<std::size_t>>& arguments() const { return arguments_; }

 private:
  void take_call(const std::string& symbol, const graph::Call& call) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const graph::Argument& argument = call.arguments[i];
      Parameter* const one = argument.reads ? parameter_of(*argument.reads) : nullptr;
      if (one == nullptr) {
        others_.insert(ConstantKey::parameter(symbol, i));
        continue;
      }
      if (argument.writes) keep(one->kept, "'" + symbol + "' writes it");
      arguments_[ConstantKey::parameter(symbol, i)].push_back(
          static_cast<std::size_t>(one - parameters_.data()));
    }
  }

  /// Parameters that a kernel receives as the same argument have one type.
  void join_groups() {
    std::vector<std::vector<std::size_t>> groups(parameters_.size());
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = {i};
    for (const auto& [argument, given] : arguments_) {
      for (const std::size_t index : given) {
        std::size_t larger = parameters_[given.front()].group;
        std::size_t smaller = parameters_[index].group;
        if (larger == smaller) continue;
        if (groups[larger].size() < groups[smaller].size()) std::swap(larger, smaller);
        for (const std::size_t moved : std::exchange(groups[smaller], {})) {
          parameters_[moved].group = larger;
          groups[larger].push_back(moved);
        }
      }
      if (!others_.contains(argument)) continue;
      keep_given(argument,
                 "'" + argument.function + "' also receives other tensors as this argument");
    }
  }

  std::vector<Parameter>& parameters_;
  std::map<std::size_t, std::size_t> by_value_;
  std::map<ConstantKey, std::vector<std::size_t>> arguments_;
  std::set<ConstantKey> others_;  // that receive other tensors
};

/// Each word of the function that names the tensor or its data must be known:
///     void* p1 = (((TVMValue*)args)[1].v_handle);
///     void* p1_1 = (((DLTensor*)p1)[0].data);
///     … ((int16_t*)p1_1)[i] …
std::string why_text_stays(const Reading& reading, const ConstantUse& use,
                           const edit::EditedMembers& edited,
                           std::map<const Member*, FunctionRanges>& known) {
  const std::string why = "the C of '" + use.function + "' has a form that mlf cannot edit";
  const std::span<const tir::Place> loads = reading.tir.loads_of(use.variable);
  if (loads.empty()) return use.loads.empty() ? std::string() : why;
  const Member& member = *reading.tir.files[loads.front().file];
  const std::string_view file = edited.text_of(member);
  if (!known.contains(&member)) known.emplace(&member, functions_in(file));
  const auto found = known.at(&member).find(use.function);
  if (found == known.at(&member).end()) return why;
  const auto [begin, end] = found->second;
  const std::string_view text = file.substr(begin, end - begin);
  const std::string name = loaded_name(file, loads.front().range);
  for (const tir::Place& load : loads) {
    const auto type = type_of_c_load(file, load.range);
    const bool is_known = load.file == loads.front().file && load.range.begin >= begin &&
                          load.range.end <= end && type && type->end > 0 &&
                          loaded_name(file, load.range) == name;
    if (!is_known) return why;
  }
  const std::string data = "void* " + name + " = (((DLTensor*)";
  const std::size_t declared = text.find(data);
  if (name.empty() || declared == text.npos ||
      tir::c::count_of_word(text, name) != loads.size() + 1) {
    return why;
  }
  const std::string tensor(tir::c::word_at(text, declared + data.size()));
  const std::size_t tensor_end = declared + data.size() + tensor.size();
  // A check of the type would fail after the change.
  const bool is_plain =
      text.substr(tensor_end).starts_with(")[0].data);") && text.find(".dtype") == text.npos &&
      tir::c::count_of_word(text, tensor) == count_of(text, "(DLTensor*)" + tensor + ")[0].") + 1;
  return is_plain ? std::string() : why;
}

/// Of parameters that must have one type.
void choose_type(const std::vector<Parameter*>& parameters) {
  const tir::DType dtype = parameters.front()->dtype;
  std::vector<std::byte> values;
  std::string kept;
  for (const Parameter* const one : parameters) {
    keep(kept, one->kept);
    if (one->dtype != dtype)
      keep(kept, "an argument of a kernel also receives a parameter of another type");
    values.insert(values.end(), one->param->data.begin(), one->param->data.end());
  }
  const auto narrower = narrowest_type(dtype, values);
  if (!narrower)
    keep(kept, "an argument of a kernel also receives a parameter that needs this type");
  for (Parameter* const one : parameters) {
    if (kept.empty()) one->after = *narrower;
    keep(one->kept, kept);
  }
}

void choose_types(std::vector<Parameter>& all) {
  std::map<std::size_t, std::vector<Parameter*>> groups;
  for (Parameter& one : all) groups[one.group].push_back(&one);
  for (const auto& [group, parameters] : groups) choose_type(parameters);
}

std::vector<json::Value> elements_of(json::Value array) {
  return json::list_of(array, [](json::Value one) { return one; });
}

/// The elements of `["list_str", […]]`.
std::vector<json::Value> listed(json::Value attribute) {
  const std::vector<json::Value> parts = elements_of(attribute);
  return parts.size() == 2 ? elements_of(parts[1]) : std::vector<json::Value>();
}

/// Before the data of an array are its rank (32 bits), the code, bits and lanes of its type, its
/// extents (64 bits each) and the number of bytes (64 bits).
void change_file(const std::vector<Parameter>& parameters, std::vector<edit::Edit>& edits) {
  const auto put = [&](std::size_t at, std::size_t old_size, std::span<const std::byte> bytes) {
    edits.push_back(
        {edit::at(at, at + old_size), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
  };
  for (const Parameter& one : parameters) {
    if (!one.after) continue;
    const std::vector<std::byte> data = converted(one.dtype, one.param->data, *one.after);
    const std::uint64_t size = data.size();
    const std::size_t at = one.param->offset;
    const std::size_t type_at = at - (one.param->shape.size() + 1) * sizeof size - 4;
    const std::array type{static_cast<std::byte>(one.after->code), std::byte{one.after->bits}};
    put(type_at, type.size(), type);
    put(at - sizeof size, sizeof size, std::as_bytes(std::span(&size, 1)));
    put(at, one.bytes(), data);
  }
}

/// The sizes of storage, and the sum of all parameters, where TVM counts them. TVM gives some
/// storage the size of another, if intermediate results share storage: such an entry stays.
void change_sizes(const json::Document& metadata, const std::string& module,
                  const std::vector<Parameter>& parameters, const StorageSizes& sizes,
                  std::vector<edit::Edit>& edits) {
  const json::Value owner = metadata_of(metadata.root(), module);
  const auto memory = owner.find("memory");
  const auto sids = memory && memory->is_object() ? memory->find("sids") : std::nullopt;
  if (sids) {
    for (const json::Value one : sids->as_array()) {
      const auto size = support::find_value(sizes, one.at("storage_id").integer().value_or(-1));
      if (size == nullptr) continue;
      const json::Value bytes = one.at("size_bytes");
      if (bytes.integer() != static_cast<std::int64_t>(size->before)) continue;
      edits.push_back(edit::number_edit(metadata.source(), edit::range_of(bytes), *size,
                                        "the size of a parameter"));
    }
  }
  edit::NumberChange sum;
  for (const Parameter& one : parameters) {
    sum.before += one.bytes();
    sum.after += one.new_bytes();
  }
  change_metadata(metadata, module, "constants_size_bytes", std::array{sum}, edits);
}

void check_file(const std::vector<Parameter>& parameters, const FileRef& file,
                const Deployment& after) {
  const std::string_view text =
      get_or_throw(after.archive().read(*after.archive().find(file.name)));
  const auto params = get_or_throw(read_params(std::as_bytes(std::span(text)), file.name));
  bool is_right = params.size() == parameters.size();
  for (std::size_t i = 0; is_right && i < params.size(); ++i) {
    const Parameter& one = parameters[i];
    const tir::DType dtype = one.after.value_or(one.dtype);
    is_right = params[i].name == one.param->name && params[i].shape == one.param->shape &&
               tir::parse_dtype(to_string(params[i].type)) == dtype &&
               std::ranges::equal(converted(dtype, params[i].data, one.dtype), one.param->data);
  }
  if (!is_right) edit::refuse("other parameters", file.name);
}

/// Those that a smaller type holds.
std::vector<OptimizedConstant> report(const std::vector<Parameter>& parameters) {
  std::vector<OptimizedConstant> narrowed;
  for (const Parameter& one : parameters) {
    if (!narrowest_type(one.dtype, one.param->data)) continue;
    narrowed.push_back({.name = one.param->name,
                        .pool = {},
                        .before = one.dtype,
                        .after = one.after.value_or(one.dtype),
                        .bytes_before = one.bytes(),
                        .bytes_after = one.new_bytes(),
                        .is_parameter = true,
                        .bytes_saved = one.bytes() - one.new_bytes(),
                        .kept = one.after ? std::string() : one.kept});
  }
  return narrowed;
}

class Narrowing {
 public:
  Narrowing(std::size_t module, const graph::Topology* network, edit::EditedMembers& edited)
      : deployment_(edited.deployment()),
        module_(deployment_.library().modules[module]),
        index_(module),
        network_(network),
        edited_(edited) {}

  std::vector<OptimizedConstant> run() && {
    if (!read_parameters()) return {};
    if (const std::string why = why_all_stay(); !why.empty()) {
      keep_all(why);
    } else {
      uses_.find(*network_, by_name_);
      read_c();
      keep_by_c();
      choose_types(parameters_);
      change_or_keep();
    }
    return report(parameters_);
  }

 private:
  void keep_all(const std::string& why) {
    for (Parameter& one : parameters_) keep(one.kept, why);
  }

  /// Whether a smaller type would hold one of them.
  bool read_parameters() {
    if (!module_.files.parameters) return false;
    const std::string_view text =
        deployment::member_text(edited_.archive(), *module_.files.parameters);
    const auto read = support::value_if_valid(
        read_params(std::as_bytes(std::span(text)), module_.files.parameters->name));
    if (!read) return false;
    params_ = *read;
    bool any = false;
    for (const Param& one : params_) {
      const auto dtype = tir::parse_dtype(to_string(one.type));
      parameters_.push_back(
          {.param = &one, .dtype = dtype.value_or(tir::DType{}), .group = parameters_.size()});
      by_name_.try_emplace(one.name, parameters_.size() - 1);
      any = any || (dtype && narrowest_type(*dtype, one.data));
    }
    return any;
  }

  std::string why_all_stay() const {
    if (network_ == nullptr || !module_.files.graph) return "is a parameter without a graph";
    if (!network_->gaps.empty()) return "the graph is not understood as a whole";
    if (!module_.files.objects.empty()) return "its kernels are in objects";
    for (const FileRef& file : module_.files.sources) {
      const std::string_view text = edited_.text_of(member_of(file));
      if (text.find(tir::kLinkedParamsFunction) == text.npos) continue;
      return "the runtime may use an array of the C instead";
    }
    const std::vector<const Member*> captured = edited_.captured();
    return captured.empty() ? std::string() : captured.front()->name + " also has the kernels";
  }

  void read_c() {
    std::set<ConstantKey> wanted;
    for (const auto& [argument, given] : uses_.arguments()) wanted.insert(argument);
    for (const TirSource& c : get_or_throw(deployment_.generated_c(index_))) {
      Reading reading{edited_.take_tir(c), {}};
      reading.constants =
          constants_of(reading.tir.document.module,
                       tir::prim_functions_of(reading.tir.document.module), {}, wanted);
      std::erase_if(reading.constants.uses,
                    [](const ConstantUse& use) { return !use.key.is_parameter; });
      readings_.push_back(std::move(reading));
    }
  }

  void keep_by_c() {
    std::map<const Member*, FunctionRanges> functions;
    std::set<ConstantKey> missing;
    for (const auto& [argument, given] : uses_.arguments()) missing.insert(argument);
    for (const Reading& reading : readings_) {
      for (const ConstantUse& use : reading.constants.uses) {
        const ConstantKey& argument = use.key;
        if (missing.erase(argument) == 0) uses_.keep_given(argument, "the C has its kernel twice");
        if (!use.kept.empty()) uses_.keep_given(argument, use.kept);
        if (has_text(reading.tir.document.module.node(use.owner))) {
          uses_.keep_given(argument, unread_statement_of(use.function));
        }
        if (const std::string why = why_text_stays(reading, use, edited_, functions);
            !why.empty()) {
          uses_.keep_given(argument, why);
        }
        for (const std::size_t index : uses_.arguments().at(argument)) {
          if (parameters_[index].dtype == use.element) continue;
          keep(parameters_[index].kept,
               "'" + use.function + "' has it as " + to_string(use.element));
        }
      }
    }
    for (const ConstantKey& argument : missing) {
      uses_.keep_given(argument, "'" + argument.function + "' has no C that mlf reads");
    }
  }

  /// If the result is not as wanted, all types stay.
  void change_or_keep() {
    const auto changes = [](const Parameter& one) { return one.after.has_value(); };
    if (std::ranges::none_of(parameters_, changes)) return;
    const auto changed = support::to_result([&] { change(); });
    if (changed) return;
    support::throw_unless_invalid(changed.error());
    for (Parameter& one : parameters_) one.after.reset();
    keep_all(changed.error().message);
  }

  void change() {
    const NewConstants wanted = new_constants();
    edit::FileEdits edits;
    for (const Reading& reading : readings_) {
      changes_of(reading.constants, wanted).add_edits(reading.tir, edited_, edits);
    }
    change_graph(edits);
    change_file(parameters_, edits[&member_of(*module_.files.parameters)]);
    edits.merge(edits_of_metadata(edited_, [&](const json::Document& metadata, auto& of_metadata) {
      change_sizes(metadata, module_.name, parameters_, sizes_, of_metadata);
    }));
    edit::EditedMembers edited = edited_.fork();
    edited.edit(std::move(edits));
    const Deployment after = edited.open();
    check_c(wanted, after);
    check_network(after);
    check_file(parameters_, *module_.files.parameters, after);
    edited_.take_all(std::move(edited));
  }

  NewConstants new_constants() const {
    NewConstants wanted;
    for (const auto& [argument, given] : uses_.arguments()) {
      const Parameter& one = parameters_[given.front()];
      if (one.after) wanted.constants.emplace(argument, NewConstant{.dtype = *one.after});
    }
    return wanted;
  }

  const Member& member_of(const FileRef& file) const { return *edited_.archive().find(file.name); }

  /// `dltype` of the graph. Also finds the storage of each parameter.
  void change_graph(edit::FileEdits& edits) {
    const Member& member = member_of(*module_.files.graph);
    const json::Document document(edited_.source_of(member));
    const json::Value root = document.root();
    const std::vector<json::Value> types = listed(root.at("attrs").at("dltype"));
    const std::vector<json::Value> storages = listed(root.at("attrs").at("storage_id"));
    const std::vector<json::Value> rows = elements_of(root.at("node_row_ptr"));
    std::size_t node = 0;
    for (const json::Value one : root.at("nodes").as_array()) {
      const std::size_t row = node++;
      const auto named = by_name_.find(one.at("name").as_string());
      if (named == by_name_.end() || one.at("op").as_string() != "null") continue;
      const Parameter* const found = &parameters_[named->second];
      if (!found->after) continue;
      const auto entry = row < rows.size() ? rows[row].integer() : std::nullopt;
      const std::size_t at = static_cast<std::size_t>(entry.value_or(-1));
      const bool is_there = at < types.size() && at < storages.size() &&
                            types[at].as_string() == to_string(found->dtype);
      if (!is_there)
        edit::refuse("the graph has no type of '" + found->param->name + "'", member.name);
      edits[&member].push_back({edit::range_of(types[at]), "\"" + to_string(*found->after) + "\""});
      if (const auto storage = storages[at].integer()) {
        sizes_[*storage] = {found->bytes(), found->new_bytes()};
      }
    }
  }

  /// The graph states types of the C.
  void check_c(const NewConstants& wanted, const Deployment& after) {
    const auto sources = get_or_throw(after.generated_c(index_));
    if (sources.size() != readings_.size()) edit::refuse("generated C is missing afterwards");
    for (std::size_t i = 0; i < sources.size(); ++i) {
      Reading& reading = readings_[i];
      const tir::Module expected =
          changes_of(reading.constants, wanted).made_in(std::move(reading.tir.document.module));
      const auto document = get_or_throw(after.document(sources[i]));
      edit::require_equal(expected, document->module, reading.tir.name());
    }
  }

  /// Arguments have the same types as before, except for parameters.
  void check_network(const Deployment& after) {
    const Networks networks = get_or_throw(after.networks());
    const auto found = std::ranges::find(networks.found, index_, &Network::module);
    const std::string why = "the network would change";
    if (found == networks.found.end()) edit::refuse(why);
    const graph::Topology& is = found->topology;
    if (is.calls.size() != network_->calls.size()) edit::refuse(why);
    for (std::size_t i = 0; i < is.calls.size(); ++i) {
      const auto& arguments = is.calls[i].arguments;
      const auto& old = network_->calls[i].arguments;
      if (arguments.size() != old.size() || is.calls[i].name != network_->calls[i].name)
        edit::refuse(why);
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        graph::TensorType type = old[k].type;
        const Parameter* const one = old[k].reads ? uses_.parameter_of(*old[k].reads) : nullptr;
        if (one != nullptr && one->after) type.dtype = *one->after;
        if (arguments[k].type != type) edit::refuse(why + ": " + is.calls[i].name);
      }
    }
  }

  const Deployment& deployment_;
  const Module& module_;
  std::size_t index_;
  const graph::Topology* network_;
  edit::EditedMembers& edited_;
  std::vector<Param> params_;
  std::vector<Parameter> parameters_;  // in the order of `params_`
  ParameterNames by_name_;
  ParameterUses uses_{parameters_};
  std::vector<Reading> readings_;
  StorageSizes sizes_;  // by storage
};

}  // namespace

std::vector<OptimizedConstant> narrow_parameters(std::size_t module, const graph::Topology* network,
                                                 edit::EditedMembers& edited) {
  return Narrowing(module, network, edited).run();
}

}  // namespace mlf::optimize
