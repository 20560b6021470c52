// `meta[type_key][index]`: what the legacy printer cannot print is in a section at the end of
// the text, if anywhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tir/reader.h"
#include "tir/save_json/metadata.h"
#include "tir/text/expr_factory.h"
#include "tir/text/losses.h"

namespace mlf::tir::legacy {

/// Where the TIR ends and the JSON of a `#[metadata]` section begins; both are the text's size
/// where there is none. The note that a section was left out is not a part of the TIR either.
struct Sections {
  std::size_t code_end;
  std::size_t metadata_begin;
};
Sections sections_of(std::string_view text);

class Metadata {
 public:
  Metadata(text::ExprFactory& make, LossLog& losses)
      : make_(make), losses_(losses), missing_(make.builder(), losses) {}

  /// Takes the objects of the section that begins at `begin`; gives the version it names.
  VersionRange read(const support::SourceText& source, std::size_t begin, const ReadLimits& limits);

  /// The object behind a whole `meta[…][…]`: of the section, or a MissingObject, the same for each
  /// mention. A missing one is a loss at `where`.
  NodeId find(std::string_view reference, std::string_view where);
  text::MissingObjects& missing() { return missing_; }

 private:
  text::ExprFactory& make_;
  LossLog& losses_;
  MetadataSection section_;
  text::MissingObjects missing_;
};

}  // namespace mlf::tir::legacy
