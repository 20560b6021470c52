// Declarations of the parts of TVM's runtime that generated C uses, for users without TVM's
// headers: the files of include/ beside this one.
#pragma once

#include <span>
#include <string_view>

namespace mlf::compile {

struct StandInHeader {
  std::string_view path;  ///< "tvm/runtime/c_runtime_api.h"
  std::string_view text;
};

std::span<const StandInHeader> stand_in_headers();

}  // namespace mlf::compile
