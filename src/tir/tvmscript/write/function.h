// Prints one PrimFunc.
#pragma once

#include <string_view>

#include "tir/tvmscript/write/script.h"

namespace mlf::tir::tvmscript {

void print_function(Node function, std::string_view name, Printer& printer, Script& script);

}  // namespace mlf::tir::tvmscript
