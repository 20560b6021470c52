// Documents of one function, made by hand; documents to JSON and back.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "mlf/tir/write.h"
#include "tir/reader.h"

namespace mlf::tir {

/// Makes statements that need no care about their details, and a document around a body.
class SmallModule {
 public:
  Builder& builder() { return b_; }

  NodeId integer(std::int64_t value) { return b_.make(Kind::IntImm, {DType::Int(32), value}); }
  NodeId yes() { return b_.make(Kind::IntImm, {DType::Bool(), 1}); }
  NodeId var(std::string_view name, DType dtype = DType::Int(32)) {
    const NodeId type = b_.make(Kind::PrimType, {dtype});
    return b_.make(Kind::Var, {dtype, b_.string(name), type});
  }
  NodeId buffer(std::string_view name) {
    const NodeId data = var(name, DType::Handle());
    return b_.make(Kind::Buffer,
                   {data, DType::Float(32), b_.list({integer(4)}), b_.list({}), ListId::none,
                    integer(0), b_.string(name), 64, 1, BufferType::default_});
  }

  NodeId evaluate(std::int64_t value = 0) { return b_.make(Kind::Evaluate, {integer(value)}); }
  NodeId seq(std::vector<NodeId> elements) { return b_.make(Kind::SeqStmt, {b_.list(elements)}); }
  NodeId let(NodeId body) { return b_.make(Kind::LetStmt, {var("x"), integer(1), body}); }
  NodeId attr(NodeId body) {
    return b_.make(Kind::AttrStmt, {NodeId::none, b_.string("key"), integer(1), body});
  }
  NodeId assertion(NodeId body) {
    const NodeId message = b_.make(Kind::StringImm, {DType::Handle(), b_.string("why")});
    return b_.make(Kind::AssertStmt, {yes(), message, body});
  }
  NodeId allocate(NodeId body) {
    return b_.make(Kind::Allocate, {var("p", DType::Handle()), DType::Int(8), b_.list({integer(2)}),
                                    yes(), body, no_entries()});
  }
  NodeId allocate_const(NodeId body) {
    const std::vector<std::int64_t> shape{2};
    const NodeId data = b_.make(
        Kind::NDArray, {DType::Int(8), b_.integers(shape), b_.bytes({std::byte{1}, std::byte{2}})});
    return b_.make(Kind::AllocateConst, {var("c", DType::Handle()), data, NodeId::none,
                                         DType::Int(8), b_.list({integer(2)}), body, no_entries()});
  }
  NodeId declare(NodeId body) { return b_.make(Kind::DeclBuffer, {buffer("d"), body}); }
  NodeId realize(NodeId body) {
    const NodeId range = b_.make(Kind::Range, {integer(0), integer(4)});
    return b_.make(Kind::BufferRealize, {buffer("r"), b_.list({range}), yes(), body});
  }
  NodeId produce(NodeId body) {
    const NodeId name = b_.make(Kind::EnvFunc, {b_.string("producer")});
    return b_.make(Kind::ProducerRealize, {name, b_.list({}), yes(), body, b_.string("local")});
  }
  NodeId loop(NodeId body) {
    return b_.make(Kind::For, {var("i"), integer(0), integer(4), ForKind::serial, body,
                               NodeId::none, no_entries()});
  }
  NodeId repeat(NodeId body) { return b_.make(Kind::While, {yes(), body}); }
  NodeId branch(NodeId then_case, NodeId else_case) {
    return b_.make(Kind::IfThenElse, {yes(), then_case, else_case});
  }
  NodeId block(NodeId body, NodeId init) {
    const ListId none = b_.list({});
    const NodeId block = b_.make(
        Kind::Block, {none, none, none, b_.string("b"), body, init, none, none, no_entries()});
    return b_.make(Kind::BlockRealize, {none, yes(), block});
  }

  /// A document of one function "f" with this body. The builder is used up.
  Document document(NodeId body) {
    const NodeId ret = b_.make(Kind::TupleType, {b_.list({})});
    const NodeId function =
        b_.make(Kind::PrimFunc, {b_.list({}), ret, no_entries(), ListId::none, NodeId::none, body});
    const NodeId name =
        b_.make(Kind::GlobalVar, {b_.string("f"), NodeId::none, NodeId::none, NodeId::none});
    const NodeId module =
        b_.make(Kind::IRModule, {b_.map(std::vector<NodePair>{{name, function}}), NodeId::none,
                                 NodeId::none, NodeId::none, NodeId::none, NodeId::none});
    return {.source = {.member = "test",
                       .stage = "lowered",
                       .tvm_version = {},
                       .sha256 = std::string(64, '0')},
            .target = std::nullopt,
            .module = std::move(b_).finish(module),
            .losses = {}};
  }

 private:
  ListId no_entries() { return b_.list({}); }

  Builder b_;
};

inline Node first_body(const Document& document) {
  return document.module.root().map(f::IRModule::functions).value(0)[f::PrimFunc::body];
}

inline std::string json_of(const Document& document, const JsonOptions& options = {}) {
  std::string text;
  const auto files =
      write_tir_json(document, options, [&](std::string_view bytes) { text += bytes; });
  EXPECT_TRUE(files) << (files ? "" : to_string(files.error()));
  return text;
}

inline Document document_of(std::string_view json) {
  return read_tir_json({.file = "test.json", .member = {}, .text = json}, {});
}

}  // namespace mlf::tir
