// Prints heads of functions: signatures, and the code of a packed function that reads its
// arguments. Source: the passes MakePackedAPI and MakeUnpackedAPI.
#pragma once

#include <string>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/c/write/body.h"
#include "tir/c/write/packed_calls.h"

namespace mlf::tir::c {

enum class Convention : std::uint8_t { unpacked, packed };

class Prologue {
 public:
  Prologue(const Forms& forms, Code& code, ExprWriter& exprs, Node function);

  /// `(float* p0, int8_t* p1)`. Names the parameters.
  std::string signature(Convention convention);
  /// Prints everything before the body's own statements.
  FunctionHead write(Convention convention, PackedCalls& calls);

 private:
  /// A parameter and the buffer behind it, if it has one.
  struct Param {
    Node var;
    Node buffer;
    std::string handle{};  ///< its name in C, as the function receives it
    std::string strides{};
  };
  std::string packed_signature();
  std::string unpacked_signature();
  void rename_numbered();
  void take_code(const Param& param, std::size_t position);
  void take_value(Param& param, std::size_t position);
  void take_all_values();
  void take_tensor(Param& param);
  void take_scalar(const Param& param);
  void take_data(const Param& param);
  std::string take_field(const Param& param, std::string_view type, const std::string& name,
                         int field);
  std::string prefix(const Param& param) const;

  const Forms& forms_;
  Code& code_;
  ExprWriter& exprs_;
  Node function_;
  std::string symbol_;
  std::vector<Param> params_;
  std::string args_;
  std::string type_ids_;
  FunctionHead head_;
};

/// The name of a function in C.
std::string symbol_of(Node function);

}  // namespace mlf::tir::c
