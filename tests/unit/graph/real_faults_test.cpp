// One fault after the other, at every call and every argument of mains that TVM made. A second,
// much simpler reader of the calls says what each one makes of the network: the topology shows
// exactly that, or it has a check of severity `error`.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "unit/graph/networks.h"
#include "unit/graph/real_mains.h"

namespace mlf::graph {
namespace {

/// What a call does, without its values.
struct PlainArgument {
  Direction direction;
  std::string memory;  // storage or pool; empty for contexts
};
using PlainCall = std::vector<PlainArgument>;

struct PlainNetwork {
  std::vector<PlainCall> calls;
  std::set<std::string> inputs;  // and constants
  std::vector<std::string> outputs;
};

std::string memory_of(const Topology& topology, const Argument& argument) {
  if (argument.storage) return topology[*argument.storage].name;
  return argument.pool ? "pool " + topology[*argument.pool].name : "";
}

PlainNetwork plain(const Topology& topology) {
  PlainNetwork network;
  for (const Call& call : topology.calls) {
    PlainCall& made = network.calls.emplace_back();
    for (const Argument& argument : call.arguments) {
      made.push_back({argument.direction, memory_of(topology, argument)});
    }
  }
  for (const Value& value : topology.values) {
    if (value.kind != ValueKind::computed) network.inputs.insert(topology[value.storage].name);
  }
  for (const Port& port : topology.outputs) {
    if (port.value) network.outputs.push_back(topology[topology[*port.value].storage].name);
  }
  return network;
}

/// "call 3 argument 1 reads call 0 argument 2", for everything that is read, then the outputs.
struct Edges {
  std::vector<std::string> lines;
  bool is_legal = true;  // nothing is read before it is written, no input or constant is written
};

Edges edges_of(const PlainNetwork& network) {
  Edges edges;
  std::map<std::string, std::string> held;
  for (const std::string& input : network.inputs) held[input] = input;
  const auto read = [&](const std::string& reader, const std::string& memory) {
    if (held[memory].empty()) edges.is_legal = false;
    edges.lines.push_back(reader + " reads " + held[memory]);
  };
  for (std::size_t i = 0; i < network.calls.size(); ++i) {
    const auto end = [&](std::size_t k) {
      return "call " + std::to_string(i) + " argument " + std::to_string(k);
    };
    const PlainCall& call = network.calls[i];
    for (std::size_t k = 0; k < call.size(); ++k) {
      if (call[k].direction == Direction::input) read(end(k), call[k].memory);
    }
    for (std::size_t k = 0; k < call.size(); ++k) {
      if (call[k].direction != Direction::output) continue;
      if (network.inputs.contains(call[k].memory)) edges.is_legal = false;
      held[call[k].memory] = end(k);
    }
  }
  for (const std::string& output : network.outputs) read(output, output);
  return edges;
}

std::string producer_of(const Topology& topology, ValueId id) {
  const Value& value = topology[id];
  if (!value.producer) return topology[value.storage].name;
  return "call " + std::to_string(value.producer->step) + " argument " +
         std::to_string(value.producer->argument);
}

std::vector<std::string> edges_of(const Topology& topology) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < topology.calls.size(); ++i) {
    const Call& call = topology.calls[i];
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      if (!call.arguments[k].reads) continue;
      lines.push_back("call " + std::to_string(i) + " argument " + std::to_string(k) + " reads " +
                      producer_of(topology, *call.arguments[k].reads));
    }
  }
  for (const Port& port : topology.outputs) {
    if (!port.value) continue;
    lines.push_back(topology[topology[*port.value].storage].name + " reads " +
                    producer_of(topology, *port.value));
  }
  return lines;
}

/// Whether the reconstruction itself finds an error: Relay's main would see any change.
bool is_rejected(const Topology& topology) {
  return std::any_of(topology.checks.begin(), topology.checks.end(), [](const Check& check) {
    return info(check.code).severity == Severity::error && check.code != CheckCode::second_opinion;
  });
}

/// TVM never writes an input, so that the warning says that something is wrong.
bool is_warned(const Topology& topology) {
  return std::any_of(topology.checks.begin(), topology.checks.end(),
                     [](const Check& check) { return check.code == CheckCode::input_overwritten; });
}

struct Tally {
  std::size_t rejected = 0;
  std::size_t shown = 0;
};

/// The fault is an error, or the graph shows it.
void judge(const Topology& faulty, const PlainNetwork& meant, const std::string& what,
           Tally& tally) {
  const Edges expected = edges_of(meant);
  const bool is_noticed = is_rejected(faulty) || is_warned(faulty);
  EXPECT_TRUE(expected.is_legal || is_noticed) << what;
  ++(is_noticed ? tally.rejected : tally.shown);
  if (is_noticed) return;
  EXPECT_EQ(edges_of(faulty), expected.lines) << what;
}

class RealFaults : public testing::Test {
 protected:
  static const std::vector<RealMain>& mains() {
    static const std::vector<RealMain> all = real_mains();
    return all;
  }
  static std::string at(const RealMain& main, std::size_t call) {
    return main.name() + " call " + std::to_string(call);
  }
};

TEST_F(RealFaults, ThereAreNoneToBeginWith) {
  for (const RealMain& main : mains()) {
    EXPECT_EQ(checks_of(main.topology()), std::vector<std::string>{}) << main.name();
    ASSERT_EQ(main.sites().size(), main.topology().calls.size()) << main.name();
    for (std::size_t i = 0; i < main.sites().size(); ++i) {
      ASSERT_EQ(main.sites()[i].arguments.size(), main.topology().calls[i].arguments.size());
    }
    EXPECT_EQ(edges_of(main.topology()), edges_of(plain(main.topology())).lines) << main.name();
    EXPECT_EQ(edges_of(main.network_of(main.copy())), edges_of(main.topology())) << main.name();
  }
}

// Where allocations are merged, what lay there before may take the place of what is not computed:
// a legal main. The graph shows it, and the function that is not called is remarked.
TEST_F(RealFaults, EveryDroppedCallIsNoticed) {
  Tally tally;
  for (const RealMain& main : mains()) {
    for (std::size_t i = 0; i < main.sites().size(); ++i) {
      tir::Builder builder = main.copy();
      drop_call(builder, main.sites()[i]);
      const Topology faulty = main.network_of(std::move(builder));
      EXPECT_NE(checks_of(faulty), checks_of(main.topology())) << at(main, i);
      EXPECT_EQ(faulty.calls.size() + 1, main.topology().calls.size()) << at(main, i);
      PlainNetwork meant = plain(main.topology());
      meant.calls.erase(meant.calls.begin() + static_cast<std::ptrdiff_t>(i));
      judge(faulty, meant, at(main, i) + " dropped", tally);
    }
  }
  EXPECT_GT(tally.rejected, 10 * tally.shown);
}

TEST_F(RealFaults, EveryUnknownCalleeIsNamed) {
  for (const RealMain& main : mains()) {
    for (std::size_t i = 0; i < main.sites().size(); ++i) {
      tir::Builder builder = main.copy();
      call_unknown_function(builder, main.sites()[i]);
      const Topology faulty = main.network_of(std::move(builder));
      EXPECT_TRUE(std::any_of(faulty.checks.begin(), faulty.checks.end(), [&](const Check& check) {
        return check.code == CheckCode::unknown_callee && check.call == static_cast<CallId>(i);
      })) << at(main, i);
      // It may write what main does not give it: no number of the network is one of the whole.
      EXPECT_FALSE(faulty.gaps.empty()) << at(main, i);
    }
  }
}

TEST_F(RealFaults, EveryMissingArgumentIsNoticed) {
  for (const RealMain& main : mains()) {
    for (std::size_t i = 0; i < main.sites().size(); ++i) {
      for (std::size_t k = 0; k < main.sites()[i].arguments.size(); ++k) {
        // A null handle at the end may be there or not.
        if (main.topology().calls[i].arguments[k].direction == Direction::context) continue;
        std::vector<tir::NodeId> arguments = main.sites()[i].arguments;
        arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(k));
        tir::Builder builder = main.copy();
        set_arguments(builder, main.sites()[i], arguments);
        EXPECT_TRUE(is_rejected(main.network_of(std::move(builder))))
            << at(main, i) << " argument " << k;
      }
    }
  }
}

TEST_F(RealFaults, SwappedArgumentsAreNoticedOrShown) {
  Tally tally;
  for (const RealMain& main : mains()) {
    for (std::size_t i = 0; i < main.sites().size(); ++i) {
      const std::size_t count = main.sites()[i].arguments.size();
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = a + 1; b < count; ++b) {
          std::vector<tir::NodeId> arguments = main.sites()[i].arguments;
          std::swap(arguments[a], arguments[b]);
          tir::Builder builder = main.copy();
          set_arguments(builder, main.sites()[i], arguments);
          PlainNetwork meant = plain(main.topology());
          std::swap(meant.calls[i][a].memory, meant.calls[i][b].memory);
          judge(main.network_of(std::move(builder)), meant,
                at(main, i) + " swaps " + std::to_string(a) + " and " + std::to_string(b), tally);
        }
      }
    }
  }
  EXPECT_GT(tally.rejected, tally.shown);
  EXPECT_GT(tally.shown, 0u);
}

TEST_F(RealFaults, ArgumentsOfTheCallBeforeOrBehindAreNoticedOrShown) {
  Tally tally;
  for (const RealMain& main : mains()) {
    const PlainNetwork sound = plain(main.topology());
    for (std::size_t i = 0; i < main.sites().size(); ++i) {
      for (std::size_t k = 0; k < main.sites()[i].arguments.size(); ++k) {
        for (const std::size_t other : {i - 1, i + 1}) {
          if (other >= main.sites().size()) continue;
          for (std::size_t m = 0; m < sound.calls[other].size(); ++m) {
            if (sound.calls[other][m].memory == sound.calls[i][k].memory) continue;
            std::vector<tir::NodeId> arguments = main.sites()[i].arguments;
            arguments[k] = main.sites()[other].arguments[m];
            tir::Builder builder = main.copy();
            set_arguments(builder, main.sites()[i], arguments);
            PlainNetwork meant = sound;
            meant.calls[i][k].memory = sound.calls[other][m].memory;
            judge(main.network_of(std::move(builder)), meant,
                  at(main, i) + " argument " + std::to_string(k) + " from call " +
                      std::to_string(other) + " argument " + std::to_string(m),
                  tally);
          }
        }
      }
    }
  }
  EXPECT_GT(tally.rejected, 0u);
}

TEST_F(RealFaults, CallsInAnotherOrderAreNoticedOrShown) {
  Tally tally;
  for (const RealMain& main : mains()) {
    for (std::size_t i = 0; i + 1 < main.sites().size(); ++i) {
      tir::Builder builder = main.copy();
      swap_calls(builder, main.sites()[i], main.sites()[i + 1]);
      PlainNetwork meant = plain(main.topology());
      std::swap(meant.calls[i], meant.calls[i + 1]);
      judge(main.network_of(std::move(builder)), meant, at(main, i) + " comes later", tally);
    }
  }
  EXPECT_GT(tally.rejected, tally.shown);
}

TEST_F(RealFaults, TwoMainsAreNeverTakenForOne) {
  for (const RealMain& main : mains()) {
    const std::vector<Topology> twins = main.networks_of_twins();
    ASSERT_EQ(twins.size(), 2u) << main.name();
    for (const Topology& twin : twins) EXPECT_TRUE(is_rejected(twin)) << main.name();
  }
}

}  // namespace
}  // namespace mlf::graph
