// The memory tables of metadata.json.
#pragma once

#include "json/document.h"
#include "mlf/model_library.h"

namespace mlf::model_library {

/// Version 1 has a list here, later versions an object; the value itself says which.
ModuleMemory read_memory(json::Value memory, Style style);

}  // namespace mlf::model_library
