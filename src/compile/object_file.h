// Sections and functions of an ELF object file, of any machine.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mlf/compile.h"

namespace mlf::compile {

/// Names that object files share.
struct ObjectSymbols {
  std::set<std::string, std::less<>> defined;
  std::set<std::string, std::less<>> wanted;
  /// The functions that the code of each function calls, or whose addresses it takes.
  std::map<std::string, std::set<std::string>> calls;

  /// Returns the names that no object file defines.
  std::vector<std::string> missing() const;
  /// Whether a function may be called before it has returned.
  bool may_recurse() const;
};

/// Adds the sections and symbols of the object file at `path`. Throws `Error` if it is not ELF.
void add_object_file(const std::string& path, const SectionPlaces& places, CompiledCode& code,
                     ObjectSymbols& symbols);

/// Adds the sections and symbols of an object file in an archive. Throws `Error` if it is not ELF.
void add_object(std::string_view bytes, std::string_view member, ObjectCode& object,
                ObjectSymbols& symbols);

/// Throws `Error` for an ELF file or a static library of which a part is missing.
void require_whole_objects(std::string_view bytes, const Location& where);

/// Adds the frames that gcc and clang wrote with -fstack-usage.
void add_frames(const std::string& path, CompiledCode& code);

}  // namespace mlf::compile
