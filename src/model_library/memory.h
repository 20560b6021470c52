// The memory tables of metadata.json.
#pragma once

#include "mlf/model_library.h"
#include "model_library/json_dom.h"

namespace mlf::model_library {

/// Version 1 has a list here, later versions an object; the value itself says which.
ModuleMemory read_memory(JsonValue memory, Style style);

}  // namespace mlf::model_library
