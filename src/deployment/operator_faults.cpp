// Compares what metadata.json states of the functions of an operator archive with their C.
#include <fmt/core.h>

#include <algorithm>

#include "deployment/contradictions.h"
#include "deployment/member_text.h"
#include "graph/kernels/kernels.h"
#include "graph/network/completion.h"
#include "graph/node_queries.h"
#include "support/error.h"

namespace mlf::deployment {
namespace {

using graph::KernelParameter;

/// Neither size nor type of the parameter contradicts the buffer.
bool may_be(const OperatorBuffer& buffer, const KernelParameter& parameter) {
  // The C states no type of what it does not access.
  if (parameter.effect.is_none()) return true;
  const auto dtype = tir::parse_dtype(buffer.dtype);
  return parameter.at_least <= buffer.size_bytes &&
         (!dtype || !graph::are_other_types(*dtype, parameter.type.dtype));
}

/// Metadata has the buffers in the order of a map.
std::optional<std::string> fault_of(const OperatorFunction& stated,
                                    const std::vector<KernelParameter>& parameters) {
  const std::string name = graph::quoted(stated.name);
  for (const OperatorBuffer& buffer : stated.buffers) {
    const auto dtype = tir::parse_dtype(buffer.dtype);
    const auto bytes =
        dtype ? graph::TensorType{*dtype, buffer.shape}.bytes() : std::optional<std::uint64_t>();
    if (bytes && dtype->bits % 8 == 0 && *bytes != buffer.size_bytes) {
      return fmt::format(
          "metadata.json says that a buffer of {} has {} bytes, and its shape and "
          "type make {}",
          name, buffer.size_bytes, *bytes);
    }
    if (std::ranges::none_of(parameters, [&](auto& one) { return may_be(buffer, one); })) {
      return fmt::format(
          "metadata.json says that {} has a buffer of {} bytes of {}, and its C "
          "accesses none as such",
          name, buffer.size_bytes, buffer.dtype);
    }
  }
  const auto is_used = [](const KernelParameter& one) { return !one.effect.is_none(); };
  const auto used = static_cast<std::size_t>(std::ranges::count_if(parameters, is_used));
  if (stated.buffers.size() < used || stated.buffers.size() > parameters.size()) {
    return fmt::format("metadata.json says that {} has {} buffers, and its C takes {}", name,
                       stated.buffers.size(), parameters.size());
  }
  for (const KernelParameter& one : parameters) {
    if (!is_used(one) || std::ranges::any_of(stated.buffers, [&](const OperatorBuffer& buffer) {
          return may_be(buffer, one);
        })) {
      continue;
    }
    return fmt::format(
        "metadata.json states no buffer of {} for {}, of which its C accesses {} "
        "bytes of {}",
        name, graph::quoted(one.name), one.at_least, to_string(one.type.dtype));
  }
  return std::nullopt;
}

}  // namespace

std::vector<Contradiction> operator_faults(const Deployment& deployment, std::size_t module) {
  const Module& about = deployment.library().modules.at(module);
  std::vector<Contradiction> found;
  if (about.memory.operators.empty() || !about.files.objects.empty()) return found;
  std::vector<graph::TirInput> inputs;
  for (const TirSource& c : support::get_or_throw(deployment.generated_c(module))) {
    inputs.emplace_back(support::get_or_throw(deployment.code(c)), c.stem);
  }
  if (inputs.empty()) return found;
  const graph::FunctionTable functions(inputs);
  for (const OperatorFunction& stated : about.memory.operators) {
    const graph::FunctionRef* const function = functions.find(stated.name, 0);
    if (function == nullptr) {
      const bool is_named = std::ranges::any_of(about.files.sources, [&](const FileRef& source) {
        return member_text(deployment.archive(), source).find(stated.name) != std::string::npos;
      });
      if (!is_named) {
        found.push_back({"io-mismatch", fmt::format("metadata.json has the function {}, which no C "
                                                    "of the archive has",
                                                    graph::quoted(stated.name))});
      }
      continue;
    }
    const graph::KernelInfo info = graph::describe_kernel(*function, inputs);
    if (!info.kernel.is_understood() || info.kernel.is_reshape) continue;
    if (auto fault = fault_of(stated, info.parameters)) {
      found.push_back({"io-mismatch", *std::move(fault)});
    }
  }
  return found;
}

}  // namespace mlf::deployment
