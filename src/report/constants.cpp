#include "report/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "graph/kernels/functions.h"
#include "graph/kernels/kernel_code.h"
#include "mlf/tir/visit.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/elements.h"
#include "tir/node_queries.h"
#include "tir/pools.h"

namespace mlf::report {
namespace {

namespace f = tir::f;
using tir::Kind;
using tir::Node;

template <class T>
double element(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

std::size_t bin_of(double value, const ConstantValues& values) {
  const double width = values.greatest - values.least;
  if (width <= 0) return 0;
  const double part = (value - values.least) / width * ConstantValues::kBins;
  return std::min(ConstantValues::kBins - 1, static_cast<std::size_t>(part));
}

void add_data(std::span<const std::byte> data, std::string_view source, ConstantSummary& summary) {
  summary.data = data;
  summary.source = source;
  summary.values = values_of(summary.dtype, data);
}

/// C has arrays of one dimension for tensors of any shape.
void add_shape(std::span<const std::int64_t> shape, const tir::Document& document,
               ConstantSummary& summary) {
  summary.elements = tir::product_of(shape);
  const bool is_c = document.source.dialect == tir::Dialect::c;
  if (!is_c) summary.shape.emplace(shape.begin(), shape.end());
}

ConstantSummary summary_of_array(std::string_view name, Node array, const tir::Document& document) {
  ConstantSummary summary{.name = std::string(name), .dtype = array.dtype(f::NDArray::dtype)};
  add_shape(array.integers(f::NDArray::shape), document, summary);
  if (const auto data = tir::data_of(array)) {
    const auto found = std::ranges::find(document.recovered, array.id(), &tir::Recovered::constant);
    const bool is_recovered = found != document.recovered.end();
    add_data(*data, is_recovered ? found->source : document.source.member, summary);
  }
  return summary;
}

/// The shape and dtype of an allocation without its array.
ConstantSummary summary_of_allocation(Node allocation, const tir::Document& document) {
  const std::string_view name = allocation[f::AllocateConst::buffer_var].text(f::Var::name);
  const Node array = allocation[f::AllocateConst::data];
  if (array && array.is(Kind::NDArray)) return summary_of_array(name, array, document);
  ConstantSummary summary{.name = std::string(name),
                          .dtype = allocation.dtype(f::AllocateConst::dtype)};
  std::vector<std::int64_t> shape;
  for (const Node extent : allocation.list(f::AllocateConst::extents)) {
    if (!extent.is(Kind::IntImm)) return summary;
    shape.push_back(extent.integer(f::IntImm::value));
  }
  add_shape(shape, document, summary);
  return summary;
}

void add_allocated(Node function, const tir::Document& document,
                   std::vector<ConstantSummary>& list) {
  tir::for_each_pre_order(function, [&](Node node) {
    if (node.is(Kind::AllocateConst)) list.push_back(summary_of_allocation(node, document));
  });
}

}  // namespace

ElementReader reader_of(tir::DType dtype) {
  ElementReader reader = nullptr;
  // Of the integers, a double has the least of these.
  if (dtype == tir::DType::UInt(64)) return reader;
  tir::with_number(dtype, [&]<class T>(T) { reader = element<T>; });
  return reader;
}

std::optional<ConstantValues> values_of(tir::DType dtype, std::span<const std::byte> data) {
  const ElementReader read = reader_of(dtype);
  if (read == nullptr) return {};
  const std::size_t width = static_cast<std::size_t>(dtype.bits) / 8;
  const std::size_t elements = data.size() / width;
  if (elements == 0) return {};
  ConstantValues values;
  values.least = values.greatest = read(data.data());
  for (std::size_t i = 0; i < elements; ++i) {
    const double value = read(data.data() + i * width);
    if (!std::isfinite(value)) return {};
    values.least = std::min(values.least, value);
    values.greatest = std::max(values.greatest, value);
    values.zeros += value == 0 ? 1 : 0;
  }
  values.histogram.resize(ConstantValues::kBins);
  for (std::size_t i = 0; i < elements; ++i) {
    ++values.histogram[bin_of(read(data.data() + i * width), values)];
  }
  return values;
}

std::string value_text(double value, tir::DType dtype) {
  if (dtype == tir::DType::Float(32)) return fmt::format("{}", static_cast<float>(value));
  return fmt::format("{}", value);
}

std::string element_text(tir::DType dtype, const std::byte* at) {
  // A double does not have all of these.
  if (dtype == tir::DType::Int(64)) {
    std::int64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return std::to_string(value);
  }
  return value_text(reader_of(dtype)(at), dtype);
}

PooledConstants::PooledConstants(const tir::Document& document) : document_(document) {
  tir::for_each_pre_order(document.module.root(), [&](Node node) {
    if (!node.is(Kind::ConstantInfo)) return;
    const Node array = node[f::ConstantInfo::data];
    const auto offset = tir::pool_offset(node);
    const auto data = tir::data_of(array);
    if (!data || !offset) return;
    const auto [place, is_new] = by_place_.try_emplace({*offset, data->size()}, FoundArray{array});
    if (is_new) return;
    const auto known = tir::data_of(place->second.array);
    if (!std::ranges::equal(*known, *data)) place->second.is_ambiguous = true;
  });
}

std::optional<ConstantSummary> PooledConstants::find(std::string_view name,
                                                     std::optional<std::uint64_t> offset,
                                                     std::optional<std::uint64_t> bytes) const {
  if (!bytes || !offset) return {};
  const auto found = by_place_.find({*offset, *bytes});
  if (found == by_place_.end() || found->second.is_ambiguous) return {};
  return summary_of_array(name, found->second.array, document_);
}

std::vector<ConstantSummary> constants_of(const KernelReport& kernel, const graph::Kernel* known,
                                          const PooledConstants& pooled) {
  std::vector<ConstantSummary> list;
  if (!kernel.cost || !kernel.document) return list;
  add_allocated(kernel.document->module.node(kernel.function), *kernel.document, list);
  if (known == nullptr) return list;
  for (const graph::KernelBuffer& buffer : known->constants) {
    if (!buffer.pool) continue;
    auto constant = pooled.find(buffer.name, buffer.offset, buffer.bytes);
    if (constant) list.push_back(*std::move(constant));
  }
  return list;
}

const ConstantReader::Source& ConstantReader::source_of(
    const std::shared_ptr<const tir::Document>& document) {
  const auto known = sources_.find(document.get());
  if (known != sources_.end()) return known->second;
  Source source{document, PooledConstants(*document),
                std::make_shared<const graph::DocumentCode>(document),
                graph::linked_parameters({document.get(), {}})};
  return sources_.emplace(document.get(), std::move(source)).first->second;
}

/// Summarises the constants of one module.
class ConstantReader::Summaries {
 public:
  Summaries(const ModuleReport& module, ConstantReader& reader)
      : network_(*module.network), sources_(module.constants) {
    if (sources_.main) {
      add_main(reader.source_of(sources_.main));
      add_linked(reader.source_of(sources_.main));
    }
    if (sources_.pools) pools_ = &reader.source_of(sources_.pools).pooled;
    const support::NameIndex kernels(network_.kernels, &graph::Kernel::symbol);
    for (const KernelReport& kernel : module.kernels) {
      if (!kernel.document) continue;
      const Source& source = reader.source_of(kernel.document);
      add_linked(source);
      ByName& by_name = by_kernel_[kernel.symbol];
      for (ConstantSummary& one :
           report::constants_of(kernel, kernels.find(kernel.symbol), source.pooled)) {
        // C may be of several files.
        const bool is_in_c = kernel.c && one.source == kernel.document->source.member &&
                             kernel.document->source.dialect == tir::Dialect::c;
        if (is_in_c) one.source = kernel.c->file;
        by_name.try_emplace(one.name, std::move(one));
      }
    }
  }

  /// The constant of a kernel in a pool or outside of any.
  ConstantSummary of_kernel(const graph::Kernel& kernel, const graph::KernelBuffer& buffer) const {
    if (buffer.pool) {
      if (auto known = in_pool(buffer.name, buffer.offset, buffer.bytes)) return *std::move(known);
    }
    const ByName* const of_kernel = support::find_value(by_kernel_, kernel.symbol);
    const ConstantSummary* const found =
        of_kernel == nullptr ? nullptr : support::find_value(*of_kernel, buffer.name);
    return found == nullptr ? ConstantSummary{.name = buffer.name} : *found;
  }

  /// Main's declaration is known even without the data.
  ConstantSummary of_main(const graph::Value& value) const {
    const graph::Storage& storage = network_[value.storage];
    const ConstantSummary* const known = support::find_value(of_main_, storage.name);
    if (known != nullptr) return *known;
    ConstantSummary declared{
        .name = value.name, .dtype = value.type.dtype, .shape = value.type.shape};
    if (declared.shape) declared.elements = tir::product_of(*declared.shape);
    if (is_in_file(network_, value)) {
      const Param* const param = sources_.parameter_of(value);
      if (param != nullptr && param->data.size() == value.bytes) {
        add_data(param->data, sources_.member, declared);
      }
      return declared;
    }
    const LinkedData* const linked = support::find_value(linked_, value.name);
    if (linked != nullptr && linked->data.size() == value.bytes) {
      add_data(linked->data, linked->source, declared);
    }
    if (!storage.pool) return declared;
    return in_pool(value.name, storage.offset, value.bytes).value_or(declared);
  }

 private:
  using ByName = std::map<std::string, ConstantSummary, std::less<>>;
  struct LinkedData {
    std::span<const std::byte> data;
    std::string_view source;
  };

  void add_main(const Source& source) {
    const tir::Node main = source.code->find(network_.provenance.function);
    if (!main) return;
    std::vector<ConstantSummary> list;
    add_allocated(main, *source.document, list);
    for (ConstantSummary& one : list) of_main_.try_emplace(one.name, one);
  }

  /// Those of v0.8, which the runtime finds by their names.
  void add_linked(const Source& source) {
    if (source.linked.empty()) return;
    const auto place = source.document->c_places.find(tir::kLinkedParamsFunction);
    const bool is_in_c = place != source.document->c_places.end();
    const std::string& file = is_in_c ? place->second.member : source.document->source.member;
    for (const auto& [name, parameter] : source.linked) {
      const auto data = tir::data_of(parameter[f::LinkedParam::param]);
      if (data) linked_.try_emplace(name, LinkedData{*data, file});
    }
  }

  std::optional<ConstantSummary> in_pool(std::string_view name, std::optional<std::uint64_t> offset,
                                         std::optional<std::uint64_t> bytes) const {
    auto found = pools_ == nullptr ? std::nullopt : pools_->find(name, offset, bytes);
    if (found && !sources_.member.empty()) found->source = sources_.member;
    return found;
  }

  const graph::Topology& network_;
  const ConstantSources& sources_;
  std::map<std::string, ByName, std::less<>> by_kernel_;  // by symbol
  std::map<std::string_view, LinkedData> linked_;         // by name
  ByName of_main_;                                        // by variable
  const PooledConstants* pools_ = nullptr;                // of the whole module; null: none
};

std::vector<ModuleConstant> ConstantReader::constants_of(const ModuleReport& module) {
  std::vector<ModuleConstant> list;
  if (!module.network) return list;
  const graph::Topology& network = *module.network;
  const Summaries summaries(module, *this);
  for (std::size_t i = 0; i < network.values.size(); ++i) {
    const graph::Value& value = network.values[i];
    if (value.kind != graph::ValueKind::constant) continue;
    const graph::Storage& storage = network[value.storage];
    list.push_back({.kernel = {},
                    .name = value.name,
                    .memory = storage.memory,
                    .pool = storage.pool,
                    .offset = storage.offset,
                    .bytes = value.bytes,
                    .value = static_cast<graph::ValueId>(i),
                    .summary = summaries.of_main(value)});
  }
  for (const graph::Kernel& kernel : network.kernels) {
    for (const graph::KernelBuffer& one : kernel.constants) {
      list.push_back({.kernel = kernel.symbol,
                      .name = one.name,
                      .memory = one.memory,
                      .pool = one.pool,
                      .offset = one.offset,
                      .bytes = one.bytes,
                      .summary = summaries.of_kernel(kernel, one)});
    }
  }
  return list;
}

bool is_in_file(const graph::Topology& network, const graph::Value& value) {
  return network.provenance.kind == graph::ProvenanceKind::graph_json &&
         value.kind == graph::ValueKind::constant &&
         network[value.storage].memory != graph::MemoryKind::program;
}

LargestConstants::LargestConstants(const std::vector<ModuleConstant>& constants,
                                   const ModuleReport& module)
    : module_(module) {
  for (const ModuleConstant& one : constants) {
    const ModuleConstant*& largest = one.value ? of_values_[*one.value] : of_kernels_[one.kernel];
    if (largest == nullptr || one.bytes > largest->bytes) largest = &one;
  }
}

const ModuleConstant* LargestConstants::of(const CallReport& call) const {
  const ModuleConstant* largest = nullptr;
  const auto consider = [&](const ModuleConstant& one) {
    const bool is_first = largest == nullptr || (one.bytes == largest->bytes && &one < largest);
    if (is_first || one.bytes > largest->bytes) largest = &one;
  };
  const auto of_kernel = of_kernels_.find(module_.kernels[call.kernel].symbol);
  if (of_kernel != of_kernels_.end()) consider(*of_kernel->second);
  for (const graph::Argument& argument : (*module_.network)[call.call].arguments) {
    if (!argument.reads) continue;
    const auto of_value = of_values_.find(*argument.reads);
    if (of_value != of_values_.end()) consider(*of_value->second);
  }
  return largest;
}

}  // namespace mlf::report

namespace mlf {

const Param* ConstantSources::parameter_of(const graph::Value& value) const {
  const auto found = std::ranges::find(parameters, value.name, &Param::name);
  return found == parameters.end() ? nullptr : &*found;
}

}  // namespace mlf
