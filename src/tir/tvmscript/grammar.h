// TVMScript's share of the expression engine: a subset of Python.
#pragma once

#include "tir/text/grammar.h"

namespace mlf::tir::tvmscript {

const text::Grammar& grammar();

}  // namespace mlf::tir::tvmscript
