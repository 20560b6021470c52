#include "unit/graph/real_mains.h"

#include <filesystem>
#include <stdexcept>

#include "graph/main/main_body.h"
#include "graph/reconstruct.h"
#include "mlf/tir/visit.h"
#include "support/corpus_directory.h"
#include "support/ir_editor.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

tir::Document document_of(const std::string& path) {
  const std::string text = read_file(path);
  auto document = tir::read({.file = path, .member = "", .text = text});
  if (!document) throw std::runtime_error(to_string(document.error()));
  return *std::move(document);
}

std::vector<Topology> networks_of(const std::vector<TirInput>& inputs) {
  return reconstruct(inputs);
}

Topology only_network(const tir::Document& document) {
  std::vector<Topology> topologies = networks_of({{&document, "tir-1"}});
  if (topologies.size() != 1) throw std::runtime_error("not one network");
  return std::move(topologies.front());
}

Node function_named(const tir::Module& module, const std::string& name) {
  const tir::NodeMap functions = module.root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (functions.key(i).text(f::GlobalVar::name_hint) == name) return functions.value(i);
  }
  throw std::runtime_error("no function " + name);
}

std::vector<CallSite> sites_in(Node main) {
  std::vector<CallSite> sites;
  tir::for_each_pre_order(main[f::PrimFunc::body], [&](Node node) {
    if (!node.is(Kind::Evaluate)) return;
    const Node call = call_inside(node[f::Evaluate::value]);
    if (!call) return;
    CallSite site{node.id(), call.id(), {}};
    const tir::NodeList args = call.list(f::Call::args);
    for (std::size_t i = 1; i < args.size(); ++i) site.arguments.push_back(args[i].id());
    sites.push_back(std::move(site));
  });
  return sites;
}

}  // namespace

RealMain::RealMain(std::string name, tir::Document document)
    : name_(std::move(name)), document_(std::move(document)), topology_(only_network(document_)) {
  sites_ = sites_in(function_named(document_.module, topology_.provenance.function));
}

tir::Builder RealMain::copy() const {
  return test::copied(document_.module);
}

Topology RealMain::network_of(tir::Builder changed) const {
  const tir::NodeId root = document_.module.root().id();
  const tir::Document document{
      document_.source, document_.target, std::move(changed).finish(root), {}};
  return only_network(document);
}

std::vector<Topology> RealMain::networks_of_twins() const {
  return networks_of({{&document_, "tir-1"}, {&document_, "tir-2"}});
}

void drop_call(tir::Builder& builder, const CallSite& site) {
  const tir::NodeId zero = builder.make(Kind::IntImm, {tir::DType::Int(32), 0});
  builder.set(site.statement, f::Evaluate::value, zero);
}

void set_arguments(tir::Builder& builder, const CallSite& site,
                   const std::vector<tir::NodeId>& arguments) {
  std::vector<tir::NodeId> args = arguments;
  args.insert(args.begin(), builder.node(site.call).list(f::Call::args)[0].id());
  builder.set(site.call, f::Call::args, builder.list(args));
}

void call_unknown_function(tir::Builder& builder, const CallSite& site) {
  const tir::NodeId name =
      builder.make(Kind::StringImm, {tir::DType::Handle(), builder.string("tvmgen_default_unknown")});
  std::vector<tir::NodeId> args = site.arguments;
  args.insert(args.begin(), name);
  builder.set(site.call, f::Call::args, builder.list(args));
}

void swap_calls(tir::Builder& builder, const CallSite& first, const CallSite& second) {
  const tir::NodeId value = builder.node(first.statement)[f::Evaluate::value].id();
  const tir::NodeId other = builder.node(second.statement)[f::Evaluate::value].id();
  builder.set(first.statement, f::Evaluate::value, other);
  builder.set(second.statement, f::Evaluate::value, value);
}

std::vector<RealMain> real_mains() {
  std::vector<RealMain> mains;
  for (const char* name :
       {"tvm-0.16-subtract.tvm.json", "tvm-0.16-reshapes.tvm.json", "tvm-0.16-unpacked.txt",
        "tvm-0.16-usmp.txt", "tvm-0.9-unpacked.txt", "tvm-0.9-usmp.txt"}) {
    mains.emplace_back(name, document_of(std::string(MLF_TEST_DATA) + "/graph/" + name));
  }
  for (const char* name :
       {"tvm-0.9/diamond-aot-c-usmp", "tvm-0.9/resnet8-aot-packed", "tvm-0.18/diamond-aot-c",
        "tvm-0.18/two_out-aot-c", "tvm-0.18/two_out-aot-packed-usmp",
        "tvm-0.18/split_concat-aot-packed", "tvm-0.18/split_concat-aot-c-usmp"}) {
    const std::string path = test::corpus_directory().string() + "/" + name + "/save-1.json";
    if (std::filesystem::exists(path)) mains.emplace_back(name, document_of(path));
  }
  return mains;
}

}  // namespace mlf::graph
