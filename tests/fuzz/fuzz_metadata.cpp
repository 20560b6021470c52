// metadata.json, target texts and parameter files: a value or a diagnostic, nothing else.
#include <cstdint>
#include <span>
#include <string_view>

#include "mlf/model_library.h"
#include "mlf/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(mlf::read_model_library(text, {}));
  static_cast<void>(mlf::parse_target(text));
  static_cast<void>(mlf::read_params(std::as_bytes(std::span(text)), "fuzz.params"));
  return 0;
}
