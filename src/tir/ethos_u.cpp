#include "tir/ethos_u.h"

#include <algorithm>
#include <array>

#include "tir/node_queries.h"

namespace mlf::tir {
namespace {

// The classes of tir/spec.py give the order of arguments. A feature map has the addresses of its
// tiles in the middle.
constexpr std::size_t kFeatureMap = 17;
constexpr std::size_t kTiles = 7;
constexpr std::size_t kTileCount = 4;

struct Operation {
  std::string_view name;
  std::size_t inputs;  ///< feature maps before that of the output
};
constexpr std::array kOperations{Operation{"ethosu_conv2d", 1},
                                 Operation{"ethosu_depthwise_conv2d", 1},
                                 Operation{"ethosu_pooling", 1},
                                 Operation{"ethosu_identity", 1},
                                 Operation{"ethosu_unary_elementwise", 1},
                                 Operation{"ethosu_binary_elementwise", 2}};
constexpr std::string_view kCopy = "ethosu_copy";
constexpr std::size_t kCopyTarget = 3;  // behind the name, the source and its length

// Regions that tir_to_cs_translator.py gives to weights, input and output; the others are memory to
// work in.
constexpr std::int64_t kWeights = 0;
constexpr std::int64_t kInput = 3;
constexpr std::int64_t kOutput = 4;

// Behind the name: context, commands, bytes of commands.
constexpr std::size_t kCommands = 2;
constexpr std::size_t kFirstRegion = 4;
constexpr std::size_t kPerRegion = 3;

bool is_load(Node argument) {
  return argument.is(Kind::BufferLoad) || argument.is(Kind::Load);
}

std::optional<std::uint64_t> size_of(Node argument) {
  const auto size = int_imm_of(argument);
  return size && *size >= 0 ? std::optional(static_cast<std::uint64_t>(*size)) : std::nullopt;
}

/// The arguments of an operation that are addresses of its output; none for the launch.
struct OutputArguments {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// nullopt for calls of other functions.
std::optional<OutputArguments> outputs_of(Node call) {
  if (!call.is(Kind::Call) || !is_call_of(call, "tir.call_extern")) return std::nullopt;
  const NodeList args = call.list(f::Call::args);
  if (args.size() == 0 || !args[0].is(Kind::StringImm)) return std::nullopt;
  const std::string_view name = args[0].text(f::StringImm::value);
  if (name == kEthosULaunch && args.size() > kFirstRegion) return OutputArguments{};
  if (name == kCopy && args.size() > kCopyTarget) return OutputArguments{kCopyTarget, 1};
  const auto operation = std::ranges::find(kOperations, name, &Operation::name);
  if (operation == kOperations.end()) return std::nullopt;
  const std::size_t tiles = 1 + operation->inputs * kFeatureMap + kTiles;
  if (args.size() < tiles + kTileCount) return std::nullopt;
  return OutputArguments{tiles, kTileCount};
}

/// Every load here is an address; the operation reads those that are not of its output.
std::vector<EthosUAccess> accesses_of_operation(NodeList args, const OutputArguments& outputs) {
  std::vector<EthosUAccess> accesses;
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (!is_load(args[i])) continue;
    const bool is_output = i >= outputs.first && i < outputs.first + outputs.count;
    accesses.push_back({.argument = i, .is_read = !is_output, .is_written = is_output});
  }
  return accesses;
}

/// The launch only reads weights, input and commands. For working memory, the size is that of the
/// whole region.
std::vector<EthosUAccess> accesses_of_launch(NodeList args) {
  std::vector<EthosUAccess> accesses{
      {.argument = kCommands, .is_read = true, .bytes = size_of(args[kCommands + 1])}};
  for (std::size_t i = kFirstRegion; i + 2 < args.size(); i += kPerRegion) {
    const std::int64_t region =
        int_imm_of(args[i]).value_or(static_cast<std::int64_t>(kEthosURegions));
    const bool is_output = region == kOutput;
    const bool is_input = region == kWeights || region == kInput;
    const auto bytes = size_of(args[i + 2]);
    accesses.push_back(
        {.argument = i + 1,
         .is_read = !is_output,
         .is_written = !is_input,
         .bytes = (is_output || is_input) && bytes && *bytes > 0 ? bytes : std::nullopt});
  }
  return accesses;
}

}  // namespace

std::optional<std::vector<EthosUAccess>> ethos_u_accesses(Node call) {
  const auto outputs = outputs_of(call);
  if (!outputs) return std::nullopt;
  const NodeList args = call.list(f::Call::args);
  return outputs->count == 0 ? accesses_of_launch(args) : accesses_of_operation(args, *outputs);
}

bool is_ethos_u_call(Node call) {
  return outputs_of(call).has_value();
}

Node ethos_u_pointer(Node argument) {
  if (argument.is(Kind::BufferLoad)) return argument[f::BufferLoad::buffer][f::Buffer::data];
  if (argument.is(Kind::Load)) return argument[f::Load::buffer_var];
  return argument;
}

Node passed_pointer(Node call, Node argument) {
  return is_load(argument) && is_ethos_u_call(call) ? ethos_u_pointer(argument) : argument;
}

}  // namespace mlf::tir
