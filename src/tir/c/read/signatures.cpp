#include "tir/c/read/function.h"

#include <algorithm>
#include <map>
#include <set>

#include "support/error.h"
#include "tir/c/language.h"

namespace mlf::tir::c {

// --- Metadata for the C++ runtime ---------------------------------------------------------------

namespace {

constexpr std::string_view kShapeEnd = "_shape";
constexpr std::string_view kInputs = "kTvmgenMetadata_inputs";
constexpr std::string_view kOutputs = "kTvmgenMetadata_outputs";
constexpr std::string_view kRoot = "kTvmgenMetadata";

using Shapes = std::map<std::string_view, std::vector<std::int64_t>, std::less<>>;

/// `1L, 8L`
std::vector<std::int64_t> read_shape(Cursor& cursor) {
  std::vector<std::int64_t> shape;
  while (!cursor.at_end()) {
    shape.push_back(cursor.number_of(cursor.text(cursor.advance())));
    if (!cursor.accept(sign(","))) break;
  }
  return shape;
}

/// `{"name", shape, 2L, {code, bits, lanes}}`, one after another.
std::vector<CTensor> read_tensors(Cursor& cursor, const Shapes& shapes) {
  std::vector<CTensor> tensors;
  std::vector<std::string_view> words;
  while (cursor.accept_form("{$, $, $, {$, $, $}}", words)) {
    cursor.accept(sign(","));
    const auto shape = shapes.find(words[1]);
    if (shape == shapes.end()) cursor.fail("a shape that is not defined");
    const auto dtype = dtype_of(cursor.number_of(words[3]), cursor.number_of(words[4]),
                                cursor.number_of(words[5]));
    if (!dtype || dtype->is_void()) cursor.fail("a tensor of an unknown type");
    tensors.push_back({*dtype, shape->second});
  }
  if (!cursor.at_end()) cursor.fail("expected a tensor");
  return tensors;
}

/// The last string of the root is the prefix of the module.
std::string read_prefix(Cursor& cursor) {
  std::string prefix;
  for (; !cursor.at_end(); cursor.advance()) {
    if (cursor.peek().kind == TokenKind::string) prefix = without_quotes(cursor.text());
  }
  return prefix;
}

std::string_view name_of(const support::SourceText& source, const Item& item) {
  std::string_view head = item.head.in(source.text);
  head = head.substr(0, head.rfind('['));
  return head.substr(std::min(head.rfind(' ') + 1, head.size()));
}

/// Shapes are separate arrays, defined before the tensors that name them.
CMetadata read(const support::SourceText& source, const FileItems& items) {
  Shapes shapes;
  CMetadata metadata;
  for (const Item& item : items.items) {
    if (item.kind != ItemKind::other || item.body.end <= item.body.begin) continue;
    const std::string_view name = name_of(source, item);
    if (!name.starts_with(kRoot)) continue;
    const bool is_wanted =
        name.ends_with(kShapeEnd) || name == kInputs || name == kOutputs || name == kRoot;
    if (!is_wanted) continue;
    Cursor cursor(source, tokenize(source.text, item.body.begin, item.body.end));
    if (name.ends_with(kShapeEnd)) shapes[name] = read_shape(cursor);
    if (name == kInputs) metadata.inputs = read_tensors(cursor, shapes);
    if (name == kOutputs) metadata.outputs = read_tensors(cursor, shapes);
    if (name == kRoot) metadata.module = read_prefix(cursor);
  }
  return metadata;
}

/// The first source takes precedence.
void add(StatedTypes& stated, std::string_view function, std::size_t position,
         const CTensor& type) {
  Types& types = stated[function];
  if (types.size() <= position) types.resize(position + 1);
  if (!types[position]) types[position] = type;
}

/// The type that tvm_stack_make_array states; nullopt for other arguments. All extents of its shape
/// must be numbers.
std::optional<CTensor> stated_by(Node argument) {
  if (!is_call_of(argument, "tir.tvm_stack_make_array")) return std::nullopt;
  const NodeList args = argument.list(f::Call::args);
  CTensor type{args[4].dtype(), {}};
  // A callee without TIR receives tensors without types.
  if (type.dtype.is_handle()) return std::nullopt;
  for (const Node dim : args[1].list(f::Call::args)) {
    if (!dim.is(Kind::IntImm) || dim.integer(f::IntImm::value) < 0) return std::nullopt;
    type.shape.push_back(dim.integer(f::IntImm::value));
  }
  return type;
}

/// A packed call states the shape and dtype of every argument: of the kernel's parameter, and of
/// the caller's own parameter if it passes one on.
void add_calls(StatedTypes& stated, const Builder& builder, const FunctionDraft& draft) {
  for (const CallSite& call : draft.calls) {
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      const Node argument = builder.node(call.args[i]);
      const auto type = stated_by(argument);
      if (!type) continue;
      add(stated, call.callee, i, *type);
      const NodeId data = argument.list(f::Call::args)[0].id();
      // Only an argument that is passed on unchanged is a parameter of the caller.
      const auto param = std::ranges::find(draft.params, data, &Param::data);
      if (param == draft.params.end()) continue;
      add(stated, draft.name, static_cast<std::size_t>(param - draft.params.begin()), *type);
    }
  }
}

/// Calls `visit` with a kernel that `caller` calls, an argument, and the data of the parameter that
/// receives it.
template <class Draft, class Visit>
void for_each_argument(const FunctionDraft& caller, std::span<Draft> kernels, Visit&& visit) {
  support::NameMap<std::string_view, Draft*> by_name;
  for (Draft& kernel : kernels) by_name[kernel.name] = &kernel;
  for (const CallSite& call : caller.calls) {
    const auto found = by_name.find(call.callee);
    if (found == by_name.end()) continue;
    Draft& kernel = *found->second;
    for (std::size_t i = 0; i < std::min(call.args.size(), kernel.params.size()); ++i) {
      visit(kernel, call.args[i], kernel.params[i].data);
    }
  }
}

}  // namespace

std::optional<CMetadata> read_metadata(const support::SourceText& source, const FileItems& items) {
  auto metadata = support::value_if_valid(support::to_result([&] { return read(source, items); }));
  if (metadata && metadata->module.empty()) metadata.reset();
  return metadata;
}

// --- Types of parameters ------------------------------------------------------------------------

StatedTypes stated_types(const ModuleContext& context, const CSources& sources,
                         std::span<const FunctionDraft> drafts) {
  StatedTypes stated;
  for (const CSignature& signature : sources.signatures) {
    for (std::size_t i = 0; i < signature.params.size(); ++i) {
      const CTensor& param = signature.params[i];
      if (!param.dtype.is_void()) add(stated, signature.function, i, param);
    }
  }
  for (const FunctionDraft& draft : drafts) {
    if (!draft.is_main) continue;
    for (const CMetadata& metadata : context.facts.metadata) {
      if (!draft.name.starts_with(metadata.module + "_")) continue;
      std::size_t position = 0;
      for (const CTensor& type : metadata.inputs) add(stated, draft.name, position++, type);
      for (const CTensor& type : metadata.outputs) add(stated, draft.name, position++, type);
    }
  }
  for (const FunctionDraft& draft : drafts) add_calls(stated, context.builder, draft);
  return stated;
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
  for_each_argument(caller, kernels, [&](FunctionDraft& kernel, NodeId argument, NodeId param) {
    const auto bytes = caller.buffers.declared_bytes(argument);
    if (bytes) kernel.buffers.limit_bytes(param, *bytes);
  });
}

/// Unpacked calls state no types: main's buffers are as large as the kernels' uses of them, and
/// have their element type if all agree.
void pass_uses_on(const Builder& builder, FunctionDraft& caller,
                  std::span<const FunctionDraft> kernels, const Types& stated) {
  std::map<NodeId, std::int64_t> sizes;
  std::map<NodeId, std::optional<DType>> elements;
  std::set<NodeId> unknown;
  const auto note = [&](const FunctionDraft& kernel, NodeId argument, NodeId param) {
    if (!builder.node(argument).is(Kind::Var)) return;
    const auto used = kernel.buffers.bytes_of(param);
    std::int64_t& size = sizes[argument];
    size = std::max(size, used.value_or(0));
    if (!used) unknown.insert(argument);
    const auto element = kernel.buffers.element_of(param);
    const auto [seen, is_first] = elements.try_emplace(argument, element);
    if (!is_first && seen->second != element) seen->second.reset();
  };
  for_each_argument(caller, kernels, note);
  for (std::size_t i = 0; i < caller.params.size(); ++i) {
    Param& param = caller.params[i];
    const auto size = sizes.find(param.data);
    if (size == sizes.end() || unknown.contains(param.data)) continue;
    caller.buffers.suggest_bytes(param.data, size->second);
    const bool is_known =
        param.element || (i < stated.size() && stated[i]) || caller.buffers.element_of(param.data);
    if (!is_known) param.element = elements[param.data];
  }
}

}  // namespace mlf::tir::c
