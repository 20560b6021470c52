// One malformed text and the message it must give.
#pragma once

#include <string>
#include <vector>

#include "reading.h"

namespace mlf::tir::tvmscript {

struct Malformed {
  std::string name;
  std::string text;
  std::string message;
};

}  // namespace mlf::tir::tvmscript
