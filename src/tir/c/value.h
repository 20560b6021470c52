// What an operand of generated C stands for while its expression is being read.
#pragma once

#include <cstdint>

#include "mlf/tir/module.h"
#include "tir/c/language.h"

namespace mlf::tir::c {

struct Value {
  enum class Form : std::uint8_t {
    none,
    expr,          ///< an expression of the IR
    null,          ///< NULL
    pointer,       ///< `(T*)x`: `node` read as an array of `pointee`
    record,        ///< `(DLTensor*)x` or `(TVMValue*)x`
    element,       ///< `((DLTensor*)x)[index]`
    temp_address,  ///< `&tmp`: only a reinterpretation may follow; `node` is what tmp holds
  };
  Form form = Form::none;
  Record record = Record::tensor;
  bool is_number = false;         ///< a number without a type before it, sign included
  bool is_typed_literal = false;  ///< `(int64_t)5`
  bool is_temp = false;           ///< the name of a temporary
  DType pointee{};                ///< void: not known
  NodeId node = NodeId::none;
  NodeId other = NodeId::none;  ///< index of an element; the number inside a typed literal
};

}  // namespace mlf::tir::c
