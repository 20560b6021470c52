#include "deployment/module_facts.h"

#include <optional>
#include <span>

#include "deployment/member_text.h"
#include "deployment/owners.h"
#include "mlf/model_library.h"
#include "support/error.h"
#include "support/numbers.h"
#include "tir/c/read/interface_header.h"

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

}  // namespace

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
  }
  for (const FileRef& header : module.files.headers) {
    tir::c::HeaderFields fields = tir::c::read_header(member_text(archive, header));
    if (!facts.workspace_bytes) facts.workspace_bytes = fields.workspace_bytes;
    // runtime headers and those of other tools have no such structs.
    if (fields.inputs.empty() && fields.outputs.empty()) continue;
    facts.header_sizes.clear();
    for (tir::c::HeaderTensor& tensor : fields.sizes) {
      facts.header_sizes.push_back({std::move(tensor.name), tensor.bytes, {}});
    }
    facts.input_fields = std::move(fields.inputs);
    facts.output_fields = std::move(fields.outputs);
  }
  for (const Param& param : parameters_of(archive, module)) {
    const auto dtype = tir::parse_dtype(to_string(param.type));
    if (dtype) facts.parameters.push_back({param.name, param.data.size(), {*dtype, param.shape}});
  }
  // The Relay text is from before optimisation: kernels have other names there, but inputs have the
  // same.
  if (module.files.relay) {
    facts.declared = read_relay_signature(member_text(archive, *module.files.relay));
  }
  // metadata.json also has dtypes.
  if (!facts.inputs) {
    facts.declared.insert(facts.declared.end(), facts.header_sizes.begin(),
                          facts.header_sizes.end());
  }
  return facts;
}

namespace {

constexpr std::string_view kMain = "def @main(";
constexpr std::string_view kTensor = "Tensor[(";

/// Removes `expected` from the front of `text`.
bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

std::string_view take_until(std::string_view& text, std::string_view stops) {
  const std::string_view taken = text.substr(0, text.find_first_of(stops));
  text.remove_prefix(taken.size());
  return taken;
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

/// `float32]` or `float32 /* …`: what a tensor holds.
std::optional<tir::DType> take_dtype(std::string_view& text) {
  return tir::parse_dtype(take_until(text, "],) "));
}

/// `1, 8), float32]`: the rest of a tensor type. Dimensions may be unknown (`?`) or have a suffix
/// for 64 bits (`8i64`).
std::optional<graph::TensorType> take_tensor(std::string_view& text) {
  graph::TensorType type;
  type.shape.emplace();
  while (!take(text, ")")) {
    const auto extent = support::take_number<std::int64_t>(text);
    if (!extent) return std::nullopt;
    type.shape->push_back(*extent);
    take(text, "i64");
    take(text, ", ");
  }
  if (!take(text, ", ")) return std::nullopt;
  const auto dtype = take_dtype(text);
  if (!dtype) return std::nullopt;
  type.dtype = *dtype;
  return type;
}

/// `Tensor[(1, 8), float32]`, or `float32`: a tensor of no dimension.
std::optional<graph::TensorType> take_type(std::string_view text) {
  if (take(text, kTensor)) return take_tensor(text);
  const auto dtype = take_dtype(text);
  if (!dtype) return std::nullopt;
  graph::TensorType scalar;
  scalar.shape.emplace();
  scalar.dtype = *dtype;
  return scalar;
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

}  // namespace

std::vector<graph::NamedTensor> read_relay_signature(std::string_view text) {
  std::vector<graph::NamedTensor> tensors;
  // Relay text has the same form in all versions: it never changed to TVMScript.
  const std::size_t main = text.find(kMain);
  if (main == std::string_view::npos) return tensors;
  text.remove_prefix(main + kMain.size());
  // Parameters begin with %; anything else ends the list.
  while (take(text, "%")) {
    const std::string name(take_name(text));
    if (take(text, ": ")) {
      // Skips tuples and functions as parameters: main in TIR has none.
      if (const auto type = take_type(text)) tensors.push_back({name, std::nullopt, *type});
    }
    skip_parameter(text);
    if (!take(text, ", ")) break;
  }
  return tensors;
}

}  // namespace mlf::deployment
