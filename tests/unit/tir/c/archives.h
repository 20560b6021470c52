// Real archives with generated C, and the TIR that was captured while it was generated.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tir/c/c.h"

namespace mlf::tir::c {

struct SourceFile {
  std::string name;
  std::string text;
};

/// All of `module.tar` below `root`, sorted.
std::vector<std::filesystem::path> archives(const std::filesystem::path& root);

/// The members of an archive that are C.
std::vector<SourceFile> c_files(const std::filesystem::path& tar);

/// Files with functions for this target, and those that have none.
CSources sources_for(const std::vector<SourceFile>& files, std::string_view module,
                     std::string_view target_kind);

/// The kinds of target for which there are functions.
std::set<std::string> target_kinds(const std::vector<SourceFile>& files);

/// The modules that the names of the files tell.
std::set<std::string> modules(const std::vector<SourceFile>& files);

/// The captured module and the C of one target of one archive.
struct Pair {
  std::string name;
  std::string json;
  std::vector<SourceFile> files;
  std::string module;
  std::string target_kind;

  CSources sources() const { return sources_for(files, module, target_kind); }
};

/// Every `save-*.json` beside a `module.tar`.
std::vector<Pair> pairs(const std::filesystem::path& root);

/// Whether tests print more than their totals.
bool shows_tables();

}  // namespace mlf::tir::c
