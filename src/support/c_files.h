// Which files are C or C++, by their names.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace mlf::support {

inline bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view end) { return name.ends_with(end); });
}

/// The name of a file without its directory.
inline std::string_view leaf_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// What a build compiles.
inline bool is_c_source(std::string_view name) {
  return ends_with_any(name, {".c", ".cc", ".cpp", ".cxx"});
}

inline bool is_assembler(std::string_view name) {
  return ends_with_any(name, {".S", ".s"});
}

/// What other code includes.
inline bool is_c_header(std::string_view name) {
  return ends_with_any(name, {".h", ".hh", ".hpp", ".hxx", ".ipp", ".tcc"});
}

/// Whether a path in an #include is of TVM's runtime.
inline bool is_tvm_header(std::string_view path) {
  return path.starts_with("tvm/") || path.starts_with("dlpack/");
}

}  // namespace mlf::support
