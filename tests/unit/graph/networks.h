// Small networks as TVMScript, in the forms that TVM gives main.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/reconstruct.h"

namespace mlf::graph {

/// A module of these functions.
std::string script(std::initializer_list<std::string> functions);

/// Kernels of float32 tensors of four elements. "unary" adds one, "binary" adds two tensors,
/// "split" has two outputs.
std::string unary(std::string_view name);
std::string binary(std::string_view name);
std::string split(std::string_view name);
/// A kernel of any parameters and statements.
std::string kernel(std::string_view name, std::string_view parameters, std::string_view body);

/// Main with one tensor of four float32 for each name in `ports` and these statements.
std::string main_of(const std::vector<std::string>& ports, std::string_view statements);
/// "tvm_check_return(0, -1, call_extern(name, …))".
std::string call(std::string_view name, std::string_view arguments);
/// "sid = T.allocate([16], …)".
std::string sid(std::string_view name, std::size_t bytes = 16);

/// Four calls, one after the other, over two allocations that StorageRewrite uses twice. `third` is
/// the function that the third one calls.
std::string merged_storage(std::string_view third = "tvmgen_default_a");

/// Reads the texts as the TIR of one build. A failure ends the test with its message.
std::vector<Topology> topologies_of(const std::vector<std::string>& texts,
                                    const std::vector<ModuleFacts>& facts = {});
/// The only network of one text.
Topology network(const std::string& text, const std::vector<ModuleFacts>& facts = {});

/// The differences of networks of separate builds, whose kernels may be numbered differently: they
/// count as equal if both sides know one hash of TVM for them, or else one name without number.
std::vector<std::string> differences_of_builds(Topology left, Topology right);

/// "unary(x -> sid_1)": every call with its values, one a line.
std::string calls_of(const Topology& topology);
/// The codes of all checks of severity `error` or `warning`, and of notes if there is nothing else.
std::vector<std::string> checks_of(const Topology& topology);
/// "body/certain" for every tensor of a call.
std::vector<std::string> decisions_of(const Topology& topology, std::size_t call);

/// The picture as Graphviz reads it. A failure ends the test with its message.
std::string dot_of(const Topology& topology);

std::string read_file(const std::string& path);

/// A file of tests/data/graph.
inline std::string bundled_text(const std::string& name) {
  return read_file(std::string(MLF_TEST_DATA) + "/graph/" + name);
}

/// Whether the network can be written as graph JSON: it has no check of severity `error`.
bool has_graph(const Topology& topology);

}  // namespace mlf::graph
