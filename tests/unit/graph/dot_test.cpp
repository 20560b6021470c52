// The network as Graphviz reads it.
#include "graph/formats/picture.h"

#include <gtest/gtest.h>

#include "graph/formats/dot_text.h"
#include "unit/graph/networks.h"

namespace mlf::graph {
namespace {

/// The lines that begin so, in order.
std::string lines_with(const std::string& dot, const std::string& begin) {
  std::string found;
  for (std::size_t at = 0; (at = dot.find("\n  " + begin, at)) != dot.npos; ++at) {
    found += dot.substr(at + 3, dot.find('\n', at + 1) - at - 2);
  }
  return found;
}

const std::string kNetwork = script(
    {main_of({"x", "output"}, sid("sid_1") + sid("sid_2") +
                                  call("tvmgen_default_fused_add", "x_buffer.data, sid_1") +
                                  call("tvmgen_default_cc_main_0", "sid_1, sid_2") +
                                  call("tvmgen_default_fused_add", "sid_2, output_buffer.data")),
     kernel("tvmgen_default_fused_add",
            "p0: T.Buffer((4,), \"float32\"), T_add: T.Buffer((2, 2), \"float32\")",
            "c = T.allocate_const([1.0, 2.0], \"float32\", [2])\n"
            "c_1 = T.Buffer((2,), data=c)\n"
            "for i in range(4):\n    T_add[i // 2, i % 2] = p0[i] + c_1[0]")});

TEST(Dot, ShowsCallsAndTheTensorsBetweenThem) {
  const std::string dot = dot_of(network(kNetwork));
  EXPECT_TRUE(dot.starts_with("digraph \"default\" {\n"));
  EXPECT_TRUE(dot.ends_with("}\n"));
  EXPECT_EQ(lines_with(dot, "call0 ["),
            "call0 [label=\"add\\ncall 0\\n1 constant, 8 B\", fillcolor=\"#e8f0fe\", "
            "color=\"#3367d6\"];\n");
  EXPECT_NE(lines_with(dot, "call2 [").find("label=\"add\\ncall 2\\n1 constant"), dot.npos);
  EXPECT_NE(lines_with(dot, "input0 [").find("label=\"x\\nfloat32[4]\", shape=ellipse"), dot.npos);
  EXPECT_EQ(lines_with(dot, "input0 ->"),
            "input0 -> call0 [label=\"    float32[4]    \\n   16 B   \"];\n");
  EXPECT_EQ(lines_with(dot, "call2 ->"),
            "call2 -> output0 [label=\"      float32[2, 2] \u2192 [4]      \\n   16 B   \"];\n");
}

// Graphviz makes boxes for letters of its own; those that a viewer has may be wider.
TEST(Dot, BoxesOfLongLinesHaveMoreRoom) {
  const Topology topology = network(kNetwork);
  const auto margins_with = [&](const std::string& layer) {
    std::string dot;
    const DotNotes notes{.layers = {layer, "", ""}};
    EXPECT_TRUE(write_dot(topology, notes, [&](std::string_view part) { dot += part; }));
    const std::string box = lines_with(dot, "call0 [");
    const std::size_t at = box.find("margin=");
    return at == box.npos ? "" : box.substr(at, box.find(']', at) - at);
  };
  EXPECT_EQ(margins_with(std::string(24, 'a')), "");
  EXPECT_EQ(margins_with(std::string(34, 'a')), "margin=\"0.32,0.07\"");
  EXPECT_EQ(margins_with("a/" + std::string(34, 'a')), "margin=\"0.32,0.07\"");
}

TEST(Dot, FunctionsOfOtherCompilersAreDoubleBoxes) {
  const std::string dot = dot_of(network(kNetwork));
  EXPECT_NE(lines_with(dot, "call1 [")
                .find("label=\"cc_main_0\\ncall 1\\ncc\", style=filled, peripheries"),
            dot.npos);
}

TEST(Dot, CopiesAreNodesOfTheirOwn) {
  const std::string dot = dot_of(network(script(
      {main_of({"x", "output"},
               "for i in range(16):\n"
               "    tmp_write = T.Buffer((T.uint64(16),), \"uint8\", data=output_buffer.data)\n"
               "    tmp_read = T.Buffer((T.uint64(16),), \"uint8\", data=x_buffer.data)\n"
               "    tmp_write[i] = tmp_read[i]\n")})));
  EXPECT_NE(lines_with(dot, "copy0 [").find("dashed"), dot.npos);
  EXPECT_EQ(lines_with(dot, "input0 ->"),
            "input0 -> copy0 [label=\"    float32[4]    \\n   16 B   \"];\n");
  EXPECT_EQ(lines_with(dot, "copy0 ->"),
            "copy0 -> output0 [label=\"    float32[4]    \\n   16 B   \"];\n");
}

TEST(Dot, ConstantsOfMainAreNotes) {
  const std::string dot = dot_of(network(script(
      {main_of({"x", "output"},
               "constant_0 = T.allocate_const([1.0, 2.0, 3.0, 4.0], \"float32\", [4])\n" +
                   call("tvmgen_default_b", "x_buffer.data, constant_0, output_buffer.data")),
       binary("tvmgen_default_b")})));
  EXPECT_NE(lines_with(dot, "constant1 [").find("label=\"constant_0\", shape=note"), dot.npos);
  EXPECT_NE(lines_with(dot, "constant1 ->").find("constant1 -> call0"), dot.npos);
}

TEST(Dot, WhatIsWrongIsRed) {
  constexpr std::string_view kRed = "#c5221f";
  const std::string dot = dot_of(network(
      script({main_of({"x", "output", "output2"},
                      sid("sid_1") + call("tvmgen_default_b", "x_buffer.data, output_buffer.data") +
                          call("tvmgen_default_a", "x_buffer.data, sid_1")),
              unary("tvmgen_default_a")})));
  EXPECT_NE(lines_with(dot, "call0 [").find(kRed), dot.npos);
  EXPECT_EQ(lines_with(dot, "call1 [").find(kRed), dot.npos);
  EXPECT_NE(lines_with(dot, "output1 [").find(kRed), dot.npos);
  EXPECT_NE(lines_with(dot, "checks [").find("nothing writes the output"), dot.npos);
  EXPECT_EQ(dot_of(network(kNetwork)).find(kRed), dot.npos);
}

TEST(Dot, BoxesOfWhatIsWrongSayWhy) {
  const Topology topology = network(
      script({main_of({"x", "output"}, call("unknown", "x_buffer.data, output_buffer.data")),
              unary("tvmgen_default_a")}));
  ASSERT_FALSE(topology.is_sound());
  const std::string dot = dot_of(topology);
  for (const Check& check : topology.checks) {
    if (info(check.code).severity != Severity::error) continue;
    EXPECT_NE(dot.find(dot_string(wrapped(check.detail, ' ', 40)).substr(1, 20)), dot.npos)
        << check.detail;
  }
}

TEST(Dot, BytesAreShownWhereNothingElseIsKnown) {
  Topology topology = network(kNetwork);
  topology.values[1].type = {};
  topology.values[1].bytes = 1536;
  for (Call& call : topology.calls) {
    for (Argument& argument : call.arguments) {
      if (argument.reads == ValueId{1}) argument.type = {};
    }
  }
  EXPECT_EQ(lines_with(dot_of(topology), "call0 ->"),
            "call0 -> call1 [label=\"    1.5 KiB    \"];\n");
  topology.values[1].bytes.reset();
  topology.storages[index(topology.values[1].storage)].bytes = 2048;
  EXPECT_EQ(lines_with(dot_of(topology), "call0 ->"),
            "call0 -> call1 [label=\"     at most 2 KiB     \"];\n");
}

TEST(Dot, NotesAndWorkspacesAreBelowTheName) {
  Topology topology = network(kNetwork);
  topology.kernels[0].workspaces = {{.name = "a", .bytes = 1024}, {.name = "b"}};
  std::string dot;
  const auto done =
      write_dot(topology, {.boxes = {"12 \"MAC\""}}, [&](std::string_view part) { dot += part; });
  ASSERT_TRUE(done);
  EXPECT_NE(lines_with(dot, "call0 [")
                .find("add\\ncall 0\\n1 constant, 8 B\\n2 workspaces, at least 1 KiB"
                      "\\n12 \\\"MAC\\\"\""),
            dot.npos)
      << dot;
  EXPECT_EQ(lines_with(dot, "call2 [").find("MAC"), dot.npos);
}

// Blocks of four calls, twice: a, b, a, b between x and output, each reading the call before it.
TEST(Dot, RepeatedPartsAreOneBoxWithDepth) {
  const Topology topology = network(
      script({main_of({"x", "output"}, sid("sid_1") + sid("sid_2") + sid("sid_3") +
                                           call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                           call("tvmgen_default_b", "sid_1, sid_2") +
                                           call("tvmgen_default_a", "sid_2, sid_3") +
                                           call("tvmgen_default_b", "sid_3, output_buffer.data")),
              unary("tvmgen_default_a"), unary("tvmgen_default_b")}));
  const FoldedNetwork folded = fold_repeats(topology, std::vector<std::uint64_t>{1, 2});
  ASSERT_EQ(folded.blocks, (std::vector<CallBlock>{{CallId{0}, 2, 2}}));
  std::string dot;
  ASSERT_TRUE(write_dot(topology, {.folded = folded, .boxes = {"8 MAC"}},
                        [&](std::string_view part) { dot += part; }));
  EXPECT_EQ(lines_with(dot, "calls0to3 ["),
            "calls0to3 [label=\"calls 0 to 3\\n2 times:\\na\\nb\\n8 MAC\", shape=box3d, "
            "style=filled, fillcolor=\"#e8f0fe\", color=\"#3367d6\"];\n");
  EXPECT_EQ(lines_with(dot, "call0"), "");
  EXPECT_EQ(lines_with(dot, "input0 ->"),
            "input0 -> calls0to3 [label=\"    float32[4]    \\n   16 B   \"];\n");
  EXPECT_EQ(lines_with(dot, "calls0to3 ->"),
            "calls0to3 -> output0 [label=\"    float32[4]    \\n   16 B   \"];\n");
}

TEST(Dot, SeveralTensorsFromABlockAreOneEdge) {
  const Topology topology = network(script(
      {main_of({"x", "output"}, sid("sid_1") + sid("sid_2") +
                                    call("tvmgen_default_a", "x_buffer.data, sid_1") +
                                    call("tvmgen_default_a", "x_buffer.data, sid_2") +
                                    call("tvmgen_default_b", "sid_1, sid_2, output_buffer.data")),
       unary("tvmgen_default_a"), binary("tvmgen_default_b")}));
  const FoldedNetwork folded = fold_repeats(topology, std::vector<std::uint64_t>{1, 2});
  ASSERT_EQ(folded.blocks, (std::vector<CallBlock>{{CallId{0}, 1, 2}, {CallId{2}, 1, 1}}));
  std::string dot;
  ASSERT_TRUE(write_dot(topology, {.folded = folded}, [&](std::string_view part) { dot += part; }));
  EXPECT_EQ(lines_with(dot, "calls0to1 ->"),
            "calls0to1 -> call2 [label=\"    2 tensors    \\n   32 B   \"];\n");
  EXPECT_EQ(lines_with(dot, "input0 ->"),
            "input0 -> calls0to1 [label=\"    float32[4]    \\n   16 B   \"];\n");
}

TEST(DotText, StringsShowWhatTheyHold) {
  EXPECT_EQ(dot_string("a\"b\\N&lt;\n\t\x80 caf\u00e9"),
            "\"a\\\"b\\\\N&amp;lt;\\n\uFFFD\uFFFD caf\u00e9\"");
  EXPECT_EQ(dot_string(""), "\"\"");
}

// What a terminal or a browser obeys, and what XML cannot hold, as in messages and tables.
TEST(DotText, WhatIsUnsafeToShowIsReplaced) {
  for (const char* unsafe :
       {"\x7f", "\x1b", "\u0085", "\u009b", "\u202e", "\u2066", "\u2028", "\ufffe", "\uffff"}) {
    EXPECT_EQ(dot_string(std::string("a") + unsafe + "b"), "\"a\ufffdb\"") << unsafe;
  }
  EXPECT_EQ(dot_string("\u00a0\u00e9\u2029"), "\"\u00a0\u00e9\ufffd\"");
}

TEST(DotText, LongNamesAreBrokenBehindUnderscores) {
  EXPECT_EQ(wrapped("nn_conv2d_add_clip", '_', 10), "nn_conv2d_\nadd_clip");
  EXPECT_EQ(wrapped("add", '_', 10), "add");
  EXPECT_EQ(wrapped("averyveryverylongname_add_", '_', 10), "averyveryverylongname_\nadd_");
  EXPECT_EQ(wrapped("", '_', 10), "");
  EXPECT_EQ(wrapped("nothing writes it", ' ', 10), "nothing \nwrites it");
}

TEST(DotText, BytesHaveAtMostOneDecimal) {
  EXPECT_EQ(byte_count(1023), "1023 B");
  EXPECT_EQ(byte_count(1024), "1 KiB");
  EXPECT_EQ(byte_count(1536), "1.5 KiB");
  EXPECT_EQ(byte_count(std::uint64_t{5} << 40), "5 TiB");
}

TEST(ShortNames, AreDifferentForDifferentKernels) {
  Topology topology;
  topology.module = "default";
  for (const char* symbol : {"tvmgen_default_fused_add", "tvmgen_default_fused_relu",
                             "tvmgen_default_relu", "tvmgen_default_cc_main_0", "foreign"}) {
    topology.kernels.emplace_back().symbol = symbol;
  }
  EXPECT_EQ(short_names(topology),
            (std::vector<std::string>{"add", "fused_relu", "tvmgen_default_relu", "cc_main_0",
                                      "foreign"}));
}

}  // namespace
}  // namespace mlf::graph
