#include "tir/c/signatures.h"

#include <algorithm>
#include <map>

namespace mlf::tir::c {
Signatures::Signatures(const ModuleContext& context, const CSources& sources,
                       std::span<const FunctionDraft> drafts)
    : builder_(context.builder) {
  for (const CSignature& signature : sources.signatures) {
    for (std::size_t i = 0; i < signature.params.size(); ++i) {
      const CTensor& param = signature.params[i];
      if (!param.dtype.is_void()) add(signature.function, i, {param.dtype, param.shape});
    }
  }
  for (const FunctionDraft& draft : drafts) {
    if (!draft.is_main) continue;
    for (const CMetadata& metadata : context.facts.metadata) {
      const bool is_its_main = draft.name.starts_with(metadata.module + "_");
      if (is_its_main) add_metadata(metadata, draft);
    }
  }
  for (const FunctionDraft& draft : drafts) add_calls(draft);
}

/// Inputs come first, outputs next.
void Signatures::add_metadata(const CMetadata& metadata, const FunctionDraft& main) {
  std::size_t position = 0;
  for (const TensorType& type : metadata.inputs) add(main.name, position++, type);
  for (const TensorType& type : metadata.outputs) add(main.name, position++, type);
}

const Types& Signatures::of(std::string_view function) const {
  static const Types kNothing;
  const auto found = types_.find(function);
  return found == types_.end() ? kNothing : found->second;
}

void Signatures::add(std::string_view function, std::size_t position, const TensorType& type) {
  Types& types = types_[function];
  if (types.size() <= position) types.resize(position + 1);
  if (!types[position]) types[position] = type;
}

std::optional<TensorType> Signatures::stated(Node argument) const {
  if (!is_call_of(argument, "tir.tvm_stack_make_array")) return std::nullopt;
  const NodeList args = argument.list(f::Call::args);
  TensorType type{args[4].dtype(), {}};
  // A callee without TIR is passed tensors of nothing.
  if (type.dtype.is_handle()) return std::nullopt;
  for (const Node dim : args[1].list(f::Call::args)) {
    if (!dim.is(Kind::IntImm) || dim.integer(f::IntImm::value) < 0) return std::nullopt;
    type.shape.push_back(dim.integer(f::IntImm::value));
  }
  return type;
}

void Signatures::add_calls(const FunctionDraft& draft) {
  for (const CallSite& call : draft.calls) {
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      const Node argument = builder_.node(call.args[i]);
      const auto type = stated(argument);
      if (!type) continue;
      add(call.callee, i, *type);
      const NodeId data = argument.list(f::Call::args)[0].id();
      const auto param = std::ranges::find(draft.params, data, &Param::data);
      if (param == draft.params.end()) continue;
      add(draft.name, static_cast<std::size_t>(param - draft.params.begin()), *type);
    }
  }
}

void state_sizes(FunctionDraft& draft, const Types& stated) {
  for (std::size_t i = 0; i < std::min(draft.params.size(), stated.size()); ++i) {
    if (!stated[i] || draft.params[i].data == NodeId::none) continue;
    auto bytes = static_cast<std::int64_t>(stated[i]->dtype.element_bytes());
    for (const std::int64_t size : stated[i]->shape) {
      if (__builtin_mul_overflow(bytes, size, &bytes)) return;
    }
    draft.buffers.set_bytes(draft.params[i].data, bytes);
  }
}

void limit_sizes(const FunctionDraft& caller, std::span<FunctionDraft> kernels) {
  std::unordered_map<std::string_view, FunctionDraft*> by_name;
  for (FunctionDraft& kernel : kernels) by_name[kernel.name] = &kernel;
  for (const CallSite& call : caller.calls) {
    const auto kernel = by_name.find(call.callee);
    if (kernel == by_name.end()) continue;
    const std::vector<Param>& params = kernel->second->params;
    for (std::size_t i = 0; i < std::min(call.args.size(), params.size()); ++i) {
      const auto bytes = caller.buffers.declared_bytes(call.args[i]);
      if (bytes) kernel->second->buffers.limit_bytes(params[i].data, *bytes);
    }
  }
}

void pass_sizes_on(const Builder& builder, FunctionDraft& caller,
                   std::span<const FunctionDraft> kernels) {
  std::unordered_map<std::string_view, const FunctionDraft*> by_name;
  for (const FunctionDraft& kernel : kernels) by_name[kernel.name] = &kernel;
  std::map<NodeId, std::int64_t> sizes;
  for (const CallSite& call : caller.calls) {
    const auto found = by_name.find(call.callee);
    if (found == by_name.end()) continue;
    const FunctionDraft& kernel = *found->second;
    const std::size_t count = std::min(call.args.size(), kernel.params.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (!builder.node(call.args[i]).is(Kind::Var)) continue;
      std::int64_t& size = sizes[call.args[i]];
      size = std::max(size, kernel.buffers.bytes_of(kernel.params[i].data));
    }
  }
  for (const Param& param : caller.params) {
    const auto size = sizes.find(param.data);
    if (size != sizes.end() && size->second > 0)
      caller.buffers.suggest_bytes(param.data, size->second);
  }
}

}  // namespace mlf::tir::c
