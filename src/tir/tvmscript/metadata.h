// `metadata["Runtime"][0]`: what TVMScript cannot print is save_json in front of the text, if
// it is anywhere.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tir/reader.h"
#include "tir/save_json/metadata.h"
#include "tir/text/expr_factory.h"
#include "tir/text/losses.h"

namespace mlf::tir::tvmscript {

class Metadata {
 public:
  Metadata(text::ExprFactory& make, LossLog& losses)
      : make_(make), losses_(losses), missing_(make.builder(), losses) {}

  /// Takes the objects of a section; `token` is the string literal at `offset` that holds it.
  /// Gives the version that the section names.
  VersionRange read(const support::SourceText& source, std::size_t offset, std::string_view token,
                    const ReadLimits& limits);

  /// The variable of a function: one node, whether the section mentions it or not.
  NodeId global_var(std::string_view name);

  /// An object of the section, or a MissingObject, the same for each mention. A missing one is a
  /// loss at `where`.
  NodeId find(std::string_view type_key, std::int64_t index, std::string_view where);
  text::MissingObjects& missing() { return missing_; }

 private:
  text::ExprFactory& make_;
  LossLog& losses_;
  MetadataSection section_{};
  std::map<std::string, NodeId, std::less<>> global_vars_;  // of the section
  text::MissingObjects missing_;
};

}  // namespace mlf::tir::tvmscript
