// The comment lines in front of a TVMScript: which prefixes it uses.
#pragma once

#include <string_view>

namespace mlf::tir::tvmscript {

/// What stands before the dot of a builtin; users may choose their own.
struct Prefixes {
  std::string_view ir = "I";
  std::string_view tir = "T";
  std::string_view relax = "R";
};

/// Takes a comment such as `# from tvm.script import tir as T`; others are passed over.
void read_import(std::string_view comment, Prefixes& prefixes);

/// What follows the prefix and the dot in `path`; empty where it starts otherwise.
std::string_view after_prefix(std::string_view path, std::string_view prefix);

/// Whether a comment is the `# with T.block("root"):` of an implied root block.
bool is_root_block(std::string_view comment);

}  // namespace mlf::tir::tvmscript
