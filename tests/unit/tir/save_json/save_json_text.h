// Small save_json documents for tests.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "tir/reader.h"

namespace mlf::tir::save_json_test {

/// A document of these nodes, counted from 1, rooted in the first.
inline std::string document(std::initializer_list<std::string_view> nodes,
                            std::string_view version = "0.18.0", std::string_view tensors = "[]") {
  std::string text = "{\n\"root\": 1,\n\"nodes\": [\n{\"type_key\": \"\"}";
  for (const std::string_view node : nodes) text += ",\n" + std::string(node);
  text += "\n],\n\"b64ndarrays\": " + std::string(tensors);
  return text + ",\n\"attrs\": {\"tvm_version\": \"" + std::string(version) + "\"}\n}\n";
}

inline Reading read(std::string_view text, const ReadLimits& limits = {}) {
  return read_save_json({"save.json", "", text}, limits);
}

/// A module of one function `f` without parameters whose body evaluates node 10; nodes 1 to 9.
#define MLF_EVALUATING_FUNCTION                                                                \
  R"({"type_key": "IRModule", "attrs": {"attrs": "0", "functions": "2", "global_infos": "0",)" \
  R"( "global_type_var_map_": "0", "global_var_map_": "9", "source_map": "0",)"                \
  R"( "type_definitions": "0"}})",                                                             \
      R"({"type_key": "Map", "data": [3, 5]})",                                                \
      R"({"type_key": "GlobalVar", "attrs": {"_checked_type_": "0", "name_hint": "4",)"        \
      R"( "span": "0", "struct_info_": "0", "virtual_device_": "0"}})",                        \
      R"({"type_key": "runtime.String", "repr_str": "f"})",                                    \
      R"({"type_key": "tir.PrimFunc", "attrs": {"_checked_type_": "0", "attrs": "0",)"         \
      R"( "body": "6", "buffer_map": "7", "params": "0", "ret_type": "8", "span": "0"}})",     \
      R"({"type_key": "tir.Evaluate", "attrs": {"span": "0", "value": "10"}})",                \
      R"({"type_key": "Map"})",                                                                \
      R"({"type_key": "TupleType", "attrs": {"fields": "0",)"                                  \
      R"( "span": "0"}})",                                                                     \
      R"({"type_key": "Map", "keys": ["f"], "data": [3]})"

/// The constant 7.
constexpr std::string_view kSeven =
    R"({"type_key": "IntImm", "attrs": {"dtype": "int32", "span": "0", "value": "7"}})";

/// The value that the function above evaluates.
inline Node evaluated(const Module& module) {
  return module.root().map(f::IRModule::functions).value(0)[f::PrimFunc::body][f::Evaluate::value];
}

}  // namespace mlf::tir::save_json_test
