// Mains that TVM made, and changes to their calls.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mlf/graph/topology.h"
#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"

namespace mlf::graph {

/// A call of a kernel in main, with the statement around it.
struct CallSite {
  tir::NodeId statement;
  tir::NodeId call;
  std::vector<tir::NodeId> arguments;  // behind the kernel's name
};

/// One module with one main.
class RealMain {
 public:
  RealMain(std::string name, tir::Document document);

  const std::string& name() const { return name_; }
  const Topology& topology() const { return topology_; }
  /// In execution order; as many as the topology has calls.
  const std::vector<CallSite>& sites() const { return sites_; }

  tir::Builder copy() const;
  /// The network of a changed copy.
  Topology network_of(tir::Builder changed) const;
  /// Networks of the module beside itself.
  std::vector<Topology> networks_of_twins() const;

 private:
  std::string name_;
  tir::Document document_;
  Topology topology_;
  std::vector<CallSite> sites_;
};

void drop_call(tir::Builder& builder, const CallSite& site);
void set_arguments(tir::Builder& builder, const CallSite& site,
                   const std::vector<tir::NodeId>& arguments);
void call_unknown_function(tir::Builder& builder, const CallSite& site);
/// The first call becomes the second and the other way round.
void swap_calls(tir::Builder& builder, const CallSite& first, const CallSite& second);

/// Mains of the bundled modules, and some of the corpus where it is there. Unpacked and packed,
/// with and without planner, before and after lowering, of v0.9, v0.16 and v0.18.
std::vector<RealMain> real_mains();

}  // namespace mlf::graph
