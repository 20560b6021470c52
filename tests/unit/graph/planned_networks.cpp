#include "unit/graph/planned_networks.h"

namespace mlf::graph {
namespace {

constexpr std::string_view kPoolBuffers =
    "global_const_workspace_0_buffer_var = T.match_buffer(global_const_workspace_0_var, (64,), "
    "\"uint8\", strides=(1,), align=16)\n"
    "global_workspace_1_buffer_var = T.match_buffer(global_workspace_1_var, (48,), \"uint8\", "
    "strides=(1,), align=16)\n";

constexpr std::string_view kPools =
    ", global_const_workspace_0_buffer_var.data, global_workspace_1_buffer_var.data";

}  // namespace

std::string planned_main(std::string_view statements) {
  std::string text = main_of({"x", "output"}, std::string(kPoolBuffers) + std::string(statements));
  const std::string last = "output: T.handle";
  text.insert(text.find(last) + last.size(),
              ", global_const_workspace_0_var: T.handle(\"uint8\", \"global\"), "
              "global_workspace_1_var: T.handle(\"uint8\", \"global\")");
  return text;
}

std::string place(std::string_view name, std::size_t offset) {
  return std::string(name) +
         ": T.handle(\"int8\", \"global.workspace\") = "
         "T.address_of(global_workspace_1_buffer_var[" +
         std::to_string(offset) + "])\n";
}

std::string planned_unary(std::string_view name) {
  return kernel(name,
                "p0: T.Buffer((4,), \"float32\"), T_add: T.Buffer((4,), \"float32\"), "
                "global_const_workspace_2_var: T.handle(\"uint8\", \"global\"), "
                "global_workspace_3_var: T.handle(\"uint8\", \"global\")",
                "global_const_workspace_2_buffer_var = T.match_buffer("
                "global_const_workspace_2_var, (64,), \"uint8\", strides=(1,), align=16)\n"
                "global_workspace_3_buffer_var = T.match_buffer(global_workspace_3_var, (48,), "
                "\"uint8\", strides=(1,), align=16)\n"
                "weight_let: T.handle(\"float32\") = "
                "T.address_of(global_const_workspace_2_buffer_var[16])\n"
                "local_let: T.handle(\"float32\", \"global\") = "
                "T.address_of(global_workspace_3_buffer_var[32])\n"
                "for i in range(4):\n"
                "    weight = T.Buffer((4,), data=weight_let)\n"
                "    local = T.Buffer((4,), data=local_let)\n"
                "    local[i] = p0[i] * weight[i]\n"
                "    T_add[i] = local[i]");
}

std::string planned_call(std::string_view arguments) {
  return call("tvmgen_default_a", std::string(arguments) + std::string(kPools));
}

}  // namespace mlf::graph
