// Scripts that people write: TVM's parser takes more than its printer prints, and adds what they
// leave out.
#include <string>
#include <vector>

#include "reading.h"
#include "tir/compare/compare.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr std::string_view kFunction =
    "@T.prim_func\n"
    "def f(A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((16,), \"float32\")):\n";

std::string function_of(std::string_view lines) {
  return std::string(kFunction).append(indented(lines));
}

/// The blocks of the only function, outermost first.
std::vector<Node> blocks_of(const Document& document) {
  std::vector<Node> blocks;
  for (Node at = body(document); at;) {
    if (at.is(Kind::BlockRealize)) {
      blocks.push_back(at[f::BlockRealize::block]);
      at = blocks.back()[f::Block::body];
    } else if (at.is(Kind::For)) {
      at = at[f::For::body];
    } else {
      break;
    }
  }
  return blocks;
}

/// `name[min:extent, …]` of each region; a minimum that is no number is `_`.
std::string described(NodeList regions) {
  std::string text;
  for (const Node region : regions) {
    text += region[f::BufferRegion::buffer].text(f::Buffer::name);
    for (const Node range : region.list(f::BufferRegion::region)) {
      const Node min = range[f::Range::min];
      text += '[' + (min.is(Kind::IntImm) ? std::to_string(number(min)) : "_") + ':' +
              std::to_string(number(range[f::Range::extent])) + ']';
    }
    text += ' ';
  }
  return text;
}

/// An expression of n, an int32.
Document with_n(std::string_view text) {
  return statements("T.evaluate(" + std::string(text) + ")");
}

bool fails_with(std::string_view lines, std::string_view message) {
  return error_of(in_function(lines)).find(message) != std::string::npos;
}

// --- Blocks ------------------------------------------------------------------------------------

TEST(HandwrittenBlocks, SayWhatTheyReadAndWrite) {
  const Document d =
      read_text(function_of("for i, j in T.grid(16, 4):\n"
                            "    with T.block():\n"
                            "        vi, vj = T.axis.remap(\"SR\", [i, j])\n"
                            "        for k in range(4):\n"
                            "            B[vi] = B[vi] + A[vi, vj * 4 + k] * A[vi, 0]"));
  const auto blocks = blocks_of(d);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].text(f::Block::name_hint), "root");
  EXPECT_TRUE(blocks[0].list(f::Block::reads).empty());
  // Two places of one buffer that have nothing in common are all of the dimension.
  EXPECT_EQ(described(blocks[1].list(f::Block::reads)), "B[_:1] A[_:1][0:16] ");
  EXPECT_EQ(described(blocks[1].list(f::Block::writes)), "B[_:1] ");
  EXPECT_TRUE(lost(d, LossCode::root_block));
  EXPECT_TRUE(lost(d, LossCode::block_regions));
}

TEST(HandwrittenBlocks, AreReadOverTheLoopsInside) {
  const Document d =
      read_text(function_of("for i in range(4):\n"
                            "    with T.block():\n"
                            "        vi = T.axis.S(4, i)\n"
                            "        for k, l in T.grid(4, 16):\n"
                            "            A[vi * 4 + k, l] = B[k] + B[k + 1]"));
  const Node block = blocks_of(d).back();
  EXPECT_EQ(described(block.list(f::Block::reads)), "B[0:5] ");
  EXPECT_EQ(described(block.list(f::Block::writes)), "A[_:4][0:16] ");
  EXPECT_FALSE(lost(d, LossCode::block_regions));
}

TEST(HandwrittenBlocks, OfAReductionDoNotReadWhatTheyInitialize) {
  const Document d =
      read_text(function_of("for i in range(16):\n"
                            "    with T.block():\n"
                            "        vi = T.axis.S(16, i)\n"
                            "        with T.init():\n"
                            "            B[vi] = T.float32(0)\n"
                            "        B[vi] = B[vi] + A[vi, 3]"));
  EXPECT_EQ(described(blocks_of(d).back().list(f::Block::reads)), "A[_:1][3:1] ");
}

TEST(HandwrittenBlocks, KnowNothingOfTheirOwnBuffers) {
  const Document d =
      read_text(function_of("with T.block(\"root\"):\n"
                            "    with T.block(\"b\"):\n"
                            "        C = T.alloc_buffer((4,))\n"
                            "        D = T.match_buffer(A[8:12, 3], (4, 1))\n"
                            "        with T.block(\"c\"):\n"
                            "            C[0] = D[2, 0]\n"
                            "            B[1] += C[0]"));
  const auto blocks = blocks_of(d);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_TRUE(blocks[0].list(f::Block::writes).empty());
  EXPECT_EQ(described(blocks[1].list(f::Block::reads)), "A[10:1][3:1] B[1:1] ");
  EXPECT_EQ(described(blocks[1].list(f::Block::writes)), "B[1:1] ");
  EXPECT_EQ(described(blocks[2].list(f::Block::writes)), "C[0:1] B[1:1] ");
}

TEST(HandwrittenBlocks, UnderAConditionAreReadWhole) {
  const Document d =
      read_text(function_of("with T.block(\"root\"):\n"
                            "    with T.block(\"b\"):\n"
                            "        for i in range(16):\n"
                            "            if i < 4:\n"
                            "                B[i] = T.float32(0)"));
  EXPECT_EQ(described(blocks_of(d).back().list(f::Block::writes)), "B[0:16] ");
  EXPECT_TRUE(lost(d, LossCode::block_regions));
}

TEST(HandwrittenBlocks, WithIndicesThatNestDeepAreReadWhole) {
  // Each index is evaluated with all that is inside of it: without a limit this takes minutes.
  constexpr std::size_t kDeep = 20'000;
  std::string index;
  for (std::size_t i = 0; i < kDeep; ++i) index += "C[";
  index += "0" + std::string(kDeep, ']');
  const Document d =
      read_text(function_of("with T.block(\"root\"):\n"
                            "    C = T.alloc_buffer((4,), \"int32\")\n"
                            "    with T.block(\"b\"):\n"
                            "        C[0] = " +
                            index));
  EXPECT_EQ(described(blocks_of(d).back().list(f::Block::reads)), "C[0:4] ");
  EXPECT_TRUE(lost(d, LossCode::block_regions));
}

TEST(HandwrittenBlocks, WithRangesBeyondAllBuffersAreReadWhole) {
  const Document d =
      read_text(function_of("with T.block(\"root\"):\n"
                            "    with T.block(\"b\"):\n"
                            "        for i, j in T.grid(2147483647, 2147483647):\n"
                            "            B[i * 2147483647 + j * 2147483647] = T.float32(0)"));
  EXPECT_EQ(described(blocks_of(d).back().list(f::Block::writes)), "B[0:16] ");
  EXPECT_TRUE(lost(d, LossCode::block_regions));
}

TEST(HandwrittenBlocks, MatchRegionsAsTheyAre) {
  const Document d = read_text(
      function_of("with T.block(\"b\"):\n    C = T.match_buffer(A[8:12, 0:3])\n    T.evaluate(0)"));
  const Node match = blocks_of(d).front().list(f::Block::match_buffers)[0];
  const NodeList shape = match[f::MatchBufferRegion::buffer].list(f::Buffer::shape);
  ASSERT_EQ(shape.size(), 2u);
  EXPECT_EQ(number(shape[1]), 3);
}

// --- Functions of the parser -------------------------------------------------------------------

TEST(HandwrittenNames, AreNoOperators) {
  EXPECT_EQ(value(with_n("T.abs(n)"))[f::Select::condition].kind(), Kind::GE);
  EXPECT_EQ(value(with_n("T.ceildiv(n, 4)")).kind(), Kind::FloorDiv);
  EXPECT_EQ(value(with_n("T.max_value(\"int8\")")).integer(f::IntImm::value), 127);
  EXPECT_EQ(value(with_n("T.min_value(\"int32\")")).integer(f::IntImm::value), INT32_MIN);
  EXPECT_EQ(value(with_n("T.call_intrin(\"int32\", \"tir.clz\", n)")).dtype(), DType::Int(32));
  EXPECT_EQ(value(with_n("T.boolean(n)")).dtype(), DType::Bool());
}

TEST(HandwrittenNames, OfStatementsAreNoExpressions) {
  EXPECT_TRUE(fails_with("T.evaluate(T.axis.S(4, n))", "T.axis.S is no expression"));
  EXPECT_TRUE(fails_with("T.evaluate(T.grid(4))", "T.grid is no expression"));
}

TEST(HandwrittenNames, OfPythonAreNotDefined) {
  EXPECT_TRUE(fails_with("T.evaluate(helper(n))", "'helper' is not defined"));
}

TEST(HandwrittenNames, OfMetaVarsAreOtherNames) {
  const Document d = statements("x = T.meta_var(2)\nA[x] = A[n] * x");
  const Node store = body(d);
  EXPECT_EQ(number(store.list(f::BufferStore::indices)[0]), 2);
  EXPECT_EQ(store[f::BufferStore::value][f::Mul::b].dtype(), DType::Int(8));
}

TEST(HandwrittenOperators, OfBitsAreCalls) {
  EXPECT_EQ(value(with_n("n << 2"))[f::Call::op].text(f::Op::name), "tir.shift_left");
  EXPECT_EQ(value(with_n("n & 3 | n"))[f::Call::op].text(f::Op::name), "tir.bitwise_or");
  EXPECT_EQ(value(with_n("~n"))[f::Call::op].text(f::Op::name), "tir.bitwise_not");
  EXPECT_EQ(value(with_n("n >> 1 < n + 2")).kind(), Kind::LT);
}

TEST(HandwrittenOperators, ComputeNumbers) {
  EXPECT_EQ(number(value(with_n("2 * 3 + 4"))), 10);
  EXPECT_EQ(number(value(with_n("-7 // 2"))), -4);
  EXPECT_EQ(value(with_n("n * 1")).kind(), Kind::Var);
  EXPECT_EQ(value(with_n("T.Add(1, 2)")).kind(), Kind::Add);
}

TEST(HandwrittenOperators, MatchTheirOperands) {
  const Document d = with_n("n + T.int64(3)");
  const Node sum = value(d);
  EXPECT_EQ(sum.dtype(), DType::Int(64));
  EXPECT_EQ(sum[f::Add::a].kind(), Kind::Cast);
}

TEST(HandwrittenStores, CastTheirValues) {
  EXPECT_EQ(body(statements("A[0] = n"))[f::BufferStore::value].kind(), Kind::Cast);
  EXPECT_EQ(body(statements("A[0] = T.int32(3)"))[f::BufferStore::value].dtype(), DType::Int(8));
  EXPECT_EQ(body(statements("A[n] += 1"))[f::BufferStore::value].kind(), Kind::Add);
}

TEST(HandwrittenLoops, NameTheirThreadBehindTheBounds) {
  const Document d = statements("for i in T.thread_binding(0, 4, \"threadIdx.x\"):\n    A[i] = 0");
  EXPECT_EQ(body(d)[f::For::thread_binding].text(f::IterVar::thread_tag), "threadIdx.x");
  EXPECT_EQ(number(body(d)[f::For::extent]), 4);
  const Document other = statements("for i in T.thread_binding(4, \"threadIdx.x\"):\n    A[i] = 0");
  EXPECT_EQ(number(body(other)[f::For::extent]), 4);
}

// --- Files of Python ---------------------------------------------------------------------------

constexpr std::string_view kFile =
    "\"\"\"A test.\n@T.prim_func\n\"\"\"\n"
    "import tvm\n"
    "from tvm.script import tir as T\n"
    "\n"
    "N = [16,\n"
    "]\n"
    "def helper(x):\n"
    "    return x + 1\n"
    "\n"
    "@pytest.mark.skip(reason=\"[\")\n"
    "def test_it():\n"
    "    # what is tested\n"
    "    @T.prim_func\n"
    "    def before(A: T.Buffer((4,), \"float32\")):\n"
    "        A[0] = T.float32(1)\n"
    "\n"
    "    check(before, '''\n"
    "    @T.prim_func\n"
    "    def expected():\n"
    "''')\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    tvm.testing.main()\n";

TEST(HandwrittenFiles, HoldTheirFunctionsAmongOthers) {
  const Document d = read_text(kFile);
  const auto functions = functions_of(d.module);
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].name, "before");
}

TEST(HandwrittenFiles, LoseTheFunctionThatUsesWhatNothingDefines) {
  const std::string text = function_of("B[0] = T.float32(1)") +
                           "@T.prim_func\ndef g(A: T.Buffer((4,), \"float32\")):\n"
                           "    for i in range(count):\n        A[i] = T.float32(0)\n";
  const Document d = read_text(text);
  EXPECT_EQ(functions_of(d.module).size(), 1u);
  EXPECT_TRUE(lost(d, LossCode::undefined_name));
}

/// As TVM 0.16 prints what it reads.
TEST(HandwrittenExpressions, PointersToBuffersStateTheirAccess) {
  const auto call = [](std::string_view arguments) {
    return read_text(
        "@T.prim_func\ndef f(a: T.handle, B: T.Buffer((4, 16), \"float32\")):\n"
        "    A = T.match_buffer(a, (16, 4), \"int8\", strides=(\"s\", 1), offset_factor=1)\n"
        "    T.call_extern(\"int32\", \"g\", " +
        std::string(arguments) + ")\n");
  };
  const Document written = call(
      "A.access_ptr(\"r\"), B.access_ptr(\"w\", offset=16), B.access_ptr(\"rw\"), "
      "B.access_ptr(1, offset=A.strides[0], extent=5)");
  const Document printed = call(
      "T.tvm_access_ptr(T.type_annotation(\"int8\"), A.data, A.elem_offset, A.strides[0] * 16, 1), "
      "T.tvm_access_ptr(T.type_annotation(\"float32\"), B.data, 16, 48, 2), "
      "T.tvm_access_ptr(T.type_annotation(\"float32\"), B.data, 0, 64, 3), "
      "T.tvm_access_ptr(T.type_annotation(\"float32\"), B.data, A.strides[0], 5, 1)");
  const Comparison compared = compare(written.module, printed.module);
  for (const Difference& one : compared.differences) ADD_FAILURE() << to_string(one);
}

}  // namespace
}  // namespace mlf::tir::tvmscript
