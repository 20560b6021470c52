// Values of constants in two archives.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "deployment/member_text.h"
#include "mlf/tir/visit.h"
#include "report/changed_members.h"
#include "report/constants.h"
#include "support/lookup.h"
#include "tir/c/c.h"
#include "tir/node_queries.h"
#include "tir/pools.h"

namespace mlf::report {
namespace {

namespace f = tir::f;
using support::get_or_throw;
using tir::Kind;
using tir::Node;

/// A constant with its values.
struct ComparedConstant {
  std::string name;
  std::string function{};                 ///< that has it; empty: a pool or a parameter
  std::optional<std::uint64_t> offset{};  ///< in a pool
  tir::DType dtype{};
  std::span<const std::byte> data{};
};

/// The constants of sources of one kind.
struct Constants {
  std::vector<ComparedConstant> list{};
  std::vector<std::shared_ptr<const tir::Document>> owners{};

  void add(std::shared_ptr<const tir::Document> document);
  void add(std::string_view params, const std::string& member);
};

void Constants::add(std::shared_ptr<const tir::Document> document) {
  std::set<std::tuple<std::string_view, std::optional<std::uint64_t>>>
      pooled;  // each function lists the pools
  for (const tir::NamedFunction& function : tir::prim_functions_of(document->module)) {
    tir::for_each_pre_order(function.function, [&](Node node) {
      const bool is_array = node.is(Kind::AllocateConst);
      if (!is_array && !node.is(Kind::ConstantInfo)) return;
      const Node array = is_array ? node[f::AllocateConst::data] : node[f::ConstantInfo::data];
      const auto data = array ? tir::data_of(array) : std::nullopt;
      if (!data) return;
      ComparedConstant constant{.name = {}, .dtype = array.dtype(f::NDArray::dtype), .data = *data};
      if (is_array) {
        constant.name = node[f::AllocateConst::buffer_var].text(f::Var::name);
        constant.function = function.symbol;
      } else {
        const std::string_view name = node.text(f::ConstantInfo::name_hint);
        constant.offset = tir::pool_offset(node);
        if (!pooled.emplace(name, constant.offset).second) return;
        constant.name = name;
      }
      list.push_back(std::move(constant));
    });
  }
  owners.push_back(std::move(document));
}

void Constants::add(std::string_view params, const std::string& member) {
  const auto read = support::value_if_valid(
      read_params(std::as_bytes(std::span(params.data(), params.size())), member));
  if (!read) return;
  for (const Param& one : *read) {
    const tir::DType dtype{static_cast<tir::TypeCode>(one.type.code), one.type.bits,
                           static_cast<std::int16_t>(one.type.lanes)};
    list.push_back({.name = one.name, .dtype = dtype, .data = one.data});
  }
}

Constants of_c(const Deployment& deployment) {
  Constants constants;
  for (std::size_t i = 0; i < deployment.library().modules.size(); ++i) {
    for (const TirSource& source : get_or_throw(deployment.generated_c(i))) {
      auto document = support::value_if_valid(support::to_result(
          [&] { return std::make_shared<const tir::Document>(tir::read_c_constants(*source.c)); }));
      if (document) constants.add(*std::move(document));
    }
  }
  return constants;
}

Constants of_tir(const Deployment& deployment) {
  Constants constants;
  for (const TirSource& source : deployment.tir_sources()) {
    if (source.c) continue;
    auto document = support::value_if_valid(deployment.document(source));
    if (document) constants.add(*std::move(document));
  }
  return constants;
}

Constants of_parameters(const Deployment& deployment) {
  Constants constants;
  for (const Module& module : deployment.library().modules) {
    if (!module.files.parameters) continue;
    constants.add(deployment::member_text(deployment.archive(), *module.files.parameters),
                  module.files.parameters->name);
  }
  return constants;
}

/// Finds the kernel that reads a constant.
class Readers {
 public:
  explicit Readers(const Report& report);

  /// Its symbol; that of the function which has the constant, if no kernel is known.
  std::string kernel_of(const ComparedConstant& constant) const;
  std::string layer_of(std::string_view kernel) const;

 private:
  std::map<std::string, std::string, std::less<>> layers_;                   // by symbol
  std::map<std::string, std::string, std::less<>> of_main_;                  // by name: symbol
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> of_pools_;  // by offset and bytes
};

Readers::Readers(const Report& report) {
  for (const ModuleReport& module : report.modules) {
    for (const CallReport& call : module.calls) {
      layers_.try_emplace(module.kernels[call.kernel].symbol, call.layer);
    }
    if (!module.network) continue;
    const graph::Topology& network = *module.network;
    for (const graph::Kernel& kernel : network.kernels) {
      for (const graph::KernelBuffer& one : kernel.constants) {
        if (one.pool && one.offset && one.bytes) {
          of_pools_.try_emplace({*one.offset, *one.bytes}, kernel.symbol);
        }
      }
    }
    for (const graph::Call& call : network.calls) {
      const std::string& kernel = network.kernels[index(call.kernel)].symbol;
      for (const graph::Argument& argument : call.arguments) {
        if (!argument.reads) continue;
        const graph::Value& value = network[*argument.reads];
        const graph::Storage& storage = network[value.storage];
        of_main_.try_emplace(storage.name, kernel);
        of_main_.try_emplace(value.name, kernel);
        if (storage.offset && value.bytes && value.kind == graph::ValueKind::constant) {
          of_pools_.try_emplace({*storage.offset, *value.bytes}, kernel);
        }
      }
    }
  }
}

std::string Readers::kernel_of(const ComparedConstant& constant) const {
  const std::string* found = nullptr;
  if (constant.offset) {
    found = support::find_value(of_pools_, std::pair(*constant.offset, constant.data.size()));
  } else if (!layers_.contains(constant.function)) {
    found = support::find_value(of_main_, constant.name);
  }
  return found == nullptr ? constant.function : *found;
}

std::string Readers::layer_of(std::string_view kernel) const {
  const auto found = layers_.find(kernel);
  return found == layers_.end() ? "" : found->second;
}

/// The difference of two constants of one dtype and size; nothing if they are equal.
std::optional<ConstantDifference> compare(const ComparedConstant& a, const ComparedConstant& b) {
  const auto lanes = static_cast<std::size_t>(std::max<std::int16_t>(b.dtype.lanes, 1));
  const std::size_t width = b.dtype.element_bytes() * lanes;
  if (width == 0 || std::ranges::equal(a.data, b.data)) return std::nullopt;
  ConstantDifference difference{.name = b.name, .elements = b.data.size() / width};
  const ElementReader read = reader_of(b.dtype);
  if (read != nullptr) difference.largest = 0;
  for (std::size_t at = 0; at + width <= b.data.size(); at += width) {
    if (std::ranges::equal(a.data.subspan(at, width), b.data.subspan(at, width))) continue;
    ++difference.differing;
    if (!difference.largest) continue;
    const double by = std::abs(read(a.data.data() + at) - read(b.data.data() + at));
    difference.largest =
        std::isfinite(by) ? std::optional(std::max(*difference.largest, by)) : std::nullopt;
  }
  return difference;
}

/// TVM numbers constants anew if another kernel changes.
std::string without_numbers(std::string name) {
  std::erase_if(name, [](char c) { return c == '_' || (c >= '0' && c <= '9'); });
  return name;
}

/// Pairs constants of one kernel, dtype and size: by name, then by name without numbers, in order.
std::vector<ConstantDifference> differences_of(const Constants& before, const Readers& old_readers,
                                               const Constants& after, const Readers& new_readers,
                                               const Partners& partners) {
  using Key = std::tuple<std::string, std::string, std::uint32_t, std::size_t>;
  std::vector<ConstantDifference> differences;
  std::vector<bool> is_paired_before(before.list.size());
  std::vector<bool> is_paired_after(after.list.size());
  std::vector<std::string> kernels;
  for (const ComparedConstant& one : after.list) kernels.push_back(new_readers.kernel_of(one));
  for (const bool is_by_name : {true, false}) {
    std::multimap<Key, std::size_t> free;
    const auto key = [&](const ComparedConstant& one, const std::string& kernel) {
      return Key(kernel, is_by_name ? one.name : without_numbers(one.name), one.dtype.packed(),
                 one.data.size());
    };
    for (std::size_t i = 0; i < before.list.size(); ++i) {
      if (is_paired_before[i]) continue;
      const ComparedConstant& one = before.list[i];
      free.emplace(key(one, old_readers.kernel_of(one)), i);
    }
    for (std::size_t i = 0; i < after.list.size(); ++i) {
      if (is_paired_after[i]) continue;
      const ComparedConstant& one = after.list[i];
      const auto found =
          free.find(key(one, support::value_at(partners, kernels[i]).value_or(kernels[i])));
      if (found == free.end()) continue;
      is_paired_before[found->second] = is_paired_after[i] = true;
      auto difference = compare(before.list[found->second], one);
      free.erase(found);
      if (!difference) continue;
      difference->kernel = kernels[i];
      difference->layer = new_readers.layer_of(kernels[i]);
      differences.push_back(*std::move(difference));
    }
  }
  return differences;
}

/// Adds those that another kind of source has not shown.
void add_new(std::vector<ConstantDifference>& all, std::vector<ConstantDifference> more) {
  const auto numbers_of = [](const ConstantDifference& one) {
    return std::tuple(one.kernel, one.elements, one.differing, one.largest);
  };
  std::multiset<decltype(numbers_of(all.front()))> known;
  for (const ConstantDifference& one : all) known.insert(numbers_of(one));
  for (ConstantDifference& one : more) {
    const auto same = known.find(numbers_of(one));
    if (same == known.end()) {
      all.push_back(std::move(one));
    } else {
      known.erase(same);
    }
  }
}

}  // namespace

std::vector<ConstantDifference> changed_constants(const ComparedBuild& before,
                                                  const ComparedBuild& after,
                                                  const Partners& partners) {
  const Readers old_readers(before.report);
  const Readers new_readers(after.report);
  std::vector<ConstantDifference> all;
  for (const auto constants_of : {of_c, of_tir, of_parameters}) {
    add_new(all, differences_of(constants_of(before.deployment), old_readers,
                                constants_of(after.deployment), new_readers, partners));
  }
  return all;
}

}  // namespace mlf::report
