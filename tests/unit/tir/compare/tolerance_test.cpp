// Each rule of the tolerance table: what it lets pass, and what it does not.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "mlf/tir/builder.h"
#include "text_tolerance.h"

namespace mlf::tir {
namespace {

constexpr NodeId kNone = NodeId::none;

/// Makes nodes in a few words; the root may be any node.
class Maker {
 public:
  Builder b;

  NodeId number(std::int64_t value, DType dtype = DType::Int(32)) {
    return b.make(Kind::IntImm, {dtype, value});
  }
  NodeId real(double value) { return b.make(Kind::FloatImm, {DType::Float(32), value}); }
  NodeId text(std::string_view value) {
    return b.make(Kind::StringImm, {DType::Handle(), b.string(value)});
  }
  NodeId string(std::string_view value) { return b.make(Kind::String, {b.string(value)}); }
  NodeId type(DType dtype) { return b.make(Kind::PrimType, {dtype}); }
  NodeId pointer(DType dtype, std::string_view scope) {
    return b.make(Kind::PointerType, {type(dtype), b.string(scope)});
  }
  NodeId var(std::string_view name, DType dtype = DType::Int(32)) {
    return var_of(name, type(dtype), dtype);
  }
  NodeId var_of(std::string_view name, NodeId var_type, DType dtype = DType::Handle()) {
    return b.make(Kind::Var, {dtype, b.string(name), var_type});
  }
  NodeId size_var(std::string_view name) {
    return b.make(Kind::SizeVar, {DType::Int(32), b.string(name), type(DType::Int(32))});
  }
  NodeId buffer(std::string_view name, NodeId data, NodeId offset, std::int64_t alignment = 64) {
    return b.make(Kind::Buffer,
                  {data, DType::Float(32), b.list({number(16)}), b.list({}), b.list({}), offset,
                   b.string(name), alignment, 1, BufferType::default_});
  }
  NodeId add(NodeId x, NodeId y) { return b.make(Kind::Add, {DType::Int(32), x, y}); }
  NodeId sub(NodeId x, NodeId y) { return b.make(Kind::Sub, {DType::Int(32), x, y}); }
  NodeId array(std::initializer_list<NodeId> elements) {
    return b.make(Kind::Array, {b.list(elements)});
  }
  NodeId call(std::string_view op, DType dtype, std::initializer_list<NodeId> args) {
    const NodeId callee = b.make(Kind::Op, {b.string(op)});
    return b.make(Kind::Call, {dtype, callee, b.list(args)});
  }
  NodeId evaluate(NodeId value) { return b.make(Kind::Evaluate, {value}); }
  NodeId sequence(std::initializer_list<NodeId> statements) {
    return b.make(Kind::SeqStmt, {b.list(statements)});
  }
  NodeId loop(NodeId loop_var, NodeId min, NodeId extent, NodeId body) {
    return b.make(Kind::For, {loop_var, min, extent, ForKind::serial, body, kNone,
                              b.map(std::span<const NamedNode>())});
  }
  NodeId function(std::initializer_list<NodeId> params, NodeId body) {
    return b.make(Kind::PrimFunc, {b.list(params), b.make(Kind::TupleType, {b.list({})}),
                                   b.map(std::span<const NodePair>()), ListId::none, kNone, body});
  }
};

using Make = std::function<NodeId(Maker&)>;

Module made(const Make& make) {
  Maker maker;
  const NodeId root = make(maker);
  return std::move(maker.b).finish(root);
}

/// "equal", the codes of the losses that explain the differences, or the first difference.
std::string verdict(Dialect dialect, const Make& left, const Make& right) {
  const TextComparison result = compare(made(left), made(right), TextTolerance::of(dialect));
  if (!result.equal()) return "differs at " + result.differences.front().path;
  std::string codes;
  for (const Tolerated& tolerated : result.tolerated) {
    codes += (codes.empty() ? "" : " ") + std::string(info(tolerated.loss).code);
  }
  return codes.empty() ? "equal" : codes;
}

std::string script(const Make& left, const Make& right) {
  return verdict(Dialect::tvmscript, left, right);
}

std::string legacy(const Make& left, const Make& right) {
  return verdict(Dialect::legacy_text, left, right);
}

Make var_named(std::string_view name) {
  return [name](Maker& m) { return m.var(name); };
}

TEST(Tolerance, TakesScriptNamesThatComeFromTheHint) {
  EXPECT_EQ(script(var_named("a.b"), var_named("a_b")), "name-hint");
  EXPECT_EQ(script(var_named("a.b"), var_named("a_b_12")), "name-hint");
  EXPECT_EQ(script(var_named(""), var_named("v")), "name-hint");
  EXPECT_EQ(script(var_named("a"), var_named("a")), "equal");
  EXPECT_EQ(script(var_named("a"), var_named("a_x")), "differs at name");
  EXPECT_EQ(script(var_named("a"), var_named("a_0")), "differs at name");
  EXPECT_EQ(script(var_named("a"), var_named("b")), "differs at name");
}

TEST(Tolerance, TakesLegacyNamesThatComeFromTheHint) {
  EXPECT_EQ(legacy(var_named("a.b"), var_named("a.b_1")), "name-hint");
  EXPECT_EQ(legacy(var_named("_x"), var_named("v_x")), "name-hint");
  EXPECT_EQ(legacy(var_named(""), var_named("v_3")), "name-hint");
  EXPECT_EQ(legacy(var_named("a.b"), var_named("a_b")), "differs at name");
}

TEST(Tolerance, TakesAVarForASizeVarButNotTheOtherWayRound) {
  const Make size = [](Maker& m) { return m.size_var("n"); };
  EXPECT_EQ(script(size, var_named("n")), "size-var");
  EXPECT_EQ(script(size, var_named("m")), "differs at name");
  EXPECT_EQ(script(var_named("n"), size), "differs at ");
}

TEST(Tolerance, TakesReaderMadeNamesAndTypesOfDataPointersOnly) {
  const auto with_data = [](std::string_view name, DType element, std::string_view scope) {
    return [=](Maker& m) {
      return m.buffer("A", m.var_of(name, m.pointer(element, scope)), m.number(0));
    };
  };
  const Make hint = with_data("A_data", DType::Float(32), "global");
  EXPECT_EQ(script(hint, with_data("A", DType::Float(32), "global")), "data-var");
  EXPECT_EQ(script(hint, with_data("B", DType::Float(32), "global")), "differs at data.name");
  EXPECT_EQ(script(with_data("A", DType::Float(32), "shared"), hint).substr(0, 7), "differs");
  EXPECT_EQ(
      script(with_data("A", DType::Int(8), "global"), with_data("A", DType::Float(32), "global")),
      "data-var");
  EXPECT_EQ(
      script(with_data("A", DType::Float(32), "global"), with_data("A", DType::Int(8), "global")),
      "differs at data.type_annotation.element_type.dtype");
}

TEST(Tolerance, TakesDefaultsOfBuffersOnly) {
  const auto with = [](std::int64_t alignment, std::int64_t offset, DType dtype) {
    return [=](Maker& m) {
      return m.buffer("A", m.var("A", DType::Handle()), m.number(offset, dtype), alignment);
    };
  };
  const Make plain = with(64, 0, DType::Int(32));
  EXPECT_EQ(script(plain, with(128, 0, DType::Int(32))), "buffer-defaults");
  EXPECT_EQ(script(plain, with(64, 0, DType::Int(64))), "buffer-defaults");
  EXPECT_EQ(script(plain, with(16, 0, DType::Int(32))), "differs at data_alignment");
  EXPECT_EQ(script(with(16, 0, DType::Int(32)), plain), "differs at data_alignment");
  EXPECT_EQ(script(plain, with(64, 4, DType::Int(32))), "differs at elem_offset.value");
}

TEST(Tolerance, TakesNumbersThatGoWithoutSayingOfAnyDtype) {
  const auto range = [](std::int64_t min, DType dtype) {
    return [=](Maker& m) { return m.b.make(Kind::Range, {m.number(min, dtype), m.number(4)}); };
  };
  const DType wide = DType::Int(64);
  EXPECT_EQ(script(range(0, wide), range(0, DType::Int(32))), "implied-dtype");
  EXPECT_EQ(script(range(0, wide), range(0, wide)), "equal");
  EXPECT_EQ(script(range(2, wide), range(2, DType::Int(32))), "differs at min.dtype");
  EXPECT_EQ(script(range(0, wide), range(1, wide)), "differs at min.value");
  EXPECT_EQ(legacy(range(0, wide), range(0, DType::Int(32))), "differs at min.dtype");
}

TEST(Tolerance, TakesTheSameExtentHoweverItIsWritten) {
  // for i in range(n, n + m): the extent may come out as (n + m) - n, or as m.
  const auto looping = [](const std::function<NodeId(Maker&, NodeId, NodeId)>& extent) {
    return [extent](Maker& m) {
      const NodeId n = m.var("n");
      const NodeId size = m.var("m");
      const NodeId body = m.evaluate(m.number(0));
      const NodeId loop = m.loop(m.var("i"), n, extent(m, n, size), body);
      return m.function({n, size}, loop);
    };
  };
  const auto plain = looping([](Maker&, NodeId, NodeId size) { return size; });
  const auto computed =
      looping([](Maker& m, NodeId n, NodeId size) { return m.sub(m.add(n, size), n); });
  const auto longer = looping(
      [](Maker& m, NodeId n, NodeId size) { return m.sub(m.add(m.add(n, size), m.number(1)), n); });
  EXPECT_EQ(script(plain, computed), "loop-extent");
  EXPECT_EQ(legacy(plain, computed), "loop-extent");
  EXPECT_EQ(script(plain, longer), "differs at body.extent");
  EXPECT_FALSE(compare(made(plain), made(computed)).equal());
}

TEST(Tolerance, TakesSixDigitsInLegacyTextOnly) {
  const auto real = [](double value) { return [value](Maker& m) { return m.real(value); }; };
  EXPECT_EQ(legacy(real(0.123456789), real(0.123457)), "float-digits");
  EXPECT_EQ(legacy(real(0.123456789), real(0.12346)), "differs at value");
  EXPECT_EQ(script(real(0.123456789), real(0.123457)), "differs at value");
}

TEST(Tolerance, TakesTheElseBranchOfAConstantConditionInLegacyTextOnly) {
  const auto branch = [](std::int64_t condition, bool has_else) {
    return [=](Maker& m) {
      const NodeId then_case = m.evaluate(m.number(1));
      return m.b.make(Kind::IfThenElse, {m.number(condition, DType::Bool()), then_case,
                                         has_else ? m.evaluate(m.number(2)) : kNone});
    };
  };
  EXPECT_EQ(legacy(branch(1, true), branch(1, false)), "else-branch");
  EXPECT_EQ(legacy(branch(0, true), branch(0, false)), "differs at else_case");
  EXPECT_EQ(legacy(branch(1, false), branch(1, true)), "differs at else_case");
  EXPECT_EQ(script(branch(1, true), branch(1, false)), "differs at else_case");
}

TEST(Tolerance, TakesABodyInBracesForASequenceOfOneWhereLegacyTextHasBraces) {
  const auto loop_over = [](const Make& body) {
    return [body](Maker& m) { return m.loop(m.var("i"), m.number(0), m.number(4), body(m)); };
  };
  const auto attr_around = [](const Make& body) {
    return [body](Maker& m) {
      return m.b.make(Kind::AttrStmt, {kNone, m.b.string("key"), m.number(1), body(m)});
    };
  };
  const Make one = [](Maker& m) { return m.evaluate(m.number(1)); };
  const Make wrapped = [](Maker& m) { return m.sequence({m.evaluate(m.number(1))}); };
  const Make twice = [](Maker& m) { return m.sequence({m.sequence({m.evaluate(m.number(1))})}); };
  EXPECT_EQ(legacy(loop_over(wrapped), loop_over(one)), "seq-nesting");
  EXPECT_EQ(legacy(loop_over(twice), loop_over(one)).substr(0, 7), "differs");
  EXPECT_EQ(legacy(attr_around(wrapped), attr_around(one)), "differs at body");
  EXPECT_EQ(script(attr_around(twice), attr_around(one)), "seq-nesting");
}

TEST(Tolerance, TakesDtypesOfCallsThatFollowFromNothing) {
  const auto calling = [](std::string_view op, DType dtype) {
    return [=](Maker& m) { return m.call(op, dtype, {m.text("f")}); };
  };
  EXPECT_EQ(script(calling("tir.tvm_call_packed", DType::Handle()),
                   calling("tir.tvm_call_packed", DType::Int(32))),
            "call-dtype");
  EXPECT_EQ(
      script(calling("tir.invented", DType::Handle()), calling("tir.invented", DType::Void())),
      "call-dtype");
  EXPECT_EQ(script(calling("tir.exp", DType::Float(32)), calling("tir.exp", DType::Float(16))),
            "differs at dtype");
  EXPECT_EQ(
      script(calling("tir.call_extern", DType::Int(32)), calling("tir.call_extern", DType::Int(8))),
      "differs at dtype");
  EXPECT_EQ(legacy(calling("tir.tvm_call_packed", DType::Handle()),
                   calling("tir.tvm_call_packed", DType::Int(32))),
            "differs at dtype");
}

TEST(Tolerance, TakesANameForTheNumberOfAnLlvmIntrinsic) {
  const auto calling = [](std::string_view op, const Make& first) {
    return [=](Maker& m) { return m.call(op, DType::Float(32), {first(m), m.number(2)}); };
  };
  const Make number = [](Maker& m) { return m.number(77, DType::UInt(32)); };
  const Make name = [](Maker& m) { return m.text("llvm.exp.f32"); };
  constexpr std::string_view kIntrinsic = "tir.call_llvm_pure_intrin";
  EXPECT_EQ(script(calling(kIntrinsic, number), calling(kIntrinsic, name)), "llvm-intrinsic");
  EXPECT_EQ(script(calling("tir.exp", number), calling("tir.exp", name)), "differs at args[0]");
}

TEST(Tolerance, TakesValuesOfAnotherClassWithTheSameContent) {
  const Make string = [](Maker& m) { return m.string("a"); };
  const Make text = [](Maker& m) { return m.text("a"); };
  const Make other = [](Maker& m) { return m.text("b"); };
  const Make boxed = [](Maker& m) { return m.b.make(Kind::BoxInt, {5}); };
  const Make five = [](Maker& m) { return m.number(5); };
  const Make wide = [](Maker& m) { return m.number(5, DType::Int(64)); };
  EXPECT_EQ(script(text, string), "value-kind");
  EXPECT_EQ(legacy(string, text), "value-kind");
  EXPECT_EQ(script(string, other), "differs at ");
  EXPECT_EQ(script(boxed, five), "value-kind");
  EXPECT_EQ(script(boxed, wide), "differs at ");
}

TEST(Tolerance, TakesAMissingObjectOfTheSameTypeKeyForOneObjectOnly) {
  const auto executor = [](Maker& m) {
    return m.b.make(Kind::Executor, {m.b.string("aot"), kNone});
  };
  const auto missing = [](Maker& m, std::string_view key, std::int64_t index) {
    return m.b.make(Kind::MissingObject, {m.b.string(key), index});
  };
  const Make two = [=](Maker& m) { return m.array({executor(m), executor(m)}); };
  const auto refer = [=](std::string_view key, std::int64_t first, std::int64_t second) {
    return [=](Maker& m) { return m.array({missing(m, key, first), missing(m, key, second)}); };
  };
  EXPECT_EQ(script(two, refer("Executor", 0, 1)), "attr-object attr-object");
  EXPECT_EQ(script(two, refer("Executor", 0, 0)), "differs at elements[1]");
  EXPECT_EQ(script(two, refer("Runtime", 0, 1)), "differs at elements[0]");
}

TEST(Tolerance, TakesAnotherOrderOfEntriesButNoOtherEntries) {
  const auto attrs = [](std::initializer_list<std::pair<std::string_view, std::int64_t>> entries) {
    return [all = std::vector(entries)](Maker& m) {
      std::vector<NamedNode> nodes;
      for (const auto& [name, value] : all) nodes.push_back({m.b.string(name), m.number(value)});
      return m.b.make(Kind::DictAttrs, {m.b.map(nodes)});
    };
  };
  EXPECT_EQ(script(attrs({{"b", 1}, {"a", 2}}), attrs({{"a", 2}, {"b", 1}})), "map-order");
  EXPECT_EQ(script(attrs({{"b", 1}, {"a", 2}}), attrs({{"a", 2}})), "differs at __dict__[\"b\"]");
  EXPECT_EQ(script(attrs({{"b", 1}}), attrs({{"b", 1}, {"c", 2}})), "differs at __dict__[\"c\"]");
}

TEST(Tolerance, TakesConstantsWithoutDataButNoOtherData) {
  const auto constant = [](std::vector<std::byte> data) {
    return [data](Maker& m) {
      const std::vector<std::int64_t> shape{1};
      const NodeId array =
          data.empty()
              ? kNone
              : m.b.make(Kind::NDArray, {DType::Int(8), m.b.integers(shape), m.b.bytes(data)});
      const NodeId body = m.evaluate(m.number(0));
      return m.b.make(Kind::AllocateConst,
                      {m.var("c", DType::Handle()), array, kNone, DType::Int(8),
                       m.b.list({m.number(1)}), body, m.b.map(std::span<const NamedNode>())});
    };
  };
  EXPECT_EQ(script(constant({std::byte{1}}), constant({})), "constant-data");
  EXPECT_EQ(script(constant({std::byte{1}}), constant({std::byte{2}})), "differs at data.data");
  EXPECT_EQ(script(constant({}), constant({std::byte{2}})), "differs at data");
}

TEST(Tolerance, TakesOneCopyOfASharedVariableForEachFunction) {
  // Two functions that use one variable, and a copy for each; then two copies in one function.
  const auto functions = [](std::initializer_list<std::vector<int>> uses) {
    return [all = std::vector(uses)](Maker& m) {
      const std::vector<NodeId> vars{m.var("x"), m.var("x"), m.var("x")};
      std::vector<NodeId> made;
      for (const std::vector<int>& used : all) {
        const NodeId sum =
            m.add(vars[static_cast<std::size_t>(used[0])], vars[static_cast<std::size_t>(used[1])]);
        made.push_back(m.function({}, m.evaluate(sum)));
      }
      return m.b.make(Kind::Array, {m.b.list(made)});
    };
  };
  const Make shared = functions({{0, 0}, {0, 0}});
  EXPECT_EQ(script(shared, functions({{0, 0}, {1, 1}})), "shared-var");
  EXPECT_EQ(script(shared, functions({{0, 1}, {2, 2}})).substr(0, 7), "differs");
  EXPECT_EQ(script(functions({{0, 0}, {1, 1}}), shared).substr(0, 7), "differs");
}

TEST(Tolerance, TakesOneVariableForEachStatementThatSetsIt) {
  const auto loops = [](int first, int second, int used) {
    return [=](Maker& m) {
      const NodeId vars[] = {m.var("i"), m.var("i")};
      const auto loop = [&](int var, int use) {
        return m.loop(vars[var], m.number(0), m.number(4), m.evaluate(vars[use]));
      };
      return m.sequence({loop(first, first), loop(second, used)});
    };
  };
  EXPECT_EQ(script(loops(0, 0, 0), loops(0, 1, 1)), "shared-var");
  EXPECT_EQ(script(loops(0, 1, 1), loops(0, 0, 0)).substr(0, 7), "differs");
  EXPECT_EQ(legacy(loops(0, 0, 0), loops(0, 1, 1)).substr(0, 7), "differs");
}

TEST(Tolerance, TakesPointersToBytesForPointersToBool) {
  const auto pointer = [](DType dtype) {
    return [dtype](Maker& m) { return m.pointer(dtype, "global"); };
  };
  EXPECT_EQ(script(pointer(DType::Bool()), pointer(DType::Int(8))), "pointer-scope");
  EXPECT_EQ(script(pointer(DType::Int(8)), pointer(DType::Bool())).substr(0, 7), "differs");
  EXPECT_EQ(script(pointer(DType::Bool()), pointer(DType::Int(32))).substr(0, 7), "differs");
}

TEST(Tolerance, TakesTheDomainOfAThreadFromItsExtent) {
  const auto thread = [](std::int64_t extent, IterVarType type) {
    return [=](Maker& m) {
      const NodeId dom = m.b.make(Kind::Range, {m.number(0), m.number(extent)});
      return m.b.make(Kind::IterVar, {dom, m.var("t"), type, m.b.string("threadIdx.x")});
    };
  };
  const auto bound = IterVarType::ThreadIndex;
  EXPECT_EQ(script(thread(8, bound), thread(4, bound)), "thread-iter-var");
  EXPECT_EQ(script(thread(8, bound), thread(8, bound)), "equal");
  EXPECT_EQ(script(thread(8, IterVarType::DataPar), thread(4, IterVarType::DataPar)),
            "differs at dom.extent.value");
}

TEST(Tolerance, MatchesConstantKeysByValue) {
  const auto map = [](std::int64_t first, std::int64_t second) {
    return [=](Maker& m) {
      const std::vector<NodePair> entries{{m.number(first), m.number(first * 10)},
                                          {m.number(second), m.number(second * 10)}};
      return m.b.make(Kind::ObjectMap, {m.b.map(entries)});
    };
  };
  EXPECT_EQ(script(map(1, 3), map(3, 1)), "map-order");
  EXPECT_EQ(script(map(1, 3), map(1, 4)).substr(0, 7), "differs");
}

TEST(Tolerance, HasOnlyRowsThatCanApply) {
  for (const ToleranceRow& row : all_tolerances()) {
    if (row.aspect == Aspect::field) {
      ASSERT_TRUE(row.kind) << to_string(row);
      EXPECT_LT(row.field, info(*row.kind).fields.size()) << to_string(row);
    }
    EXPECT_TRUE(row.dialect == Dialect::tvmscript || row.dialect == Dialect::old_tvmscript ||
                row.dialect == Dialect::legacy_text || row.dialect == Dialect::save_json)
        << to_string(row);
  }
}

}  // namespace
}  // namespace mlf::tir
