#include "drawing/graphviz.h"

#ifdef MLF_GRAPHVIZ_LINKED

extern "C" {
extern char gvplugin_core_LTX_library[];
extern char gvplugin_dot_layout_LTX_library[];
}

namespace mlf::drawing {

// A program that carries its libraries along, such as that of the Python wheel.
const Graphviz& graphviz() {
  static constexpr Graphviz kLinked{
#define MLF_GRAPHVIZ_FUNCTION(library, name) &::name,
#include "drawing/graphviz_functions.def"
#undef MLF_GRAPHVIZ_FUNCTION
  };
  return kLinked;
}

Plugins find_plugins() {
  return {gvplugin_core_LTX_library, gvplugin_dot_layout_LTX_library};
}

}  // namespace mlf::drawing

#else

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>

namespace mlf::drawing {
namespace {

bool is_missing(const char* library) {
  return ::access(library, F_OK) != 0 && errno == ENOENT;
}

/// Never closed: Graphviz keeps pointers into its libraries.
void* open(const char* library) {
  if (void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL)) return handle;
  throw std::runtime_error(::dlerror());
}

/// Where it was when mlf was built, else where this system has its libraries.
void* open_library(const std::string& path) {
  return open(is_missing(path.c_str()) ? path.substr(path.rfind('/') + 1).c_str() : path.c_str());
}

template <class Function>
Function function_of(void* library, const char* name) {
  if (void* address = ::dlsym(library, name)) return reinterpret_cast<Function>(address);
  throw std::runtime_error(std::string("it has no function ") + name);
}

Graphviz load() {
  void* const cgraph = open_library(MLF_GRAPHVIZ_CGRAPH);
  void* const gvc = open_library(MLF_GRAPHVIZ_GVC);
  return {
#define MLF_GRAPHVIZ_FUNCTION(library, name) function_of<decltype(&::name)>(library, #name),
#include "drawing/graphviz_functions.def"
#undef MLF_GRAPHVIZ_FUNCTION
  };
}

/// Null if this Graphviz is elsewhere.
void* exported(const char* library, const char* name) {
  return is_missing(library) ? nullptr : ::dlsym(open(library), name);
}

}  // namespace

const Graphviz& graphviz() {
  static const Graphviz loaded = load();
  return loaded;
}

// Their directory belongs to Graphviz; Debian's packages may not have it in a search path of
// theirs.
Plugins find_plugins() {
  return {exported(MLF_GRAPHVIZ_CORE, "gvplugin_core_LTX_library"),
          exported(MLF_GRAPHVIZ_DOT_LAYOUT, "gvplugin_dot_layout_LTX_library")};
}

}  // namespace mlf::drawing

#endif
