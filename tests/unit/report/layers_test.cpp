// Operators of Relay's text that give kernels their names.
#include "report/layers.h"

#include <gtest/gtest.h>

namespace mlf::report {
namespace {

using Sources = std::vector<std::size_t>;

TEST(RelayAnchors, AreTheOperatorsThatAreNotFusedAway) {
  const auto anchors = relay_anchors(
      "def @main(%x: Tensor[(1, 4), int8]) {\n"
      "  %0 = qnn.conv2d(%x, meta[relay.Constant][0], 0) /* span=a/conv2d:0:0 */;\n"
      "  %1 = nn.bias_add(%0, meta[relay.Constant][1]) /* span=b:0:0 */;\n"
      "  nn.softmax(%1) /* span=c:0:0 */\n"
      "}\n");
  ASSERT_EQ(anchors.size(), 2u);
  EXPECT_EQ(anchors[0].operation, "conv2d");
  EXPECT_EQ(anchors[0].layer, "a/conv2d");
  EXPECT_EQ(anchors[0].line, 2u);
  EXPECT_EQ(anchors[1].operation, "softmax");
  EXPECT_EQ(anchors[1].reads, Sources{0});
}

TEST(RelayText, HasMainUpToItsBrace) {
  EXPECT_EQ(main_of_relay("#[version = \"0.0.5\"]\ndef @main(%x) {\n  %x\n}\n\ndef @f() {\n}\n"),
            "def @main(%x) {\n  %x\n}\n");
  EXPECT_EQ(main_of_relay("def @main(%x) {\n  %x\n}\n"), "def @main(%x) {\n  %x\n}\n");
  EXPECT_EQ(main_of_relay("def @main(%x) {\n  %x"), "def @main(%x) {\n  %x");
  EXPECT_EQ(main_of_relay("def @other(%x) {\n}\n"), "");
  EXPECT_EQ(main_of_relay(""), "");
}

TEST(RelayText, CommentsAreLeftOut) {
  EXPECT_EQ(without_comments("a /* b */ c /* d"), "a  c ");
}

TEST(RelayAnchors, HaveTheNamesOfOlderSpans) {
  const auto anchors = relay_anchors(
      "def @main(%x) {\n"
      "  nn.dense(%x, %w) /* span=location: 3, output_name: model/dense/BiasAdd:0:0 */\n"
      "}\n");
  ASSERT_EQ(anchors.size(), 1u);
  EXPECT_EQ(anchors[0].layer, "model/dense/BiasAdd");
}

TEST(RelayAnchors, WithoutSpansHaveNoNames) {
  const auto anchors = relay_anchors("def @main(%x) {\n  nn.dense(%x, %w);\n}\n");
  ASSERT_EQ(anchors.size(), 1u);
  EXPECT_EQ(anchors[0].layer, "");
}

TEST(RelayAnchors, AreThoseOfMain) {
  EXPECT_TRUE(relay_anchors("def @other(%x) {\n  nn.dense(%x, %w);\n}\n").empty());
}

TEST(RelayAnchors, AreNotTakenFromCommentsAndNames) {
  const auto anchors = relay_anchors(
      "def @main(%x) {\n"
      "  %0 = add(%x, %dense) /* span=nn.dense(%x):0:0 */;\n"
      "  %1 = nn.conv2d_transpose(%0, %w);\n"
      "}\n");
  ASSERT_EQ(anchors.size(), 1u);
  EXPECT_EQ(anchors[0].operation, "conv2d_transpose");
}

TEST(RelayAnchors, OfDamagedTextAreThoseThatCanBeRead) {
  for (const char* text : {"", "def @main(", "def @main(%x) {\n  %", "def @main(%x) {\n  %0 = \n",
                           "def @main(%x) {\n  nn.dense(%x /* span="}) {
    EXPECT_LE(relay_anchors(text).size(), 1u) << text;
  }
}

}  // namespace
}  // namespace mlf::report
