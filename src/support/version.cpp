#include "mlf/formats.h"

namespace mlf {

std::string_view version() noexcept {
  return MLF_VERSION;
}

}  // namespace mlf
