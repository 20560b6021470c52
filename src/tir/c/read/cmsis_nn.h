// Kernels for CMSIS-NN: structs that describe a layer, one call, and a test of its status.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "tir/c/read/context.h"

namespace mlf::tir::c {

class CmsisReader {
 public:
  explicit CmsisReader(FunctionContext& context) : context_(context), cursor_(context.cursor) {}

  /// Reads `cmsis_nn_… name = {…};`; false where something else follows.
  bool structure();
  /// Reads `arm_… status = f(…);` and the test behind it, as the call of the IR; nothing where
  /// something else follows.
  std::optional<NodeId> call();

 private:
  /// The fields of a struct: numbers, and names of variables or of other structs.
  struct Struct {
    std::string_view type;
    std::vector<NodeId> values;  ///< none: the name of a struct
    std::vector<std::string_view> names;
  };
  using Args = std::vector<NodeId>;
  enum class PairOrder : std::uint8_t { as_printed, swapped };

  std::vector<std::string_view> arguments();
  void pass_status_test();
  NodeId convolution(std::string_view function, const std::vector<std::string_view>& passed);
  NodeId pooling(std::string_view function, const std::vector<std::string_view>& passed);
  void add_context(Args& args);
  void add_pair(Args& args, const Struct& owner, std::size_t position, PairOrder order);
  void add_all(Args& args, std::string_view name);
  const Struct& find(std::string_view name);
  NodeId value(const Struct& owner, std::size_t position);
  NodeId variable(std::string_view name);
  NodeId external(const Args& args);

  FunctionContext& context_;
  Cursor& cursor_;
  std::map<std::string_view, Struct> structs_;
};

}  // namespace mlf::tir::c
