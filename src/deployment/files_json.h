// The members of a module as JSON, the same in all documents.
#pragma once

#include "json/writer.h"
#include "mlf/model_library.h"

namespace mlf::deployment {

/// Writes the members of the object.
void write_files(json::Writer& out, const ModuleFiles& files);

}  // namespace mlf::deployment
