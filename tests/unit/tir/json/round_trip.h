// JSON text of a document, and back.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "mlf/tir/write.h"
#include "tir/reader.h"

namespace mlf::tir {

inline std::string json_of(const Document& document, const JsonOptions& options = {}) {
  std::string text;
  const auto files =
      write_tir_json(document, options, [&](std::string_view bytes) { text += bytes; });
  EXPECT_TRUE(files) << (files ? "" : to_string(files.error().front()));
  return text;
}

inline Document document_of(std::string_view json) {
  return read_tir_json({.file = "test.json", .member = {}, .text = json}, {});
}

}  // namespace mlf::tir
