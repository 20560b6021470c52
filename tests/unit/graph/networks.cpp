#include "unit/graph/networks.h"
#include "support/characters.h"
#include "support/error.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "graph/compare.h"
#include "graph/kernels/functions.h"
#include "mlf/graph/write.h"

namespace mlf::graph {
namespace {

constexpr std::string_view kTensor = "T.Buffer((4,), \"float32\")";

std::string indented(std::string_view lines) {
  std::string result;
  std::istringstream in{std::string(lines)};
  for (std::string line; std::getline(in, line);) result += "        " + line + "\n";
  return result;
}

std::string tensors(std::initializer_list<std::string_view> names) {
  std::string result;
  for (const std::string_view name : names) {
    result += (result.empty() ? "" : ", ") + std::string(name) + ": " + std::string(kTensor);
  }
  return result;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : ", ") + name;
  return result;
}

}  // namespace

std::string script(std::initializer_list<std::string> functions) {
  std::string text =
      "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n"
      "@I.ir_module\nclass Module:\n";
  for (const std::string& function : functions) text += function + "\n";
  return text;
}

std::string kernel(std::string_view name, std::string_view parameters, std::string_view body) {
  return "    @T.prim_func\n    def " + std::string(name) + "(" + std::string(parameters) + "):\n" +
         indented("T.func_attr({\"tir.noalias\": T.bool(True)})\n" + std::string(body));
}

std::string unary(std::string_view name) {
  return kernel(name, tensors({"p0", "T_add"}),
                "for i in range(4):\n    T_add[i] = p0[i] + T.float32(1)");
}

std::string binary(std::string_view name) {
  return kernel(name, tensors({"p0", "p1", "T_add"}),
                "for i in range(4):\n    T_add[i] = p0[i] + p1[i]");
}

std::string split(std::string_view name) {
  return kernel(name, tensors({"p0", "first", "second"}),
                "for i in range(4):\n    first[i] = p0[i]\n    second[i] = p0[i] * p0[i]");
}

std::string main_of(const std::vector<std::string>& ports, std::string_view statements) {
  std::string parameters;
  std::string body =
      "T.func_attr({\"global_symbol\": \"tvmgen_default___tvm_main__\", "
      "\"runner_function\": T.bool(True)})\n";
  for (const std::string& port : ports) {
    parameters += (parameters.empty() ? "" : ", ") + port + ": T.handle";
    body += port + "_buffer = T.match_buffer(" + port + ", (4,), align=16)\n";
  }
  return "    @T.prim_func\n    def __tvm_main__(" + parameters + "):\n" +
         indented(body + std::string(statements));
}

std::string call(std::string_view name, std::string_view arguments) {
  return "T.tvm_check_return(0, -1, T.call_extern(\"int32\", \"" + std::string(name) + "\", " +
         std::string(arguments) + "))\n";
}

std::string sid(std::string_view name, std::size_t bytes) {
  return std::string(name) + " = T.allocate([" + std::to_string(bytes) +
         "], \"int8\", \"global.workspace\")\n";
}

std::string merged_storage(std::string_view third) {
  const std::string_view a = "tvmgen_default_a";
  return script(
      {main_of({"x", "output"}, sid("sid_1") + sid("sid_2") + call(a, "x_buffer.data, sid_1") +
                                    call(a, "sid_1, sid_2") + call(third, "sid_2, sid_1") +
                                    call(a, "sid_1, output_buffer.data")),
       unary(a)});
}

std::vector<Topology> topologies_of(const std::vector<std::string>& texts,
                                    const std::vector<ModuleFacts>& facts) {
  std::vector<tir::Document> documents;
  for (const std::string& text : texts) {
    auto document = tir::read({.file = "test", .member = "", .text = text});
    if (!document) throw std::runtime_error(to_string(document.error()) + "\n" + text);
    documents.push_back(*std::move(document));
  }
  std::vector<TirInput> inputs;
  for (const tir::Document& document : documents) {
    inputs.push_back({&document, "tir-" + std::to_string(inputs.size() + 1)});
  }
  const auto facts_of = [&](std::string_view symbol) {
    const auto own =
        std::ranges::find(facts, support::sanitized(module_of_main(symbol)), &ModuleFacts::module);
    return own == facts.end() ? nullptr : &*own;
  };
  auto topologies = support::to_result([&] { return reconstruct(inputs, facts_of); });
  if (!topologies) throw std::runtime_error(to_string(topologies.error()));
  return *std::move(topologies);
}

Topology network(const std::string& text, const std::vector<ModuleFacts>& facts) {
  std::vector<Topology> topologies = topologies_of({text}, facts);
  if (topologies.size() != 1) throw std::runtime_error("not one network in\n" + text);
  return std::move(topologies.front());
}

namespace {

std::set<std::string> known_hashes(const Topology& topology) {
  std::set<std::string> hashes;
  for (const Kernel& kernel : topology.kernels) hashes.insert(kernel.hash);
  hashes.erase("");
  return hashes;
}

/// The operators in the name of a kernel: TVM counts kernels of one name per build.
std::string stem(std::string symbol, const std::string& module) {
  const std::string prefix = "tvmgen_" + (module.empty() ? "" : module + "_");
  if (symbol.starts_with(prefix)) symbol.erase(0, prefix.size());
  const std::size_t head = symbol.find_last_not_of("0123456789");
  const bool has_number = head != symbol.npos && head > 0 && head + 1 < symbol.size();
  return has_number && symbol[head] == '_' ? symbol.substr(0, head) : symbol;
}

}  // namespace

std::vector<std::string> differences_of_builds(Topology left, Topology right) {
  // The graph executor's graph does not name its module; both sides belong to the same.
  const std::string module = left.module.empty() ? right.module : left.module;
  const std::set<std::string> ours = known_hashes(left);
  const std::set<std::string> theirs = known_hashes(right);
  for (Topology* const side : {&left, &right}) {
    for (Kernel& kernel : side->kernels) {
      const bool is_common = ours.contains(kernel.hash) && theirs.contains(kernel.hash);
      kernel.symbol = is_common ? "hash " + kernel.hash : stem(kernel.symbol, module);
    }
  }
  return differences_between(left, right);
}

std::string calls_of(const Topology& topology) {
  std::string result;
  for (const Call& call : topology.calls) {
    std::vector<std::string> read;
    std::vector<std::string> written;
    for (const Argument& argument : call.arguments) {
      if (argument.reads) read.push_back(topology[*argument.reads].name);
      if (argument.writes) written.push_back(topology[*argument.writes].name);
    }
    result +=
        topology.kernel_of(call).symbol + "(" + list_of(read) + " -> " + list_of(written) + ")\n";
  }
  return result;
}

std::vector<std::string> checks_of(const Topology& topology) {
  std::vector<std::string> notes;
  std::vector<std::string> others;
  for (const Check& check : topology.checks) {
    const CheckInfo& about = info(check.code);
    (about.severity == Severity::note ? notes : others).emplace_back(about.code);
  }
  return others.empty() ? notes : others;
}

std::vector<std::string> decisions_of(const Topology& topology, std::size_t call) {
  std::vector<std::string> result;
  for (const Argument& argument : topology.calls[call].arguments) {
    if (!argument.storage) continue;
    result.push_back(std::string(to_string(argument.direction)) + " " +
                     std::string(to_string(argument.decided_by)) + " " +
                     std::string(to_string(argument.certainty)));
  }
  return result;
}

bool has_graph(const Topology& topology) {
  return write_graph_json(topology, JsonLayout::compact, [](std::string_view) {}).has_value();
}

std::string dot_of(const Topology& topology) {
  std::string text;
  const auto done = write_dot(topology, [&](std::string_view part) { text += part; });
  if (!done) throw std::runtime_error(to_string(done.error()));
  return text;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace mlf::graph
